//! The attributes of devices, by the driver's names.

/// Calls a macro with every attribute: its name here, in the driver's header,
/// and in PyCUDA.
macro_rules! for_each_attribute {
    ($then:ident) => {
        $then! {
            MaxThreadsPerBlock CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK "max_threads_per_block";
            MaxBlockDimX CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X "max_block_dim_x";
            MaxBlockDimY CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y "max_block_dim_y";
            MaxBlockDimZ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z "max_block_dim_z";
            MaxGridDimX CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X "max_grid_dim_x";
            MaxGridDimY CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y "max_grid_dim_y";
            MaxGridDimZ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z "max_grid_dim_z";
            MaxSharedMemoryPerBlock CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK "max_shared_memory_per_block";
            TotalConstantMemory CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY "total_constant_memory";
            WarpSize CU_DEVICE_ATTRIBUTE_WARP_SIZE "warp_size";
            MaxPitch CU_DEVICE_ATTRIBUTE_MAX_PITCH "max_pitch";
            MaxRegistersPerBlock CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK "max_registers_per_block";
            ClockRate CU_DEVICE_ATTRIBUTE_CLOCK_RATE "clock_rate";
            TextureAlignment CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT "texture_alignment";
            GpuOverlap CU_DEVICE_ATTRIBUTE_GPU_OVERLAP "gpu_overlap";
            MultiprocessorCount CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT "multiprocessor_count";
            KernelExecTimeout CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT "kernel_exec_timeout";
            Integrated CU_DEVICE_ATTRIBUTE_INTEGRATED "integrated";
            CanMapHostMemory CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY "can_map_host_memory";
            ComputeMode CU_DEVICE_ATTRIBUTE_COMPUTE_MODE "compute_mode";
            MaximumTexture1dWidth CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH "maximum_texture1d_width";
            MaximumTexture2dWidth CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH "maximum_texture2d_width";
            MaximumTexture2dHeight CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT "maximum_texture2d_height";
            MaximumTexture3dWidth CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH "maximum_texture3d_width";
            MaximumTexture3dHeight CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT "maximum_texture3d_height";
            MaximumTexture3dDepth CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH "maximum_texture3d_depth";
            MaximumTexture2dLayeredWidth CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH "maximum_texture2d_layered_width";
            MaximumTexture2dLayeredHeight CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT "maximum_texture2d_layered_height";
            MaximumTexture2dLayeredLayers CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS "maximum_texture2d_layered_layers";
            SurfaceAlignment CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT "surface_alignment";
            ConcurrentKernels CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS "concurrent_kernels";
            EccEnabled CU_DEVICE_ATTRIBUTE_ECC_ENABLED "ecc_enabled";
            PciBusId CU_DEVICE_ATTRIBUTE_PCI_BUS_ID "pci_bus_id";
            PciDeviceId CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID "pci_device_id";
            TccDriver CU_DEVICE_ATTRIBUTE_TCC_DRIVER "tcc_driver";
            MemoryClockRate CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE "memory_clock_rate";
            GlobalMemoryBusWidth CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH "global_memory_bus_width";
            L2CacheSize CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE "l2_cache_size";
            MaxThreadsPerMultiprocessor CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR "max_threads_per_multiprocessor";
            AsyncEngineCount CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT "async_engine_count";
            UnifiedAddressing CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING "unified_addressing";
            MaximumTexture1dLayeredWidth CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH "maximum_texture1d_layered_width";
            MaximumTexture1dLayeredLayers CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS "maximum_texture1d_layered_layers";
            CanTex2dGather CU_DEVICE_ATTRIBUTE_CAN_TEX2D_GATHER "can_tex2d_gather";
            MaximumTexture2dGatherWidth CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH "maximum_texture2d_gather_width";
            MaximumTexture2dGatherHeight CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_HEIGHT "maximum_texture2d_gather_height";
            MaximumTexture3dWidthAlternate CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE "maximum_texture3d_width_alternate";
            MaximumTexture3dHeightAlternate CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE "maximum_texture3d_height_alternate";
            MaximumTexture3dDepthAlternate CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE "maximum_texture3d_depth_alternate";
            PciDomainId CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID "pci_domain_id";
            TexturePitchAlignment CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT "texture_pitch_alignment";
            MaximumTexturecubemapWidth CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_WIDTH "maximum_texturecubemap_width";
            MaximumTexturecubemapLayeredWidth CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH "maximum_texturecubemap_layered_width";
            MaximumTexturecubemapLayeredLayers CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS "maximum_texturecubemap_layered_layers";
            MaximumSurface1dWidth CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH "maximum_surface1d_width";
            MaximumSurface2dWidth CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH "maximum_surface2d_width";
            MaximumSurface2dHeight CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT "maximum_surface2d_height";
            MaximumSurface3dWidth CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH "maximum_surface3d_width";
            MaximumSurface3dHeight CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT "maximum_surface3d_height";
            MaximumSurface3dDepth CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH "maximum_surface3d_depth";
            MaximumSurface1dLayeredWidth CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH "maximum_surface1d_layered_width";
            MaximumSurface1dLayeredLayers CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS "maximum_surface1d_layered_layers";
            MaximumSurface2dLayeredWidth CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH "maximum_surface2d_layered_width";
            MaximumSurface2dLayeredHeight CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT "maximum_surface2d_layered_height";
            MaximumSurface2dLayeredLayers CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS "maximum_surface2d_layered_layers";
            MaximumSurfacecubemapWidth CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_WIDTH "maximum_surfacecubemap_width";
            MaximumSurfacecubemapLayeredWidth CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH "maximum_surfacecubemap_layered_width";
            MaximumSurfacecubemapLayeredLayers CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS "maximum_surfacecubemap_layered_layers";
            MaximumTexture1dLinearWidth CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH "maximum_texture1d_linear_width";
            MaximumTexture2dLinearWidth CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH "maximum_texture2d_linear_width";
            MaximumTexture2dLinearHeight CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT "maximum_texture2d_linear_height";
            MaximumTexture2dLinearPitch CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH "maximum_texture2d_linear_pitch";
            MaximumTexture2dMipmappedWidth CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH "maximum_texture2d_mipmapped_width";
            MaximumTexture2dMipmappedHeight CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT "maximum_texture2d_mipmapped_height";
            ComputeCapabilityMajor CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR "compute_capability_major";
            ComputeCapabilityMinor CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR "compute_capability_minor";
            MaximumTexture1dMipmappedWidth CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH "maximum_texture1d_mipmapped_width";
            StreamPrioritiesSupported CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED "stream_priorities_supported";
            GlobalL1CacheSupported CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED "global_l1_cache_supported";
            LocalL1CacheSupported CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED "local_l1_cache_supported";
            MaxSharedMemoryPerMultiprocessor CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR "max_shared_memory_per_multiprocessor";
            MaxRegistersPerMultiprocessor CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR "max_registers_per_multiprocessor";
            ManagedMemory CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY "managed_memory";
            MultiGpuBoard CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD "multi_gpu_board";
            MultiGpuBoardGroupId CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID "multi_gpu_board_group_id";
            HostNativeAtomicSupported CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED "host_native_atomic_supported";
            SingleToDoublePrecisionPerfRatio CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO "single_to_double_precision_perf_ratio";
            PageableMemoryAccess CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS "pageable_memory_access";
            ConcurrentManagedAccess CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS "concurrent_managed_access";
            ComputePreemptionSupported CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED "compute_preemption_supported";
            CanUseHostPointerForRegisteredMem CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM "can_use_host_pointer_for_registered_mem";
            CanUseStreamMemOpsV1 CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1 "can_use_stream_mem_ops_v1";
            CanUse64BitStreamMemOpsV1 CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1 "can_use_64_bit_stream_mem_ops_v1";
            CanUseStreamWaitValueNorV1 CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1 "can_use_stream_wait_value_nor_v1";
            CooperativeLaunch CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH "cooperative_launch";
            CooperativeMultiDeviceLaunch CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH "cooperative_multi_device_launch";
            MaxSharedMemoryPerBlockOptin CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN "max_shared_memory_per_block_optin";
            CanFlushRemoteWrites CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES "can_flush_remote_writes";
            HostRegisterSupported CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED "host_register_supported";
            PageableMemoryAccessUsesHostPageTables CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES "pageable_memory_access_uses_host_page_tables";
            DirectManagedMemAccessFromHost CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST "direct_managed_mem_access_from_host";
            VirtualAddressManagementSupported CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED "virtual_address_management_supported";
            HandleTypePosixFileDescriptorSupported CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED "handle_type_posix_file_descriptor_supported";
            HandleTypeWin32HandleSupported CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED "handle_type_win32_handle_supported";
            HandleTypeWin32KmtHandleSupported CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED "handle_type_win32_kmt_handle_supported";
            MaxBlocksPerMultiprocessor CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR "max_blocks_per_multiprocessor";
            GenericCompressionSupported CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED "generic_compression_supported";
            MaxPersistingL2CacheSize CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE "max_persisting_l2_cache_size";
            MaxAccessPolicyWindowSize CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE "max_access_policy_window_size";
            GpuDirectRdmaWithCudaVmmSupported CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED "gpu_direct_rdma_with_cuda_vmm_supported";
            ReservedSharedMemoryPerBlock CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK "reserved_shared_memory_per_block";
            SparseCudaArraySupported CU_DEVICE_ATTRIBUTE_SPARSE_CUDA_ARRAY_SUPPORTED "sparse_cuda_array_supported";
            ReadOnlyHostRegisterSupported CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED "read_only_host_register_supported";
            TimelineSemaphoreInteropSupported CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED "timeline_semaphore_interop_supported";
            MemoryPoolsSupported CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED "memory_pools_supported";
            GpuDirectRdmaSupported CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED "gpu_direct_rdma_supported";
            GpuDirectRdmaFlushWritesOptions CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS "gpu_direct_rdma_flush_writes_options";
            GpuDirectRdmaWritesOrdering CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING "gpu_direct_rdma_writes_ordering";
            MempoolSupportedHandleTypes CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES "mempool_supported_handle_types";
            ClusterLaunch CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH "cluster_launch";
            DeferredMappingCudaArraySupported CU_DEVICE_ATTRIBUTE_DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED "deferred_mapping_cuda_array_supported";
            CanUse64BitStreamMemOps CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS "can_use_64_bit_stream_mem_ops";
            CanUseStreamWaitValueNor CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR "can_use_stream_wait_value_nor";
            DmaBufSupported CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED "dma_buf_supported";
            IpcEventSupported CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED "ipc_event_supported";
            MemSyncDomainCount CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT "mem_sync_domain_count";
            TensorMapAccessSupported CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED "tensor_map_access_supported";
            HandleTypeFabricSupported CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED "handle_type_fabric_supported";
            UnifiedFunctionPointers CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS "unified_function_pointers";
            NumaConfig CU_DEVICE_ATTRIBUTE_NUMA_CONFIG "numa_config";
            NumaId CU_DEVICE_ATTRIBUTE_NUMA_ID "numa_id";
            MulticastSupported CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED "multicast_supported";
            MpsEnabled CU_DEVICE_ATTRIBUTE_MPS_ENABLED "mps_enabled";
            HostNumaId CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID "host_numa_id";
            D3d12CigSupported CU_DEVICE_ATTRIBUTE_D3D12_CIG_SUPPORTED "d3d12_cig_supported";
            MemDecompressAlgorithmMask CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_ALGORITHM_MASK "mem_decompress_algorithm_mask";
            MemDecompressMaximumLength CU_DEVICE_ATTRIBUTE_MEM_DECOMPRESS_MAXIMUM_LENGTH "mem_decompress_maximum_length";
            VulkanCigSupported CU_DEVICE_ATTRIBUTE_VULKAN_CIG_SUPPORTED "vulkan_cig_supported";
            GpuPciDeviceId CU_DEVICE_ATTRIBUTE_GPU_PCI_DEVICE_ID "gpu_pci_device_id";
            GpuPciSubsystemId CU_DEVICE_ATTRIBUTE_GPU_PCI_SUBSYSTEM_ID "gpu_pci_subsystem_id";
            HostNumaVirtualMemoryManagementSupported CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED "host_numa_virtual_memory_management_supported";
            HostNumaMemoryPoolsSupported CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED "host_numa_memory_pools_supported";
            HostNumaMultinodeIpcSupported CU_DEVICE_ATTRIBUTE_HOST_NUMA_MULTINODE_IPC_SUPPORTED "host_numa_multinode_ipc_supported";
            HostMemoryPoolsSupported CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED "host_memory_pools_supported";
            HostVirtualMemoryManagementSupported CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED "host_virtual_memory_management_supported";
            HostAllocDmaBufSupported CU_DEVICE_ATTRIBUTE_HOST_ALLOC_DMA_BUF_SUPPORTED "host_alloc_dma_buf_supported";
            OnlyPartialHostNativeAtomicSupported CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED "only_partial_host_native_atomic_supported";
            AtomicReductionSupported CU_DEVICE_ATTRIBUTE_ATOMIC_REDUCTION_SUPPORTED "atomic_reduction_supported";
            LocalityDomainCount CU_DEVICE_ATTRIBUTE_LOCALITY_DOMAIN_COUNT "locality_domain_count";
            MaxOversizedSharedMemoryPerBlock CU_DEVICE_ATTRIBUTE_MAX_OVERSIZED_SHARED_MEMORY_PER_BLOCK "max_oversized_shared_memory_per_block";
            D3d12CigStreamsSupported CU_DEVICE_ATTRIBUTE_D3D12_CIG_STREAMS_SUPPORTED "d3d12_cig_streams_supported";
            DmaBufMmapSupported CU_DEVICE_ATTRIBUTE_DMA_BUF_MMAP_SUPPORTED "dma_buf_mmap_supported";
            LogicalEndpointUnicastSupported CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_UNICAST_SUPPORTED "logical_endpoint_unicast_supported";
            LogicalEndpointMulticastSupported CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_MULTICAST_SUPPORTED "logical_endpoint_multicast_supported";
            LogicalEndpointCountedOpsSupported CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_COUNTED_OPS_SUPPORTED "logical_endpoint_counted_ops_supported";
            LogicalEndpointUnicastAccessOnOwnerDeviceSupported CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_UNICAST_ACCESS_ON_OWNER_DEVICE_SUPPORTED "logical_endpoint_unicast_access_on_owner_device_supported";
            LocalityDomainMultiprocessorCount CU_DEVICE_ATTRIBUTE_LOCALITY_DOMAIN_MULTIPROCESSOR_COUNT "locality_domain_multiprocessor_count";
            LogicalEndpointSupportedHandleTypes CU_DEVICE_ATTRIBUTE_LOGICAL_ENDPOINT_SUPPORTED_HANDLE_TYPES "logical_endpoint_supported_handle_types";
            GpuDirectRdmaWithLocalizedMemorySupported CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_LOCALIZED_MEMORY_SUPPORTED "gpu_direct_rdma_with_localized_memory_supported";
        }
    };
}
pub(crate) use for_each_attribute;

macro_rules! define {
    ($($name:ident $driver:ident $python:literal;)*) => {
        /// An attribute of a device: what the driver's header calls
        /// `CU_DEVICE_ATTRIBUTE_...`.
        ///
        /// Its text is PyCUDA's name: `max_threads_per_block`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum DeviceAttribute {
            $(#[doc = concat!("`", stringify!($driver), "`")] $name,)*
        }

        impl DeviceAttribute {
            /// Every attribute that this version knows.
            pub const ALL: &'static [DeviceAttribute] = &[$(DeviceAttribute::$name,)*];

            /// PyCUDA's name: `max_threads_per_block`.
            pub fn name(self) -> &'static str {
                match self {
                    $(DeviceAttribute::$name => $python,)*
                }
            }
        }
    };
}
for_each_attribute!(define);

impl std::fmt::Display for DeviceAttribute {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

impl std::str::FromStr for DeviceAttribute {
    type Err = String;

    /// Reads PyCUDA's name or the driver's, in any case.
    fn from_str(text: &str) -> Result<DeviceAttribute, String> {
        let name = text.trim().to_ascii_lowercase();
        let name = name.strip_prefix("cu_device_attribute_").unwrap_or(&name);
        let found = DeviceAttribute::ALL.iter().find(|attribute| attribute.name() == name);
        found.copied().ok_or_else(|| format!("there is no device attribute `{text}`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        assert_eq!("WARP_SIZE".parse(), Ok(DeviceAttribute::WarpSize));
        assert_eq!("CU_DEVICE_ATTRIBUTE_CLOCK_RATE".parse(), Ok(DeviceAttribute::ClockRate));
        assert_eq!(
            DeviceAttribute::MaxSharedMemoryPerBlockOptin.to_string(),
            "max_shared_memory_per_block_optin"
        );
        assert!("speed".parse::<DeviceAttribute>().unwrap_err().contains("`speed`"));
        let mut names: Vec<&str> = DeviceAttribute::ALL.iter().map(|attribute| attribute.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), DeviceAttribute::ALL.len());
    }
}

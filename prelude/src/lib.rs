//! What a gpurepl cell sees: devices, arrays, kernels and displays.
//!
//! ```
//! use gpurepl_prelude::*;
//!
//! let a = randn::<f32>((4, 4));
//! let module = SourceModule::new(
//!     "__global__ void twice(float *a) { a[threadIdx.x + threadIdx.y*4] *= 2; }",
//! )?;
//! let mut doubled = a.copy();
//! module.get_function("twice")?.launch(1, (4, 4), &mut doubled)?;
//! assert!(array_equal(&doubled, &(2.0 * &a)));
//! # Ok::<(), Error>(())
//! ```
//!
//! In a session this crate is one shared library that every cell is compiled
//! against; the device, the variables and the caches live in its statics.
//! Everything that a cell needs comes from here, `ndarray` among it: a second
//! copy of a crate would have types of its own.
//!
//! | module | what it holds |
//! |---|---|
//! | [`device`](mod@device) | the contract of a device, CUDA and the host behind it |
//! | [`array`](mod@array) | [`GpuArray`]: creation, arithmetic, indexing, reductions |
//! | [`kernel`] | [`SourceModule`], [`ElementwiseKernel`], [`ReductionKernel`], [`ScanKernel`] |
//! | [`memory`] | [`DeviceAllocation`], [`PageLocked`], [`Managed`], copies, fills, pools |
//! | [`nvtx`](mod@nvtx) | ranges and marks in the timelines of NVIDIA's profilers |
//! | `plot` | [`plot()`](plot()), [`scatter`], [`hist`], [`imshow`], [`contour`], [`contourf`], [`pcolormesh`], [`hist2d`], [`hexbin`], [`bar`], [`boxplot`], [`violinplot`], [`pie`], [`quiver`], [`streamplot`], [`polar`], [`surface`]: [`Figure`]; [`subplots`]: [`Subplots`]; [`style`]: [`Style`] |
//! | `random` | [`rand`], [`randn`], [`seed`]; [`default_rng`]: [`Generator`] |
//! | `display` | [`Render`], [`display()`](display()), [`table`](table()), [`columns`](columns()), [`describe`](describe()), [`progress`](progress()), [`input`](input()) |
//! | [`fft`](mod@fft) | Fourier transforms |
//! | [`linalg`] | linear algebra |
//! | [`sparse`] | sparse matrices and iterative solvers |
//! | [`distributed`] | functions that the ranks of a session call together; [`rank`], [`ranks`] |
//! | [`petsc`] | PETSc's vectors, matrices and solvers |
//! | [`io`] | arrays in NumPy's files |
//! | [`CppModule`], [`SharedLibrary`], [`library!`](library) | other people's C++ on arrays |
//! | [`extend`] | what libraries over the arrays stand on |
//! | [`cell`] | what generated code calls; not for users |
#![warn(missing_docs)]

#[doc(hidden)]
pub mod cell;
#[doc(hidden)]
pub mod crates;
mod macros;
mod worker;

/// Arrays on the device: [`GpuArray`].
pub mod array {
    #[doc(hidden)]
    pub use gpurepl_arrays::array::element;
    #[doc(inline)]
    pub use gpurepl_arrays::array::{
        AnyScalar, Arange, ArrayIndex, AsArray, Base, BitElem, BitOrder, Broadcast, By, Choice, Choices,
        Dims, DistributionParameter, Elem, ExpressionSource, FloatMode, FusionGuard, GpuArray, HostDot,
        IndexArray, IndexElem, IndexLists, IntScalar, IntegerElem, IntoGrid, IntoPositions, IntoShape,
        IntoShares, IntoValue, KernelData, Length, MAX_RANK, MaskArray, Mesh, NormalElem, NumberElem,
        NumberFor, Operand, PadValue, PadWidth, PrintOptions, PrintOptionsGuard, Promote, QuantileMethod,
        RandomElem, Ranges, Raw, RealElem, RealScalar, Scalar, ShiftElem, Sign, SliceItem, Slices, Spacings,
        Stepped, Struct, ToGpu, TypeOf, UpdateIndices, Value, Views, allclose, arange, array_equal, bartlett,
        blackman, block, broadcast_arrays, broadcast_shapes, choose, clip, column_stack, concatenate,
        concatenate_axis, cumath, define_in_c, diag_indices, dstack, einsum, empty, empty_like, eye, eye_k,
        full, full_like, geomspace, geomspace_open, get_printoptions, hamming, hanning, hstack, identity,
        indices, ix_, kaiser, layout_of_c, lexsort, linspace, linspace_open, linspace_step, logspace,
        logspace_base, logspace_open, maximum, meshgrid, meshgrid_ij, meshgrid_ij_sparse, meshgrid_sparse,
        mgrid, minimum, ogrid, ones, ones_like, poly, polyadd, polyder, polyder_n, polydiv, polyfit,
        polyfit_cov, polyfit_full, polyfit_weights, polyint, polyint_n, polymul, polynomial, polysub,
        polyval, power, printoptions, ravel_multi_index, roots, select, set_printoptions, special, stack,
        stack_axis, to_gpu, tri, tril_indices, triu_indices, try_to_gpu, types, unravel_index, unwrap,
        unwrap_axis, unwrap_period, vstack, where_, without_fusion, zeros, zeros_like,
    };
}

/// Devices: where arrays live and kernels run.
pub mod device {
    #[doc(inline)]
    pub use gpurepl_device::{
        Advice, AttachFlags, CacheConfig, Context, ContextFlags, Device, DeviceAttribute, DeviceKind, Event,
        EventFlags, Graph, Limit, MemoryLocation, PageLockedFlags, Scheduling, Stream, StreamFlags, device,
        nvtx, places, synchronize, timed,
    };
}

/// Kernels: CUDA C as text, launched with checked arguments.
pub mod kernel {
    #[doc(inline)]
    pub use gpurepl_arrays::kernel::rust::{
        DeviceItem, DeviceRoot, Kernel, Matrix, MatrixMut, RustArgument, RustArguments, View, ViewMut,
        atomic, block, dynamic_shared, fast, grid, known_items, shared, thread, warp,
    };
    #[doc(inline)]
    pub use gpurepl_arrays::kernel::{
        AddressMode, ArgumentList, ArrayData, ArrayDescriptor, ArrayFlags, ArrayFormat, CompileError,
        CudaArray, Dim3, DynamicModule, DynamicSourceModule, ElementwiseCore, ElementwiseKernel,
        ExclusiveScanKernel, FaultKind, FilterMode, Function, HostBytes, HostData, HostDataMut, In, InOut,
        InclusiveScanKernel, IntoDim3, KernelArg, KernelArgs, KernelData, KernelFault, KernelValue,
        KernelValues, LoadedModule, Message, Order, Out, Outputs, Packer, PreparedArg, PreparedArgs,
        PreparedFunction, ReadMode, ReducedValues, ReductionCore, ReductionKernel, ReductionValue, Roofline,
        ScanCore, ScanKernel, Severity, SourceModule, SourceModuleBuilder, Struct, SurfaceObject,
        SurfaceReference, TextureDescriptor, TextureObject, TextureReference, TypedKernel, algorithm,
        bind_array_to_texref, compile, define_in_c, gpuarray_to_array, layout_of_c,
        make_multichannel_2d_array, matrix_to_array, matrix_to_texref, module_from_buffer, module_from_file,
        np_to_array, roofline, structure_type,
    };
    #[doc(inline)]
    pub use gpurepl_cpp::{
        CArgument, CReturn, CppArgument, CppArguments, CppFunction, CppModule, CppModuleBuilder, CppResult,
        LibraryFunction, SharedLibrary,
    };
    #[doc(hidden)]
    pub use gpurepl_kernels::ValueType;
    #[doc(inline)]
    pub use gpurepl_templates::{FromTemplate, Template};
    #[doc(inline)]
    pub use gpurepl_tune::{
        Attempt, CallTuner, Configuration, Failure, FailureKind, KernelText, Measured, Trial, Tuned, Tuner,
        Tuning, TuningStrategy, tune, tune_calls,
    };
}

/// Arrays in NumPy's files: `.npy` and `.npz`.
pub mod io {
    #[doc(inline)]
    pub use gpurepl_npy::{
        Contents, Described, NpyReader, NpyWriter, Npz, SaveArray, append_npy, create_npy, describe, load,
        load_any, load_npz, open_npy, save, savez, savez_compressed, savez_list, savez_list_compressed,
    };
}

/// Fourier transforms, under the names of `numpy.fft`.
pub mod fft {
    #[doc(inline)]
    pub use gpurepl_fft::{
        Convolved, Mode, Norm, Options, RealSignal, Signal, fft, fft2, fftconvolve, fftfreq, fftn, fftshift,
        fftshift_axes, hfft, ifft, ifft2, ifftn, ifftshift, ifftshift_axes, ihfft, irfft, irfft2, irfftn,
        next_fast_len, options, rfft, rfft2, rfftfreq, rfftn,
    };
}

/// Linear algebra of dense matrices, under the names of `numpy.linalg`.
pub mod linalg {
    #[doc(inline)]
    pub use gpurepl_linalg::{
        Field, LeastSquares, Lu, Number, Order, Triangle, allow_tf32, cholesky, cholesky_upper, cond,
        cond_order, det, eig, eigh, eigh_upper, eigvals, eigvalsh, expm, inv, is_tf32_allowed, lstsq,
        lstsq_rcond, lu, lu_factor, matmul, matrix_norm, matrix_power, matrix_rank, matrix_rank_tol,
        multi_dot, norm_order, pinv, pinv_rcond, qr, qr_complete, qr_r, slogdet, solve, solve_triangular,
        svd, svd_reduced, svdvals, tensorinv, tensorsolve, vector_norm,
    };
}

/// Sparse matrices and iterative solvers, under the names of `scipy.sparse`.
pub mod sparse {
    #[doc(inline)]
    pub use gpurepl_sparse::{
        Closure, Coo, Csc, Csr, Dia, Diagonal, DiagonalFactor, Factor, Field, Ilu, Jacobi, LinearOperator,
        Outcome, Solution, Solver, SparseMatrix, Which, bicgstab, block_diag, cg, csr, diags, eigsh,
        eigsh_which, eye, gmres, hstack, ilu, jacobi, kron, load_npz, mmread, mmwrite, operator,
        power_iteration, random, save_npz, solver, vstack,
    };
}

/// Functions that the ranks of a session call together, under the names of MPI's and NCCL's.
pub mod distributed {
    #[doc(inline)]
    pub use gpurepl_distributed::{
        DistArray, DistCsr, DistOperator, DistSolution, DistSolver, Edge, Given, Reduce, all_gather,
        all_reduce, all_to_all, barrier, broadcast, cg, fft2, gather, ifft2, rank, ranks, recv, reduce,
        reduce_scatter, scatter, send, set_timeout, solver, timeout,
    };
}

/// PETSc's vectors, matrices and solvers, spread over processes.
pub mod petsc {
    #[doc(inline)]
    pub use gpurepl_petsc::{
        Info, Local, LocalMut, Matrix, MatrixBuilder, Solution, Solver, Vector, barrier, clear_option, info,
        options, ownership_range, rank, size, version,
    };
}

/// What libraries over the arrays stand on.
pub mod extend {
    #[doc(inline)]
    pub use gpurepl_extend::*;
}

/// Memory: the device's, the host's that the device reaches, and copies.
pub mod memory {
    #[doc(inline)]
    pub use gpurepl_arrays::memory::{
        Advice, AlignedArray, ArrayData, ArrayDescriptor, ArrayFlags, AttachFlags, CudaArray,
        CudaArrayInterface, DLDataType, DLDevice, DLManagedTensor, DLManagedTensorVersioned, DLPack,
        DLPackVersion, DLTensor, DeviceAllocation, HostArray, HostBytes, HostData, HostDataMut, HostElem,
        Managed, MappedPointer, Memcpy2D, Memcpy3D, MemoryLocation, MemoryPool, Order, PageLocked,
        PageLockedFlags, PointerHolder, aligned_empty, from_device, from_device_like, gpuarray_to_array,
        make_multichannel_2d_array, managed_empty, managed_from, managed_zeros, matrix_to_array, mem_alloc,
        mem_alloc_like, mem_alloc_pitch, mem_get_info, memcpy_dtod, memcpy_dtod_async, memcpy_dtoh,
        memcpy_dtoh_async, memcpy_htod, memcpy_htod_async, memcpy_peer, memcpy_peer_async, memory_pool,
        memset_d2d8, memset_d2d8_async, memset_d2d16, memset_d2d16_async, memset_d2d32, memset_d2d32_async,
        memset_d8, memset_d8_async, memset_d16, memset_d16_async, memset_d32, memset_d32_async, np_to_array,
        pagelocked_empty, pagelocked_from, pagelocked_pool, pagelocked_zeros, register_host_memory,
        to_device,
    };
}

pub use array::types::*;
pub use array::{
    By, Elem, GpuArray, HostDot, KernelData, SliceItem, Slices, Struct, allclose, arange, array_equal,
    broadcast_arrays, clip, column_stack, concatenate, concatenate_axis, cumath, dstack, empty, empty_like,
    eye, full, full_like, hstack, linspace, maximum, meshgrid, minimum, ones, ones_like, power, special,
    stack, stack_axis, to_gpu, try_to_gpu, vstack, where_, zeros, zeros_like,
};
#[doc(hidden)]
pub use array::{define_in_c, layout_of_c};
pub use device::{
    CacheConfig, Context, ContextFlags, Device, DeviceAttribute, DeviceKind, Event, EventFlags, Graph, Limit,
    Scheduling, Stream, StreamFlags, device, nvtx, places, synchronize, timed,
};
#[doc(inline)]
pub use distributed::{rank, ranks};
#[doc(inline)]
pub use gpurepl_arrays::fields::{IntoField, IntoGroups};
#[doc(inline)]
pub use gpurepl_arrays::random::{Generator, default_rng, rand, randn, rng, seed};
#[doc(inline)]
pub use gpurepl_arrays::series::{IntoSeries, PlotData};
#[doc(inline)]
pub use gpurepl_cpp::library;
#[doc(inline)]
pub use gpurepl_display::{
    DisplayHandle, Progress, ProgressIter, Render, ShowDebug, ShowKept, ShowName, ShowRender, Shown, Table,
    clear_output, columns, comm, describe, display, display_handle, input, input_password, interact,
    interaction, is_rich, progress, table, try_input,
};
#[doc(inline)]
pub use gpurepl_ground::check_interrupt;
#[doc(inline)]
pub use gpurepl_ground::error::{CompileError, CudaError, Error, ErrorKind, FaultKind, KernelFault, Result};
pub use gpurepl_kernels::DType;
#[doc(inline)]
pub use gpurepl_plot::{
    Animation, Figure, IntoFrame, IntoSpace, IntoVectors, Style, Subplots, Theme, animate, bar, barh,
    boxplot, contour, contourf, errorbar, fill_between, hexbin, hist, hist2d, imshow, loglog, pcolormesh,
    pie, plot, plot3d, polar, quiver, scatter, scatter3d, semilogx, semilogy, stem, step, streamplot, style,
    subplot_mosaic, subplots, surface, violinplot, wireframe,
};
#[doc(inline)]
pub use gpurepl_tune::{Tuned, Tuner, Tuning, TuningStrategy, tune, tune_calls};
pub use gpurepl_wire::MimeBundle;
pub use half::f16;
#[doc(hidden)]
pub use kernel::ReductionValue;
pub use kernel::{
    AddressMode, ArrayFormat, CppModule, DynamicModule, DynamicSourceModule, ElementwiseKernel,
    ExclusiveScanKernel, FilterMode, Function, In, InOut, InclusiveScanKernel, LoadedModule, Out,
    PreparedFunction, ReadMode, ReductionKernel, Roofline, ScanKernel, SharedLibrary, SourceModule,
    SourceModuleBuilder, SurfaceObject, SurfaceReference, Template, TextureDescriptor, TextureObject,
    TextureReference, TypedKernel, algorithm, bind_array_to_texref, compile, matrix_to_texref,
    module_from_buffer, module_from_file, roofline,
};
pub use kernel::{FromTemplate as _, Kernel as _};
#[doc(inline)]
pub use kernel::{Matrix, MatrixMut, View, ViewMut, atomic, block, fast, grid, thread, warp};
pub use memory::{
    Advice, AlignedArray, ArrayDescriptor, ArrayFlags, AttachFlags, CudaArray, DeviceAllocation, Managed,
    MappedPointer, Memcpy2D, Memcpy3D, MemoryLocation, MemoryPool, Order, PageLocked, PageLockedFlags,
    PointerHolder, aligned_empty, from_device, from_device_like, gpuarray_to_array,
    make_multichannel_2d_array, managed_empty, managed_from, managed_zeros, matrix_to_array, mem_alloc,
    mem_alloc_like, mem_alloc_pitch, mem_get_info, memcpy_dtod, memcpy_dtod_async, memcpy_dtoh,
    memcpy_dtoh_async, memcpy_htod, memcpy_htod_async, memcpy_peer, memcpy_peer_async, memory_pool,
    memset_d2d8, memset_d2d8_async, memset_d2d16, memset_d2d16_async, memset_d2d32, memset_d2d32_async,
    memset_d8, memset_d8_async, memset_d16, memset_d16_async, memset_d32, memset_d32_async, np_to_array,
    pagelocked_empty, pagelocked_from, pagelocked_pool, pagelocked_zeros, register_host_memory, to_device,
};
pub use ndarray;
pub use num_complex::{Complex, Complex32, Complex64};

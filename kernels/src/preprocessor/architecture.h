// What NVRTC 13 defines for compute capability 8.0. The host device has what
// kernels use there, and says of the rest what it is.
#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define __CUDA_API_VER_MAJOR__ 13
#define __CUDA_API_VER_MINOR__ 0
#define CUDART_VERSION 13000
#define __CUDA_ARCH__ 800
#define __CUDA_ARCH_LIST__ 800

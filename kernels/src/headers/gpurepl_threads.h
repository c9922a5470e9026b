// Where a thread is, for headers: on the host device their text is not
// translated, and the shim defines these names.
#ifndef GPUREPL_THREADS_H
#define GPUREPL_THREADS_H
#ifndef GPUREPL_HOST
#define GPUREPL_THREAD_IDX threadIdx
#define GPUREPL_BLOCK_IDX blockIdx
#define GPUREPL_BLOCK_DIM blockDim
#define GPUREPL_GRID_DIM gridDim
#endif
#endif

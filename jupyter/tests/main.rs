//! Tests of the kernel by the clients that people use: see `python/`.

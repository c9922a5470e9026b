
// ---- objects that a kernel makes -----------------------------------------------------------------
// Modules are linked with the C library alone, so these come from here. As on a
// GPU, `new` gives a null pointer where there is no memory.
#include <new>
extern "C" {
void *malloc(size_t);
void free(void *);
void *aligned_alloc(size_t, size_t);
}
void *operator new(size_t bytes) { return malloc(bytes ? bytes : 1); }
void *operator new[](size_t bytes) { return malloc(bytes ? bytes : 1); }
void *operator new(size_t bytes, std::align_val_t alignment) {
  return aligned_alloc(size_t(alignment), (bytes + size_t(alignment) - 1) & ~(size_t(alignment) - 1));
}
void *operator new[](size_t bytes, std::align_val_t alignment) { return operator new(bytes, alignment); }
void operator delete(void *object) noexcept { free(object); }
void operator delete[](void *object) noexcept { free(object); }
void operator delete(void *object, size_t) noexcept { free(object); }
void operator delete[](void *object, size_t) noexcept { free(object); }
void operator delete(void *object, std::align_val_t) noexcept { free(object); }
void operator delete[](void *object, std::align_val_t) noexcept { free(object); }
void operator delete(void *object, size_t, std::align_val_t) noexcept { free(object); }
void operator delete[](void *object, size_t, std::align_val_t) noexcept { free(object); }
// What a table of virtual functions holds for a pure one.
extern "C" __attribute__((noreturn)) void __cxa_pure_virtual() { __builtin_trap(); }

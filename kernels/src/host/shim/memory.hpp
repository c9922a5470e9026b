
// ---- memory that a kernel allocates --------------------------------------------------------------
// Modules are linked with the C library alone, so `new` comes from here. The
// device keeps a list: checked builds allow what is in it, and only that can
// be freed. As on a GPU, a null pointer means that there is no memory.
#include <new>
#ifdef GPUREPL_CHECKED
#define GPUREPL_LOOKS 1
#else
#define GPUREPL_LOOKS 0
#endif
#define GPUREPL_ALONE __attribute__((noinline, no_sanitize("thread", "undefined")))
GPUREPL_ALONE static void *gpurepl_allocate(size_t bytes, size_t alignment) {
  gpurepl_context *here = gpurepl_here();
  return here->runtime->allocate(here, bytes, alignment, GPUREPL_LOOKS);
}
GPUREPL_ALONE static void gpurepl_release(void *memory) {
  gpurepl_context *here = gpurepl_here();
  if (memory) here->runtime->release(here, memory, GPUREPL_LOOKS);
}
extern "C" {
GPUREPL_ALONE void *malloc(size_t bytes) { return gpurepl_allocate(bytes, 16); }
GPUREPL_ALONE void free(void *memory) { gpurepl_release(memory); }
// What a table of virtual functions holds for a pure one.
__attribute__((noreturn)) void __cxa_pure_virtual() { __builtin_trap(); }
}
void *operator new(size_t bytes) { return gpurepl_allocate(bytes, 16); }
void *operator new[](size_t bytes) { return gpurepl_allocate(bytes, 16); }
void *operator new(size_t bytes, std::align_val_t alignment) { return gpurepl_allocate(bytes, size_t(alignment)); }
void *operator new[](size_t bytes, std::align_val_t alignment) { return gpurepl_allocate(bytes, size_t(alignment)); }
void operator delete(void *object) noexcept { gpurepl_release(object); }
void operator delete[](void *object) noexcept { gpurepl_release(object); }
void operator delete(void *object, size_t) noexcept { gpurepl_release(object); }
void operator delete[](void *object, size_t) noexcept { gpurepl_release(object); }
void operator delete(void *object, std::align_val_t) noexcept { gpurepl_release(object); }
void operator delete[](void *object, std::align_val_t) noexcept { gpurepl_release(object); }
void operator delete(void *object, size_t, std::align_val_t) noexcept { gpurepl_release(object); }
void operator delete[](void *object, size_t, std::align_val_t) noexcept { gpurepl_release(object); }

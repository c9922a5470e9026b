
// ---- checked builds ------------------------------------------------------------------------------
// What the compiler's instrumentation calls: an access that is not allowed,
// an index outside of an array, a division that has no result.

#ifdef GPUREPL_CHECKED
#define GPUREPL_UNCHECKED __attribute__((noinline, cold, no_sanitize("kernel-address", "undefined"), visibility("hidden"), used))
extern "C" {
GPUREPL_UNCHECKED void gpurepl_outside(const void *address, size_t bytes, int writes, const void *place) {
  gpurepl_context *here = gpurepl_here();
  here->runtime->outside(here, address, bytes, writes, (const char *)place - 1);
}
#define GPUREPL_REPORT(bytes) \
  GPUREPL_UNCHECKED void __asan_report_load##bytes##_noabort(const void *a) { gpurepl_outside(a, bytes, 0, __builtin_return_address(0)); } \
  GPUREPL_UNCHECKED void __asan_report_store##bytes##_noabort(const void *a) { gpurepl_outside(a, bytes, 1, __builtin_return_address(0)); } \
  GPUREPL_UNCHECKED void __asan_report_load##bytes(const void *a) { gpurepl_outside(a, bytes, 0, __builtin_return_address(0)); } \
  GPUREPL_UNCHECKED void __asan_report_store##bytes(const void *a) { gpurepl_outside(a, bytes, 1, __builtin_return_address(0)); }
GPUREPL_REPORT(1) GPUREPL_REPORT(2) GPUREPL_REPORT(4) GPUREPL_REPORT(8) GPUREPL_REPORT(16)
#define GPUREPL_REPORT_N(name, writes) \
  GPUREPL_UNCHECKED void __asan_report_##name##_n_noabort(const void *a, size_t n) { gpurepl_outside(a, n, writes, __builtin_return_address(0)); } \
  GPUREPL_UNCHECKED void __asan_report_##name##_n(const void *a, size_t n) { gpurepl_outside(a, n, writes, __builtin_return_address(0)); }
GPUREPL_REPORT_N(load, 0) GPUREPL_REPORT_N(store, 1)
// Checks of a size that only the call knows.
#define GPUREPL_SHADOW(a) (*(const signed char *)(((size_t)(a) >> 3) + 0x200000000000ul))
GPUREPL_UNCHECKED void gpurepl_check(const void *address, size_t bytes, int writes, const void *place) {
  const char *a = (const char *)address;
  for (size_t k = 0; k < bytes; k++) {
    signed char shadow = GPUREPL_SHADOW(a + k);
    if (shadow && (signed char)((size_t)(a + k) & 7) >= shadow) gpurepl_outside(a + k, bytes, writes, place);
  }
}
GPUREPL_UNCHECKED void __asan_loadN_noabort(const void *a, size_t n) { gpurepl_check(a, n, 0, __builtin_return_address(0)); }
GPUREPL_UNCHECKED void __asan_storeN_noabort(const void *a, size_t n) { gpurepl_check(a, n, 1, __builtin_return_address(0)); }
GPUREPL_UNCHECKED void __asan_handle_no_return() {}

struct gpurepl_place {
  const char *file;
  unsigned int line, column;
};
struct gpurepl_bounds {
  gpurepl_place place;
};
GPUREPL_UNCHECKED void gpurepl_undefined(const char *what, const gpurepl_place *place) {
  gpurepl_context *here = gpurepl_here();
  here->runtime->fail(here, 2, what, place->file, (int)place->line);
}
#define GPUREPL_HANDLER(name, what, ...) \
  GPUREPL_UNCHECKED void __ubsan_handle_##name##_abort(gpurepl_bounds *data, __VA_ARGS__) { gpurepl_undefined(what, &data->place); } \
  GPUREPL_UNCHECKED void __ubsan_handle_##name(gpurepl_bounds *data, __VA_ARGS__) { gpurepl_undefined(what, &data->place); }
GPUREPL_HANDLER(out_of_bounds, "an index is outside of its array", void *)
GPUREPL_HANDLER(divrem_overflow, "integer division by zero, or of the least integer by -1", void *, void *)
}
#endif

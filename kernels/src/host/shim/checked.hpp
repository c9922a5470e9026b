
// ---- checked builds ------------------------------------------------------------------------------
// What the compiler's checks call: an index outside of an array, a division
// that has no result, an address that a type cannot have.

#ifdef GPUREPL_CHECKED
#define GPUREPL_UNCHECKED __attribute__((noinline, cold, no_sanitize("thread", "undefined"), visibility("hidden"), used))
static void gpurepl_check(const void *address, size_t bytes, int writes, const void *place);
extern "C" {
int snprintf(char *, size_t, const char *, ...);
struct gpurepl_place {
  const char *file;
  unsigned int line, column;
};
struct gpurepl_bounds {
  gpurepl_place place;
};
struct gpurepl_type_name {
  unsigned short kind, info;
  char name[1];
};
struct gpurepl_mismatch {
  gpurepl_place place;
  const gpurepl_type_name *type;
  unsigned char alignment, kind;
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
GPUREPL_UNCHECKED void gpurepl_misaligned(gpurepl_mismatch *data, void *address, const void *from) {
  // That there is no such memory is said first.
  gpurepl_check(address, 1, data->kind == 1, from);
  char text[256];
  const char *const verbs[] = {"read", "write", "reference"};
  snprintf(text, sizeof(text), "misaligned %s: the address %p is not a multiple of %u, as %s needs it", verbs[data->kind < 3 ? data->kind : 2], address, 1u << data->alignment, data->type->name);
  gpurepl_undefined(text, &data->place);
}
GPUREPL_UNCHECKED void __ubsan_handle_type_mismatch_v1_abort(gpurepl_mismatch *data, void *address) { gpurepl_misaligned(data, address, __builtin_return_address(0)); }
GPUREPL_UNCHECKED void __ubsan_handle_type_mismatch_v1(gpurepl_mismatch *data, void *address) { gpurepl_misaligned(data, address, __builtin_return_address(0)); }
}
#endif

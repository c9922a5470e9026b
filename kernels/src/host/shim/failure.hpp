
// ---- what a kernel says --------------------------------------------------------------------------
// A failed assertion ends the thread: its stack is given up, and nothing on it
// has a destructor.

extern "C" int vsnprintf(char *, size_t, const char *, __builtin_va_list);

static __attribute__((noinline, cold, unused)) int gpurepl_printf(const char *format, ...) {
  char text[512], *whole = text;
  __builtin_va_list arguments, again;
  __builtin_va_start(arguments, format);
  __builtin_va_copy(again, arguments);
  int length = vsnprintf(text, sizeof(text), format, arguments);
  if (length >= (int)sizeof(text)) {
    if (length > 32000) length = 32000;
    whole = (char *)__builtin_alloca(length + 1);
    vsnprintf(whole, length + 1, format, again);
  }
  __builtin_va_end(arguments);
  __builtin_va_end(again);
  gpurepl_context *here = gpurepl_here();
  if (length > 0) here->runtime->print(here, whole, length);
  return length;
}
// The number of arguments, as in CUDA.
template <class... A> static inline int gpurepl_printed(const char *format, A... a) {
  gpurepl_printf(format, a...);
  return sizeof...(A);
}
#define printf gpurepl_printed
namespace std {
using ::gpurepl_printed;
}

static __attribute__((noinline, noreturn, cold, unused)) void gpurepl_failed(int kind, const char *what, const char *file, int line) {
  gpurepl_context *here = gpurepl_here();
  here->runtime->fail(here, kind, what, file, line);
  __builtin_unreachable();
}
// In a kernel the index is the thread's own; elsewhere the thread knows it.
// A row of blocks counts its threads on.
GPUREPL_INLINE void gpurepl_note(const uint3 &thread, const uint3 &block) {
  gpurepl_context *here = gpurepl_here();
  here->thread = uint3{thread.x % here->block_dim.x, thread.y, thread.z};
  here->block = uint3{block.x + thread.x / here->block_dim.x, block.y, block.z};
}
template <class B> GPUREPL_INLINE void gpurepl_note(gpurepl_thread_index, B) {}
#undef assert
#ifdef NDEBUG
#define assert(...) ((void)0)
#else
#define assert(...) ((__VA_ARGS__) ? (void)0 : (gpurepl_note(threadIdx, blockIdx), gpurepl_failed(0, #__VA_ARGS__, __FILE__, __LINE__)))
#endif
#define __trap() (gpurepl_note(threadIdx, blockIdx), gpurepl_failed(1, "", __FILE__, __LINE__))
#define __brkpt() ((void)0)

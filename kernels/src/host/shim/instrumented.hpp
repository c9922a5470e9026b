
// ---- accesses that are looked at -----------------------------------------------------------------
// Compiled with -fsanitize=thread, every access calls one of these first
// (K. Serebryany, T. Iskhodzhanov, "ThreadSanitizer: data race detection in
// practice", WBIA 2009). A checked build looks whether it is allowed, and who
// has used the same memory without waiting for this thread. Where the threads
// of a warp rely on going in step, an access to a `volatile` lets the others
// catch up.

#if defined(GPUREPL_CHECKED) || defined(GPUREPL_LOCKSTEP)
#if defined(__clang__) && __has_attribute(disable_sanitizer_instrumentation)
// Without it, clang makes calls of what is atomic here as well.
#define GPUREPL_PLAIN __attribute__((no_sanitize("thread", "undefined"), disable_sanitizer_instrumentation))
#else
#define GPUREPL_PLAIN __attribute__((no_sanitize("thread", "undefined")))
#endif
#define GPUREPL_SLOW GPUREPL_PLAIN __attribute__((noinline, cold))
// Zero while the module's initialisers run: they run on no kernel's stack.
extern "C" GPUREPL_EXPORT unsigned int gpurepl_is_live;
unsigned int gpurepl_is_live;

#ifdef GPUREPL_CHECKED
static GPUREPL_SLOW void gpurepl_outside(const void *address, size_t bytes, int writes, const void *place) {
  gpurepl_context *here = gpurepl_here();
  here->runtime->outside(here, address, bytes, writes, (const char *)place - 1);
}
// One byte stands for eight: how many of them are open, or 0 for all.
#define GPUREPL_SHADOW(a) (*(const signed char *)(((size_t)(a) >> 3) + 0x200000000000ul))
static GPUREPL_PLAIN void gpurepl_check(const void *address, size_t bytes, int writes, const void *place) {
  const size_t first = (size_t)address, last = first + bytes - 1;
  // Most of the shadow is not there.
  *(const char *volatile *)&gpurepl_here()->looking = (const char *)place - 1;
  for (size_t a = first;; a = (a | 7) + 1 > last ? last : (a | 7) + 1) {
    const signed char shadow = GPUREPL_SHADOW(a);
    const size_t end = (a | 7) < last ? 7 : last & 7;
    if (__builtin_expect(shadow != 0 && (signed char)end >= shadow, 0)) gpurepl_outside(address, bytes, writes, place);
    if ((a | 7) >= last) break;
  }
  *(const char *volatile *)&gpurepl_here()->looking = nullptr;
}

// Who used four bytes: which of them, the thread, its block, and its clocks. A
// clock goes on where threads wait for each other, or meet by an atomic
// function; all that one thread did before is then less than what the others
// do after (L. Lamport, "Time, clocks, and the ordering of events in a
// distributed system", CACM 1978). Of two threads of a block the first clock
// tells, of two blocks the second one.
typedef unsigned long long gpurepl_record; // mask 4, thread 10, block 20, clocks 18 and 12
struct gpurepl_cell {
  gpurepl_record write, read, other;
  unsigned int write_place, read_place, other_place, unused;
};
struct gpurepl_page {
  size_t key;
  gpurepl_cell *cells;
};
struct gpurepl_races {
  gpurepl_page *pages;
  size_t mask;
  gpurepl_record *meetings; // 65536, by address: the clocks that atomic functions leave there
};
#define GPUREPL_WITHIN(record) ((unsigned int)((record) >> 12) & 0x3ffff)
#define GPUREPL_BETWEEN(record) ((unsigned int)(record) & 0xfff)
#define GPUREPL_BLOCK(record) ((unsigned int)((record) >> 30) & 0xfffff)
#define GPUREPL_THREAD(record) ((unsigned int)((record) >> 50) & 0x3ff)

static GPUREPL_PLAIN gpurepl_record gpurepl_me(const gpurepl_context *here) {
  const gpurepl_record within = here->clocks[0] < 0x3ffff ? here->clocks[0] : 0x3ffff;
  const gpurepl_record between = here->clocks[1] < 0xfff ? here->clocks[1] : 0xfff;
  return (gpurepl_record)(here->thread_number & 0x3ff) << 50 | (gpurepl_record)(here->block_number & 0xfffff) << 30 | within << 12 | between;
}
// Whether another thread's use may come before or after mine, as it likes.
static GPUREPL_PLAIN bool gpurepl_is_loose(gpurepl_record other, gpurepl_record me, unsigned int mask, bool is_shared) {
  if (!((unsigned int)(other >> 60) & mask)) return false;
  if (GPUREPL_BLOCK(other) == GPUREPL_BLOCK(me))
    return GPUREPL_THREAD(other) != GPUREPL_THREAD(me) && GPUREPL_WITHIN(other) >= GPUREPL_WITHIN(me) && GPUREPL_WITHIN(me) != 0x3ffff;
  return !is_shared && GPUREPL_BETWEEN(other) >= GPUREPL_BETWEEN(me) && GPUREPL_BETWEEN(me) != 0xfff;
}
static GPUREPL_SLOW void gpurepl_race(const void *address, int kind, unsigned int place, gpurepl_record other, unsigned int other_place) {
  gpurepl_context *here = gpurepl_here();
  here->runtime->race(here, address, kind, place, other, other_place);
}
// Two threads that write the same value are no race; what this one writes is
// known when it does something else.
GPUREPL_PLAIN __attribute__((unused)) static void gpurepl_settle(gpurepl_context *here) {
  if (__builtin_expect(here->pending_bytes == 0, 1)) return;
  const unsigned int bytes = here->pending_bytes;
  here->pending_bytes = 0;
  bool same = true;
  for (unsigned int k = 0; k < bytes; k++) same = same && here->pending_value[k] == here->pending[k];
  if (!same) gpurepl_race(here->pending, 2, here->pending_place, here->pending_other, here->pending_other_place);
}
static GPUREPL_PLAIN gpurepl_cell *gpurepl_cells(gpurepl_context *here, size_t address) {
  const size_t key = (address >> 16) + 1;
  const gpurepl_races *races = here->races;
  for (size_t at = key * 0x9e3779b97f4a7c15ull >> 32 & races->mask, tries = 0; tries < 64; at = (at + 1) & races->mask, tries++) {
    const size_t there = __atomic_load_n(&races->pages[at].key, __ATOMIC_ACQUIRE);
    if (there == key) return races->pages[at].cells + (address >> 2 & 0x3fff);
    if (there == 0) break;
  }
  gpurepl_cell *cells = (gpurepl_cell *)here->runtime->race_page(here, key);
  return cells ? cells + (address >> 2 & 0x3fff) : nullptr;
}
#define GPUREPL_GET(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define GPUREPL_SET(x, v) __atomic_store_n(&(x), v, __ATOMIC_RELAXED)
static GPUREPL_PLAIN __attribute__((noinline)) void gpurepl_look(gpurepl_context *here, size_t address, size_t bytes, int writes, const void *from) {
  const unsigned int place = (unsigned int)((const char *)from - 1 - &gpurepl_module);
  const bool is_shared = address >= here->shared_area && address < here->shared_area_end;
  const gpurepl_record me = gpurepl_me(here);
  for (size_t a = address & ~(size_t)3; a < address + bytes; a += 4) {
    unsigned int mask = 15;
    if (a < address) mask &= 15u << (address - a);
    if (a + 4 > address + bytes) mask &= 15u >> (a + 4 - address - bytes);
    gpurepl_cell *cell = gpurepl_cells(here, a);
    if (!cell) return;
    const gpurepl_record mine = me | (gpurepl_record)mask << 60, write = GPUREPL_GET(cell->write);
    if (writes) {
      const gpurepl_record read = GPUREPL_GET(cell->read), other = GPUREPL_GET(cell->other);
      if (gpurepl_is_loose(read, me, mask, is_shared)) gpurepl_race((void *)a, 1, place, read, cell->read_place);
      if (gpurepl_is_loose(other, me, mask, is_shared)) gpurepl_race((void *)a, 1, place, other, cell->other_place);
      if (gpurepl_is_loose(write, me, mask, is_shared) && here->pending_bytes == 0) {
        here->pending = (const unsigned char *)address;
        here->pending_bytes = bytes < 16 ? (unsigned int)bytes : 16;
        for (unsigned int k = 0; k < here->pending_bytes; k++) here->pending_value[k] = here->pending[k];
        here->pending_place = place;
        here->pending_other = write;
        here->pending_other_place = cell->write_place;
      }
      GPUREPL_SET(cell->write, mine);
      GPUREPL_SET(cell->write_place, place);
    } else {
      if (gpurepl_is_loose(write, me, mask, is_shared)) gpurepl_race((void *)a, 0, place, write, cell->write_place);
      // Two readers are kept that are not the same thread.
      const gpurepl_record read = GPUREPL_GET(cell->read);
      const bool same = (read ^ mine) >> 30 << 34 == (gpurepl_record)0 && (read >> 60) != 0;
      if (same || !gpurepl_is_loose(read, me, 15, is_shared)) {
        // Bytes that were read before a wait are not read after it.
        GPUREPL_SET(cell->read, same && read << 4 == mine << 4 ? mine | read : mine);
        GPUREPL_SET(cell->read_place, place);
      } else {
        GPUREPL_SET(cell->other, mine);
        GPUREPL_SET(cell->other_place, place);
      }
    }
  }
}
static GPUREPL_PLAIN void gpurepl_access(const void *address, size_t bytes, int writes, const void *place) {
  if (!gpurepl_is_live) return;
  gpurepl_context *here = gpurepl_here();
  // A thread's own stack.
  if ((((size_t)address ^ (size_t)here) & ~(size_t)0x3ffff) == 0) return;
  gpurepl_settle(here);
  gpurepl_check(address, bytes, writes, place);
  if (here->races) gpurepl_look(here, (size_t)address, bytes, writes, place);
}
// An atomic function, or a `volatile`: who comes later knows of what was before.
static GPUREPL_PLAIN void gpurepl_meet(const volatile void *address, size_t bytes, int takes, int gives, const void *place) {
  if (!gpurepl_is_live) return;
  gpurepl_context *here = gpurepl_here();
  if ((((size_t)address ^ (size_t)here) & ~(size_t)0x3ffff) == 0) return;
  gpurepl_settle(here);
  gpurepl_check((const void *)address, bytes, gives, place);
  if (!here->races) return;
  gpurepl_record *meeting = &here->races->meetings[((size_t)address >> 2) * 0x9e3779b97f4a7c15ull >> 48];
  gpurepl_record left = GPUREPL_GET(*meeting);
  for (;;) {
    unsigned int within = (unsigned int)(left >> 32), between = (unsigned int)left;
    if (takes && within > here->clocks[0]) here->clocks[0] = within;
    if (takes && between > here->clocks[1]) here->clocks[1] = between;
    if (!gives) return;
    within = here->clocks[0] + 1 > within ? here->clocks[0] + 1 : within;
    between = here->clocks[1] + 1 > between ? here->clocks[1] + 1 : between;
    if (__atomic_compare_exchange_n(meeting, &left, (gpurepl_record)within << 32 | between, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) break;
  }
  here->clocks[0]++;
  here->clocks[1]++;
}
#else
#define gpurepl_access(address, bytes, writes, place) ((void)0)
#define gpurepl_meet(address, bytes, takes, gives, place) ((void)0)
#endif

#ifdef GPUREPL_LOCKSTEP
GPUREPL_PLAIN __attribute__((noinline)) static void gpurepl_step() {
  gpurepl_context *here = gpurepl_here();
  here->runtime->yield(here);
}
#else
#define gpurepl_step() ((void)0)
#endif

#define GPUREPL_FROM __builtin_return_address(0)
extern "C" {
#define GPUREPL_ACCESS(size) \
  GPUREPL_PLAIN void __tsan_read##size(void *a) { gpurepl_access(a, size, 0, GPUREPL_FROM); } \
  GPUREPL_PLAIN void __tsan_write##size(void *a) { gpurepl_access(a, size, 1, GPUREPL_FROM); } \
  GPUREPL_PLAIN void __tsan_unaligned_read##size(void *a) { gpurepl_access(a, size, 0, GPUREPL_FROM); } \
  GPUREPL_PLAIN void __tsan_unaligned_write##size(void *a) { gpurepl_access(a, size, 1, GPUREPL_FROM); } \
  GPUREPL_PLAIN void __tsan_read_write##size(void *a) { gpurepl_access(a, size, 0, GPUREPL_FROM); gpurepl_access(a, size, 1, GPUREPL_FROM); } \
  GPUREPL_PLAIN void __tsan_unaligned_read_write##size(void *a) { gpurepl_access(a, size, 0, GPUREPL_FROM); gpurepl_access(a, size, 1, GPUREPL_FROM); } \
  GPUREPL_PLAIN void __tsan_volatile_read##size(void *a) { gpurepl_step(); gpurepl_meet(a, size, 1, 0, GPUREPL_FROM); } \
  GPUREPL_PLAIN void __tsan_volatile_write##size(void *a) { gpurepl_step(); gpurepl_meet(a, size, 0, 1, GPUREPL_FROM); } \
  GPUREPL_PLAIN void __tsan_unaligned_volatile_read##size(void *a) { gpurepl_step(); gpurepl_meet(a, size, 1, 0, GPUREPL_FROM); } \
  GPUREPL_PLAIN void __tsan_unaligned_volatile_write##size(void *a) { gpurepl_step(); gpurepl_meet(a, size, 0, 1, GPUREPL_FROM); }
GPUREPL_ACCESS(1) GPUREPL_ACCESS(2) GPUREPL_ACCESS(4) GPUREPL_ACCESS(8) GPUREPL_ACCESS(16)
GPUREPL_PLAIN void __tsan_read_range(void *a, size_t n) { if (n) gpurepl_access(a, n, 0, GPUREPL_FROM); }
GPUREPL_PLAIN void __tsan_write_range(void *a, size_t n) { if (n) gpurepl_access(a, n, 1, GPUREPL_FROM); }
GPUREPL_PLAIN void __tsan_func_entry(void *) {}
GPUREPL_PLAIN void __tsan_func_exit() {}
GPUREPL_PLAIN void __tsan_vptr_update(void **, void *) {}
GPUREPL_PLAIN void __tsan_vptr_read(void **) {}
GPUREPL_PLAIN void __tsan_init() {}
GPUREPL_PLAIN void *__tsan_memcpy(void *to, const void *from, size_t n) {
  if (n) gpurepl_access(from, n, 0, GPUREPL_FROM);
  if (n) gpurepl_access(to, n, 1, GPUREPL_FROM);
  return __builtin_memcpy(to, from, n);
}
GPUREPL_PLAIN void *__tsan_memmove(void *to, const void *from, size_t n) {
  if (n) gpurepl_access(from, n, 0, GPUREPL_FROM);
  if (n) gpurepl_access(to, n, 1, GPUREPL_FROM);
  return __builtin_memmove(to, from, n);
}
GPUREPL_PLAIN void *__tsan_memset(void *to, int value, size_t n) {
  if (n) gpurepl_access(to, n, 1, GPUREPL_FROM);
  return __builtin_memset(to, value, n);
}
#define GPUREPL_MEET(a) gpurepl_meet(a, sizeof(*(a)), 1, 1, GPUREPL_FROM)
#define GPUREPL_ATOMICS(bits, T) \
  GPUREPL_PLAIN T __tsan_atomic##bits##_load(const volatile T *a, int) { gpurepl_meet(a, sizeof(T), 1, 0, GPUREPL_FROM); return __atomic_load_n(a, __ATOMIC_SEQ_CST); } \
  GPUREPL_PLAIN void __tsan_atomic##bits##_store(volatile T *a, T v, int) { gpurepl_meet(a, sizeof(T), 0, 1, GPUREPL_FROM); __atomic_store_n(a, v, __ATOMIC_SEQ_CST); } \
  GPUREPL_PLAIN T __tsan_atomic##bits##_exchange(volatile T *a, T v, int) { GPUREPL_MEET(a); return __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST); } \
  GPUREPL_PLAIN T __tsan_atomic##bits##_fetch_add(volatile T *a, T v, int) { GPUREPL_MEET(a); return __atomic_fetch_add(a, v, __ATOMIC_SEQ_CST); } \
  GPUREPL_PLAIN T __tsan_atomic##bits##_fetch_sub(volatile T *a, T v, int) { GPUREPL_MEET(a); return __atomic_fetch_sub(a, v, __ATOMIC_SEQ_CST); } \
  GPUREPL_PLAIN T __tsan_atomic##bits##_fetch_and(volatile T *a, T v, int) { GPUREPL_MEET(a); return __atomic_fetch_and(a, v, __ATOMIC_SEQ_CST); } \
  GPUREPL_PLAIN T __tsan_atomic##bits##_fetch_or(volatile T *a, T v, int) { GPUREPL_MEET(a); return __atomic_fetch_or(a, v, __ATOMIC_SEQ_CST); } \
  GPUREPL_PLAIN T __tsan_atomic##bits##_fetch_xor(volatile T *a, T v, int) { GPUREPL_MEET(a); return __atomic_fetch_xor(a, v, __ATOMIC_SEQ_CST); } \
  GPUREPL_PLAIN T __tsan_atomic##bits##_fetch_nand(volatile T *a, T v, int) { GPUREPL_MEET(a); return __atomic_fetch_nand(a, v, __ATOMIC_SEQ_CST); } \
  GPUREPL_PLAIN int __tsan_atomic##bits##_compare_exchange_strong(volatile T *a, T *c, T v, int, int) { GPUREPL_MEET(a); return __atomic_compare_exchange_n(a, c, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); } \
  GPUREPL_PLAIN int __tsan_atomic##bits##_compare_exchange_weak(volatile T *a, T *c, T v, int, int) { GPUREPL_MEET(a); return __atomic_compare_exchange_n(a, c, v, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); } \
  GPUREPL_PLAIN T __tsan_atomic##bits##_compare_exchange_val(volatile T *a, T c, T v, int, int) { GPUREPL_MEET(a); __atomic_compare_exchange_n(a, &c, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); return c; }
GPUREPL_ATOMICS(8, unsigned char)
GPUREPL_ATOMICS(16, unsigned short)
GPUREPL_ATOMICS(32, unsigned int)
GPUREPL_ATOMICS(64, unsigned long)
GPUREPL_PLAIN void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
GPUREPL_PLAIN void __tsan_atomic_signal_fence(int) {}
}
#endif

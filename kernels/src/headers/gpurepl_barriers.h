// What barriers of threads that arrive and wait are made of: 20 bits of how
// many are still to come, under the number of the phase, and how many a phase
// expects. The last one to come begins the next phase.
#ifndef GPUREPL_BARRIERS_H
#define GPUREPL_BARRIERS_H
#include <gpurepl_atomics.h>

namespace cuda {
namespace details {
static constexpr unsigned int most_arrivals = (1u << 20) - 1;
GPUREPL_AT unsigned int pending(unsigned int token) { return token & most_arrivals; }

struct no_completion { GPUREPL_LC void operator()() const noexcept {} };

template <thread_scope scope> struct alignas(8) counts {
  typedef atomically<scope> by;
  unsigned int gpurepl_now, gpurepl_expected;

  GPUREPL_AT counts &of(unsigned long long *place) { return *(counts *)place; }
  GPUREPL_LCD void start(unsigned int expected) {
    by::store(&gpurepl_expected, expected, memory_order::relaxed);
    by::store(&gpurepl_now, expected, memory_order::release);
  }
  // Answers with what was there before: it names the phase.
  template <class F = no_completion> GPUREPL_LCD unsigned int arrive(unsigned int count, F &&complete = F()) {
    const unsigned int old = by::fetch_sub(&gpurepl_now, count, memory_order::acq_rel);
    if (pending(old) == count) {
      complete();
      const unsigned int expected = by::load(&gpurepl_expected, memory_order::relaxed);
      by::store(&gpurepl_now, (old & ~most_arrivals) + (most_arrivals + 1) + expected, memory_order::release);
    }
    return old;
  }
  template <class F = no_completion> GPUREPL_LCD unsigned int drop(F &&complete = F()) {
    by::fetch_sub(&gpurepl_expected, 1u, memory_order::relaxed);
    return arrive(1, complete);
  }
  GPUREPL_LCD bool is_over(unsigned int token) const {
    return ((by::load(&gpurepl_now, memory_order::acquire) ^ token) & ~most_arrivals) != 0;
  }
  // The first phase is even. One of the other parity than the current one is over.
  GPUREPL_LCD bool is_over_by_parity(bool parity) const {
    return ((by::load(&gpurepl_now, memory_order::acquire) & (most_arrivals + 1)) != 0) != parity;
  }
};

// A time after which a thread looks for something else to do.
class deadline {
#ifdef GPUREPL_HOST
  // By looks: each lets other threads run, which may take any time.
  mutable unsigned int gpurepl_left;

 public:
  GPUREPL_LCD explicit deadline(unsigned int nanoseconds) : gpurepl_left(nanoseconds / 16) {}
  GPUREPL_LCD bool is_past() const { return gpurepl_left == 0 || --gpurepl_left == 0; }
#else
  unsigned long long gpurepl_end;
  GPUREPL_AT unsigned long long now() {
    unsigned long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
  }

 public:
  GPUREPL_LCD explicit deadline(unsigned int nanoseconds) : gpurepl_end(now() + nanoseconds) {}
  GPUREPL_LCD bool is_past() const { return now() >= gpurepl_end; }
#endif
};
}
}
#endif

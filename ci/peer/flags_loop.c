// What two cores need to tell each other 8 bytes: two processes, each with a flag on a cache line of its own, which the other one writes.
//
//     flags_loop CORE CORE ROUND_TRIPS
//
// prints the medians of half a round trip, in seconds, over 31 batches of so many: of a rank that looks at its flag without a pause, and
// of one that pauses between two looks, as processors want it (nothing but the same once more where there is no such instruction).
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { batches = 31 };

struct flag {
  _Alignas(128) _Atomic unsigned long value;
};

static void stay_on(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  if (sched_setaffinity(0, sizeof set, &set)) {
    perror("flags_loop: sched_setaffinity");
    exit(2);
  }
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void await(struct flag* flag, unsigned long value) {
  while (atomic_load_explicit(&flag->value, memory_order_acquire) != value) {
  }
}

static void await_pausing(struct flag* flag, unsigned long value) {
  while (atomic_load_explicit(&flag->value, memory_order_acquire) != value) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
}

static int compare(const void* left, const void* right) {
  const double a = *(const double*)left, b = *(const double*)right;
  return (a > b) - (a < b);
}

// The waiting is written out in both places, so that neither is a call through a pointer.
#define PING_PONG(NAME, AWAIT)                                                              \
  static double NAME(struct flag* flags, const int* cores, unsigned long trips) {           \
    const unsigned long all = trips * (batches + 1);                                        \
    double times[batches + 1];                                                              \
    unsigned long i = 0;                                                                    \
    atomic_store(&flags[0].value, 0);                                                       \
    atomic_store(&flags[1].value, 0);                                                       \
    const pid_t child = fork();                                                             \
    if (child < 0) {                                                                        \
      perror("flags_loop: fork");                                                           \
      exit(2);                                                                              \
    }                                                                                       \
    stay_on(cores[child == 0]);                                                             \
    if (child == 0) {                                                                       \
      prctl(PR_SET_PDEATHSIG, SIGKILL);                                                     \
      for (i = 1; i <= all; ++i) {                                                          \
        AWAIT(&flags[1], i);                                                                \
        atomic_store_explicit(&flags[0].value, i, memory_order_release);                    \
      }                                                                                     \
      _exit(0);                                                                             \
    }                                                                                       \
    for (int batch = 0; batch <= batches; ++batch) { /* the first warms up */               \
      const double begin = now();                                                           \
      for (unsigned long trip = 0; trip < trips; ++trip) {                                  \
        atomic_store_explicit(&flags[1].value, ++i, memory_order_release);                  \
        AWAIT(&flags[0], i);                                                                \
      }                                                                                     \
      times[batch] = (now() - begin) / (double)trips / 2;                                   \
    }                                                                                       \
    waitpid(child, NULL, 0);                                                                \
    qsort(times + 1, batches, sizeof *times, compare);                                      \
    return times[1 + batches / 2];                                                          \
  }
PING_PONG(ping_pong, await)
PING_PONG(ping_pong_pausing, await_pausing)

int main(int count, char** words) {
  if (count != 4) {
    fprintf(stderr, "flags_loop takes two cores and a number of round trips\n");
    return 2;
  }
  const int cores[2] = {atoi(words[1]), atoi(words[2])};
  const unsigned long trips = strtoul(words[3], NULL, 10);
  if (trips == 0) {
    fprintf(stderr, "flags_loop: %s is no number of round trips\n", words[3]);
    return 2;
  }
  struct flag* flags = mmap(NULL, 2 * sizeof *flags, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (flags == MAP_FAILED) {
    perror("flags_loop: mmap");
    return 2;
  }
  const double plain = ping_pong(flags, cores, trips), pausing = ping_pong_pausing(flags, cores, trips);
  printf("%.4e %.4e\n", plain, pausing);
  return 0;
}

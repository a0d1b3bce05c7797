/* What translated kernels and the machine know of each other. C, since the kernels are. One call of an entry is one thread. */
#ifndef SOFTGPU_ABI_H
#define SOFTGPU_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* libraries that tests load refer to it */

enum { SG_WEAK, SG_RELAXED, SG_ACQUIRE, SG_RELEASE, SG_ACQ_REL };     /* order of a site */
enum { SG_BLOCK, SG_DEVICE, SG_SYSTEM };                             /* scope of a site */
enum { SG_LOAD, SG_STORE, SG_ATOM, SG_BARRIER };                      /* kind of a site */
enum { SG_ADD, SG_MIN, SG_MAX, SG_EXCH, SG_AND, SG_OR, SG_XOR, SG_CAS }; /* what an SG_ATOM does */

/* A place in a kernel that accesses memory or waits. `outer` is where the function was called that was inlined here (0: nowhere). */
struct sg_site {
  uint32_t file, line, outer_file, outer_line; /* files are indices into sg_kernel::files */
  uint8_t kind, order, scope;
};

struct sg_parameter {
  uint32_t offset, bytes;
};

struct sg_thread {
  const unsigned char* parameters;
  unsigned char* shared; /* of the block: static, then dynamic */
  uint32_t tid[3], ntid[3], ctaid[3], nctaid[3];
  uint32_t checked; /* whether sg_check and sg_check_shared are to be called */
  int32_t fuel;     /* backward branches until the thread gives way */
};

struct sg_kernel {
  const char* name; /* as in the PTX */
  void (*entry)(struct sg_thread*);
  const struct sg_site* sites;
  const char* const* files;
  const struct sg_parameter* parameters;
  uint32_t site_count, parameter_count;
  uint32_t parameter_bytes, shared_bytes, registers, most_threads; /* most_threads: .maxntid, 0 where there is none */
};

/* Called by the translated objects before main. */
void sg_register(const struct sg_kernel* kernels, uint32_t count);

/* Checks a weak access. Does not return where the access faults. */
void sg_check(struct sg_thread* thread, uint64_t address, uint32_t bytes, uint32_t site);
/* Accesses that synchronise: checked, done, and followed by other threads' turns. */
uint64_t sg_load(struct sg_thread* thread, uint64_t address, uint32_t bytes, uint32_t site);
void sg_store(struct sg_thread* thread, uint64_t address, uint64_t value, uint32_t bytes, uint32_t site);
/* `is_signed` matters for SG_MIN and SG_MAX. Gives the value before. `other` is what SG_CAS compares with. */
uint64_t sg_atom(struct sg_thread* thread, uint32_t what, uint32_t is_signed, uint64_t address, uint64_t value, uint64_t other,
                 uint32_t bytes, uint32_t site);
/* bar.sync and bar.red.or; threads 0: all of the block. Gives whether `value` was other than 0 in any of them. */
uint32_t sg_barrier(struct sg_thread* thread, uint32_t barrier, uint32_t threads, uint32_t value, uint32_t site);
/* bar.warp.sync of all threads of a warp. */
void sg_warp_barrier(struct sg_thread* thread, uint32_t site);
void sg_yield(struct sg_thread* thread);
uint64_t sg_globaltimer(void); /* nanoseconds of the host's monotonic clock */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif

// Copies from global to shared memory that a thread starts and waits for later (cp.async), as
// functions of C.
#ifndef RADDLE_CUDA_PIPELINE_PRIMITIVES_H
#define RADDLE_CUDA_PIPELINE_PRIMITIVES_H
#define _CUDA_PIPELINE_PRIMITIVES_H_  // programs test for it

#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

#include "cuda_awbarrier_primitives.h"

#define RADDLE_ASYNC_COPY(cache, bytes)                                                          \
  __asm__ __volatile__("cp.async." cache ".shared.global [%0], [%1], " #bytes ", %2;" ::"r"(to), \
                       "l"(from), "r"(read)                                                      \
                       : "memory")
// Copies 4, 8 or 16 bytes, of which the last `zeros` are not read but set to 0.
__RADDLE_DEVICE__ void __pipeline_memcpy_async(void* __restrict__ target,
                                               const void* __restrict__ source, size_t bytes,
                                               size_t zeros = 0) {
  const unsigned int to = (unsigned int)__cvta_generic_to_shared(target);
  const size_t from = __cvta_generic_to_global(source);
  const unsigned int read = (unsigned int)(bytes - zeros);
  if (bytes == 16) {
    RADDLE_ASYNC_COPY("cg", 16);
  } else if (bytes == 8) {
    RADDLE_ASYNC_COPY("ca", 8);
  } else if (bytes == 4) {
    RADDLE_ASYNC_COPY("ca", 4);
  } else {
    __trap();
  }
}
#undef RADDLE_ASYNC_COPY

__RADDLE_DEVICE__ void __pipeline_commit() {
  __asm__ __volatile__("cp.async.commit_group;" ::: "memory");
}

// Waits until at most so many of the newest groups are under way; the instruction takes a constant.
__RADDLE_DEVICE__ void __pipeline_wait_prior(unsigned int newest) {
#define RADDLE_WAIT_PRIOR(count) \
  case count: __asm__ __volatile__("cp.async.wait_group " #count ";" ::: "memory"); return
  switch (newest) {
    RADDLE_WAIT_PRIOR(1);
    RADDLE_WAIT_PRIOR(2);
    RADDLE_WAIT_PRIOR(3);
    RADDLE_WAIT_PRIOR(4);
    RADDLE_WAIT_PRIOR(5);
    RADDLE_WAIT_PRIOR(6);
    RADDLE_WAIT_PRIOR(7);
    default: __asm__ __volatile__("cp.async.wait_all;" ::: "memory");
  }
#undef RADDLE_WAIT_PRIOR
}

__RADDLE_DEVICE__ void __pipeline_arrive_on(__mbarrier_t* barrier) {
  __asm__ __volatile__("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(
                           (unsigned int)__cvta_generic_to_shared(barrier))
                       : "memory");
}

#endif
#endif

// Barriers in shared memory that arriving and waiting are two steps of (mbarrier), as functions of
// C.
#ifndef RADDLE_CUDA_AWBARRIER_PRIMITIVES_H
#define RADDLE_CUDA_AWBARRIER_PRIMITIVES_H
#define _CUDA_AWBARRIER_PRIMITIVES_H_  // programs test for it

#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

#include "cuda_runtime.h"

typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;

__RADDLE_DEVICE__ unsigned int __mbarrier_maximum_count() { return (1u << 20) - 1; }
__RADDLE_DEVICE__ void __mbarrier_init(__mbarrier_t* barrier, unsigned int expected) {
  __asm__ __volatile__(
      "mbarrier.init.shared.b64 [%0], %1;" ::"r"((unsigned int)__cvta_generic_to_shared(barrier)),
      "r"(expected)
      : "memory");
}
__RADDLE_DEVICE__ void __mbarrier_inval(__mbarrier_t*) {}

#define RADDLE_MBARRIER_ARRIVE(name, instruction)                               \
  __RADDLE_DEVICE__ __mbarrier_token_t name(__mbarrier_t* barrier) {            \
    __mbarrier_token_t token;                                                   \
    __asm__ __volatile__(instruction ".shared.b64 %0, [%1];"                    \
                         : "=l"(token)                                          \
                         : "r"((unsigned int)__cvta_generic_to_shared(barrier)) \
                         : "memory");                                           \
    return token;                                                               \
  }
RADDLE_MBARRIER_ARRIVE(__mbarrier_arrive, "mbarrier.arrive")
RADDLE_MBARRIER_ARRIVE(__mbarrier_arrive_and_drop, "mbarrier.arrive_drop")
#undef RADDLE_MBARRIER_ARRIVE

__RADDLE_DEVICE__ bool __mbarrier_test_wait(__mbarrier_t* barrier, __mbarrier_token_t token) {
  unsigned int done;
  __asm__ __volatile__(
      "{\n.reg .pred done;\nmbarrier.test_wait.shared.b64 done, [%1], %2;\nselp.u32 %0, 1, 0, "
      "done;\n}"
      : "=r"(done)
      : "r"((unsigned int)__cvta_generic_to_shared(barrier)), "l"(token)
      : "memory");
  return done != 0;
}
__RADDLE_DEVICE__ unsigned int __mbarrier_token_pending_count(__mbarrier_token_t token) {
  unsigned int count;
  __asm__("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
  return count;
}

#endif
#endif

// What the test programs share: CUDA calls that must succeed or must fail with a given error, comparisons that end the
// program with the place and both values, and the last line that says all went well.
#ifndef RADDLE_TESTS_PROGRAMS_CHECK_H
#define RADDLE_TESTS_PROGRAMS_CHECK_H

#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// The call must return the error.
#define EXPECT_ERROR(error, call)                                                                           \
  do {                                                                                                      \
    const cudaError_t check_wanted = (error), check_got = (call);                                           \
    if (check_got != check_wanted) {                                                                        \
      fprintf(stderr, "%s:%d: %s returned %d (%s), expected %d (%s)\n", __FILE__, __LINE__, #call,          \
              (int)check_got, cudaGetErrorName(check_got), (int)check_wanted, cudaGetErrorName(check_wanted)); \
      exit(1);                                                                                              \
    }                                                                                                       \
  } while (0)

#define CUDA_CHECK(call) EXPECT_ERROR(cudaSuccess, call)

// A kernel was launched just before: the launch and the kernel must have succeeded.
#define CHECK_LAUNCH()                   \
  do {                                   \
    CUDA_CHECK(cudaGetLastError());      \
    CUDA_CHECK(cudaDeviceSynchronize()); \
  } while (0)

#define CHECK(condition)                                                               \
  do {                                                                                 \
    if (!(condition)) {                                                                \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);          \
      exit(1);                                                                         \
    }                                                                                  \
  } while (0)

// Numbers are the same. `index` says which of many.
#define CHECK_EQUAL_AT(index, got, expected)                                                                      \
  do {                                                                                                            \
    const auto check_got = (got);                                                                                 \
    const auto check_expected = (expected);                                                                       \
    if (!(check_got == check_expected)) {                                                                         \
      fprintf(stderr, "%s:%d: %s is %.17g, expected %.17g, at %ld\n", __FILE__, __LINE__, #got, (double)check_got, \
              (double)check_expected, (long)(index));                                                             \
      exit(1);                                                                                                    \
    }                                                                                                             \
  } while (0)

#define CHECK_EQUAL(got, expected) CHECK_EQUAL_AT(0, got, expected)

// Within `bound` of the expected value; two NaNs agree, and so do two equal infinities.
#define CHECK_NEAR_AT(index, got, expected, bound)                                                          \
  do {                                                                                                      \
    const double check_got = (double)(got), check_expected = (double)(expected);                            \
    const bool check_same = check_got == check_expected || (isnan(check_got) && isnan(check_expected));     \
    if (!check_same && !(fabs(check_got - check_expected) <= (bound))) {                                    \
      fprintf(stderr, "%s:%d: %s is %.17g, expected %.17g, at %ld\n", __FILE__, __LINE__, #got, check_got,  \
              check_expected, (long)(index));                                                               \
      exit(1);                                                                                              \
    }                                                                                                       \
  } while (0)

static inline int all_ok(void) {
  printf("ok\n");
  return 0;
}

#endif

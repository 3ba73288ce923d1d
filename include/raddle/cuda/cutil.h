// The macros and functions of CUTIL, which programs before CUDA 5 were written against.
#ifndef RADDLE_CUDA_CUTIL_H
#define RADDLE_CUDA_CUTIL_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "cuda_runtime.h"

typedef enum CUTBoolean_enum { CUTFalse = 0, CUTTrue = 1 } CUTBoolean;

#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif

// --- errors ----------------------------------------------------------------------------------------------------------
static inline void raddle_cutil_check(cudaError_t error, const char* file, int line) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "Cuda error in file '%s' in line %i : %s.\n", file, line,
          cudaGetErrorString(error));
  exit(EXIT_FAILURE);
}
static inline void raddle_cutil_last_error(const char* message, const char* file, int line) {
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return;
  fprintf(stderr, "Cuda error: %s in file '%s' in line %i : %s.\n", message, file, line,
          cudaGetErrorString(error));
  exit(EXIT_FAILURE);
}

#define CUDA_SAFE_CALL_NO_SYNC(call) raddle_cutil_check((call), __FILE__, __LINE__)
#define CUDA_SAFE_CALL(call) CUDA_SAFE_CALL_NO_SYNC(call)
#define CUT_SAFE_CALL(call)                                                        \
  do {                                                                             \
    if (CUTTrue != (call)) {                                                       \
      fprintf(stderr, "Cut error in file '%s' in line %i.\n", __FILE__, __LINE__); \
      exit(EXIT_FAILURE);                                                          \
    }                                                                              \
  } while (0)
#define CUT_CHECK_ERROR(message)                                     \
  do {                                                               \
    raddle_cutil_last_error(message, __FILE__, __LINE__);            \
    raddle_cutil_check(cudaDeviceSynchronize(), __FILE__, __LINE__); \
  } while (0)
#define CUT_SAFE_MALLOC(call)                                                               \
  do {                                                                                      \
    if (!(call)) {                                                                          \
      fprintf(stderr, "Host malloc failure in file '%s' in line %i\n", __FILE__, __LINE__); \
      exit(EXIT_FAILURE);                                                                   \
    }                                                                                       \
  } while (0)
#define CUT_CONDITION(value)                                                             \
  do {                                                                                   \
    if (!(value)) {                                                                      \
      fprintf(stderr, "Condition failed in file '%s' in line %i\n", __FILE__, __LINE__); \
      exit(EXIT_FAILURE);                                                                \
    }                                                                                    \
  } while (0)
#define CUT_DEVICE_INIT(argc, argv) raddle_cutil_check(cudaSetDevice(0), __FILE__, __LINE__)
#define CUT_EXIT(argc, argv) exit(EXIT_SUCCESS)
#define CUT_BANK_CHECKER(array, index) array[index]
#define CUT_THREAD_SYNCHRONIZE() raddle_cutil_check(cudaDeviceSynchronize(), __FILE__, __LINE__)

#define cutilSafeCall(call) CUDA_SAFE_CALL(call)
#define cutilSafeCallNoSync(call) CUDA_SAFE_CALL(call)
#define cutilCheckError(call) CUT_SAFE_CALL(call)
#define cutilCheckMsg(message) raddle_cutil_last_error(message, __FILE__, __LINE__)
#define cutilCheckMsgAndSync(message) CUT_CHECK_ERROR(message)
#define cutilSafeThreadSync() CUT_THREAD_SYNCHRONIZE()
#define cutilSafeMalloc(call) CUT_SAFE_MALLOC(call)
#define cutilCondition(value) CUT_CONDITION(value)
#define cutilDeviceInit(argc, argv) CUT_DEVICE_INIT(argc, argv)
#define cutilExit(argc, argv) CUT_EXIT(argc, argv)
#define cutilDeviceSynchronize() cudaDeviceSynchronize()
#define cutilThreadSynchronize() cudaDeviceSynchronize()
#define cutGetMaxGflopsDeviceId() 0
#define cutilGetMaxGflopsDeviceId() 0
#define cutFree(pointer) free(pointer)

// --- timers: the host's own time in milliseconds ---------------------------------------------------------------------
#define RADDLE_CUTIL_TIMERS 64
static struct {
  double started, total;
  int sessions, running;
} raddle_cutil_timers[RADDLE_CUTIL_TIMERS];
static unsigned int raddle_cutil_timer_count = 0;

static inline double raddle_cutil_now(void) {
  struct timeval time;
  gettimeofday(&time, NULL);
  return (double)time.tv_sec * 1e3 + (double)time.tv_usec * 1e-3;
}
static inline CUTBoolean cutCreateTimer(unsigned int* name) {
  if (raddle_cutil_timer_count == RADDLE_CUTIL_TIMERS) return CUTFalse;
  *name = raddle_cutil_timer_count++;
  memset(&raddle_cutil_timers[*name], 0, sizeof(raddle_cutil_timers[*name]));
  return CUTTrue;
}
static inline CUTBoolean cutDeleteTimer(unsigned int name) {
  return name < raddle_cutil_timer_count ? CUTTrue : CUTFalse;
}
static inline CUTBoolean cutStartTimer(unsigned int name) {
  if (name >= raddle_cutil_timer_count) return CUTFalse;
  raddle_cutil_timers[name].started = raddle_cutil_now();
  raddle_cutil_timers[name].running = 1;
  return CUTTrue;
}
static inline CUTBoolean cutStopTimer(unsigned int name) {
  if (name >= raddle_cutil_timer_count) return CUTFalse;
  if (raddle_cutil_timers[name].running) {
    raddle_cutil_timers[name].total += raddle_cutil_now() - raddle_cutil_timers[name].started;
    raddle_cutil_timers[name].sessions += 1;
    raddle_cutil_timers[name].running = 0;
  }
  return CUTTrue;
}
static inline CUTBoolean cutResetTimer(unsigned int name) {
  if (name >= raddle_cutil_timer_count) return CUTFalse;
  raddle_cutil_timers[name].total = 0;
  raddle_cutil_timers[name].sessions = 0;
  raddle_cutil_timers[name].started = raddle_cutil_now();
  return CUTTrue;
}
static inline float cutGetTimerValue(unsigned int name) {
  if (name >= raddle_cutil_timer_count) return 0.0f;
  if (!raddle_cutil_timers[name].running) return (float)raddle_cutil_timers[name].total;
  return (float)(raddle_cutil_timers[name].total + raddle_cutil_now() -
                 raddle_cutil_timers[name].started);
}
static inline float cutGetAverageTimerValue(unsigned int name) {
  if (name >= raddle_cutil_timer_count || raddle_cutil_timers[name].sessions == 0) return 0.0f;
  return (float)(raddle_cutil_timers[name].total / raddle_cutil_timers[name].sessions);
}

// --- command line: --name and --name=value ---------------------------------------------------------------------------
static inline const char* raddle_cutil_find(int argc, const char** argv, const char* name) {
  const size_t length = strlen(name);
  int i;
  for (i = 1; i < argc; ++i) {
    const char* text = argv[i];
    while (*text == '-') ++text;
    if (text == argv[i] || strncmp(text, name, length) != 0) continue;
    if (text[length] == '=') return text + length + 1;
    if (text[length] == '\0') return text + length;
  }
  return NULL;
}
static inline CUTBoolean cutCheckCmdLineFlag(int argc, const char** argv, const char* name) {
  return raddle_cutil_find(argc, argv, name) ? CUTTrue : CUTFalse;
}
static inline CUTBoolean cutGetCmdLineArgumenti(int argc, const char** argv, const char* name,
                                                int* value) {
  const char* text = raddle_cutil_find(argc, argv, name);
  if (text) *value = atoi(text);
  return text ? CUTTrue : CUTFalse;
}
static inline CUTBoolean cutGetCmdLineArgumentf(int argc, const char** argv, const char* name,
                                                float* value) {
  const char* text = raddle_cutil_find(argc, argv, name);
  if (text) *value = (float)atof(text);
  return text ? CUTTrue : CUTFalse;
}
// The caller frees the text.
static inline CUTBoolean cutGetCmdLineArgumentstr(int argc, const char** argv, const char* name,
                                                  char** value) {
  const char* text = raddle_cutil_find(argc, argv, name);
  if (!text) return CUTFalse;
  *value = (char*)malloc(strlen(text) + 1);
  strcpy(*value, text);
  return CUTTrue;
}

// --- comparison of results -------------------------------------------------------------------------------------------
static inline CUTBoolean cutComparefe(const float* reference, const float* data,
                                      const unsigned int length, const float epsilon) {
  unsigned int i;
  for (i = 0; i < length; ++i)
    if (!(fabsf(reference[i] - data[i]) <= epsilon)) return CUTFalse;
  return CUTTrue;
}
static inline CUTBoolean cutComparef(const float* reference, const float* data,
                                     const unsigned int length) {
  return cutComparefe(reference, data, length, 0.0f);
}
static inline CUTBoolean cutComparei(const int* reference, const int* data,
                                     const unsigned int length) {
  return memcmp(reference, data, length * sizeof(int)) == 0 ? CUTTrue : CUTFalse;
}
static inline CUTBoolean cutCompareL2fe(const float* reference, const float* data,
                                        const unsigned int length, const float epsilon) {
  double error = 0, norm = 0;
  unsigned int i;
  for (i = 0; i < length; ++i) {
    const double difference = (double)reference[i] - (double)data[i];
    error += difference * difference;
    norm += (double)reference[i] * (double)reference[i];
  }
  if (norm < 1e-14) return CUTFalse;
  return sqrt(error) / sqrt(norm) < (double)epsilon ? CUTTrue : CUTFalse;
}

#endif

// OpenMP's functions for programs that are compiled where clang's OpenMP library is not installed:
// the pragmas are then left out, the program runs in one thread, and these say so. `raddle cc
// -Xcompiler -fopenmp` uses the real library when it is there.
#pragma once

#include <time.h>

typedef int omp_lock_t;
typedef int omp_nest_lock_t;
typedef enum omp_sched_t {
  omp_sched_static = 1,
  omp_sched_dynamic = 2,
  omp_sched_guided = 3,
  omp_sched_auto = 4
} omp_sched_t;

static inline int omp_get_thread_num(void) { return 0; }
static inline int omp_get_num_threads(void) { return 1; }
static inline int omp_get_max_threads(void) { return 1; }
static inline int omp_get_num_procs(void) { return 1; }
static inline int omp_get_thread_limit(void) { return 1; }
static inline int omp_get_num_devices(void) { return 0; }
static inline int omp_in_parallel(void) { return 0; }
static inline int omp_get_level(void) { return 0; }
static inline int omp_get_dynamic(void) { return 0; }
static inline int omp_get_nested(void) { return 0; }
static inline void omp_set_num_threads(int threads) { (void)threads; }
static inline void omp_set_dynamic(int dynamic) { (void)dynamic; }
static inline void omp_set_nested(int nested) { (void)nested; }
static inline void omp_set_schedule(omp_sched_t kind, int chunk) {
  (void)kind;
  (void)chunk;
}

static inline void omp_init_lock(omp_lock_t* lock) { *lock = 0; }
static inline void omp_destroy_lock(omp_lock_t* lock) { *lock = 0; }
static inline void omp_set_lock(omp_lock_t* lock) { *lock = 1; }
static inline void omp_unset_lock(omp_lock_t* lock) { *lock = 0; }
static inline int omp_test_lock(omp_lock_t* lock) {
  const int free_before = *lock == 0;
  *lock = 1;
  return free_before;
}
static inline void omp_init_nest_lock(omp_nest_lock_t* lock) { *lock = 0; }
static inline void omp_destroy_nest_lock(omp_nest_lock_t* lock) { *lock = 0; }
static inline void omp_set_nest_lock(omp_nest_lock_t* lock) { ++*lock; }
static inline void omp_unset_nest_lock(omp_nest_lock_t* lock) { --*lock; }
static inline int omp_test_nest_lock(omp_nest_lock_t* lock) { return ++*lock; }

static inline double omp_get_wtime(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
static inline double omp_get_wtick(void) { return 1e-9; }

/* What the files of the project share; C and C++. */
#ifndef PROJECT_H
#define PROJECT_H

#include <cuda_runtime.h>

#define COUNT 300

#ifdef __cplusplus
extern "C" {
#endif

void run_kernels(float *host, int n);
void run_fast(float *host, int n);
int report(const char *what, const float *got, const float *expected, int n, float bound);

#ifdef __cplusplus
}
#endif

#endif

// Comparisons that CUDA sample programs check their results with, and the other helpers.
#ifndef RADDLE_CUDA_HELPER_FUNCTIONS_H
#define RADDLE_CUDA_HELPER_FUNCTIONS_H

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helper_image.h"
#include "helper_string.h"
#include "helper_timer.h"

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif

// |reference - data| relative to |reference|, in the L2 norm, below epsilon.
inline bool sdkCompareL2fe(const float* reference, const float* data, const unsigned int length,
                           const float epsilon) {
  double error = 0, norm = 0;
  for (unsigned int i = 0; i < length; ++i) {
    const double difference = (double)reference[i] - (double)data[i];
    error += difference * difference;
    norm += (double)reference[i] * (double)reference[i];
  }
  if (norm < 1e-14) {
    fprintf(stderr, "ERROR, reference l2-norm is 0\n");
    return false;
  }
  return sqrt(error) / sqrt(norm) < (double)epsilon;
}

// All but a share `threshold` of the elements differ by at most epsilon.
template <class T, class S>
inline bool compareData(const T* reference, const T* data, const unsigned int length,
                        const S epsilon, const float threshold) {
  unsigned int wrong = 0;
  for (unsigned int i = 0; i < length; ++i) {
    const double difference = fabs((double)reference[i] - (double)data[i]);
    if (!(difference <= (double)epsilon)) ++wrong;
  }
  if (threshold == 0.0f) return wrong == 0;
  return (float)length * threshold > (float)wrong;
}

#endif

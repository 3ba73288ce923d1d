// make_cudaExtent() and its like.
#ifndef RADDLE_CUDA_DRIVER_FUNCTIONS_H
#define RADDLE_CUDA_DRIVER_FUNCTIONS_H
#define __DRIVER_FUNCTIONS_H__  // programs test for it

#include "driver_types.h"

static __inline__ struct cudaPitchedPtr make_cudaPitchedPtr(void* pointer, size_t pitch,
                                                            size_t x_size, size_t y_size) {
  struct cudaPitchedPtr result;
  result.ptr = pointer;
  result.pitch = pitch;
  result.xsize = x_size;
  result.ysize = y_size;
  return result;
}

static __inline__ struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
  struct cudaPos result;
  result.x = x;
  result.y = y;
  result.z = z;
  return result;
}

static __inline__ struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
  struct cudaExtent result;
  result.width = width;
  result.height = height;
  result.depth = depth;
  return result;
}

#endif

// raddle run examples/inter-thread/blur_shared.cu -m mt-cgra
// A blur of three pixels with shared memory and a barrier; blur.cu is the same between threads.
#include "rows.h"

__global__ void blur_shared(const float* image, float* result) {
  __shared__ float pixels[kPixels + 2];
  int tid = threadIdx.x;
  int i = blockIdx.x * kPixels + tid;
  pixels[tid + 1] = image[i];
  if (tid == 0) pixels[0] = 0;
  if (tid == kPixels - 1) pixels[kPixels + 1] = 0;
  __syncthreads();
  result[i] = 0.25f * pixels[tid] + 0.5f * pixels[tid + 1] + 0.25f * pixels[tid + 2];
}

int main() { return blur_rows(blur_shared); }

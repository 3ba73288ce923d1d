// raddle run examples/inter-thread/blur.cu -m dmt-cgra
// A blur of three pixels in which threads pass their pixel to both neighbours; blur_shared.cu is
// the same with shared memory, docs/machines/dmt-cgra.md goes from one to the other.
#include <raddle/dmt.h>

#include "rows.h"

__global__ void blur(const float* image, float* result) {
  int i = blockIdx.x * kPixels + threadIdx.x;
  float here = image[i];
  tagValue<"pixel">(here);
  float left = fromThreadOrConst<"pixel", -1, 0.0f>();
  float right = fromThreadOrConst<"pixel", +1, 0.0f>();
  result[i] = 0.25f * left + 0.5f * here + 0.25f * right;
}

int main() { return blur_rows(blur); }

// A host file in C++ that uses the runtime but holds no device code.
#include <cuComplex.h>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <helper_cuda.h>
#include <helper_functions.h>
#include <helper_math.h>
#include <math_constants.h>

#include <algorithm>
#include <vector>

__host__ __device__ int used_on_both_sides(int a) { return a + 1; }

int main() {
  float* device = nullptr;
  checkCudaErrors(cudaMalloc(&device, 16));
  std::vector<float> host(4, 1.0f);
  checkCudaErrors(cudaMemcpyAsync(device, host.data(), 16, cudaMemcpyHostToDevice));
  cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  cudaExtent extent = make_cudaExtent(1, 2, 3);
  dim3 grid(4, 5);
  __half half = __float2half(0.5f);
  float3 v = make_float3(1.0f) + cross(make_float3(1, 0, 0), make_float3(0, 1, 0));
  CUdeviceptr pointer = 0;
  return std::max(used_on_both_sides(desc.x), (int)(extent.width + grid.x + pointer)) +
             (int)(__half2float(half) + v.z) ==
         0;
}

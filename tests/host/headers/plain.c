/* A host file in C that uses the runtime. */
#include <cuda.h>
#include <cuda_runtime.h>
#include <cuda_runtime_api.h>
#include <cuComplex.h>
#include <cutil.h>
#include <math_constants.h>
#include <nvToolsExt.h>
#include <vector_types.h>

extern void run_kernel(float* data, int count);

int main(void) {
  float* device = NULL;
  float host[4] = {1, 2, 3, 4};
  float2 pair = make_float2(1.0f, 2.0f);
  struct cudaDeviceProp properties;
  cudaEvent_t event;
  dim3 grid;
  grid.x = grid.y = grid.z = 1;
  if (cudaMalloc((void**)&device, sizeof(host)) != cudaSuccess) return 1;
  cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);
  cudaGetDeviceProperties(&properties, 0);
  cudaEventCreate(&event);
  cudaEventRecord(event, 0);
  printf("%s %f %s\n", properties.name, (double)(pair.x + cuCrealf(make_cuComplex(1, 2))), cudaGetErrorString(cudaGetLastError()));
  return cudaFree(device) == cudaSuccess && grid.x == 1 ? 0 : 1;
}

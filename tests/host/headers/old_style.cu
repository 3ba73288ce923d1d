// What programs of the first years of CUDA include and call.
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <cutil.h>
#include <cutil_inline.h>
#include <cutil_math.h>
#include <device_functions.h>
#include <device_launch_parameters.h>
#include <helper_cuda.h>
#include <helper_functions.h>
#include <math_functions.h>
#include <nvToolsExt.h>
#include <sm_20_intrinsics.h>
#include <unistd.h>
#include <vector_functions.h>
#include <vector_types.h>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>
using namespace std;

__global__ void kernel(float4* v) {
  v[threadIdx.x] = v[threadIdx.x] * 2.0f + make_float4(1.0f) * dot(v[0], v[1]);
  v[0].x = fmaxf(v[0].x, min(1.0f, 2.0f)) + mul24(3, 4) + pow(v[0].y, 2) + abs(v[0].z) + max(3, 4);
}

int main(int argc, char** argv) {
  CUT_DEVICE_INIT(argc, argv);
  float4* device;
  CUDA_SAFE_CALL(cudaMalloc((void**)&device, 64 * sizeof(float4)));
  unsigned int timer = 0;
  CUT_SAFE_CALL(cutCreateTimer(&timer));
  CUT_SAFE_CALL(cutStartTimer(timer));
  kernel<<<1, 64>>>(device);
  CUT_CHECK_ERROR("Kernel execution failed");
  cudaThreadSynchronize();
  getLastCudaError("failed");
  checkCudaErrors(cudaDeviceSynchronize());
  cutilSafeCall(cudaGetLastError());
  vector<float> values(16, 1.0f);
  map<string, int> names;
  shared_ptr<int> shared(new int(3));
  names["a"] = max(3, *shared);
  cout << names["a"] + min(values[0], 2.0f) << endl;
  StopWatchInterface* watch = 0;
  sdkCreateTimer(&watch);
  sdkStartTimer(&watch);
  nvtxRangePushA("range");
  nvtxRangePop();
  cudaProfilerStart();
  cudaProfilerStop();
  printf("%f %f\n", cutGetTimerValue(timer), sqrt(2.0));
  cudaThreadExit();
  return checkCmdLineFlag(argc, (const char**)argv, "quiet") ? 0 : (int)getpid() & 0;
}

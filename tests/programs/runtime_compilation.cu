// NVRTC: source that the program holds as text is compiled, its kernels are found by their lowered names and give the
// numbers that the host computes. Also texture objects and reserved addresses of the driver interface.
#include <cuda.h>
#include <nvrtc.h>
#include <string.h>

#include <string>
#include <vector>

#include "check.h"

#define DRIVER(call) CHECK_EQUAL((int)(call), (int)CUDA_SUCCESS)
#define RTC(call) CHECK_EQUAL((int)(call), (int)NVRTC_SUCCESS)

static const char* const kSource = R"(
#include "factor.h"
#ifndef __CUDACC_RTC__
#error must be defined
#endif
namespace inner {
__constant__ int offset;
template <class T>
__global__ void scale(T* data, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = data[i] * FACTOR + offset;
}
}
extern "C" __global__ void sample(cudaTextureObject_t texture, float* out) {
  out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x);
}
)";

static CUmodule compile() {
  const char* headers[] = {"#define FACTOR BASE * 2\n"};
  const char* names[] = {"factor.h"};
  nvrtcProgram program;
  RTC(nvrtcCreateProgram(&program, kSource, "scale.cu", 1, headers, names));
  RTC(nvrtcAddNameExpression(program, "inner::scale<float>"));
  RTC(nvrtcAddNameExpression(program, "&inner::scale<int>"));
  RTC(nvrtcAddNameExpression(program, "&inner::offset"));
  const char* options[] = {"--gpu-architecture=compute_70", "-D BASE=3", "--std=c++17", "-default-device"};
  RTC(nvrtcCompileProgram(program, 4, options));
  const char *floats, *ints, *offset;
  RTC(nvrtcGetLoweredName(program, "inner::scale<float>", &floats));
  RTC(nvrtcGetLoweredName(program, "&inner::scale<int>", &ints));
  RTC(nvrtcGetLoweredName(program, "&inner::offset", &offset));
  CHECK(strcmp(floats, "_ZN5inner5scaleIfEEvPT_i") == 0);
  CHECK(strcmp(offset, "_ZN5inner6offsetE") == 0);
  size_t bytes = 0;
  RTC(nvrtcGetPTXSize(program, &bytes));
  std::string ptx(bytes, ' ');
  RTC(nvrtcGetPTX(program, &ptx[0]));
  CUmodule module;
  DRIVER(cuModuleLoadData(&module, ptx.c_str()));

  CUdeviceptr place;
  size_t place_bytes;
  DRIVER(cuModuleGetGlobal(&place, &place_bytes, module, offset));
  const int eleven = 11;
  DRIVER(cuMemcpyHtoD(place, &eleven, sizeof(eleven)));
  CUfunction function;
  DRIVER(cuModuleGetFunction(&function, module, ints));
  int count = 1000;
  std::vector<int> data(count);
  for (int i = 0; i < count; ++i) data[i] = i * i;
  CUdeviceptr device;
  DRIVER(cuMemAlloc(&device, count * sizeof(int)));
  DRIVER(cuMemcpyHtoD(device, data.data(), count * sizeof(int)));
  void* arguments[] = {&device, &count};
  DRIVER(cuLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, 0, arguments, nullptr));
  DRIVER(cuMemcpyDtoH(data.data(), device, count * sizeof(int)));
  for (int i = 0; i < count; ++i) CHECK_EQUAL_AT(i, data[i], i * i * 6 + 11);
  RTC(nvrtcDestroyProgram(&program));
  CHECK(program == nullptr);
  return module;
}

static void test_mistakes() {
  nvrtcProgram program;
  RTC(nvrtcCreateProgram(&program, "__global__ void k() { nonsense; }", "wrong.cu", 0, nullptr, nullptr));
  CHECK(nvrtcCompileProgram(program, 0, nullptr) == NVRTC_ERROR_COMPILATION);
  size_t bytes = 0;
  RTC(nvrtcGetProgramLogSize(program, &bytes));
  std::string log(bytes, ' ');
  RTC(nvrtcGetProgramLog(program, &log[0]));
  CHECK(log.find("wrong.cu:1:23: error: use of undeclared identifier 'nonsense'") != std::string::npos);
  CHECK(nvrtcGetPTXSize(program, &bytes) == NVRTC_ERROR_INVALID_PROGRAM);
  const char* option = "--no-such-option";
  CHECK(nvrtcCompileProgram(program, 1, &option) == NVRTC_ERROR_INVALID_OPTION);
  RTC(nvrtcDestroyProgram(&program));
}

static void test_texture(CUmodule module) {
  const unsigned char bytes[64] = {0, 255, 51, 102};
  CUdeviceptr texels, out;
  DRIVER(cuMemAlloc(&texels, sizeof(bytes)));
  DRIVER(cuMemAlloc(&out, 64 * sizeof(float)));
  DRIVER(cuMemcpyHtoD(texels, bytes, sizeof(bytes)));
  CUDA_RESOURCE_DESC resource = {};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear.devPtr = texels;
  resource.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT8;
  resource.res.linear.numChannels = 1;
  resource.res.linear.sizeInBytes = sizeof(bytes);
  CUDA_TEXTURE_DESC sampling = {};
  CUtexObject texture;
  DRIVER(cuTexObjectCreate(&texture, &resource, &sampling, nullptr));
  CUfunction function;
  DRIVER(cuModuleGetFunction(&function, module, "sample"));
  void* arguments[] = {&texture, &out};
  DRIVER(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, 0, arguments, nullptr));
  float got[64];
  DRIVER(cuMemcpyDtoH(got, out, sizeof(got)));
  for (int i = 0; i < 64; ++i) CHECK_NEAR_AT(i, got[i], bytes[i] / 255.0, 1e-6);
  DRIVER(cuTexObjectDestroy(texture));
}

static void test_reserved_addresses() {
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  size_t unit = 0;
  DRIVER(cuMemGetAllocationGranularity(&unit, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CUdeviceptr range;
  DRIVER(cuMemAddressReserve(&range, 2 * unit, 0, 0, 0));
  CUmemGenericAllocationHandle parts[2];
  for (int i = 0; i < 2; ++i) {
    DRIVER(cuMemCreate(&parts[i], unit, &properties, 0));
    DRIVER(cuMemMap(range + i * unit, unit, 0, parts[i], 0));
  }
  CHECK(cuMemMap(range, unit, 0, parts[0], 0) != CUDA_SUCCESS);
  DRIVER(cuMemRelease(parts[0]));
  CUmemAccessDesc access = {properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  DRIVER(cuMemSetAccess(range, 2 * unit, &access, 1));
  // One array over both parts.
  DRIVER(cuMemsetD32(range, 7, 2 * unit / 4));
  unsigned int ends[2];
  DRIVER(cuMemcpyDtoH(&ends[0], range + unit - 4, 8));
  CHECK_EQUAL(ends[0], 7u);
  CHECK_EQUAL(ends[1], 7u);
  CHECK(cuMemAddressFree(range, 2 * unit) != CUDA_SUCCESS);  // still mapped
  DRIVER(cuMemUnmap(range, 2 * unit));
  DRIVER(cuMemRelease(parts[1]));
  CHECK(cuMemRelease(parts[0]) != CUDA_SUCCESS);
  DRIVER(cuMemAddressFree(range, 2 * unit));
}

int main() {
  DRIVER(cuInit(0));
  CUcontext context;
  CUctxCreateParams parameters = {};
  DRIVER(cuCtxCreate(&context, &parameters, 0, 0));
  const CUmodule module = compile();
  test_mistakes();
  test_texture(module);
  test_reserved_addresses();
  return all_ok();
}

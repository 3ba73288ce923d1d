// The driver interface alone: context, a module of PTX, memory, streams, events, all three ways to pass arguments, kernel
// attributes, fills, 2-D copies and arrays. The file has no kernel of its own.
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

#define EXPECT_RESULT(result, call)                                                                                \
  do {                                                                                                             \
    const CUresult check_wanted = (result), check_got = (call);                                                    \
    if (check_got != check_wanted) {                                                                               \
      const char* check_name = "?";                                                                                \
      cuGetErrorName(check_got, &check_name);                                                                      \
      fprintf(stderr, "%s:%d: %s returned %d (%s)\n", __FILE__, __LINE__, #call, (int)check_got, check_name);      \
      exit(1);                                                                                                     \
    }                                                                                                              \
  } while (0)
#define CU_CHECK(call) EXPECT_RESULT(CUDA_SUCCESS, call)
#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

static const char* kPtx = R"(
.version 6.0
.target sm_50
.address_size 64
.visible .global .align 4 .u32 offset = 5;
.extern .shared .align 4 .b8 dynamic[];
.visible .entry add(.param .u64 a, .param .u64 b, .param .u32 n) {  // b[i] += a[i] + offset
  .reg .pred %p<2>;
  .reg .b32 %r<10>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra DONE;
  mul.wide.s32 %rd3, %r5, 4;
  add.s64 %rd1, %rd1, %rd3;
  add.s64 %rd2, %rd2, %rd3;
  ld.global.u32 %r6, [%rd1];
  ld.global.u32 %r7, [%rd2];
  ld.global.u32 %r8, [offset];
  add.u32 %r6, %r6, %r7;
  add.u32 %r6, %r6, %r8;
  st.global.u32 [%rd2], %r6;
DONE:
  ret;
}
.visible .entry shares(.param .u64 out) {
  .shared .align 4 .b8 fixed[1024];
  .reg .b64 %rd<3>;
  .reg .b32 %r<3>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %dynamic_smem_size;
  st.shared.u32 [fixed+1020], %r1;
  ld.shared.u32 %r2, [fixed+1020];
  st.global.u32 [%rd1], %r2;
  ret;
}
)";

static void devices_and_contexts(void) {
  int count = 0, major = 0, value = 0, version = 0;
  CUdevice device = -1;
  CU_CHECK(cuDriverGetVersion(&version));
  CHECK(version == CUDA_VERSION);
  CU_CHECK(cuDeviceGetCount(&count));
  CHECK(count == 1);
  CU_CHECK(cuDeviceGet(&device, 0));
  EXPECT_RESULT(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, 1));
  char name[100] = "";
  size_t bytes = 0;
  CU_CHECK(cuDeviceGetName(name, sizeof name, 0));
  CHECK(strlen(name) > 0);
  CU_CHECK(cuDeviceTotalMem(&bytes, 0));
  CHECK(bytes > 0);
  CU_CHECK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
  CHECK(value == 32);
  CU_CHECK(cuDeviceComputeCapability(&major, &value, 0));
  CHECK(major >= 2);
  CUdevprop properties;
  CU_CHECK(cuDeviceGetProperties(&properties, 0));
  CHECK(properties.SIMDWidth == 32 && properties.maxThreadsPerBlock >= 512);
  CUcontext context = nullptr, current = nullptr;
  CU_CHECK(cuCtxCreate(&context, CU_CTX_SCHED_AUTO, 0));
  CU_CHECK(cuCtxPopCurrent(&current));
  CHECK(current == context);
  CU_CHECK(cuCtxPushCurrent(context));
  CU_CHECK(cuCtxGetDevice(&device));
  CHECK(device == 0);
  CU_CHECK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
  CU_CHECK(cuCtxGetLimit(&bytes, CU_LIMIT_STACK_SIZE));
  CHECK(bytes == 4096);
}

static void check_sums(CUdeviceptr b, int n, int factor, int offset) {
  std::vector<int> got(n, -1);
  CU_CHECK(cuMemcpyDtoH(got.data(), b, n * sizeof(int)));
  for (int i = 0; i < n; ++i) CHECK(got[i] == factor * i + offset);
}

static void launches(CUmodule module) {
  CUfunction add;
  CU_CHECK(cuModuleGetFunction(&add, module, "add"));
  EXPECT_RESULT(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&add, module, "subtract"));
  int n = 1000;
  std::vector<int> host(n);
  for (int i = 0; i < n; ++i) host[i] = i;
  CUdeviceptr a, b, offset;
  size_t bytes = 0;
  CU_CHECK(cuMemAlloc(&a, n * sizeof(int)));
  CU_CHECK(cuMemAlloc(&b, n * sizeof(int)));
  CUstream stream;
  CUevent start, end;
  CU_CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CU_CHECK(cuEventCreate(&start, CU_EVENT_DEFAULT));
  CU_CHECK(cuEventCreate(&end, CU_EVENT_BLOCKING_SYNC));
  CU_CHECK(cuMemcpyHtoDAsync(a, host.data(), n * sizeof(int), stream));
  CU_CHECK(cuMemcpyDtoDAsync(b, a, n * sizeof(int), stream));

  void* arguments[] = {&a, &b, &n};
  CU_CHECK(cuEventRecord(start, stream));
  CU_CHECK(cuLaunchKernel(add, 8, 1, 1, 128, 1, 1, 0, stream, arguments, nullptr));
  CU_CHECK(cuEventRecord(end, stream));
  CU_CHECK(cuEventSynchronize(end));
  float milliseconds = 0;
  CU_CHECK(cuEventElapsedTime(&milliseconds, start, end));
  CHECK(milliseconds > 0);
  check_sums(b, n, 2, 5);

  CU_CHECK(cuModuleGetGlobal(&offset, &bytes, module, "offset"));
  CHECK(bytes == 4);
  CU_CHECK(cuMemsetD32(offset, 100, 1));
  struct {
    CUdeviceptr a, b;
    int n;
  } frame = {a, b, n};
  bytes = 20;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &frame, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  CU_CHECK(cuLaunchKernel(add, 8, 1, 1, 128, 1, 1, 0, nullptr, nullptr, extra));
  check_sums(b, n, 3, 105);

  CU_CHECK(cuFuncSetBlockShape(add, 250, 1, 1));
  CU_CHECK(cuParamSetSize(add, 20));
  CU_CHECK(cuParamSetv(add, 0, &a, sizeof a));
  CU_CHECK(cuParamSetv(add, 8, &b, sizeof b));
  CU_CHECK(cuParamSeti(add, 16, n));
  CU_CHECK(cuLaunchGrid(add, 4, 1));
  check_sums(b, n, 4, 205);

  EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(add, 0, 1, 1, 128, 1, 1, 0, stream, arguments, nullptr));
  EXPECT_RESULT(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
  bool called = false;
  CU_CHECK(cuStreamAddCallback(
      stream, [](CUstream, CUresult status, void* data) { *(bool*)data = status == CUDA_SUCCESS; }, &called, 0));
  CHECK(called);
  CU_CHECK(cuStreamWaitEvent(stream, end, 0));
  CU_CHECK(cuStreamQuery(stream));
  CU_CHECK(cuStreamSynchronize(stream));
  CU_CHECK(cuStreamDestroy(stream));
  CU_CHECK(cuEventDestroy(start));
  CU_CHECK(cuEventDestroy(end));
  CU_CHECK(cuMemFree(a));
  CU_CHECK(cuMemFree(b));
}

static void attributes(CUmodule module) {
  CUfunction shares;
  int value = 0, blocks = 0, grid = 0, block = 0, dynamic = 0;
  CU_CHECK(cuModuleGetFunction(&shares, module, "shares"));
  CU_CHECK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, shares));
  CHECK(value == 1024);
  CU_CHECK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, shares));
  CHECK(value >= 512);
  CU_CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shares, 128, 0));
  CHECK(blocks > 0);
  CU_CHECK(cuOccupancyMaxPotentialBlockSize(&grid, &block, shares, nullptr, 0, 256));
  CHECK(block > 0 && block <= 256 && grid > 0);
  CUdeviceptr out;
  CU_CHECK(cuMemAlloc(&out, 4));
  void* arguments[] = {&out};
  const unsigned beyond = 60000;  // the usual limit is 48 KiB
  EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE,
                cuLaunchKernel(shares, 1, 1, 1, 1, 1, 1, beyond, nullptr, arguments, nullptr));
  // A device that has more than that gives it to those who ask.
  int most = 0;
  CU_CHECK(cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 0));
  if (most >= (int)beyond + 1024) {
    CU_CHECK(cuFuncSetAttribute(shares, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)beyond));
    CU_CHECK(cuLaunchKernel(shares, 1, 1, 1, 1, 1, 1, beyond, nullptr, arguments, nullptr));
    CU_CHECK(cuMemcpyDtoH(&dynamic, out, 4));
    CHECK(dynamic == (int)beyond);
  }
  CU_CHECK(cuMemFree(out));
}

static void memory(void) {
  CUdeviceptr device = 0, base = 0;
  size_t pitch = 0, bytes = 0;
  CU_CHECK(cuMemAllocPitch(&device, &pitch, 40, 6, 4));
  CHECK(pitch >= 40);
  CU_CHECK(cuMemsetD2D16(device, pitch, 0x1234, 20, 6));
  CU_CHECK(cuMemsetD8(device + pitch, 0xff, 4));
  unsigned short* host;
  CU_CHECK(cuMemAllocHost((void**)&host, 120 * sizeof(short)));
  memset(host, 0, 120 * sizeof(short));
  CUDA_MEMCPY2D copy = {};  // columns 2 to 11 of rows 1 to 4, to the same place
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = device;
  copy.srcPitch = pitch;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = host;
  copy.dstPitch = 40;
  copy.srcXInBytes = copy.dstXInBytes = 4;
  copy.srcY = copy.dstY = 1;
  copy.WidthInBytes = 20;
  copy.Height = 4;
  CU_CHECK(cuMemcpy2D(&copy));
  for (int row = 0; row < 6; ++row) {
    for (int column = 0; column < 20; ++column) {
      const bool inside = row >= 1 && row < 5 && column >= 2 && column < 12;
      CHECK(host[row * 20 + column] == (inside ? 0x1234 : 0));
    }
  }
  CU_CHECK(cuMemcpyDtoH(host, device + pitch, 8));
  CHECK(host[0] == 0xffff && host[1] == 0xffff && host[2] == 0x1234);
  copy.dstPitch = 10;
  EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&copy));
  CU_CHECK(cuMemGetAddressRange(&base, &bytes, device + 17));
  CHECK(base == device && bytes >= 6 * 40);
  unsigned int type = 0;
  CU_CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device + 17));
  CHECK(type == CU_MEMORYTYPE_DEVICE);
  CU_CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(size_t)host));
  CHECK(type == CU_MEMORYTYPE_HOST);

  CUDA_ARRAY_DESCRIPTOR descriptor = {10, 4, CU_AD_FORMAT_UNSIGNED_INT16, 2}, found;
  CUarray array;
  CU_CHECK(cuArrayCreate(&array, &descriptor));
  CU_CHECK(cuArrayGetDescriptor(&found, array));
  CHECK(found.Width == 10 && found.Height == 4 && found.NumChannels == 2 && found.Format == descriptor.Format);
  unsigned short values[80], back[80] = {};
  for (int i = 0; i < 80; ++i) values[i] = (unsigned short)(i * 7);
  CUDA_MEMCPY2D in = {};
  in.srcMemoryType = CU_MEMORYTYPE_HOST;
  in.srcHost = values;
  in.srcPitch = in.WidthInBytes = 40;
  in.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  in.dstArray = array;
  in.Height = 4;
  CU_CHECK(cuMemcpy2D(&in));
  CUDA_MEMCPY2D out = {};  // the last three elements of the last two rows
  out.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  out.srcArray = array;
  out.srcXInBytes = 28;
  out.srcY = 2;
  out.dstMemoryType = CU_MEMORYTYPE_HOST;
  out.dstHost = back;
  out.WidthInBytes = 12;
  out.Height = 2;
  CU_CHECK(cuMemcpy2D(&out));
  for (int i = 0; i < 12; ++i) CHECK(back[i] == values[(2 + i / 6) * 20 + 14 + i % 6]);
  CU_CHECK(cuMemcpyAtoH(back, array, 8, 8));
  for (int i = 0; i < 4; ++i) CHECK(back[i] == values[4 + i]);
  CU_CHECK(cuArrayDestroy(array));
  CU_CHECK(cuMemFreeHost(host));
  CU_CHECK(cuMemFree(device));
  EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFree(device));
}

// Memory in the order of a stream, and advice about managed memory.
static void ordered_memory(void) {
  CUdeviceptr device = 0, managed = 0;
  CU_CHECK(cuMemAllocAsync(&device, 64, 0));
  CU_CHECK(cuMemsetD32(device, 11, 16));
  CU_CHECK(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
  CU_CHECK(cuMemAdvise(managed, 64, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
  CU_CHECK(cuMemPrefetchAsync(managed, 64, CU_DEVICE_CPU, 0));
  CU_CHECK(cuMemcpyDtoD(managed, device, 64));
  for (int i = 0; i < 16; ++i) CHECK(((const int*)managed)[i] == 11);
  EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemAdvise(device, 64, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
  CU_CHECK(cuMemFreeAsync(device, 0));
  EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuMemFree(device));
  CU_CHECK(cuMemFree(managed));
}

static void errors(void) {
  const char* text = nullptr;
  CU_CHECK(cuGetErrorName(CUDA_ERROR_INVALID_PTX, &text));
  CHECK(strcmp(text, "CUDA_ERROR_INVALID_PTX") == 0);
  CU_CHECK(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
  CHECK(strcmp(text, "out of memory") == 0);
  CU_CHECK(cuGetErrorName(CUDA_ERROR_NOT_MAPPED_AS_POINTER, &text));
  CHECK(strcmp(text, "CUDA_ERROR_NOT_MAPPED_AS_POINTER") == 0);
  CU_CHECK(cuGetErrorString(CUDA_ERROR_PROFILER_ALREADY_STARTED, &text));
  CHECK(strcmp(text, "profiler already started") == 0);
  EXPECT_RESULT(CUDA_ERROR_INVALID_VALUE, cuGetErrorName((CUresult)12345, &text));
  CHECK(text == nullptr);
  CUdeviceptr device;
  EXPECT_RESULT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&device, (size_t)1 << 50));
}

int main() {
  CU_CHECK(cuInit(0));
  devices_and_contexts();
  CUmodule module;
  CU_CHECK(cuModuleLoadDataEx(&module, kPtx, 0, nullptr, nullptr));
  launches(module);
  attributes(module);
  memory();
  ordered_memory();
  errors();
  CU_CHECK(cuModuleUnload(module));
  CU_CHECK(cuCtxSynchronize());
  CUcontext context;
  CU_CHECK(cuCtxGetCurrent(&context));
  CU_CHECK(cuCtxDestroy(context));
  puts("ok");
  return 0;
}

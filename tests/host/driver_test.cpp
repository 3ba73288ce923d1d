// The driver interface where it differs from the runtime: its error codes and names, and that it
// leaves the runtime's errors alone. What it computes is in tests/programs/driver_api.cu.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>

#include "host/cuda_api.h"

namespace {

using testing::HasSubstr;
using testing::StrEq;

constexpr const char* kPtx = R"(
.version 7.5
.target sm_70
.address_size 64
.visible .global .align 4 .u32 counter = 7;
.visible .entry nothing() { ret; }
)";

class Driver : public testing::Test {
 protected:
  void SetUp() override {
    cudaDeviceReset();
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  }
};

TEST_F(Driver, NamesItsErrorsInItsOwnWay) {
  const char* name = nullptr;
  EXPECT_EQ(cuGetErrorName(CUDA_ERROR_INVALID_HANDLE, &name), CUDA_SUCCESS);
  EXPECT_THAT(name, StrEq("CUDA_ERROR_INVALID_HANDLE"));
  EXPECT_EQ(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &name), CUDA_SUCCESS);
  EXPECT_THAT(name, StrEq("invalid argument"));
  EXPECT_EQ(cuGetErrorName(static_cast<CUresult>(4711), &name), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(name, nullptr);
}

TEST_F(Driver, LeavesTheErrorThatTheRuntimeRemembers) {
  CUdeviceptr pointer = 0;
  EXPECT_EQ(cuMemAlloc(&pointer, std::size_t{1} << 50), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaMalloc(nullptr, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cuMemAlloc(&pointer, 16), CUDA_SUCCESS);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(Driver, SaysWhatIsWrongWithAModuleInItsLog) {
  CUmodule module = nullptr;
  std::array<char, 256> log{};
  std::array<CUjit_option, 2> options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size())};
  testing::internal::CaptureStderr();
  EXPECT_EQ(cuModuleLoadDataEx(&module, ".version 7.5\n.target sm_70\nnonsense\n", 2,
                               options.data(), values.data()),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("nonsense"));
  EXPECT_THAT(log.data(), HasSubstr("nonsense"));
  EXPECT_EQ(cuModuleLoadDataEx(&module, kPtx, 2, options.data(), values.data()), CUDA_SUCCESS);
  EXPECT_THAT(log.data(), StrEq(""));
}

TEST_F(Driver, RefusesModulesOfMachineCode) {
  CUmodule module = nullptr;
  testing::internal::CaptureStderr();
  EXPECT_EQ(cuModuleLoadData(&module, "\177ELF\2\1\1"), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "raddle: error: PTX given to cuModuleLoadData: the module is machine code; Raddle runs "
            "PTX\nhint: make it with raddle cc -ptx\n");
  EXPECT_EQ(cuModuleLoad(&module, "/nonexistent.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
}

TEST_F(Driver, RefusesHandlesThatItDidNotGive) {
  int value = 0;
  CUfunction function = nullptr;
  EXPECT_EQ(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuModuleGetFunction(&function, reinterpret_cast<CUmodule>(99), "nothing"),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamSynchronize(reinterpret_cast<CUstream>(99)), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuCtxSetCurrent(reinterpret_cast<CUcontext>(99)), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(Driver, FillsWithPatternsOfEveryWidth) {
  CUdeviceptr device = 0;
  ASSERT_EQ(cuMemAlloc(&device, 16), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD32(device, 0x01020304, 4), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD16(device + 4, 0xaabb, 2), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD8(device + 8, 0xff, 1), CUDA_SUCCESS);
  std::array<unsigned int, 4> content{};
  ASSERT_EQ(cuMemcpyDtoH(content.data(), device, 16), CUDA_SUCCESS);
  EXPECT_THAT(content, testing::ElementsAre(0x01020304u, 0xaabbaabbu, 0x010203ffu, 0x01020304u));
  EXPECT_EQ(cuMemsetD32(device + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD32(device, 0, 5), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, FindsItsFunctionsByName) {
  void* function = nullptr;
  CUdriverProcAddressQueryResult status{};
  EXPECT_EQ(cuGetProcAddress("cuNothing", &function, CUDA_VERSION, 0, &status),
            CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
}

}  // namespace

// Variables of the device by their symbols, and textures bound to memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

#include "test_program.h"

namespace raddle::host::testing {
namespace {

using ::testing::ElementsAre;

class Symbols : public ::testing::Test {
 protected:
  void SetUp() override {
    cudaDeviceReset();
    program();
  }

  static float* device_floats(std::size_t count) {
    void* pointer = nullptr;
    EXPECT_EQ(cudaMalloc(&pointer, count * sizeof(float)), cudaSuccess);
    EXPECT_EQ(cudaMemset(pointer, 0, count * sizeof(float)), cudaSuccess);
    return static_cast<float*>(pointer);
  }
  static std::vector<float> read(const float* device, std::size_t count) {
    std::vector<float> host(count, -1);
    EXPECT_EQ(cudaMemcpy(host.data(), device, count * sizeof(float), cudaMemcpyDeviceToHost),
              cudaSuccess);
    return host;
  }
  static std::vector<float> run(const char& kernel, unsigned int threads,
                                std::vector<void*> before = {}) {
    float* out = device_floats(threads);
    before.push_back(&out);
    EXPECT_EQ(cudaLaunchKernel(&kernel, dim3(1), dim3(threads), before.data(), 0, nullptr),
              cudaSuccess);
    return read(out, threads);
  }
};

using Textures = Symbols;

TEST_F(Symbols, HoldTheirInitialValues) {
  int counter = 0;
  ASSERT_EQ(cudaMemcpyFromSymbol(&counter, &program().counter, 4, 0, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(counter, 7);
  EXPECT_THAT(run(program().reads_table, 4), ElementsAre(1, 2, 3, 4));
}

TEST_F(Symbols, TakeCopiesThatKernelsSee) {
  const std::array<float, 2> values{20, 30};
  ASSERT_EQ(cudaMemcpyToSymbol(program().table, values.data(), 8, 4, cudaMemcpyHostToDevice),
            cudaSuccess);
  EXPECT_THAT(run(program().reads_table, 4), ElementsAre(1, 20, 30, 4));
  void* address = nullptr;
  ASSERT_EQ(cudaGetSymbolAddress(&address, program().table), cudaSuccess);
  EXPECT_THAT(read(static_cast<float*>(address), 4), ElementsAre(1, 20, 30, 4));
  std::size_t size = 0;
  ASSERT_EQ(cudaGetSymbolSize(&size, program().table), cudaSuccess);
  EXPECT_EQ(size, 16u);
}

TEST_F(Symbols, NamedByAStringOrOverrunAreRefusedAndNothingIsWritten) {
  const std::array<float, 5> values{9, 9, 9, 9, 9};
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(cudaMemcpyToSymbol("table", values.data(), 16, 0, cudaMemcpyHostToDevice),
              cudaErrorInvalidSymbol);
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "raddle: error: cudaMemcpyToSymbol: \"table\" is a string, which is not a symbol since "
            "CUDA 5\nhint: write table instead of \"table\"\n");
  EXPECT_EQ(cudaMemcpyToSymbol(program().table, values.data(), 20, 0, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(program().table, values.data(), 8, 12, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(program().table, values.data(), 4, 0, cudaMemcpyDeviceToHost),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_THAT(run(program().reads_table, 4), ElementsAre(1, 2, 3, 4));
}

TEST_F(Symbols, AreFreshAgainAfterAReset) {
  const int changed = 99;
  ASSERT_EQ(cudaMemcpyToSymbol(&program().counter, &changed, 4, 0, cudaMemcpyHostToDevice),
            cudaSuccess);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  int counter = 0;
  ASSERT_EQ(cudaMemcpyFromSymbol(&counter, &program().counter, 4, 0, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(counter, 7);
}

TEST_F(Textures, ReferencesFetchFromLinearMemory) {
  const std::array<float, 4> values{5, 6, 7, 8};
  float* data = device_floats(4);
  ASSERT_EQ(cudaMemcpy(data, values.data(), 16, cudaMemcpyHostToDevice), cudaSuccess);
  std::size_t offset = 1;
  const textureReference& reference = program().reference;
  ASSERT_EQ(cudaBindTexture(&offset, &reference, data, &reference.channelDesc, 16), cudaSuccess);
  EXPECT_EQ(offset, 0u);
  EXPECT_THAT(run(program().fetch_1d, 4), ElementsAre(5, 6, 7, 8));
  EXPECT_EQ(cudaUnbindTexture(&reference), cudaSuccess);
  EXPECT_EQ(cudaGetTextureAlignmentOffset(&offset, &reference), cudaErrorInvalidTextureBinding);
}

TEST_F(Textures, ThatCannotBeAreRefused) {
  const textureReference& reference = program().reference;
  float host = 0;
  EXPECT_EQ(cudaBindTexture(nullptr, &reference, &host, &reference.channelDesc, 4),
            cudaErrorInvalidValue);
  textureReference stranger{};
  EXPECT_EQ(cudaBindTexture(nullptr, &stranger, device_floats(4), &reference.channelDesc, 16),
            cudaErrorInvalidTexture);
  cudaTextureObject_t object = 0;
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = device_floats(4);
  resource.res.linear.desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindSigned);
  resource.res.linear.sizeInBytes = 16;
  cudaTextureDesc texture{};
  texture.readMode = cudaReadModeNormalizedFloat;
  EXPECT_EQ(cudaCreateTextureObject(&object, &resource, &texture, nullptr),
            cudaErrorInvalidNormSetting);
  texture.readMode = cudaReadModeElementType;
  texture.filterMode = cudaFilterModeLinear;
  EXPECT_EQ(cudaCreateTextureObject(&object, &resource, &texture, nullptr),
            cudaErrorInvalidFilterSetting);
}

TEST_F(Textures, ObjectsAndSurfacesShareAnArray) {
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  cudaArray_t array = nullptr;
  ASSERT_EQ(cudaMallocArray(&array, &desc, 4, 2, cudaArraySurfaceLoadStore), cudaSuccess);
  std::vector<float> values(8);
  std::iota(values.begin(), values.end(), 10.0F);
  ASSERT_EQ(cudaMemcpyToArray(array, 0, 0, values.data(), 32, cudaMemcpyHostToDevice), cudaSuccess);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc texture{};
  cudaTextureObject_t object = 0;
  ASSERT_EQ(cudaCreateTextureObject(&object, &resource, &texture, nullptr), cudaSuccess);
  EXPECT_THAT(run(program().fetch_2d, 4, {&object}), ElementsAre(14, 15, 16, 17));

  cudaSurfaceObject_t surface = 0;
  ASSERT_EQ(cudaCreateSurfaceObject(&surface, &resource), cudaSuccess);
  void* arguments[] = {&surface};
  ASSERT_EQ(cudaLaunchKernel(&program().surface_write, dim3(1), dim3(3), arguments, 0, nullptr),
            cudaSuccess);
  EXPECT_THAT(run(program().fetch_2d, 4, {&object}), ElementsAre(0, 1, 2, 17));
  EXPECT_EQ(cudaDestroySurfaceObject(surface), cudaSuccess);
  EXPECT_EQ(cudaDestroyTextureObject(object), cudaSuccess);
  EXPECT_EQ(cudaDestroyTextureObject(object), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace raddle::host::testing

#include "kernel/exec/block_shape.h"

#include <gtest/gtest.h>

namespace raddle::kernel::exec {
namespace {

TEST(BlockShape, AKernelWithoutDemandsTakesAnyBlock) {
  const Function kernel;
  EXPECT_EQ(required_shape_conflict(kernel, {7, 8, 9}), "");
  EXPECT_EQ(thread_limit_conflict(kernel, {1024, 1, 1}), "");
}

TEST(BlockShape, ARequiredShapeHasToBeMetInEveryDimension) {
  Function kernel;
  kernel.required_threads = {16, 8, 1};
  EXPECT_EQ(required_shape_conflict(kernel, {16, 8, 1}), "");
  EXPECT_EQ(required_shape_conflict(kernel, {8, 16, 1}),
            "a block of 8 x 16 x 1 threads, but the kernel requires 16 x 8 x 1 (.reqntid)");
  EXPECT_EQ(required_shape_conflict(kernel, {16, 8, 2}),
            "a block of 16 x 8 x 2 threads, but the kernel requires 16 x 8 x 1 (.reqntid)");
}

TEST(BlockShape, DimensionsLeftOutAreOne) {
  Function kernel;
  kernel.required_threads = {128, 0, 0};
  EXPECT_EQ(required_shape_conflict(kernel, {128, 1, 1}), "");
  EXPECT_NE(required_shape_conflict(kernel, {64, 2, 1}), "");
  kernel.max_threads = {128, 0, 0};
  EXPECT_EQ(thread_limit_conflict(kernel, {128, 1, 1}), "");
}

TEST(BlockShape, OfTheMostThreadsTheProductCounts) {
  Function kernel;
  kernel.max_threads = {32, 4, 1};
  EXPECT_EQ(thread_limit_conflict(kernel, {128, 1, 1}), "");
  EXPECT_EQ(thread_limit_conflict(kernel, {129, 1, 1}),
            "a block of 129 threads, but the kernel allows 128 (.maxntid)");
}

}  // namespace
}  // namespace raddle::kernel::exec

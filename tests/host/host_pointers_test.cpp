// What helps to name the pointer that was meant where a kernel got one of the host.
#include "host/host_pointers.h"

#include <gtest/gtest.h>

namespace raddle::host {
namespace {

TEST(AllocatedName, IsThePointerThatTheLineAllocates) {
  EXPECT_EQ(allocated_name("  cudaMalloc(&d_a, n * sizeof(float));"), "d_a");
  EXPECT_EQ(allocated_name("CHECK(cudaMalloc((void**)&d_sum, bytes));"), "d_sum");
  EXPECT_EQ(allocated_name("cudaMallocManaged( & x , 4);"), "x");
}

TEST(AllocatedName, IsEmptyWhereTheLineDoesNotSay) {
  EXPECT_EQ(allocated_name("cudaMalloc(&a, n); cudaMalloc(&b, n);"), "");
  EXPECT_EQ(allocated_name("cudaMalloc(pointer, n);"), "");
  EXPECT_EQ(allocated_name("allocate(&a);"), "");
  EXPECT_EQ(allocated_name(""), "");
}

TEST(HostCopies, FindTheDevicesCopyOfEachByte) {
  HostCopies copies;
  copies.note(1000, 100, 5000);
  copies.note(2000, 8, 7000);
  EXPECT_EQ(copies.device_of(1000), 5000u);
  EXPECT_EQ(copies.device_of(1099), 5099u);
  EXPECT_EQ(copies.device_of(2004), 7004u);
  EXPECT_FALSE(copies.device_of(1100));
  EXPECT_FALSE(copies.device_of(999));
  copies.note(1000, 4, 9000);
  EXPECT_EQ(copies.device_of(1003), 9003u);
  EXPECT_FALSE(copies.device_of(1004));
}

}  // namespace
}  // namespace raddle::host

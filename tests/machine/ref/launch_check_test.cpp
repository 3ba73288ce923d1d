// Launches that a machine refuses before anything runs.
#include "machine/launch_check.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"
#include "machine/ref/launcher.h"
#include "machine/ref/ptx_module.h"

namespace raddle::machine::ref {
namespace {

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.full_text();
  }
  return "no error";
}

constexpr std::string_view kKernels = R"(
.extern .shared .align 16 .b8 more[];
.visible .entry shaped() .reqntid 16, 8 { ret; }
.visible .entry bounded() .maxntid 64, 2, 1 { ret; }
.visible .entry large() {
  .reg .b32 %r<2>;
  .shared .align 4 .b8 words[49156];
  mov.u32 %r1, words;
  st.shared.u32 [%r1], 1;
  ret;
}
.visible .entry both() {
  .reg .b32 %r<3>;
  .shared .align 4 .b8 words[49152];
  mov.u32 %r1, words;
  mov.u32 %r2, more;
  st.shared.u32 [%r1], 1;
  ret;
}
)";

class LaunchCheck : public ::testing::Test {
 protected:
  std::string refusal(const std::string& kernel, Dim3 block, std::uint32_t dynamic_bytes = 0) {
    return error_of(
        [&] { EXPECT_TRUE(launcher_.run(kernel, {1, 1, 1}, block, {}, dynamic_bytes).complete); });
  }
  Launcher launcher_{module_of(kKernels)};
};

TEST_F(LaunchCheck, ARequiredShapeHasToBeMet) {
  EXPECT_EQ(refusal("shaped", {16, 8, 1}), "no error");
  EXPECT_EQ(refusal("shaped", {128, 1, 1}),
            "kernel 'shaped' cannot be launched: a block of 128 x 1 x 1 threads, but the kernel "
            "requires 16 x 8 x 1 (.reqntid)");
}

TEST_F(LaunchCheck, TheKernelsMostThreadsHold) {
  EXPECT_EQ(refusal("bounded", {128, 1, 1}), "no error");
  EXPECT_EQ(
      refusal("bounded", {129, 1, 1}),
      "kernel 'bounded' cannot be launched: a block of 129 threads, but the kernel allows 128 "
      "(.maxntid)");
}

TEST_F(LaunchCheck, StaticSharedMemoryHasToFitABlock) {
  EXPECT_EQ(refusal("large", {32, 1, 1}),
            "kernel 'large' cannot be launched: 49156 bytes of static shared memory exceed the "
            "limit of 49152 per block\n"
            "hint: a larger array has to be dynamic (extern __shared__)");
}

TEST_F(LaunchCheck, AllSharedMemoryHasToFitAMultiprocessor) {
  EXPECT_EQ(refusal("both", {32, 1, 1}, 49152), "no error");
  EXPECT_EQ(
      refusal("both", {32, 1, 1}, 49153),
      "kernel 'both' cannot be launched: 98305 bytes of shared memory, 49153 of them dynamic; "
      "a multiprocessor has 98304");
  EXPECT_EQ(
      refusal("both", {32, 1, 1}, 0xffffffff),
      "kernel 'both' cannot be launched: 4295016447 bytes of shared memory, 4294967295 of them "
      "dynamic; a multiprocessor has 98304");
}

TEST(SharedVariables, ThatNoAddressReachesAreRefusedWhetherUsedOrNot) {
  EXPECT_EQ(
      error_of([] {
        Launcher launcher(module_of(".visible .entry k() { .shared .b8 q[1099511627776]; ret; }"));
      }),
      "test.ptx: the shared variable q has 1099511627776 bytes; addresses of shared memory "
      "have 32 bits");
}

TEST(SharedVariables, ThatTogetherExceedAllAddressesAreRefused) {
  Launcher launcher(module_of(R"(
.shared .align 4 .b8 a[3000000000];
.shared .align 4 .b8 b[3000000000];
.visible .entry k() {
  .reg .b32 %r<3>;
  mov.u32 %r1, a;
  mov.u32 %r2, b;
  st.shared.u32 [%r1], %r2;
  ret;
})"));
  EXPECT_EQ(error_of([&] { launcher.run("k", {1, 1, 1}, {1, 1, 1}, {}); }),
            "test.ptx: the kernel k needs 6000000000 bytes of shared memory, whose addresses have "
            "32 bits");
}

}  // namespace
}  // namespace raddle::machine::ref

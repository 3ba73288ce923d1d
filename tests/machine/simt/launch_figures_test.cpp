// What results say of a launch: traffic of shared memory as ref counts it, and nothing that depends
// on launches that were refused.
#include "machine/simt/launch_figures.h"

#include <gtest/gtest.h>

#include <optional>

#include "base/error.h"
#include "machine/simt/gpu_test.h"

namespace raddle::machine::simt {
namespace {

std::optional<MemoryTraffic> shared_of(const LaunchResult& result) {
  for (const MemoryTraffic& level : result.memory) {
    if (level.level == "shared") return level;
  }
  return std::nullopt;
}

// Words, pairs and quadruples, half of the threads in between, and an atomic.
const std::string kThroughShared = kernel_of(R"(
  mov.u32 %r10, tile;
  mad.lo.u32 %r11, %r2, 16, %r10;
  st.shared.u32 [%r11], %r2;
  st.shared.v2.u32 [%r11+8], {%r2, %r3};
  bar.sync 0;
  ld.shared.v4.u32 {%r12, %r13, %r14, %r15}, [%r11];
  setp.lt.u32 %p1, %r2, 16;
  @%p1 ld.shared.u32 %r16, [%r11+4];
  @%p1 st.shared.u16 [%r11], 7;
  atom.shared.add.u32 %r17, [%r10], 1;
  st.global.u32 [%rd2], %r12;
)");

TEST(LaunchFigures, HaveTheSharedMemoryTrafficThatRefCounts) {
  const auto traffic = [](const char* machine) {
    ref::Launcher launcher(kThroughShared, {}, machine);
    const std::uint64_t buffer = launcher.buffer(std::vector<std::uint32_t>(256));
    return shared_of(launcher.run("k", {2}, {64}, {buffer, 0}));
  };
  const auto expected = traffic("ref");
  const auto found = traffic("fermi");
  ASSERT_TRUE(expected && found);
  EXPECT_GT(found->bytes_read, 0u);
  EXPECT_EQ(found->bytes_read, expected->bytes_read);
  EXPECT_EQ(found->bytes_written, expected->bytes_written);
  EXPECT_EQ(found->load_accesses, expected->load_accesses);
  EXPECT_EQ(found->store_accesses, expected->store_accesses);
  EXPECT_EQ(found->atomic_accesses, expected->atomic_accesses);
}

TEST(LaunchFigures, AreTheSameWhateverLaunchesWereRefusedBefore) {
  const std::string both = kernel_of("st.global.u32 [%rd2], %r2;") + R"(
.visible .entry other(.param .u64 buffer, .param .u32 n) { ret; }
)";
  const auto cycles = [&](bool refused) {
    Fermi gpu(both, {"core.warps=8"});
    if (refused) {
      EXPECT_THROW(gpu.run("other", {1}, {1024}, {0, 0}), Error);
    }
    return gpu.run_k(20, 64).cycles;
  };
  EXPECT_EQ(cycles(true), cycles(false));
}

}  // namespace
}  // namespace raddle::machine::simt

// Every table of machines/ is a machine that runs a kernel and gets its numbers right, and those of
// the SIMT family say of themselves what their cards are known for.
#include <gtest/gtest.h>

#include <numeric>

#include "machine/ref/launcher.h"

namespace raddle::machine {
namespace {

using ref::Launcher;

// out[i] = 3 * in[i] + in of the neighbour, through shared memory with a barrier; total += in[i].
constexpr std::string_view kKernel = R"(
.version 7.5
.target sm_70
.address_size 64
.visible .entry mix(.param .u64 in, .param .u64 out, .param .u64 total) {
  .reg .b32 %r<16>; .reg .b64 %rd<8>;
  .shared .align 4 .b8 words[256];
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  ld.param.u64 %rd6, [total];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r4, %r2, %r3, %r1;
  mul.wide.u32 %rd3, %r4, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.u32 %r5, [%rd4];
  red.global.add.u32 [%rd6], %r5;
  shl.b32 %r6, %r1, 2;
  mov.u32 %r7, words;
  add.u32 %r8, %r7, %r6;
  st.shared.u32 [%r8], %r5;
  bar.sync 0;
  xor.b32 %r9, %r1, 1;
  shl.b32 %r11, %r9, 2;
  add.u32 %r12, %r7, %r11;
  ld.shared.u32 %r13, [%r12];
  mad.lo.u32 %r14, %r5, 3, %r13;
  add.s64 %rd5, %rd2, %rd3;
  st.global.u32 [%rd5], %r14;
  ret;
}
)";
constexpr std::uint32_t kThreads = 64, kBlocks = 40;

TEST(ShippedTables, RunAKernelWithTheRightNumbers) {
  std::vector<std::uint32_t> values(kThreads * kBlocks);
  std::iota(values.begin(), values.end(), 7);
  const std::uint32_t sum = std::accumulate(values.begin(), values.end(), 0u);
  for (const MachineName& machine : machine_names()) {
    SCOPED_TRACE(machine.name);
    // Some run programs of their own.
    if (traits_of(load_parameters(machine.name)).forms.front() != ProgramForm::kKernels) continue;
    Launcher launcher(kKernel, {}, machine.name);
    const std::uint64_t in = launcher.buffer(values);
    const std::uint64_t out = launcher.buffer(std::vector<std::uint32_t>(values.size()));
    const std::uint64_t total = launcher.buffer(std::vector<std::uint32_t>{5});
    const LaunchResult result =
        launcher.run("mix", {kBlocks, 1, 1}, {kThreads, 1, 1}, {in, out, total});
    ASSERT_TRUE(result.complete);
    const auto computed = launcher.read<std::uint32_t>(out, values.size());
    for (std::uint32_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(computed[i], 3 * values[i] + values[i ^ 1]) << i;
    EXPECT_EQ(launcher.read<std::uint32_t>(total, 1)[0], 5 + sum);
  }
}

DeviceDescription device(const std::string& machine,
                         const std::vector<std::string>& settings = {}) {
  return make_kernel_machine(load_parameters(machine, settings))->description();
}

Peaks peaks(const std::string& machine, const std::vector<std::string>& settings = {}) {
  return make_kernel_machine(load_parameters(machine, settings))->peaks();
}

// GB/s as the cards' data sheets have them; thread instructions of two schedulers in one cycle.
TEST(ShippedTables, HaveThePeaksOfTheirCards) {
  EXPECT_EQ(peaks("fermi").thread_instructions_per_cycle, 15 * 64);
  EXPECT_NEAR(peaks("fermi").memory_bytes_per_second, 177.4e9, 0.1e9);
  EXPECT_EQ(device("gtx580").multiprocessors, 16);
  EXPECT_EQ(device("gtx580").clock_khz, 700'000);
  EXPECT_EQ(peaks("gtx580").thread_instructions_per_cycle, 16 * 64);
  EXPECT_NEAR(peaks("gtx580").memory_bytes_per_second, 177.4e9, 0.1e9);
}

// dmt-cgra, section 5.1: an SM has 32 CUDA cores; Table 2.
TEST(ShippedTables, FermiSmIsThirtyTwoLanesAtTheShaderClock) {
  const DeviceDescription one = device("fermi-sm");
  EXPECT_EQ(one.multiprocessors, 1);
  EXPECT_EQ(peaks("fermi-sm").thread_instructions_per_cycle, 32);
  EXPECT_EQ(one.clock_khz, 1'400'000);
  EXPECT_EQ(one.l2_bytes, 786'432);
  const Peaks all = peaks("fermi-sm", {"device.cores=15"});
  EXPECT_EQ(all.thread_instructions_per_cycle, 15 * 32);
  // Half the thread instructions in half the cycle: as many a second as fermi.
  const Peaks fermi = peaks("fermi");
  EXPECT_EQ(all.thread_instructions_per_cycle * all.clock_hz,
            fermi.thread_instructions_per_cycle * fermi.clock_hz);
}

// Every latency and interval of the SM in fermi's cycles is twice as many of fermi-sm's.
TEST(ShippedTables, FermiSmTakesAsLongAsFermi) {
  const ParameterTable fermi = load_parameters("fermi");
  const ParameterTable one = load_parameters("fermi-sm");
  for (const char* key :
       {"latency.integer_add", "latency.float_mad", "latency.double_divide", "latency.special",
        "interval.integer_add", "interval.integer_multiply", "interval.special", "interval.shuffle",
        "interval.matrix", "shared.latency", "l1.latency", "fetch.cycles", "operands.issue_to_read",
        "operands.read_to_execute", "units.load_store_interval", "core.issue_interval",
        "network.latency"})
    EXPECT_EQ(one.integer(key), 2 * fermi.integer(key)) << key;
  // These count cycles of clocks that both have.
  for (const char* key : {"l2.latency", "dram.latency", "dram.t_rcd", "dram.t_cl"})
    EXPECT_EQ(one.integer(key), fermi.integer(key)) << key;
}

// A loop of sums, or of loads that hit one bank of shared memory in all lanes: what bounds it
// is in the SM, and lasts as long on both.
constexpr std::string_view kLoops = R"(
.version 7.5
.target sm_70
.address_size 64
.visible .entry sums(.param .u64 out) {
  .reg .pred %p; .reg .b32 %r<8>; .reg .f32 %f<4>;
  mov.u32 %r1, 200;
  mov.f32 %f1, 0f3F800000;
  mov.f32 %f2, 0f3F800000;
  mov.f32 %f3, 0f3F800000;
loop:
  add.f32 %f1, %f1, 0f3F800000;
  add.f32 %f2, %f2, 0f3F800000;
  add.f32 %f3, %f3, 0f3F800000;
  add.s32 %r1, %r1, -1;
  setp.ne.s32 %p, %r1, 0;
  @%p bra loop;
  ret;
}
.visible .entry conflicts(.param .u64 out) {
  .reg .pred %p; .reg .b32 %r<8>;
  .shared .align 4 .b8 words[4096];
  mov.u32 %r1, 50;
  mov.u32 %r2, %laneid;
  shl.b32 %r3, %r2, 7;
  mov.u32 %r4, words;
  add.u32 %r5, %r4, %r3;
loop:
  ld.shared.u32 %r6, [%r5];
  add.s32 %r1, %r1, -1;
  setp.ne.s32 %p, %r1, 0;
  @%p bra loop;
  ret;
}
)";

TEST(ShippedTables, LoopsTakeFifteenOfItsSmsAsLongAsFermi) {
  for (const char* kernel : {"sums", "conflicts"}) {
    const auto seconds = [&](const std::string& machine, std::vector<std::string> settings) {
      Launcher launcher(kLoops, std::move(settings), machine);
      return launcher.run(kernel, {45, 1, 1}, {256, 1, 1}, {0}).seconds;
    };
    const double fermi = seconds("fermi", {});
    EXPECT_NEAR(seconds("fermi-sm", {"device.cores=15"}) / fermi, 1, 0.05) << kernel;
  }
}

TEST(ShippedTables, FermiTakesTheLargerL1Too) {
  EXPECT_EQ(device("fermi", {"l1.bytes=49152", "l1.ways=6", "core.shared_bytes=16384"})
                .shared_bytes_per_block,
            16384);
}

}  // namespace
}  // namespace raddle::machine

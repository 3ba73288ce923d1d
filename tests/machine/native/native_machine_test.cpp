#include <chrono>

#include "machine/native/kernels.h"

namespace raddle::machine::native {
namespace {

// A loop that lanes leave at different times, with an inner branch, and values that meet again.
std::string diverging() {
  return kernel_of(R"(
  ld.global.u32 %r1, [%in]; and.b32 %r2, %r1, 63; mov.u32 %r3, 0; mov.u32 %r4, 0;
loop:
  setp.ge.u32 %p1, %r3, %r2; @%p1 bra after;
  and.b32 %r5, %r3, 1; setp.eq.u32 %p2, %r5, 0; @%p2 bra even;
  mad.lo.u32 %r4, %r4, 3, %r1; bra next;
even:
  xor.b32 %r4, %r4, %r3; setp.gt.u32 %p3, %r3, 50; @%p3 bra after;
next:
  add.u32 %r3, %r3, 1; bra loop;
after:
  mad.lo.u32 %r4, %r4, 7, %r3; st.global.u32 [%out], %r4;
)");
}

// Sums of a block through shared memory.
std::string with_barriers() {
  return kernel_of(R"(
  mov.u32 %r1, %tid.x; mul.wide.u32 %l1, %r1, 4; mov.u64 %l2, tile; add.u64 %l3, %l2, %l1;
  ld.global.u32 %r2, [%in]; st.shared.u32 [%l3], %r2; bar.sync 0;
  shr.u32 %r3, %size, 1;
loop:
  setp.ge.u32 %p1, %r1, %r3; @%p1 bra skip;
  mul.wide.u32 %l4, %r3, 4; add.u64 %l5, %l3, %l4; ld.shared.u32 %r4, [%l5];
  ld.shared.u32 %r5, [%l3]; add.u32 %r5, %r5, %r4; st.shared.u32 [%l3], %r5;
skip:
  bar.sync 0; shr.u32 %r3, %r3, 1; setp.ne.u32 %p2, %r3, 0; @%p2 bra loop;
  ld.shared.u32 %r6, [tile]; add.u32 %r6, %r6, %r1; st.global.u32 [%out], %r6;
)");
}

std::string with_exchange() {
  return kernel_of(R"(
  ld.global.u32 %r1, [%in]; shfl.sync.bfly.b32 %r2, %r1, 5, 31, -1; add.u32 %r2, %r2, %r1;
  setp.gt.s32 %p1, %r1, 0; vote.sync.ballot.b32 %r3, %p1, -1; @%p1 bra over;
  shfl.sync.down.b32 %r4, %r2, 1, 31, -1; add.u32 %r2, %r2, %r4; bra met;
over:
  shfl.sync.down.b32 %r4, %r2, 1, 31, -1; xor.b32 %r2, %r2, %r4;
met:
  add.u32 %r2, %r2, %r3; atom.global.add.u32 %r5, [%out+4096], 1; add.u32 %r2, %r2, %r5;
  mov.u32 %r6, %clock; add.u32 %r2, %r2, %r6; st.global.u32 [%out], %r2;
)");
}

TEST(NativeMachine, KeepsLanesTogetherWhereTheInterpreterDoes) {
  const std::vector<std::uint64_t> input = telling_words(1024);
  for (const std::string& ptx : {diverging(), with_barriers(), with_exchange()}) {
    expect_same(ptx, input, {.blocks = 4, .threads = 64});
    expect_same(ptx, input, {.blocks = 2, .threads = 128});
    expect_same(ptx, input, {.blocks = 3, .threads = 50});
  }
}

TEST(NativeMachine, GoesOverToCompiledCodeWhileLaunchesRun) {
  const std::vector<std::uint64_t> input = telling_words(1 << 13);
  const Shape shape{.blocks = 100, .threads = 64};
  const Outcome expected = outcome_on("ref", {}, diverging(), input, shape);
  ref::Launcher launcher(diverging(), {"compile_after_warp_instructions=1"}, "native");
  const std::uint64_t in = launcher.buffer(input);
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(500)) {
    const std::uint64_t out = launcher.buffer(std::vector<std::uint64_t>(input.size(), 0x5555));
    const LaunchResult result =
        launcher.run("test", {shape.blocks, 1, 1}, {shape.threads, 1, 1}, {in, out, shape.n});
    std::vector<std::uint64_t> words = input;
    for (const std::uint64_t word : launcher.read<std::uint64_t>(out, input.size()))
      words.push_back(word);
    ASSERT_EQ(words, expected.words);
    ASSERT_EQ(result.warp_instructions, expected.warp_instructions);
    launcher.memory().release(out);
  }
}

TEST(NativeMachine, StopsAKernelThatNeverEnds) {
  const std::string ptx = kernel_of("loop:\n  add.u32 %r1, %r1, 1; bra loop;");
  ref::Launcher launcher(ptx, kCompiledAtOnce, "native");
  launcher.options().control = RunControl(
      Cycle(0),
      StopToken(nullptr, std::chrono::steady_clock::now() + std::chrono::milliseconds(20)));
  const LaunchResult result = launcher.run("test", {1, 1, 1}, {32, 1, 1}, {0, 0, 0});
  EXPECT_FALSE(result.complete);
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_EQ(result.faults[0].kind, FaultKind::kWatchdogTimeout);
}

TEST(CompiledKernel, EndsTheCompilerThatNobodyWaitsForAnyLonger) {
  std::string code;
  for (int i = 0; i < 3000; ++i)  // takes clang some seconds, and is in no cache
    code +=
        fmt::format("  ld.global.u32 %r{0}, [%in+{1}]; st.global.u32 [%out+{1}], %r{0};\n", i % 30,
                    std::chrono::steady_clock::now().time_since_epoch().count() % 100000 * 4);
  kernel::DeviceMemory memory(1u << 26);
  kernel::Program program(memory);
  program.load(ptx::read_ptx(kernel_of(code), "test.ptx"));
  program.link();
  const auto decoded = kernel::exec::decode(program, {0, 0});
  const auto begin = std::chrono::steady_clock::now();
  {
    CompiledKernel compiled(*decoded);
    compiled.start();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(NativeMachine, CompilesNothingForAKernelThatDoesLittle) {
  ref::Launcher launcher(diverging(), {"compile_after_warp_instructions=1000000000"}, "native");
  const std::vector<std::uint64_t> input = telling_words(256);
  const std::uint64_t in = launcher.buffer(input);
  const LaunchResult result = launcher.run("test", {1, 1, 1}, {64, 1, 1}, {in, in, 1});
  EXPECT_TRUE(result.complete);
  EXPECT_GT(result.warp_instructions, 0u);
  EXPECT_TRUE(launcher.machine().remarks().empty());
}

}  // namespace
}  // namespace raddle::machine::native

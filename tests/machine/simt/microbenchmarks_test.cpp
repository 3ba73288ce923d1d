// Small kernels that measure what is public of Fermi, as Wong et al. (ISPASS 2010) and the CUDA
// guide do: latencies by chains of dependent instructions, rates by many warps.
#include <gtest/gtest.h>

#include "machine/simt/gpu_test.h"

namespace raddle::machine::simt {
namespace {

// Code of a line or two stays in the instruction cache: the loop runs `n` times.
std::string loop_of(std::string_view before, std::string_view body, std::string_view behind = "") {
  return kernel_of(std::string(before) + "\n  mov.u32 %r60, 0;\nLOOP:\n" + std::string(body) +
                   R"(
  add.u32 %r60, %r60, 1;
  setp.lt.u32 %p7, %r60, %r1;
  @%p7 bra LOOP;
)" + std::string(behind));
}
// Cycles of one round of the loop, once it runs.
double round_of(const std::string& ptx, std::uint32_t blocks, std::uint32_t threads,
                const std::vector<std::string>& settings = {}) {
  const auto cycles = [&](std::uint32_t rounds) {
    Fermi gpu(ptx, settings);
    const LaunchResult result = gpu.run_k(blocks, threads, rounds, 1u << 14);
    EXPECT_TRUE(result.complete);
    return static_cast<double>(result.cycles);
  };
  return (cycles(60) - cycles(20)) / 40;
}

TEST(Microbenchmarks, ADependentAdditionTakesTenCyclesOfTheCore) {
  // 20 shader clocks; the CUDA guide says about 22.
  const std::string chain = loop_of("mov.u32 %r10, %r2;", repeated(24, "add.u32 %r10, %r10, %r2;"),
                                    "st.global.u32 [%rd2], %r10;");
  const std::string longer = loop_of("mov.u32 %r10, %r2;", repeated(32, "add.u32 %r10, %r10, %r2;"),
                                     "st.global.u32 [%rd2], %r10;");
  EXPECT_DOUBLE_EQ((round_of(longer, 1, 32) - round_of(chain, 1, 32)) / 8, 10.0);
}

TEST(Microbenchmarks, ADependentMultiplyAddTakesElevenCycles) {
  const auto chain = [](int times) {
    return loop_of("mov.f32 %f1, 0f3f800000;", repeated(times, "fma.rn.f32 %f1, %f1, %f1, %f1;"),
                   "st.global.f32 [%rd2], %f1;");
  };
  EXPECT_DOUBLE_EQ((round_of(chain(32), 1, 32) - round_of(chain(24), 1, 32)) / 8, 11.0);
}

TEST(Microbenchmarks, ADependentLoadOfSharedMemoryTakesItsLatencyAndThePipeline) {
  const auto chain = [](int times) {
    return loop_of("mov.u32 %r11, tile;\n st.shared.u32 [%r11], %r11;\n mov.u32 %r10, %r11;",
                   repeated(times, "ld.shared.u32 %r10, [%r10];"), "st.global.u32 [%rd2], %r10;");
  };
  // Operands after 5 cycles, 26 in shared memory, 1 to write back.
  EXPECT_DOUBLE_EQ((round_of(chain(16), 1, 32) - round_of(chain(8), 1, 32)) / 8, 5.0 + 26 + 1);
}

// A chain of loads: word i of the buffer holds the address of the word `stride` after it, all
// around.
struct Chase {
  double cycles = 0;  // of one load
  LaunchResult result;
};
Chase chase(std::uint64_t bytes, std::uint64_t stride, bool through_l1, std::uint32_t rounds,
            bool told = true) {
  const std::string load =
      through_l1 ? "ld.global.u64 %rd5, [%rd5];" : "ld.volatile.global.u64 %rd5, [%rd5];";
  const std::string ptx =
      loop_of("mov.u64 %rd5, %rd1;", repeated(8, load), "st.global.u64 [%rd1], %rd5;");
  const auto run = [&](std::uint32_t n) {
    Fermi gpu(ptx);
    std::vector<std::uint64_t> words(bytes / 8);
    const std::uint64_t place = gpu.buffer(words);
    for (std::uint64_t at = 0; at < bytes; at += 8) words[at / 8] = place + (at + stride) % bytes;
    std::memcpy(gpu.memory().view(place), words.data(), bytes);
    if (told) gpu.machine().host_wrote(Address(place), Bytes(bytes));
    return gpu.run("k", {1, 1, 1}, {1, 1, 1}, {place, n});
  };
  Chase found;
  found.result = run(rounds);
  const LaunchResult half = run(rounds / 2);
  found.cycles =
      static_cast<double>(found.result.cycles - half.cycles) / (8.0 * (rounds - rounds / 2));
  return found;
}

TEST(Microbenchmarks, AHitOfTheL1TakesItsLatencyAndThePipeline) {
  // 82 shader clocks; measured on Fermi: about 80 (Nugteren et al. use the same figure).
  EXPECT_NEAR(chase(4096, 128, true, 64).cycles, 5.0 + 35 + 1, 1.0);
}

TEST(Microbenchmarks, AHitOfTheL2TakesSomeThreeHundredShaderClocks) {
  const Chase l2 = chase(256 * 1024, 4096 + 128, false, 64);
  EXPECT_GT(stat(l2.result, "L2", "hits"), 500);
  EXPECT_LE(stat(l2.result, "DRAM", "reads"), 4) << "code alone: the host's copy filled the L2";
  // Operands 5, L1 35, network 8 and back 8, L2 120 and 1, channels between: about 190.
  EXPECT_GT(l2.cycles, 170);
  EXPECT_LT(l2.cycles, 215);
}

TEST(Microbenchmarks, ALoadFromDramTakesSomeSixHundredShaderClocks) {
  // Every load a line of its own, each visited once.
  const Chase dram = chase(32u << 20, 16384 + 256, false, 64, false);
  EXPECT_GE(stat(dram.result, "DRAM", "reads"), 512);
  // 400 to 800 shader clocks, says the CUDA guide.
  EXPECT_GT(dram.cycles, 200);
  EXPECT_LT(dram.cycles, 400);
}

// Thread instructions a cycle of one multiprocessor that is full of warps.
double rate_of(std::string_view instruction, int kinds, std::uint32_t rounds = 40) {
  // Eight chains, so that no warp waits for its results.
  std::string body;
  for (int i = 0; i < 8 * kinds; ++i) {
    std::string text(instruction);
    for (std::size_t at = 0; (at = text.find('#', at)) != std::string::npos;)
      text.replace(at, 1, std::to_string(1 + i % 8));
    body += text + "\n";
  }
  Fermi gpu(loop_of("", body), {"device.cores=1"});
  const LaunchResult many = gpu.run_k(3, 512, rounds, 1u << 14);
  const LaunchResult few = gpu.run_k(3, 512, rounds / 2, 1u << 14);
  return static_cast<double>(many.thread_instructions - few.thread_instructions) /
         static_cast<double>(many.cycles - few.cycles);
}

TEST(Microbenchmarks, IssuesNearlySixtyFourAdditionsACycle) {
  const double rate = rate_of("add.f32 %f#, %f#, %f#;", 24);
  EXPECT_GT(rate, 0.85 * 64) << "six collectors and the end of the loop cost some";
  EXPECT_LE(rate, 64.0);
}

TEST(Microbenchmarks, IssuesASixteenthAsManySpecialFunctions) {
  // One unit takes a warp every eight cycles: four threads a cycle.
  const double rate = rate_of("sin.approx.f32 %f#, %f#;", 4);
  EXPECT_NEAR(rate, 4.0 * 35 / 32, 0.25) << "and three of the loop for 32";
}

TEST(Microbenchmarks, IssuesDoublesAtASixteenthOfTheSingleRate) {
  const double rate = rate_of("fma.rn.f64 %d#, %d#, %d#, %d#;", 2);
  EXPECT_NEAR(rate, 4.0 * 19 / 16, 0.3);
}

TEST(Microbenchmarks, ABankConflictOfSomeDegreeCostsAsManyPasses) {
  for (const int degree : {1, 2, 4, 8, 16, 32}) {
    const std::string ptx = loop_of("mul.lo.u32 %r10, %r2, " + std::to_string(4 * degree) +
                                        ";\n and.b32 %r10, %r10, 4095;\n mov.u32 %r11, tile;\n"
                                        " add.u32 %r10, %r10, %r11;",
                                    repeated(16, "st.shared.u32 [%r10], %r2;"));
    // 32 warps: the load/store unit is always busy.
    const double each = round_of(ptx, 1, 1024, {"device.cores=1"}) / (16 * 32);
    EXPECT_NEAR(each, degree, 0.15 * degree) << degree;
  }
}

// Bytes a second that all multiprocessors read, against the peak of DRAM.
double streaming(const std::string& sector) {
  const std::string ptx = kernel_of(R"(
  mul.wide.u32 %rd3, %r3, 4;
  add.u64 %rd4, %rd1, %rd3;
  mov.u32 %r10, 0;
  mov.u32 %r20, 0;
LOOP:
  ld.global.u32 %r11, [%rd4];
  ld.global.u32 %r12, [%rd4+122880];
  ld.global.u32 %r13, [%rd4+245760];
  ld.global.u32 %r14, [%rd4+368640];
  add.u32 %r10, %r10, %r11;
  add.u32 %r10, %r10, %r12;
  add.u32 %r10, %r10, %r13;
  add.u32 %r10, %r10, %r14;
  add.u64 %rd4, %rd4, 491520;
  add.u32 %r20, %r20, 1;
  setp.lt.u32 %p1, %r20, %r1;
  @%p1 bra LOOP;
  st.global.u32 [%rd2], %r10;
)");
  Fermi gpu(ptx, {"dram.read_sector_bytes=" + sector});
  constexpr std::uint32_t kRounds = 12;
  const std::uint64_t place = gpu.buffer(std::vector<std::uint32_t>(30720 * 4 * kRounds, 1));
  const LaunchResult result = gpu.run("k", {120, 1, 1}, {256, 1, 1}, {place, kRounds});
  EXPECT_EQ(gpu.read<std::uint32_t>(place, 1)[0], 4 * kRounds);
  const double bytes = 30720.0 * 4 * kRounds * 4;
  return bytes / result.seconds / gpu.machine().peaks().memory_bytes_per_second;
}

TEST(Microbenchmarks, StreamsNearlyAtThePeakOfDramWhenReadsUseWholeBursts) {
  const double share = streaming("64");
  EXPECT_GT(share, 0.7);
  EXPECT_LE(share, 1.0);
}

TEST(Microbenchmarks, StreamsAtHalfThePeakWhenReadsUseHalfOfEachBurst) {
  const double share = streaming("32");
  EXPECT_GT(share, 0.4);
  EXPECT_LE(share, 0.5);
}

// Bytes a cycle and SM of a buffer that fits the L2 but not the L1, read past it, by all warps.
double l2_rate(const std::string& network) {
  const std::string ptx = loop_of("", R"(
  mad.lo.u32 %r20, %r60, 7680, %r3;
  and.b32 %r20, %r20, 16383;
  mul.wide.u32 %rd6, %r20, 4;
  add.u64 %rd6, %rd1, %rd6;
  ld.volatile.global.u32 %r21, [%rd6];
)");
  Fermi gpu(ptx, {"network.switch=" + network});
  const std::uint64_t place = gpu.buffer(std::vector<std::uint32_t>(1u << 16, 1));
  gpu.machine().host_wrote(Address(place), Bytes(4u << 16));
  const LaunchResult result = gpu.run("k", {90, 1, 1}, {256, 1, 1}, {place, 20});
  EXPECT_LE(stat(result, "DRAM", "reads"), 4) << "code alone";
  const double bytes = 90.0 * 256 * 20 * 4;
  return bytes / static_cast<double>(result.cycles) / 15;
}

TEST(Microbenchmarks, ReadsTheL2AtTheRateOfTheReplyNetwork) {
  // An answer of 128 bytes and a header are four flits of 40: 32 bytes a cycle of each SM.
  const double crosspoint_queued = l2_rate("crosspoint-queued");
  EXPECT_GT(crosspoint_queued, 0.55 * 32);
  EXPECT_LE(crosspoint_queued, 32.0);
  // Twelve slices that block their own packets at 0.586 of their rate serve fifteen SMs.
  const double input_queued = l2_rate("input-queued");
  EXPECT_GT(input_queued, 0.8 * 0.586 * 32 * 12 / 15);
  EXPECT_LT(input_queued, 1.1 * 0.586 * 32 * 12 / 15);
}

}  // namespace
}  // namespace raddle::machine::simt

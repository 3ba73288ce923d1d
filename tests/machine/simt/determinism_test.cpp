// The same result, all of it, and the same memory, whatever the number of host threads, run after
// run; for kernels whose outcome hangs on who comes first as well.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "machine/simt/gpu_test.h"

namespace raddle::machine::simt {
namespace {

// Everything that a launch says, as text.
std::string all_of(const LaunchResult& r) {
  std::string text = fmt::format("{} {} {} {} {} {} {} {} {}\n", r.cycles, r.seconds,
                                 r.thread_instructions, r.warp_instructions, r.branches,
                                 r.divergent_branches, r.barriers, r.complete, r.fault_count);
  for (const Stall& s : r.stalls) text += fmt::format("{} {}\n", s.name, s.cycles);
  for (const Share& s : r.energy) text += fmt::format("{} {}\n", s.name, s.value);
  for (const sim::StatValue& s : r.stats)
    text += fmt::format("{} {} {}\n", s.component, s.name, s.value);
  for (const Utilisation& u : r.utilisation)
    text += fmt::format("{} {} {}\n", u.name, u.busy, u.capacity);
  for (const MemoryTraffic& m : r.memory)
    text += fmt::format("{} {} {} {} {} {} {}\n", m.level, m.load_accesses, m.store_accesses,
                        m.bytes_read, m.bytes_written, m.hits, m.misses);
  for (const LineCost& l : r.lines)
    text += fmt::format("{} {} {}\n", l.location, l.warp_instructions, l.stall_cycles);
  for (const Fault& f : r.faults)
    text += fmt::format("{} {} {} {} {}\n", f.message, f.location, f.block.x, f.thread.x,
                        fmt::join(f.details, "|"));
  text += fmt::format("{} {}\n", r.kernel_launch->occupancy.warps,
                      r.kernel_launch->occupancy.limited_by);
  return text;
}

struct Outcome {
  std::string results, printed;
  std::vector<std::uint32_t> memory;
  bool operator==(const Outcome&) const = default;
};

Outcome run_once(const std::string& ptx, std::uint32_t blocks, std::uint32_t threads,
                 std::uint32_t n, unsigned host_threads) {
  constexpr std::size_t kWords = 1u << 15;
  Fermi gpu(ptx);
  gpu.options().host_threads = host_threads;
  gpu.options().lines = true;
  Outcome outcome;
  gpu.options().print = [&outcome](std::string_view text) { outcome.printed += text; };
  const LaunchResult first = gpu.run_k(blocks, threads, n, kWords);
  outcome.results = all_of(first);
  outcome.memory = gpu.words(kWords);
  // The second finds the L2 as the first left it.
  if (first.complete) outcome.results += all_of(gpu.run_k(blocks, threads, n, kWords));
  return outcome;
}

Outcome expect_the_same(const std::string& ptx, std::uint32_t blocks, std::uint32_t threads,
                        std::uint32_t n = 0) {
  const Outcome one = run_once(ptx, blocks, threads, n, 1);
  for (const unsigned host_threads : {1u, 2u, 3u}) {
    const Outcome other = run_once(ptx, blocks, threads, n, host_threads);
    EXPECT_EQ(one.results, other.results) << host_threads;
    EXPECT_EQ(one.printed, other.printed) << host_threads;
    EXPECT_TRUE(one.memory == other.memory) << host_threads;
  }
  return one;
}

TEST(Determinism, OfAKernelThatStreams) {
  expect_the_same(kernel_of("ld.global.u32 %r10, [%rd2];\n add.u32 %r10, %r10, %r3;\n"
                            "st.global.u32 [%rd2], %r10;"),
                  100, 256);
}

TEST(Determinism, OfThreadsThatRaceForOneWord) {
  const Outcome race = expect_the_same(kernel_of(R"(
  st.global.u32 [%rd1], %r3;
  ld.global.u32 %r10, [%rd1];
  st.global.u32 [%rd2+256], %r10;
  ld.volatile.global.u32 %r11, [%rd1];
  st.global.u32 [%rd2+65536], %r11;
)"),
                                       60, 128);
  EXPECT_LT(race.memory[0], 60U * 128);
}

TEST(Determinism, OfAtomicsWhoseResultsAreKept) {
  const Outcome tickets = expect_the_same(kernel_of(R"(
  atom.global.add.u32 %r10, [%rd1], 1;
  st.global.u32 [%rd2+256], %r10;
  atom.global.exch.b32 %r11, [%rd1+128], %r3;
  st.global.u32 [%rd2+65536], %r11;
)"),
                                          60, 128);
  EXPECT_EQ(tickets.memory[0], 60U * 128);
  std::vector<std::uint32_t> taken(tickets.memory.begin() + 64,
                                   tickets.memory.begin() + 64 + 60 * 128);
  std::sort(taken.begin(), taken.end());
  for (std::uint32_t i = 0; i < taken.size(); ++i) ASSERT_EQ(taken[i], i) << "each ticket once";
}

TEST(Determinism, OfSpinLocks) {
  const Outcome locks = expect_the_same(kernel_of(R"(
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra DONE;
TRY:
  atom.global.cas.b32 %r10, [%rd1], 0, 1;
  setp.ne.u32 %p2, %r10, 0;
  @%p2 bra TRY;
  ld.volatile.global.u32 %r11, [%rd1+128];
  add.u32 %r12, %r11, 1;
  st.volatile.global.u32 [%rd1+128], %r12;
  st.global.u32 [%rd2+1024], %r11;
  membar.gl;
  atom.global.exch.b32 %r13, [%rd1], 0;
DONE:
)"),
                                        40, 32);
  EXPECT_EQ(locks.memory[32], 40U);
}

constexpr std::string_view kPrintf = R"(
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[7] = {98, 32, 37, 117, 10, 0, 0};
)";

TEST(Determinism, OfWhatThreadsPrint) {
  const Outcome printed = expect_the_same(kernel_of(R"(
  .local .align 8 .b8 frame[8];
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra DONE;
  st.local.u32 [frame], %r4;
  mov.u64 %rd5, frame;
  cvta.local.u64 %rd5, %rd5;
  mov.u64 %rd6, text;
  cvta.global.u64 %rd6, %rd6;
  { .param .b64 f; .param .b64 a; .param .b32 r;
    st.param.b64 [f], %rd6;
    st.param.b64 [a], %rd5;
    call.uni (r), vprintf, (f, a); }
DONE:
)",
                                                    kPrintf),
                                          40, 64);
  EXPECT_EQ(std::count(printed.printed.begin(), printed.printed.end(), '\n'), 2 * 40)
      << "two launches";
  EXPECT_NE(printed.printed.find("b 39\n"), std::string::npos);
}

TEST(Determinism, OfDeviceMalloc) {
  const Outcome places =
      expect_the_same(kernel_of(R"(
  mov.u64 %rd5, 64;
  { .param .b64 s; .param .b64 r;
    st.param.b64 [s], %rd5;
    call.uni (r), malloc, (s);
    ld.param.b64 %rd6, [r]; }
  cvt.u32.u64 %r10, %rd6;
  st.global.u32 [%rd2], %r10;
)",
                                ".extern .func (.param .b64 r) malloc(.param .b64 s);\n"),
                      20, 64);
  std::vector<std::uint32_t> found(places.memory.begin(), places.memory.begin() + 20 * 64);
  std::sort(found.begin(), found.end());
  EXPECT_TRUE(std::adjacent_find(found.begin(), found.end()) == found.end()) << "places of its own";
}

TEST(Determinism, OfFaultsInSeveralBlocksAtOnce) {
  const std::string ptx = kernel_of(
      "mov.u64 %rd5, 16;\n ld.global.u32 %r10, [%rd5];\n"
      "st.global.u32 [%rd2], %r10;");
  expect_the_same(ptx, 60, 64);
  expect_the_same(kernel_of("trap;"), 60, 64);
}

TEST(Determinism, OfCallsBarriersAndSharedAtomics) {
  expect_the_same(kernel_of(R"(
  mov.u32 %r11, tile;
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra GO;
  st.shared.u32 [%r11], 0;
GO:
  bar.sync 0;
  atom.shared.add.u32 %r12, [%r11], %r2;
  bar.sync 0;
  ld.shared.u32 %r13, [%r11];
  add.u32 %r13, %r13, %r12;
  st.global.u32 [%rd2], %r13;
)"),
                  50, 192);
}

}  // namespace
}  // namespace raddle::machine::simt

// Warps stepped one instruction at a time, in whatever order a machine likes, leave the memory that
// running them one after the other leaves.
#include "kernel/exec/warp_stepper.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "kernel/exec/warp_interpreter.h"
#include "kernel/text_form.h"
#include "kernel/verifier.h"

namespace raddle::kernel::exec {
namespace {

// Which of the warps that can go on steps next; `last` stepped before.
using Order = std::function<std::size_t(const std::vector<std::size_t>& ready, std::size_t last)>;

std::size_t first_ready(const std::vector<std::size_t>& ready, std::size_t) { return ready[0]; }

std::size_t last_ready(const std::vector<std::size_t>& ready, std::size_t) { return ready.back(); }

std::size_t in_turn(const std::vector<std::size_t>& ready, std::size_t last) {
  for (const std::size_t warp : ready) {
    if (warp > last) return warp;
  }
  return ready[0];
}

// Stays with a warp until it has to wait.
std::size_t greedy(const std::vector<std::size_t>& ready, std::size_t last) {
  for (const std::size_t warp : ready) {
    if (warp == last) return warp;
  }
  return ready.back();
}

Order random_order(unsigned seed) {
  return [random = std::mt19937(seed)](const std::vector<std::size_t>& ready, std::size_t) mutable {
    return ready[random() % ready.size()];
  };
}

struct NamedOrder {
  const char* name;
  Order order;
};

std::vector<NamedOrder> orders() {
  return {{"first ready", first_ready},  {"last ready", last_ready},
          {"in turn", in_turn},          {"greedy", greedy},
          {"random 1", random_order(1)}, {"random 2", random_order(2)}};
}

struct Outcome {
  std::vector<std::uint32_t> words;
  std::uint64_t warp_instructions = 0;
  std::uint64_t lane_instructions = 0;
};

struct CountingObserver : SilentObserver {
  void begin_block(BlockId, std::uint32_t instructions, LaneMask lanes) {
    warp_instructions += instructions;
    lane_instructions += instructions * static_cast<std::uint64_t>(std::popcount(lanes));
  }
  void skip_lanes(std::uint32_t, LaneMask lanes) {
    lane_instructions -= static_cast<std::uint64_t>(std::popcount(lanes));
  }
  std::uint64_t warp_instructions = 0;
  std::uint64_t lane_instructions = 0;
};

// One kernel of one module, launched with a buffer of zeros as its only parameter.
class Stand {
 public:
  Stand(std::string_view text, Dim3 grid, Dim3 block, std::size_t words)
      : memory_(1u << 20), program_(memory_), words_(words) {
    Module module = parse_text(text, "test.ir");
    for (const VerifierMessage& message : verify(module)) ADD_FAILURE() << message.text;
    program_.load(std::move(module));
    program_.link();
    const Module& loaded = program_.module(0);
    for (std::uint32_t f = 0; f < loaded.functions.size(); ++f) {
      if (loaded.functions[f].is_entry) launch_.kernel = {0, f};
    }
    launch_.grid = grid;
    launch_.block = block;
    buffer_ = *memory_.allocate(4 * words);
    launch_.parameters.resize(8);
    std::memcpy(launch_.parameters.data(), &buffer_, 8);
    kernel_ = decode(program_, launch_.kernel);
  }

  // The way of the reference machine.
  Outcome run() {
    std::memset(memory_.view(buffer_), 0, 4 * words_);
    GridState grid(program_, textures_, *kernel_, launch_, {});
    ThreadBlock block(grid);
    CountingObserver observer;
    for (std::uint64_t number = 0; number < launch_.grid.count(); ++number) {
      block.begin(number);
      while (!block.finished()) {
        for (WarpState& warp : block.warps()) {
          std::int64_t budget = 1000;
          WarpInterpreter(grid, block, warp, observer).run(budget);
        }
      }
    }
    return {words(), observer.warp_instructions, observer.lane_instructions};
  }

  Outcome step(const Order& order) {
    std::memset(memory_.view(buffer_), 0, 4 * words_);
    GridState grid(program_, textures_, *kernel_, launch_, {});
    ThreadBlock block(grid);
    Outcome outcome;
    for (std::uint64_t number = 0; number < launch_.grid.count(); ++number) {
      block.begin(number);
      std::size_t last = 0;
      while (!block.finished()) {
        const std::vector<std::size_t> ready = ready_warps(grid, block);
        if (ready.empty()) {
          ADD_FAILURE() << "no warp can go on";
          return outcome;
        }
        last = order(ready, last);
        const Step looked = next_step(grid, block, block.warps()[last]);
        // In turns by the three ways: those that look at what comes next at once and that run on.
        WarpState& warp = block.warps()[last];
        if (outcome.warp_instructions % 3 == 1 && looked.instruction->runs_on) {
          const StepOnward stepped = execute_and_run_on(grid, warp, *looked.instruction);
          EXPECT_EQ(looked.lanes, stepped.lanes);
          EXPECT_EQ(stepped.accessed_memory,
                    looked.instruction->touches_memory && looked.lanes != 0);
          const Step after = next_step(grid, block, warp);
          EXPECT_EQ(after.instruction, looked.instruction + 1);
          EXPECT_EQ(after.function, looked.function);
          ++outcome.warp_instructions;
          outcome.lane_instructions += static_cast<std::uint64_t>(std::popcount(stepped.lanes));
          continue;
        }
        if (outcome.warp_instructions % 3 == 2) {
          const StepAndNext stepped = execute_and_look(grid, block, warp);
          EXPECT_EQ(looked.lanes, stepped.lanes);
          EXPECT_EQ(stepped.accessed_memory,
                    looked.instruction->touches_memory && looked.lanes != 0);
          const Step after = next_step(grid, block, warp);
          EXPECT_EQ(stepped.instruction, after.instruction);
          EXPECT_EQ(stepped.function, after.instruction == nullptr ? nullptr : after.function);
          ++outcome.warp_instructions;
          outcome.lane_instructions += static_cast<std::uint64_t>(std::popcount(stepped.lanes));
          continue;
        }
        const Step stepped = execute_step(grid, block, warp);
        EXPECT_EQ(looked.instruction, stepped.instruction);
        EXPECT_EQ(looked.function, stepped.function);
        EXPECT_EQ(looked.lanes, stepped.lanes);
        EXPECT_EQ(stepped.accessed_memory,
                  stepped.instruction->touches_memory && stepped.lanes != 0);
        ++outcome.warp_instructions;
        outcome.lane_instructions += static_cast<std::uint64_t>(std::popcount(stepped.lanes));
      }
      for (WarpState& warp : block.warps())
        EXPECT_EQ(execute_step(grid, block, warp).instruction, nullptr) << "all have ended";
    }
    outcome.words = words();
    return outcome;
  }

 private:
  static std::vector<std::size_t> ready_warps(GridState& grid, ThreadBlock& block) {
    std::vector<std::size_t> ready;
    for (std::size_t w = 0; w < block.warps().size(); ++w) {
      if (next_step(grid, block, block.warps()[w]).instruction != nullptr) ready.push_back(w);
    }
    return ready;
  }
  std::vector<std::uint32_t> words() const {
    std::vector<std::uint32_t> all(words_);
    std::memcpy(all.data(), memory_.view(buffer_), 4 * words_);
    return all;
  }

  DeviceMemory memory_;
  Program program_;
  TextureTable textures_;
  Launch launch_;
  std::uint64_t buffer_ = 0;
  std::size_t words_;
  std::unique_ptr<DecodedKernel> kernel_;
};

void expect_same_in_every_order(Stand& stand, const std::vector<std::uint32_t>& expected) {
  const Outcome ran = stand.run();
  EXPECT_EQ(ran.words, expected);
  for (const NamedOrder& way : orders()) {
    const Outcome stepped = stand.step(way.order);
    EXPECT_EQ(stepped.words, expected) << way.name;
    EXPECT_EQ(stepped.warp_instructions, ran.warp_instructions) << way.name;
    EXPECT_EQ(stepped.lane_instructions, ran.lane_instructions) << way.name;
  }
}

// Every lane leaves the loop after another number of rounds, by way of two arms.
constexpr std::string_view kCollatz = R"(module "collatz" ptx 7.5 target 70
visible kernel @collatz(out[8]) {
  register pred p
  register b32 i, n, steps, odd
  register b64 base, offset, place

entry:
  %base = ld.param.u64 [out]
  %i = mov.u32 %tid.x
  %n = add.s32 %i, 1
  %steps = mov.u32 0

head:
  %p = setp.eq.s32 %n, 1
  @%p bra done

body:
  %steps = add.s32 %steps, 1
  %odd = and.b32 %n, 1
  %p = setp.eq.s32 %odd, 0
  @%p bra even

triple:
  %n = mad.lo.s32 %n, 3, 1
  bra head

even:
  %n = shr.s32 %n, 1
  bra head

done:
  %offset = mul.wide.u32 %i, 4
  %place = add.s64 %base, %offset
  st.global.u32 [%place], %steps
  ret
}
)";

TEST(WarpStepper, DivergentLoopsGiveTheSameInEveryOrder) {
  constexpr std::uint32_t kThreads = 80;
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < kThreads; ++i) {
    std::uint32_t steps = 0;
    for (std::uint32_t n = i + 1; n != 1; n = n % 2 == 0 ? n / 2 : 3 * n + 1) ++steps;
    expected.push_back(steps);
  }
  Stand stand(kCollatz, {1, 1, 1}, {kThreads, 1, 1}, kThreads);
  expect_same_in_every_order(stand, expected);
}

// Prefix sums of i * i + 1 over the block, two barriers a round, a divergent read between them.
constexpr std::string_view kScan = R"(module "scan" ptx 7.5 target 70
shared @cells[512] align 4

visible kernel @scan(out[8]) {
  register pred p
  register b32 i, mine, theirs, where, tile, from, back, d, number
  register b64 base, offset, place

entry:
  %base = ld.param.u64 [out]
  %i = mov.u32 %tid.x
  %mine = mad.lo.s32 %i, %i, 1
  %where = shl.b32 %i, 2
  %tile = mov.u32 @cells
  %where = add.s32 %where, %tile
  %d = mov.u32 1

loop:
  st.shared.u32 [%where], %mine
  bar.sync 0
  %theirs = mov.u32 0
  %p = setp.lt.u32 %i, %d
  @%p bra add

read:
  %back = shl.b32 %d, 2
  %from = sub.s32 %where, %back
  %theirs = ld.shared.u32 [%from]

add:
  bar.sync 0
  %mine = add.s32 %mine, %theirs
  %d = shl.b32 %d, 1
  %p = setp.lt.u32 %d, 128
  @%p bra loop

done:
  %number = mov.u32 %ctaid.x
  %number = mad.lo.s32 %number, 100, %i
  %offset = mul.wide.u32 %number, 4
  %place = add.s64 %base, %offset
  st.global.u32 [%place], %mine
  ret
}
)";

TEST(WarpStepper, BarriersOrderSharedMemoryInEveryOrder) {
  constexpr std::uint32_t kThreads = 100;
  std::vector<std::uint32_t> expected;
  for (std::uint32_t block = 0; block < 2; ++block) {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < kThreads; ++i) expected.push_back(sum += i * i + 1);
  }
  Stand stand(kScan, {2, 1, 1}, {kThreads, 1, 1}, 2 * kThreads);
  expect_same_in_every_order(stand, expected);
}

// 3^(i % 6) by recursion, so that lanes of a warp return from different depths.
constexpr std::string_view kPower = R"(module "power" ptx 7.5 target 70
function @power(n[4]) -> (r[4]) {
  call_slot argument[4]
  call_slot result[4]
  register pred p
  register b32 n, less, value

entry:
  %n = ld.param.b32 [n]
  %value = mov.u32 1
  %p = setp.eq.s32 %n, 0
  @%p bra done

deeper:
  %less = sub.s32 %n, 1
  st.param.b32 [argument], %less
  call @power(argument) -> (result)
  %value = ld.param.b32 [result]
  %value = mul.lo.s32 %value, 3

done:
  st.param.b32 [r], %value
  ret
}

visible kernel @powers(out[8]) {
  call_slot argument[4]
  call_slot result[4]
  register b32 i, n, value
  register b64 base, offset, place

entry:
  %base = ld.param.u64 [out]
  %i = mov.u32 %tid.x
  %n = rem.u32 %i, 6
  st.param.b32 [argument], %n
  call @power(argument) -> (result)
  %value = ld.param.b32 [result]
  %offset = mul.wide.u32 %i, 4
  %place = add.s64 %base, %offset
  st.global.u32 [%place], %value
  ret
}
)";

TEST(WarpStepper, CallsOfDifferentDepthGiveTheSameInEveryOrder) {
  constexpr std::uint32_t kThreads = 90;
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < kThreads; ++i) {
    std::uint32_t power = 1;
    for (std::uint32_t n = 0; n < i % 6; ++n) power *= 3;
    expected.push_back(power);
  }
  Stand stand(kPower, {1, 1, 1}, {kThreads, 1, 1}, kThreads);
  expect_same_in_every_order(stand, expected);
}

// Threads add their numbers to one of seven bins, those of odd number twice.
constexpr std::string_view kBins = R"(module "bins" ptx 7.5 target 70
visible kernel @bins(out[8]) {
  register pred p
  register b32 i, bin, odd
  register b64 base, offset, place

entry:
  %base = ld.param.u64 [out]
  %i = mov.u32 %tid.x
  %bin = rem.u32 %i, 7
  %offset = mul.wide.u32 %bin, 4
  %place = add.s64 %base, %offset
  %odd = and.b32 %i, 1
  %p = setp.ne.s32 %odd, 0
  atom.global.add.u32 [%place], %i
  @%p atom.global.add.u32 [%place], %i
  ret
}
)";

TEST(WarpStepper, AtomicsLoseNothingInAnyOrder) {
  constexpr std::uint32_t kThreads = 256;
  std::vector<std::uint32_t> expected(7);
  for (std::uint32_t i = 0; i < kThreads; ++i) expected[i % 7] += i % 2 == 0 ? i : 2 * i;
  Stand stand(kBins, {1, 1, 1}, {kThreads, 1, 1}, 7);
  expect_same_in_every_order(stand, expected);
}

}  // namespace
}  // namespace raddle::kernel::exec

// Random kernels that pass values between threads, on dmt-cgra with token buffers of several sizes
// and on the reference machine: the same results, and no thread waits for ever.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "machine/cgra/fabric_machine.h"

namespace raddle::machine::cgra {
namespace {

class Writer {
 public:
  explicit Writer(std::uint32_t seed) : random_(seed) {
    block_ = {1 + below(70), 1, 1};
    if (below(2) == 0) block_ = {1 + below(20), 1 + below(6), 1};
    if (below(4) == 0) block_ = {1 + below(8), 1 + below(4), 1 + below(3)};
    reach_ = std::array{2u, 5u, 20u, 70u}[below(4)];
  }

  std::string kernel() {
    std::string body = R"(
  mov.u32 %r20, %tid.y;
  mov.u32 %r21, %tid.z;
  mov.u32 %r22, %ntid.y;
  mad.lo.u32 %r21, %r21, %r22, %r20;
  mad.lo.u32 %r2, %r21, %r5, %r2;
  mul.lo.u32 %r22, %r22, %r5;
  mov.u32 %r20, %ntid.z;
  mul.lo.u32 %r22, %r22, %r20;
  mad.lo.u32 %r3, %r4, %r22, %r2;
  mul.wide.u32 %rd3, %r3, 4;
  add.u64 %rd2, %rd1, %rd3;
  mad.lo.u32 %r30, %r3, 77, 5;
  st.global.u32 [%rd2], %r30;
  ld.global.u32 %r31, [%rd2];
)";
    const std::uint32_t steps = 1 + below(3);
    for (std::uint32_t s = 0; s < steps; ++s) body += step(97 + s);
    std::string sum = fmt::format("  xor.b32 %r29, %r30, %r{};\n", next_ - 1);
    return kernel_of(body + sum + "  add.u64 %rd5, %rd2, 2048;\n  st.global.u32 [%rd5], %r29;\n",
                     kInterThread);
  }
  Dim3 block() const { return block_; }
  std::uint32_t buffer() { return std::array{1u, 2u, 4u, 16u}[below(4)]; }

 private:
  std::uint32_t below(std::uint32_t limit) { return random_() % limit; }
  std::string value() { return fmt::format("%r{}", 30 + below(next_ - 30)); }
  std::string fresh() { return fmt::format("%r{}", next_++); }

  // x, y, z and the window.
  std::string distance() {
    std::array<int, 3> delta{};
    const auto some = [&] {
      return static_cast<int>(below(2 * reach_ + 1)) - static_cast<int>(reach_);
    };
    std::uint32_t window = 0;
    if (block_.y == 1 && below(3) == 0) {
      std::vector<std::uint32_t> divisors;
      for (std::uint32_t d = 2; d <= block_.x; ++d) {
        if (block_.x % d == 0) divisors.push_back(d);
      }
      if (!divisors.empty()) window = divisors[below(static_cast<std::uint32_t>(divisors.size()))];
    }
    delta[0] = some();
    if (window != 0) delta[0] %= static_cast<int>(window);
    if (block_.y > 1 && below(2) == 0) delta[1] = static_cast<int>(below(5)) - 2;
    if (block_.z > 1 && below(2) == 0) delta[2] = static_cast<int>(below(3)) - 1;
    if (delta == std::array<int, 3>{}) delta[0] = 1;
    return fmt::format("{}, {}, {}, {}", delta[0], delta[1], delta[2], window);
  }

  std::string step(std::uint32_t channel) {
    const std::string from = value();
    switch (below(3)) {
      case 0: {  // a value of another thread
        const std::string got = fresh();
        return fmt::format(
            "  call __raddle_it_tag_u32, ({}, {}, 0, 0, 0);\n"
            "  call ({}), __raddle_it_recv_const_u32, (9, {}, {}, 0, 0, 0);\n"
            "  mad.lo.u32 {}, {}, 3, {};\n",
            from, channel, got, distance(), channel, fresh(), got, value());
      }
      case 1: {  // a recurrence
        const std::string got = fresh(), sum = fresh();
        return fmt::format(
            "  call ({}), __raddle_it_recv_const_u32, (4, {}, {}, 0, 0, 0);\n"
            "  add.u32 {}, {}, {};\n  call __raddle_it_tag_u32, ({}, {}, 0, 0, 0);\n",
            got, distance(), channel, sum, got, from, sum, channel);
      }
      default: {  // loaded by some
        const std::string got = fresh();
        return fmt::format(
            "  and.b32 %r28, %r2, {};\n  setp.eq.u32 %p1, %r28, 0;\n"
            "  selp.u32 %r28, 1, 0, %p1;\n"
            "  call ({}), __raddle_it_recv_load_u32, (%rd2, %r28, {});\n",
            1 + below(31), got, distance());
      }
    }
  }

  std::mt19937 random_;
  Dim3 block_{1, 1, 1};
  std::uint32_t reach_ = 1;
  std::uint32_t next_ = 32;  // the next register
};

// What the kernel leaves behind; nothing if it is refused.
std::vector<std::uint32_t> results(const std::string& ptx, const std::string& machine, Dim3 block,
                                   std::vector<std::string> settings = {}) {
  FabricMachine m(ptx, std::move(settings), machine);
  m.options().control = RunControl(Cycle(machine == "ref" ? 0 : 1'000'000));
  const std::uint64_t place = m.buffer(std::vector<std::uint32_t>(1024, 0));
  try {
    const LaunchResult result = m.run("k", {2, 1, 1}, block, {place, 0});
    expect_within_bound(result);
    EXPECT_TRUE(result.complete) << (result.faults.empty() ? "" : result.faults[0].message);
  } catch (const Error& error) {
    const std::string text = error.full_text();
    // Small buffers need more elevators than there are.
    EXPECT_TRUE(text.find("units at once, the grid has") != std::string::npos ||
                text.find("cannot be kept in one piece") != std::string::npos || machine == "ref")
        << text;
    return {};
  }
  return m.read<std::uint32_t>(place, 1024);
}

TEST(InterThreadRandom, KernelsGiveWhatTheyGiveOnRef) {
  constexpr std::uint32_t kKernels = 150;
  std::uint32_t ran = 0;
  for (std::uint32_t seed = 1; seed <= kKernels && !HasFailure(); ++seed) {
    Writer writer(seed);
    const std::string ptx = writer.kernel();
    const std::uint32_t buffer = writer.buffer();
    const Dim3 block = writer.block();
    SCOPED_TRACE(fmt::format("seed {}, token buffers of {}, block {}x{}x{}\n{}", seed, buffer,
                             block.x, block.y, block.z, ptx.substr(ptx.find("ld.global"))));
    const std::vector<std::uint32_t> expected = results(ptx, "ref", block);
    if (expected.empty()) continue;
    const std::vector<std::uint32_t> got =
        results(ptx, "dmt-cgra", block, {fmt::format("tokens.buffer={}", buffer)});
    if (got.empty()) continue;
    ++ran;
    EXPECT_EQ(got, expected);
  }
  EXPECT_GT(ran, kKernels / 3);
}

}  // namespace
}  // namespace raddle::machine::cgra

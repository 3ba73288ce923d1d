#include "machine/cgra/compile/piece_former.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kernel/analysis/graphs.h"

namespace raddle::machine::cgra {
namespace {

using ::testing::ElementsAre;

CompileOptions options() {
  CompileOptions options;
  options.units = {32, 32, 12, 32, 16, 16};
  options.graph.block = {64, 1, 1};
  return options;
}
class Stand {
 public:
  explicit Stand(std::string_view body, const CompileOptions& with = options())
      : former(kernel::function_from(body), module, with) {}
  // Copies of each piece that the units suffice for.
  std::vector<std::uint32_t> copies() const {
    std::vector<std::uint32_t> all;
    for (const Region& region : former.regions()) {
      for (const PieceCandidate& part : former.build(region)) {
        const auto needed = part.graph.graph.units_needed();
        std::uint32_t most = 99;
        for (std::size_t u = 0; u < needed.size(); ++u) {
          if (needed[u] > 0) most = std::min(most, options().units[u] / needed[u]);
        }
        all.push_back(most);
      }
    }
    return all;
  }
  kernel::Module module;
  PieceFormer former;
};
// So many bitwise operations, one after the other, between a load and a store.
std::string logic(int operations) {
  std::string body = "e:\n  %a = ld.shared.b32 [%x]\n";
  for (int i = 0; i < operations; ++i)
    body += i % 2 == 0 ? "  %a = xor.b32 %a, 5\n" : "  %a = or.b32 %a, 9\n";
  return body + "  st.shared.b32 [%x], %a\n  ret\n";
}

// 9 of 16 control units fit once; 4 and 5 of them fit four and three times.
TEST(PieceFormer, CutsWhereThreadsPassTwoPiecesFaster) {
  const Stand stand(logic(9));
  ASSERT_GT(stand.copies().size(), 1U);
  for (const std::uint32_t copies : stand.copies()) EXPECT_GE(copies, 2U);
}

// Half of the threads a cycle in one piece; eight operations in two pieces would be no faster.
TEST(PieceFormer, DoesNotCutWhatFitsWell) {
  EXPECT_THAT(Stand(logic(8)).copies(), ElementsAre(2U));
}

// Configurations for few threads are not worth their time.
TEST(PieceFormer, DoesNotCutForFewThreads) {
  CompileOptions few = options();
  few.threads = 64;
  EXPECT_THAT(Stand(logic(9), few).copies(), ElementsAre(1U));
}

// What is received stays with what is sent, though control units are short.
TEST(PieceFormer, DoesNotCutBetweenSendingAndReceiving) {
  std::string body = "e:\n  %a = ld.shared.b32 [%x]\n  it.tag.b32 %a {channel=1}\n";
  for (int i = 1; i <= 9; ++i)
    body += "  %b = it.recv.const.b32 0 {channel=1, delta=(-" + std::to_string(i) +
            ", 0, 0)}\n  %a = add.s32 %a, %b\n";
  const Stand stand(body + "  st.shared.b32 [%x], %a\n  ret\n");
  EXPECT_THAT(stand.copies(), ElementsAre(1U));
}

// A recurrence lets a thread pass every few cycles alone: its load keeps up with that.
TEST(PieceFormer, LoadsStayWithASlowRecurrence) {
  const std::string load = "e:\n  %a = ld.global.b32 [%x]\n";
  const std::string receive = "  %b = it.recv.const.b32 0 {channel=1, delta=(-1, 0, 0)}\n";
  CompileOptions with = options();
  with.graph.latencies.floating = Cycle(8);
  const Stand slow(load + receive +
                       "  %b = add.f32 %a, %b\n  it.tag.b32 %b {channel=1}\n"
                       "  st.global.b32 [%y], %b\n  ret\n",
                   with);
  EXPECT_EQ(slow.copies().size(), 1U);
  const Stand fast(load + "  it.tag.b32 %a {channel=1}\n" + receive +
                       "  %b = add.f32 %a, %b\n  st.global.b32 [%y], %b\n  ret\n",
                   with);
  EXPECT_EQ(fast.copies().size(), 2U) << "its loads, and the rest";
}

}  // namespace
}  // namespace raddle::machine::cgra

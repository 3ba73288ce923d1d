#include "machine/cgra/compile/predicate_fusion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/cgra/piece_stand.h"

namespace raddle::machine::cgra {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

std::vector<std::string> lines(const std::string& body) {
  const PieceStand stand("e:\n  %a = ld.global.b32 [4096]\n  %b = ld.global.b32 [8192]\n" + body +
                         "  ret\n");
  std::vector<std::string> all = stand.lines(stand.whole());
  all.erase(all.begin(), all.begin() + 2);
  return all;
}

TEST(PredicateFusion, AComparisonAndWhatItIsCombinedWithAreOne) {
  EXPECT_THAT(lines("  %p = setp.lt.s32 %a, 9\n  %q = setp.gt.s32 %b, 3\n"
                    "  %p = and.pred %p, %q\n  @%p st.global.b32 [%x], %a\n"),
              ElementsAre("%p.1 = setp.lt.s32 %a, 9", "%p.2 = setp.gt.and.s32 %b, 3, %p.1",
                          "@%p.2 st.global.b32 [%x], %a"));
  EXPECT_THAT(lines("  %p = setp.lt.s32 %a, 9\n  %q = setp.gt.s32 %b, 3\n"
                    "  %p = or.pred %p, %q\n  @%p st.global.b32 [%x], %a\n"),
              Contains("%p.2 = setp.gt.or.s32 %b, 3, %p.1"));
}

TEST(PredicateFusion, AnOppositeIsAnotherComparison) {
  EXPECT_THAT(lines("  %p = setp.lt.s32 %a, 9\n  %q = setp.gt.s32 %b, 3\n"
                    "  %p = and.pred %p, !%q\n  @%p st.global.b32 [%x], %a\n"),
              Contains("%p.2 = setp.le.and.s32 %b, 3, %p.1"));
  EXPECT_THAT(lines("  %p = setp.lt.s32 %a, 9\n  %q = setp.gt.f32 %b, %a\n"
                    "  %p = and.pred %p, !%q\n  @%p st.global.b32 [%x], %a\n"),
              Contains("%p.2 = setp.leu.and.f32 %b, %a, %p.1"))
      << "what is not greater may be no number";
}

// The comparison would have to be made by itself as well.
TEST(PredicateFusion, AComparisonThatOthersReadStays) {
  EXPECT_THAT(lines("  %p = setp.lt.s32 %a, 9\n  %q = setp.gt.s32 %b, 3\n"
                    "  @%p st.global.b32 [%y], %a\n  @%q st.global.b32 [%z], %a\n"
                    "  %p = and.pred %p, %q\n  @%p st.global.b32 [%x], %a\n"),
              Contains("%p.2 = and.pred %p.1, %q"));
}

TEST(PredicateFusion, OneComparisonTakesOneCombination) {
  EXPECT_THAT(lines("  %p = setp.lt.s32 %a, 9\n  %q = setp.gt.s32 %b, 3\n"
                    "  %p = and.pred %p, %q\n  %q = setp.eq.s32 %a, %b\n"
                    "  %p = or.pred %p, %q\n  @%p st.global.b32 [%x], %a\n"),
              ElementsAre("%p.1 = setp.lt.s32 %a, 9", "%p.2 = setp.gt.and.s32 %b, 3, %p.1",
                          "%p.3 = setp.eq.or.s32 %a, %b, %p.2", "@%p.3 st.global.b32 [%x], %a"));
}

}  // namespace
}  // namespace raddle::machine::cgra

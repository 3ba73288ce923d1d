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

// What a store keeps away from being dropped; %c is what both selections choose from beside %a.
std::vector<std::string> selections(const std::string& outer) {
  return lines(
      "  %c = ld.global.b32 [12288]\n  %p = setp.lt.s32 %a, 9\n  %d = selp.b32 %a, %c, %p\n"
      "  %q = setp.gt.s32 %b, 3\n" +
      outer + "  st.global.b32 [%x], %e\n");
}

TEST(PredicateFusion, TwoSelectionsFromTheSameValuesAreOne) {
  EXPECT_THAT(selections("  %e = selp.b32 %d, %c, %q\n"),
              ElementsAre("%c = ld.global.b32 [12288]", "%q = setp.gt.s32 %b, 3",
                          "%p = setp.lt.and.s32 %a, 9, %q", "%e = selp.b32 %a, %c, %p",
                          "st.global.b32 [%x], %e"));
  EXPECT_THAT(selections("  %e = selp.b32 %d, %a, %q\n"),
              ::testing::AllOf(Contains("%p = setp.ge.and.s32 %a, 9, %q"),
                               Contains("%e = selp.b32 %c, %a, %p")));
  EXPECT_THAT(selections("  %e = selp.b32 %c, %d, %q\n"),
              ::testing::AllOf(Contains("%p = setp.lt.and.s32 %a, 9, !%q"),
                               Contains("%e = selp.b32 %a, %c, %p")));
  EXPECT_THAT(selections("  %e = selp.b32 %a, %d, %q\n"),
              ::testing::AllOf(Contains("%p = setp.ge.and.s32 %a, 9, !%q"),
                               Contains("%e = selp.b32 %c, %a, %p")));
}

TEST(PredicateFusion, SelectionsFromThreeValuesStayTwo) {
  EXPECT_THAT(
      selections("  %e = selp.b32 %d, %b, %q\n"),
      ::testing::AllOf(Contains("%d = selp.b32 %a, %c, %p"), Contains("%e = selp.b32 %d, %b, %q")));
}

// The other comparison takes the first one's result along; where neither may, nothing is gained.
TEST(PredicateFusion, SelectionsNeedAComparisonThatNothingElseReads) {
  const std::string uses_p = "  @%p st.global.b32 [%y], %a\n",
                    uses_q = "  @%q st.global.b32 [%z], %a\n";
  EXPECT_THAT(selections(uses_p + "  %e = selp.b32 %d, %c, %q\n"),
              ::testing::AllOf(Contains("%q = setp.gt.and.s32 %b, 3, %p"),
                               Contains("%e = selp.b32 %a, %c, %q")));
  EXPECT_THAT(selections(uses_p + uses_q + "  %e = selp.b32 %d, %c, %q\n"),
              Contains("%e = selp.b32 %d, %c, %q"));
}

TEST(PredicateFusion, SelectionsUseAPredicateThatIsThere) {
  EXPECT_THAT(selections("  @%p st.global.b32 [%y], %b\n  @%q st.global.b32 [%y], %b\n"
                         "  %e = selp.b32 %a, %b, %p\n  st.global.b32 [%z], %e\n"
                         "  %p = and.pred %q, %p\n  @%p st.global.b32 [%y], %a\n"
                         "  %e = selp.b32 %d, %c, %q\n"),
              ::testing::AllOf(Contains("%p.2 = and.pred %q, %p.1"),
                               Contains("%e.2 = selp.b32 %a, %c, %p.2")));
}

TEST(PredicateFusion, ASelectedValueThatIsReadElsewhereStays) {
  EXPECT_THAT(selections("  st.global.b32 [%y], %d\n  %e = selp.b32 %d, %c, %q\n"),
              Contains("%e = selp.b32 %d, %c, %q"));
}

}  // namespace
}  // namespace raddle::machine::cgra

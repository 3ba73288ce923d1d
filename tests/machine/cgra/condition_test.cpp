#include "machine/cgra/compile/condition.h"

#include <gtest/gtest.h>

namespace raddle::machine::cgra {
namespace {

using kernel::Guard;

const Guard kP{1, false}, kNotP{1, true}, kQ{2, false}, kNotQ{2, true};

Condition when(const Guard& guard) { return Condition::always() && guard; }

TEST(Condition, AnIfAndItsElseMakeAlways) {
  EXPECT_TRUE((when(kP) || when(kNotP)).is_always());
  EXPECT_TRUE(((when(kP) && kQ) || (when(kP) && kNotQ) || when(kNotP)).is_always());
}

TEST(Condition, AnInnerJoinLeavesTheOuterLiteral) {
  EXPECT_EQ((when(kP) && kQ) || (when(kP) && kNotQ), when(kP));
}

TEST(Condition, WhatContradictsItselfIsNever) {
  EXPECT_TRUE((when(kP) && kNotP).is_never());
  EXPECT_EQ(when(kQ) || (when(kP) && kNotP), when(kQ));
}

TEST(Condition, ALiteralTwiceIsOne) { EXPECT_EQ(when(kP) && kP, when(kP)); }

TEST(Condition, AnAbsentGuardAlwaysHolds) { EXPECT_EQ(when(kP) && Guard{}, when(kP)); }

TEST(Condition, TheWiderTermTakesTheNarrowerIn) {
  EXPECT_EQ(when(kP) || (when(kP) && kQ), when(kP));
  EXPECT_EQ((when(kP) && kQ) || when(kQ), when(kQ));
}

TEST(Condition, AnOppositeIsDroppedWhereTheLiteralStandsAlone) {
  EXPECT_EQ(when(kP) || (when(kNotP) && kQ), when(kP) || when(kQ));
}

TEST(Condition, DoesNotDependOnTheOrderOfItsParts) {
  EXPECT_EQ(when(kP) && kNotQ, when(kNotQ) && kP);
  EXPECT_EQ((when(kP) && kQ) || (when(kNotP) && kNotQ), (when(kNotQ) && kNotP) || (when(kQ) && kP));
}

TEST(Condition, TermsThatDifferInTwoLiteralsStay) {
  EXPECT_EQ(((when(kP) && kQ) || (when(kNotP) && kNotQ)).terms().size(), 2U);
}

TEST(Condition, LiteralsThatAllTermsHaveCanBeLeftOut) {
  const Condition a = when(kP) && kQ, b = when(kP) && kNotQ;
  const Condition::Conjunction common = Condition::common(a, b);
  EXPECT_EQ(common, (Condition::Conjunction{{1, false}}));
  EXPECT_EQ(a.without(common), when(kQ));
  EXPECT_EQ(b.without(common), when(kNotQ));
  EXPECT_TRUE(when(kP).without(common).is_always());
  EXPECT_TRUE(Condition::common(when(kP), when(kNotP)).empty());
}

}  // namespace
}  // namespace raddle::machine::cgra

#include "machine/cgra/compile/live_value_places.h"

#include <gtest/gtest.h>

namespace raddle::machine::cgra {
namespace {

using kernel::Register;
using kernel::Type;

const std::vector<Register> kWords{{"a", Type::kB32}, {"b", Type::kB32}, {"c", Type::kB32}};

TEST(LiveValuePlaces, ValuesNeededOneAfterTheOtherShareAPlace) {
  // a goes from piece 0 to 1, b from 2 to 3; nothing goes from 1 to 2.
  const LiveValuePlaces places = place_live_values(
      {{{}, {0}, {0}, {1}}, {{0}, {}, {}, {2}}, {{}, {1}, {1}, {3}}, {{1}, {}, {}, {}}}, kWords);
  EXPECT_EQ(places.words.at(0), places.words.at(1));
  EXPECT_EQ(places.total, 1U);
}

TEST(LiveValuePlaces, WhatAPieceReadsAndWritesLiesApart) {
  const LiveValuePlaces places =
      place_live_values({{{}, {0}, {0}, {1}}, {{0}, {1}, {1}, {2}}, {{1}, {}, {}, {}}}, kWords);
  EXPECT_NE(places.words.at(0), places.words.at(1));
  EXPECT_EQ(places.total, 2U);
}

TEST(LiveValuePlaces, WhatPassesAPieceByKeepsItsPlace) {
  // a is written in 0 and read in 3; b lives from 1 to 2.
  const LiveValuePlaces places = place_live_values(
      {{{}, {0}, {0}, {1}}, {{}, {1}, {1}, {2}}, {{1}, {}, {}, {3}}, {{0}, {}, {}, {}}}, kWords);
  EXPECT_NE(places.words.at(0), places.words.at(1));
}

TEST(LiveValuePlaces, ALoopKeepsWhatItReadsInTheNextTurn) {
  // a is read in every turn of 1 and 2; b goes from 2 to 1.
  const LiveValuePlaces places = place_live_values(
      {{{}, {0}, {0}, {1}}, {{0, 1}, {}, {}, {2}}, {{}, {1}, {1}, {1, 3}}, {{}, {}, {}, {}}},
      kWords);
  EXPECT_NE(places.words.at(0), places.words.at(1));
}

TEST(LiveValuePlaces, AValueThatOnlySomeThreadsReplaceIsStillNeeded) {
  // Some threads of piece 1 write a; the others need what piece 0 wrote. b is read in piece 1.
  const auto pieces = [](std::vector<kernel::RegisterId> replaced) {
    return std::vector<PieceLiveValues>{{{}, {0}, {0}, {1}},
                                        {{}, {1}, {1}, {2}},
                                        {{1}, {0}, std::move(replaced), {3}},
                                        {{0}, {}, {}, {}}};
  };
  EXPECT_EQ(place_live_values(pieces({}), kWords).total, 2U);
  const LiveValuePlaces places = place_live_values(pieces({}), kWords);
  EXPECT_NE(places.words.at(0), places.words.at(1));
}

TEST(LiveValuePlaces, WideValuesTakeTwoWords) {
  const std::vector<Register> registers{{"a", Type::kB32}, {"d", Type::kB64}};
  const LiveValuePlaces places =
      place_live_values({{{}, {0, 1}, {0, 1}, {1}}, {{0, 1}, {}, {}, {}}}, registers);
  EXPECT_EQ(places.total, 3U);
  EXPECT_EQ(places.words.at(1), 0U);
  EXPECT_EQ(places.words.at(0), 2U);
}

TEST(LiveValuePlaces, AGapThatIsTooNarrowIsPassed) {
  // c (one word) and d (two) in use together with e (one word), which fits after them alone.
  const std::vector<Register> registers{{"c", Type::kB32}, {"d", Type::kB64}, {"e", Type::kPred}};
  const LiveValuePlaces places =
      place_live_values({{{}, {0, 1, 2}, {0, 1, 2}, {1}}, {{0, 1, 2}, {}, {}, {}}}, registers);
  EXPECT_EQ(places.total, 4U);
}

TEST(LiveValuePlaces, WithoutLiveValuesNothingIsNeeded) {
  EXPECT_EQ(place_live_values({{{}, {}, {}, {}}}, kWords).total, 0U);
}

}  // namespace
}  // namespace raddle::machine::cgra

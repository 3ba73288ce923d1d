// Operations between the lanes of a warp, against the rules of the PTX manual spelled out lane by
// lane.
#include <bit>

#include "lane_check.h"
#include "warp_fixture.h"

namespace raddle::kernel::exec {
namespace {

class ExchangeLanes : public WarpFixture {
 protected:
  void SetUp() override {
    for (int i = 0; i < kLanes; ++i) {
      lanes<std::uint32_t>(0)[i] = static_cast<std::uint32_t>(100 + i);
      lanes<std::uint32_t>(3)[i] = kAllLanes;
    }
  }
  void spread(int slot, std::uint32_t value) {
    for (int i = 0; i < kLanes; ++i) lanes<std::uint32_t>(slot)[i] = value;
  }
  Instruction with_mode(Opcode opcode, Type type, Mode mode) {
    return instruction_of(opcode, type, [=](Instruction& i) {
      i.mode = mode;
      i.synchronised = true;
    });
  }
};

TEST_F(ExchangeLanes, ShufflesStayWithinTheirSegment) {
  for (const int width : {32, 16, 8, 4, 2, 1}) {
    const auto segment = static_cast<std::uint32_t>((32 - width) << 8);
    for (const int distance : {0, 1, 2, 5, 8, 16, 31}) {
      for (Mode mode :
           {Mode::kShuffleUp, Mode::kShuffleDown, Mode::kShuffleButterfly, Mode::kShuffleIndex}) {
        spread(1, static_cast<std::uint32_t>(distance));
        spread(2, segment | (mode == Mode::kShuffleUp ? 0u : 31u));  // as CUDA's intrinsics pass it
        Instruction shuffle = with_mode(Opcode::kShfl, Type::kB32, mode);
        run(shuffle, {.destinations = {4, 5}, .sources = {0, 1, 2, 3}});
        for (int lane = 0; lane < kLanes; ++lane) {
          const int first = lane / width * width;
          int from = lane;
          if (mode == Mode::kShuffleUp) from = lane - distance;
          if (mode == Mode::kShuffleDown) from = lane + distance;
          if (mode == Mode::kShuffleButterfly) from = lane ^ distance;
          if (mode == Mode::kShuffleIndex) from = first + distance % width;
          // A butterfly may read segments below its own (CUDA guide: "accessing elements from
          // earlier groups").
          const bool inside =
              from < first + width && (from >= first || mode == Mode::kShuffleButterfly);
          EXPECT_EQ(lanes<std::uint32_t>(4)[lane],
                    static_cast<std::uint32_t>(100 + (inside ? from : lane)))
              << name_of(mode) << " width " << width << " distance " << distance << " lane "
              << lane;
          EXPECT_EQ(predicate(5) >> lane & 1, inside ? 1u : 0u);
        }
      }
    }
  }
}

TEST_F(ExchangeLanes, ShuffleInPlaceReadsOldValuesAndSparesIdleLanes) {
  spread(1, 1);
  spread(2, 31);
  Instruction shuffle = with_mode(Opcode::kShfl, Type::kB32, Mode::kShuffleDown);
  run(shuffle, {.destinations = {0}, .sources = {0, 1, 2, 3}}, 0x0000ffffu);
  for (int i = 0; i < kLanes; ++i)
    EXPECT_EQ(lanes<std::uint32_t>(0)[i], static_cast<std::uint32_t>(i < 16 ? 101 + i : 100 + i));
}

TEST_F(ExchangeLanes, VotesCountActiveMembersOnly) {
  struct Row {
    LaneMask value, members, active;
  };
  for (const Row& row :
       {Row{0xffffffffu, 0xffffffffu, 0xffffffffu}, Row{0, 0xffffffffu, 0xffffffffu},
        Row{0x0000ff00u, 0x0000ff00u, 0x0000ff00u}, Row{0x00ff00ffu, 0xffffffffu, 0x000000ffu},
        Row{0x12345678u, 0x0f0f0f0fu, 0x0f0f0f0fu}}) {
    predicate(6) = row.value;
    spread(3, row.members);
    const LaneMask group = row.members & row.active;
    const LaneMask yes = row.value & group;
    auto voted = [&](Mode mode) {
      predicate(7) = 0;
      Instruction vote = with_mode(Opcode::kVote, Type::kPred, mode);
      run(vote, {.destinations = {7}, .sources = {6, 3}, .register_bytes = 0}, row.active);
      return predicate(7);
    };
    EXPECT_EQ(voted(Mode::kAll), yes == group ? row.active : 0u);
    EXPECT_EQ(voted(Mode::kAny), yes != 0 ? row.active : 0u);
    EXPECT_EQ(voted(Mode::kUniform), yes == 0 || yes == group ? row.active : 0u);
    Instruction ballot = with_mode(Opcode::kVote, Type::kB32, Mode::kBallot);
    run(ballot, {.destinations = {4}, .sources = {6, 3}}, row.active);
    for (int i = 0; i < kLanes; ++i) {
      if ((row.active >> i & 1) != 0) {
        EXPECT_EQ(lanes<std::uint32_t>(4)[i], yes);
      }
    }
  }
}

TEST_F(ExchangeLanes, MatchFindsEqualValues) {
  for (int i = 0; i < kLanes; ++i) lanes<std::uint32_t>(0)[i] = static_cast<std::uint32_t>(i % 3);
  Instruction any = with_mode(Opcode::kMatch, Type::kB32, Mode::kAny);
  run(any, {.destinations = {4}, .sources = {0, 3}}, 0x7fffffffu);
  for (int lane = 0; lane < 31; ++lane) {
    LaneMask same = 0;
    for (int other = 0; other < 31; ++other)
      same |= static_cast<LaneMask>(other % 3 == lane % 3) << other;
    EXPECT_EQ(lanes<std::uint32_t>(4)[lane], same);
  }
  Instruction all = with_mode(Opcode::kMatch, Type::kB32, Mode::kAll);
  run(all, {.destinations = {4, 5}, .sources = {0, 3}});
  EXPECT_EQ(predicate(5), 0u);
  EXPECT_EQ(lanes<std::uint32_t>(4)[8], 0u);
  run(all, {.destinations = {4, 5}, .sources = {0, 3}},
      0x49249249u);  // every third lane: all hold 0
  EXPECT_EQ(predicate(5), 0x49249249u);
  EXPECT_EQ(lanes<std::uint32_t>(4)[3], 0x49249249u);
  for (int i = 0; i < kLanes; ++i) lanes<std::uint64_t>(8)[i] = i < 5 ? std::uint64_t{1} << 40 : 0;
  Instruction wide = with_mode(Opcode::kMatch, Type::kB64, Mode::kAny);
  run(wide, {.destinations = {4}, .sources = {8, 3}});
  EXPECT_EQ(lanes<std::uint32_t>(4)[0], 0x1fu);
  EXPECT_EQ(lanes<std::uint32_t>(4)[31], ~0x1fu);
}

TEST_F(ExchangeLanes, ReductionsCoverTheMembers) {
  OperandSource source(3);
  for (int i = 0; i < kLanes; ++i)
    lanes<std::uint32_t>(0)[i] = static_cast<std::uint32_t>(source.bits());
  const LaneMask active = 0xf0f0ff0fu;
  struct Row {
    Mode mode;
    Type type;
    std::uint32_t (*f)(std::uint32_t, std::uint32_t);
  };
  using U = std::uint32_t;
  using S = std::int32_t;
  const Row rows[] = {
      {Mode::kReduceAdd, Type::kU32, [](U a, U b) { return a + b; }},
      {Mode::kReduceAdd, Type::kS32, [](U a, U b) { return a + b; }},
      {Mode::kReduceMin, Type::kU32, [](U a, U b) { return std::min(a, b); }},
      {Mode::kReduceMin, Type::kS32,
       [](U a, U b) { return static_cast<U>(std::min(static_cast<S>(a), static_cast<S>(b))); }},
      {Mode::kReduceMax, Type::kU32, [](U a, U b) { return std::max(a, b); }},
      {Mode::kReduceMax, Type::kS32,
       [](U a, U b) { return static_cast<U>(std::max(static_cast<S>(a), static_cast<S>(b))); }},
      {Mode::kReduceAnd, Type::kB32, [](U a, U b) { return a & b; }},
      {Mode::kReduceOr, Type::kB32, [](U a, U b) { return a | b; }},
      {Mode::kReduceXor, Type::kB32, [](U a, U b) { return a ^ b; }},
  };
  for (const Row& row : rows) {
    bool first = true;
    U expected = 0;
    for (int i = 0; i < kLanes; ++i) {
      if ((active >> i & 1) == 0) continue;
      expected = first ? lanes<U>(0)[i] : row.f(expected, lanes<U>(0)[i]);
      first = false;
    }
    spread(4, 77);
    Instruction redux = with_mode(Opcode::kRedux, row.type, row.mode);
    run(redux, {.destinations = {4}, .sources = {0, 3}}, active);
    for (int i = 0; i < kLanes; ++i)
      EXPECT_EQ(lanes<U>(4)[i], (active >> i & 1) != 0 ? expected : 77u) << name_of(row.mode);
  }
}

TEST_F(ExchangeLanes, ActiveMaskIsWhoExecutesTogether) {
  Instruction mask = instruction_of(Opcode::kActiveMask, Type::kB32);
  run(mask, {.destinations = {4}, .sources = {}}, 0x00ff0010u);
  EXPECT_EQ(lanes<std::uint32_t>(4)[4], 0x00ff0010u);
  EXPECT_EQ(lanes<std::uint32_t>(4)[23], 0x00ff0010u);
  EXPECT_EQ(lanes<std::uint32_t>(4)[0], 0u);
}

TEST_F(ExchangeLanes, SpecialRegistersDescribeLaneWarpAndBlock) {
  device_.block = {5, 3, 4};
  device_.grid = {7, 8, 9};
  warp_.warp_index = 1;
  warp_.block_index = {6, 5, 4};
  for (int lane = 0; lane < 28; ++lane) {
    const int thread = 32 + lane;
    EXPECT_EQ(special_value(SpecialRegister::kTidX, warp_, lane),
              static_cast<std::uint64_t>(thread % 5));
    EXPECT_EQ(special_value(SpecialRegister::kTidY, warp_, lane),
              static_cast<std::uint64_t>(thread / 5 % 3));
    EXPECT_EQ(special_value(SpecialRegister::kTidZ, warp_, lane),
              static_cast<std::uint64_t>(thread / 15));
    std::uint64_t below = 0;
    for (int i = 0; i < lane; ++i) below |= std::uint64_t{1} << i;
    EXPECT_EQ(special_value(SpecialRegister::kLanemaskLt, warp_, lane), below);
    EXPECT_EQ(special_value(SpecialRegister::kLanemaskLe, warp_, lane),
              below | std::uint64_t{1} << lane);
    EXPECT_EQ(special_value(SpecialRegister::kLanemaskGe, warp_, lane), 0xffffffffu & ~below);
    EXPECT_EQ(special_value(SpecialRegister::kLanemaskGt, warp_, lane),
              0xffffffffu & ~below & ~(std::uint64_t{1} << lane));
  }
  EXPECT_EQ(special_value(SpecialRegister::kNtidY, warp_, 0), 3u);
  EXPECT_EQ(special_value(SpecialRegister::kCtaidZ, warp_, 0), 4u);
  EXPECT_EQ(special_value(SpecialRegister::kNctaidX, warp_, 0), 7u);
  EXPECT_EQ(special_value(SpecialRegister::kNWarpId, warp_, 0), 2u);
}

}  // namespace
}  // namespace raddle::kernel::exec

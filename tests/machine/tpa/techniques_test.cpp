#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <random>

#include "technique_programs.h"
#include "tpa_fixture.h"

namespace raddle::machine::tpa {
namespace {

constexpr std::array kOperators{Operator::kAdd, Operator::kSub,  Operator::kAnd, Operator::kOr,
                                Operator::kMax, Operator::kMaxU, Operator::kMin, Operator::kMinU};

Word random_word(std::mt19937_64& random) {
  constexpr std::array<Word, 6> kExtremes{
      0, 1, ~Word{0}, Word{1} << 63, ~(Word{1} << 63), (Word{1} << 63) + 1};
  return random() % 4 == 0 ? kExtremes[random() % kExtremes.size()] : random();
}

TechniqueCase random_case(const std::string& technique, Operator op, std::size_t fibers,
                          std::uint32_t targets, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  TechniqueCase made{technique, op, {}, {}, {}};
  for (std::size_t i = 0; i < fibers; ++i) {
    made.values.push_back(random_word(random));
    made.targets.push_back(static_cast<std::uint32_t>(random() % targets));
  }
  for (std::uint32_t t = 0; t < targets; ++t) made.old.push_back(random_word(random));
  return made;
}

Outcome run_case(const TechniqueCase& which, std::vector<std::string> assignments = {}) {
  TpaSetup setup;
  setup.assignments = std::move(assignments);
  setup.data["_M_"] = which.old;
  setup.data["_V_"] = which.values;
  setup.data["_T_"] = Words(which.targets.begin(), which.targets.end());
  return run_text(technique_program(which), setup);
}

void expect_right(const TechniqueCase& which, std::vector<std::string> assignments = {}) {
  const Expected expected = expected_of(which);
  const Outcome outcome = run_case(which, std::move(assignments));
  SCOPED_TRACE(testing::Message() << which.technique << " " << name_of(which.op) << " T "
                                  << which.values.size() << " M " << which.old.size());
  ASSERT_EQ(outcome.fault(), "none");
  EXPECT_EQ(outcome.words("_M_"), expected.memory);
  const bool is_prefix = which.technique.find("MP") != std::string::npos ||
                         which.technique.find('3') != std::string::npos;
  if (is_prefix) {
    EXPECT_EQ(outcome.words("_P_"), expected.prefixes);
  }
}

class Technique : public testing::TestWithParam<std::string> {};

TEST_P(Technique, EqualsTheHostForAllOperatorsAndExtremes) {
  std::uint64_t seed = 1;
  const std::uint32_t targets = GetParam() == "BF" ? 1 : 5;
  for (const Operator op : kOperators)
    expect_right(random_case(GetParam(), op, 333, targets, ++seed));
}

TEST_P(Technique, EqualsTheHostForThicknessesThatBackendsDoNotDivide) {
  std::uint64_t seed = 100;
  for (const std::size_t fibers : {1, 2, 7, 15, 16, 17, 31, 100, 1000}) {
    const std::uint32_t targets = GetParam() == "BF" ? 1 : 3;
    expect_right(random_case(GetParam(), Operator::kAdd, fibers, targets, ++seed));
  }
}

TEST_P(Technique, EqualsTheHostForManyTargets) {
  // Where the step cache cannot hold them the technique spills; others are refused below.
  const std::vector<std::string> spilling{"FS", "S2", "O2"};
  const bool spills = std::ranges::find(spilling, GetParam()) != spilling.end();
  for (const std::uint32_t targets : {1U, 2U, 64U, 1023U, 1024U, 1025U, 3000U}) {
    if (GetParam() == "BF" ? targets > 1 : targets > 1024 && !spills) continue;
    for (const Operator op : {Operator::kAdd, Operator::kSub, Operator::kMinU})
      expect_right(random_case(GetParam(), op, 5000, targets, targets));
  }
}

TEST_P(Technique, EqualsTheHostOnOtherNumbersOfBackends) {
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> meshes{{1, 1}, {3, 3}, {5, 1}, {6, 3}};
  for (const auto& [backends, width] : meshes) {
    for (const std::size_t fibers : {1, 4, 200}) {
      TechniqueCase which =
          random_case(GetParam(), Operator::kMin, fibers, GetParam() == "BF" ? 1 : 4, 9);
      which.backends = backends;
      for (const char* model : {"timetable", "routers"})
        expect_right(which, {fmt::format("backend.count={}", backends),
                             fmt::format("network.width={}", width), "network.planes=1",
                             fmt::format("network.model={}", model)});
    }
  }
}

TEST_P(Technique, EqualsTheHostOnAnIdealMemory) {
  expect_right(random_case(GetParam(), Operator::kAdd, 300, GetParam() == "BF" ? 1 : 4, 77),
               {"memory.ideal=true"});
}

INSTANTIATE_TEST_SUITE_P(Techniques, Technique,
                         testing::Values("FS", "S2", "BF", "O2", "ML", "3MP", "3MB", "O3M", "MPL",
                                         "MPS", "MMP", "I3MP", "IMMP"),
                         [](const auto& name) { return "is" + name.param; });

TEST(Multioperations, SpillWhatDoesNotFitWhereThatIsLegal) {
  for (const char* technique : {"S2", "O2", "FS"}) {
    const TechniqueCase which = random_case(technique, Operator::kAdd, 40'000, 3000, 5);
    expect_right(which);
    if (std::string(technique) != "FS") {
      EXPECT_GT(run_case(which).stat("scratchpad", "spills"), 0) << technique;
    }
  }
}

TEST(Multioperations, LeaveTheScratchpadFreeForTheNext) {
  const Outcome outcome = run_text(
      ".shared _a_ 2\n.shared _b_\nOP0 100 OP1 1 LWB33 O0 ADD0 FID,O1 WB0 A0 RT1 STCF\n"
      "OP0 _a_ OP1 8 OP2 3 RD0 AND0 FID,O1 ADD1 O0,A0 BSADD0 B0,A1 STCF\n"
      "OP0 _a_ OP1 8 OP2 3 RD0 AND0 FID,O1 ADD1 O0,A0 ESADD0 B0,A1 STCF\n"
      "OP0 _b_ RD0 BFADD0 B0,O0 STCF\nOP0 _b_ RD0 BMADD0 B0,O0 STCF\n"
      "OP0 _b_ RD0 EMADD0 B0,O0 STCF\n");
  EXPECT_EQ(outcome.fault(), "none");
  EXPECT_EQ(outcome.words("_b_")[0], 5050u);
  EXPECT_EQ(outcome.words("_a_")[0] + outcome.words("_a_")[1], 5050u);
}

TEST(Multioperations, LoadsCannotSpillAndSaySo) {
  const Outcome outcome = run_case(random_case("ML", Operator::kAdd, 40'000, 3000, 5));
  EXPECT_THAT(outcome.fault(),
              testing::MatchesRegex("test.tpa:8: a multioperation load has more than 1024 targets; "
                                    "nothing can be spilled, as loads use the path to memory .use "
                                    "O2, S2 or FS., by fiber [0-9]+"));
}

TEST(Multioperations, SaySoWhereSpillingIsOff) {
  const Outcome outcome =
      run_case(random_case("O2", Operator::kAdd, 40'000, 3000, 5), {"multioperations.spill=false"});
  EXPECT_THAT(outcome.fault(), testing::HasSubstr("more than 1024 targets in one multioperation, "
                                                  "and spilling is off"));
}

TEST(Multiprefixes, FaultWithOneTargetTooMany) {
  TechniqueCase which{"3MP", Operator::kAdd, {}, {}, Words(1025)};
  for (std::uint32_t i = 0; i < 1025 * 16; ++i) {
    which.values.push_back(1);
    which.targets.push_back(i % 1025);
  }
  EXPECT_THAT(run_case(which).fault(),
              testing::HasSubstr("a multiprefix has more targets than the step cache can hold"));
}

TEST(Multiprefixes, FastOnesGiveEveryPrefixOnce) {
  // All fibers add one to one word: what they get is a permutation of 0 … T-1.
  TechniqueCase which{"FMP", Operator::kAdd, Words(1000, 1), std::vector<std::uint32_t>(1000), {5}};
  const Outcome outcome = run_case(which);
  ASSERT_EQ(outcome.fault(), "none");
  EXPECT_EQ(outcome.words("_M_")[0], 1005u);
  Words prefixes = outcome.words("_P_");
  EXPECT_FALSE(std::ranges::is_sorted(prefixes)) << "backends are not in order";
  std::ranges::sort(prefixes);
  for (std::size_t i = 0; i < prefixes.size(); ++i) EXPECT_EQ(prefixes[i], i + 5);
}

// Whether fibers can have come to a target one after the other, each with the prefix it got. Those
// that change nothing go first; of those that change the target only one can have been next.
bool is_some_order(const TechniqueCase& which, const Words& prefixes, std::uint32_t target,
                   Word final) {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < prefixes.size(); ++i)
    if (which.targets[i] == target) left.push_back(i);
  Word now = which.old[target];
  while (!left.empty()) {
    const auto after = [&](std::size_t i) { return host_applied(which.op, now, which.values[i]); };
    auto next = std::ranges::find_if(
        left, [&](std::size_t i) { return prefixes[i] == now && after(i) == now; });
    if (next == left.end())
      next = std::ranges::find_if(left, [&](std::size_t i) { return prefixes[i] == now; });
    if (next == left.end()) return false;
    now = after(*next);
    left.erase(next);
  }
  return now == final;
}

TEST(Multiprefixes, FastOnesComeInSomeOrderForAllOperators) {
  std::uint64_t seed = 400;
  for (const Operator op : kOperators) {
    for (const std::size_t fibers : {1, 7, 17, 500}) {
      TechniqueCase which = random_case("FMP", op, fibers, 5, ++seed);
      // Sums of extremes come back to where they were, and then the order cannot be told.
      std::mt19937_64 random(seed);
      if (op == Operator::kAdd || op == Operator::kSub) std::ranges::generate(which.values, random);
      const Outcome outcome = run_case(which);
      ASSERT_EQ(outcome.fault(), "none");
      for (std::uint32_t t = 0; t < 5; ++t)
        EXPECT_TRUE(is_some_order(which, outcome.words("_P_"), t, outcome.words("_M_")[t]))
            << name_of(op) << " T " << fibers << " target " << t;
    }
  }
}

TEST(Multiprefixes, FastOnesAreOrderedWithinABackend) {
  // As many targets as backends, and each target's fibers on one backend.
  TechniqueCase which{"FMP", Operator::kAdd, {}, {}, Words(16)};
  for (std::uint32_t i = 0; i < 16 * 50; ++i) {
    which.values.push_back(i);
    which.targets.push_back(i / 50);
  }
  const Outcome outcome = run_case(which);
  EXPECT_EQ(outcome.words("_P_"), expected_of(which).prefixes);
  EXPECT_EQ(outcome.words("_M_"), expected_of(which).memory);
}

// Splits fibers by a condition into two arrays, or compacts.
std::string conditional_program(bool from_memory) {
  std::string text = ".param N 100\n.shared _n_ 2\n.shared _C_ N\n.shared _X_ N\n.shared _Y_ N\n";
  if (from_memory) {
    text +=
        "OP0 _n_ OP1 _n_+8 OP2 _C_ OP3 3 OP4 N LWB33 O4 SHL0 FID,O3 ADD1 O2,A0 CMPLADD0 O0,O1,A1 "
        "WB0 M0 WB1 M1 RT2 STCF\n";
  } else {
    text +=
        "OP0 _C_ OP1 3 OP2 N LWB33 O2 SHL0 FID,O1 ADD1 O0,A0 LDD0 A1 WB1 M0 RT2 STCF\n"
        "OP0 _n_ OP1 _n_+8 RD1 CBMPADD0 B1,O0,O1 WB0 M0 RT2 STCF\n";
  }
  text += "OP0 _n_ RD0 OMPADD0 B0,O0 RT2 STCF\n";
  text += "OP0 _n_ OP1 _n_+8 OP2 _X_ OP3 _Y_ RD0 RD1 CMPSADD0 FID,B0,B1,O0,O1,O2,O3 RT2 STCF\n";
  return text;
}

TEST(ConditionalMultiprefix, SplitsFibersInOrder) {
  std::mt19937_64 random(3);
  for (const bool from_memory : {true, false}) {
    for (const std::size_t fibers : {1, 5, 16, 100, 777}) {
      TpaSetup setup;
      setup.parameters["N"] = static_cast<std::int64_t>(fibers);
      Words first, second;
      for (std::size_t i = 0; i < fibers; ++i) {
        setup.data["_C_"].push_back(random() % 3 == 0 ? random() : 0);
        (setup.data["_C_"].back() != 0 ? first : second).push_back(i);
      }
      const Outcome outcome = run_text(conditional_program(from_memory), setup);
      ASSERT_EQ(outcome.fault(), "none");
      EXPECT_THAT(outcome.words("_n_"), testing::ElementsAre(first.size(), second.size()));
      first.resize(fibers);
      second.resize(fibers);
      EXPECT_EQ(outcome.words("_X_"), first);
      EXPECT_EQ(outcome.words("_Y_"), second);
    }
  }
}

}  // namespace
}  // namespace raddle::machine::tpa

#include "machine/energy_coefficients.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "base/error.h"
#include "test_paths.h"

namespace raddle::machine {
namespace {

using energy::Event;
using energy::StaticPower;

double picojoules(const energy::CoefficientSet& set, Event event) {
  return set.events[static_cast<std::size_t>(event)].value_or(Picojoule(-1)).count();
}

std::string error_of(std::string_view text, std::string_view variant = {}) {
  try {
    coefficients_from_toml(text, "e.toml", variant);
  } catch (const Error& error) {
    return error.full_text();
  }
  return "no error";
}

TEST(EnergyCoefficients, OfTheCircuitAreThoseOfTheirSources) {
  const energy::CoefficientSet set = load_coefficients("circuit");
  EXPECT_EQ(set.name, "circuit");
  EXPECT_EQ(picojoules(set, Event::register_read), 52);
  EXPECT_EQ(picojoules(set, Event::float_add), 16.7);
  EXPECT_EQ(picojoules(set, Event::dram_read), 81700);
  EXPECT_EQ(set.watts[static_cast<std::size_t>(StaticPower::load_store_power)], 0.911);
}

TEST(EnergyCoefficients, OfTheCardAreThoseOfTheFit) {
  EXPECT_EQ(picojoules(load_coefficients("card"), Event::network_flit), 1939);
}

// What a fabric does was not fitted: the circuit's figures, raised as the fit raised what is most
// like them.
TEST(EnergyCoefficients, OfTheCardRaiseAFabricsEventsAsTheFitRaisedTheirKin) {
  const energy::CoefficientSet circuit = load_coefficients("circuit");
  const energy::CoefficientSet card = load_coefficients("card");
  const auto factor = [&](Event event) {
    return picojoules(card, event) / picojoules(circuit, event);
  };
  for (const Event event : {Event::scratchpad_word_read, Event::scratchpad_word_write})
    EXPECT_NEAR(factor(event) / factor(Event::l1_read), 1, 0.005);
  for (const Event event : {Event::token_read, Event::token_write, Event::token_hop})
    EXPECT_NEAR(factor(event) / factor(Event::instruction_schedule), 1, 0.005);
  EXPECT_NEAR(picojoules(load_coefficients("card:network"), Event::token_hop) /
                  picojoules(circuit, Event::token_hop) / factor(Event::network_flit),
              1, 0.005);
}

TEST(EnergyCoefficients, CoverEveryEventInTheCircuitSet) {
  const energy::CoefficientSet set = load_coefficients("circuit");
  for (std::size_t i = 0; i < energy::kEvents; ++i)
    EXPECT_TRUE(set.events[i].has_value()) << energy::event_descriptions()[i].name;
}

TEST(EnergyCoefficients, TakeAVariantsValuesInPlaceOfTheOthers) {
  const energy::CoefficientSet set = load_coefficients("circuit:horowitz");
  EXPECT_EQ(set.name, "circuit:horowitz");
  EXPECT_EQ(picojoules(set, Event::float_add), 0.9);
  EXPECT_EQ(picojoules(set, Event::register_read), 52);
  EXPECT_EQ(picojoules(set, Event::scratchpad_word_read), 5);
  const energy::CoefficientSet cacti = load_coefficients("circuit:cacti");
  EXPECT_EQ(picojoules(cacti, Event::l1_read), 72);
  EXPECT_EQ(picojoules(cacti, Event::l2_write), 90);
  EXPECT_EQ(picojoules(cacti, Event::float_add), 16.7);
}

// A line that is read alone, or moved, must still say where its figure comes from.
TEST(EnergyCoefficients, NameTheirSourceOnEveryLine) {
  for (const char* set : {"circuit", "card"}) {
    std::ifstream file(fmt::format("{}/machines/energy/{}.toml", test_root(), set));
    std::size_t values = 0;
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("#") || line.find(" = ") == line.npos || line.ends_with("\"")) continue;
      ++values;
      const bool is_named = std::ranges::any_of(
          std::array{"GPUWattch", "Aladdin", "CACTI", "Horowitz", "Table III", "chosen: "},
          [&](const char* source) { return line.find(source) != line.npos; });
      EXPECT_TRUE(is_named) << line;
    }
    EXPECT_GT(values, 20U) << set;
  }
}

TEST(EnergyCoefficients, NameTheNearestOfWhatIsUnknown) {
  EXPECT_EQ(error_of("set = \"s\"\nfloat_ad = 1  # pJ; me\n"),
            "e.toml: unknown energy event 'float_ad'\nhint: did you mean 'float_add'?");
  EXPECT_EQ(error_of("set = \"s\"\n[variant.low]\nshift = 1  # pJ; me\n", "lou"),
            "e.toml: the energy set 's' has no variant 'lou'\nhint: did you mean 'low'?");
  EXPECT_EQ(
      error_of("set = \"s\"\nshift = 1  # W; me\n"),
      "e.toml: coefficient 'shift' is in 'W', not in pJ\nhint: write: shift = 1   # pJ; source");
  EXPECT_EQ(error_of("set = \"s\"\nshift = -1  # pJ; me\n"),
            "e.toml: coefficient 'shift' is not a non-negative number");
  EXPECT_EQ(error_of("set = \"s\"\nshift = 1\n"),
            "e.toml:2: parameter 'shift' lacks its source\nhint: write: shift = 1   # source");
  EXPECT_EQ(error_of("shift = 1  # pJ; me\n"),
            "e.toml: the table does not name its set\nhint: write: set = \"NAME\"");
  try {
    load_coefficients("circiut");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.full_text(), "unknown energy set 'circiut'\nhint: did you mean 'circuit'?");
  }
}

TEST(EnergyCoefficients, FillInALaunch) {
  energy::EventCounts counts;
  counts.add(Event::float_add, 10);
  LaunchResult result;
  charge_energy(counts, load_coefficients("circuit"), result);
  EXPECT_EQ(result.energy_set, "circuit");
  ASSERT_EQ(result.energy.size(), 1U);
  EXPECT_EQ(result.energy[0].name, "units");
  EXPECT_DOUBLE_EQ(result.energy[0].value, 167);
}

}  // namespace
}  // namespace raddle::machine

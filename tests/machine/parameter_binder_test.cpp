#include "machine/parameter_binder.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

#include "base/error.h"
#include "machine/machine.h"

namespace raddle::machine {
namespace {

enum class Colour : std::uint8_t { kRed, kGreen };

struct LoomParameters {
  explicit LoomParameters(const ParameterBinder& p) {
    p.hertz("clock_hz", clock, "of the loom");
    const ParameterBinder cache = p.section("cache");
    cache.integer("ways", ways, "ways", "lines of a set", {1, 16});
    cache.power_of_two("bytes", bytes, "bytes", "in all");
    cache.cycles("latency", latency, "of a hit");
    p.number("weight", weight, "kg", "of the beam", {0, 10});
    p.boolean("enabled", enabled, "it weaves");
    p.choice("colour", colour, {{"red", Colour::kRed}, {"green", Colour::kGreen}}, "of the warp");
    p.choice("policy", policy, {"oldest", "newest"}, "which thread goes first");
    p.text("title", title, "name", "of the cloth");
    if (const auto part = p.part_with("extra.mode")) {
      part->text("extra.mode", mode, "mode", "of the extra");
      part->integer("extra.size", size, "threads", "of the extra");
    }
    std::string any;
    p.text("kernel.any", any, "mode", "of one kernel");
    kernels = p.entries("kernel");
  }

  Hertz clock{1e9};
  std::uint32_t ways = 4;
  Bytes bytes{1024};
  Cycle latency{3};
  double weight = 2.5;
  bool enabled = true;
  Colour colour = Colour::kGreen;
  std::string policy = "newest";
  std::string title = "plain";
  std::string mode = "off";
  std::uint32_t size = 7;
  std::vector<std::pair<std::string, std::string>> kernels;
};

class LoomMachine : public Machine {
 public:
  using Parameters = LoomParameters;
  explicit LoomMachine(const ParameterTable& table) : Machine(table) {}
  static Traits traits(const ParameterTable& /*table*/) { return {}; }
  Peaks peaks() const override { return {}; }
};
RADDLE_REGISTER_MACHINE("loom", LoomMachine);

ParameterTable loom(const std::string& rest = {}) {
  return ParameterTable::from_toml("machine = \"loom\"\n" + rest, "loom.toml");
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.full_text();
  }
  return "no error";
}

std::string refusal(const std::string& rest) {
  return error_of([&] { LoomParameters{loom(rest)}; });
}

TEST(ParameterBinder, KeysThatATableLeavesOutHaveTheirDefaults) {
  const LoomParameters p(loom("[cache]\nways = 8 # chosen\n"));
  EXPECT_EQ(p.ways, 8u);
  EXPECT_EQ(p.bytes, Bytes(1024));
  EXPECT_EQ(p.latency, Cycle(3));
  EXPECT_EQ(p.clock, Hertz(1e9));
  EXPECT_EQ(p.weight, 2.5);
  EXPECT_TRUE(p.enabled);
  EXPECT_EQ(p.colour, Colour::kGreen);
  EXPECT_EQ(p.policy, "newest");
  EXPECT_EQ(p.title, "plain");
}

TEST(ParameterBinder, FieldsAreReadFromTheTable) {
  ParameterTable table = loom("colour = \"red\" # chosen\n");
  for (const char* setting : {"cache.bytes=2048", "cache.latency=9", "clock_hz=2e9", "weight=3",
                              "enabled=false", "policy=oldest", "title=twill", "kernel.step=fast"})
    table.set(setting);
  const LoomParameters p(table);
  EXPECT_EQ(p.bytes, Bytes(2048));
  EXPECT_EQ(p.latency, Cycle(9));
  EXPECT_EQ(p.clock, Hertz(2e9));
  EXPECT_EQ(p.weight, 3);
  EXPECT_FALSE(p.enabled);
  EXPECT_EQ(p.colour, Colour::kRed);
  EXPECT_EQ(p.policy, "oldest");
  EXPECT_EQ(p.title, "twill");
  ASSERT_EQ(p.kernels.size(), 1u);
  EXPECT_EQ(p.kernels[0], std::pair(std::string("step"), std::string("fast")));
}

TEST(ParameterBinder, HashIsThatOfTheWholeTable) {
  EXPECT_EQ(loom().hash(), loom("[cache]\nways = 4 # a paper\n").hash());
  EXPECT_NE(loom().hash(), loom("[cache]\nways = 5 # a paper\n").hash());
}

TEST(ParameterBinder, UnitAndMeaningComeFromTheDeclaration) {
  const std::string shown = loom(
                                "[cache]\nways = 8 # ways; Table 2; read twice\n"
                                "latency = 4 # of a hit, roughly; Table 3\n")
                                .to_toml();
  EXPECT_NE(shown.find("# ways: lines of a set; Table 2; read twice\n"), std::string::npos)
      << shown;
  EXPECT_NE(shown.find("# cycles: of a hit; of a hit, roughly; Table 3\n"), std::string::npos);
  EXPECT_NE(shown.find("# \"red\" or \"green\": of the warp; default\n"), std::string::npos);
  EXPECT_NE(shown.find("# true or false: it weaves; default\n"), std::string::npos);
  const ParameterTable again = ParameterTable::from_toml(shown, "again.toml");
  EXPECT_EQ(again.to_toml(), shown);
}

TEST(ParameterBinder, RefusesWhatIsOutOfRangeInExactWords) {
  EXPECT_EQ(refusal("[cache]\nways = 17 # chosen\n"),
            "loom.toml:3: parameter 'cache.ways' is 17, but must be from 1 to 16\n"
            "hint: its unit: ways; `raddle machines show loom` prints all parameters");
  EXPECT_EQ(refusal("[cache]\nbytes = 96 # chosen\n"),
            "loom.toml:3: cache.bytes = 96 is not a power of two\n"
            "hint: the nearest are 64 and 128");
  EXPECT_EQ(refusal("colour = \"gren\" # chosen\n"),
            "loom.toml:2: colour = \"gren\" is not a known value\n"
            "hint: did you mean 'green'? known: red, green");
  ParameterTable table = loom();
  table.set("weight=11");
  EXPECT_EQ(error_of([&] { LoomParameters{table}; }),
            "parameter 'weight' is 11.0, but must be from 0.0 to 10.0\n"
            "hint: its unit: kg; `raddle machines show loom` prints all parameters");
}

TEST(ParameterBinder, UnknownKeysOfAFileAreRefusedWithTheNearest) {
  EXPECT_EQ(refusal("[cache]\nway = 4 # chosen\n"),
            "loom.toml:3: machine 'loom' has no parameter 'cache.way'\n"
            "hint: did you mean 'cache.ways'?");
}

TEST(ParameterBinder, ANumberWrittenWholeMayBeSetToAFraction) {
  ParameterTable table = loom("weight = 2 # chosen\n");
  table.set("weight=1.5");
  EXPECT_EQ(LoomParameters(table).weight, 1.5);
  EXPECT_EQ(error_of([&] { table.set("weight=heavy"); }),
            "parameter 'weight' is a number, not 'heavy'\nhint: its value in 'loom' is 1.5");
  EXPECT_EQ(error_of([&] { table.set("cache.ways=1.5"); }),
            "parameter 'cache.ways' is a whole number, not '1.5'\nhint: its value in 'loom' is 4");
}

TEST(ParameterBinder, APartBelongsToTablesWithItsKeyAlone) {
  EXPECT_FALSE(loom().has("extra.size"));
  const ParameterTable table = loom("[extra]\nmode = \"on\" # chosen\n");
  EXPECT_EQ(table.integer("extra.size"), 7);
  EXPECT_EQ(LoomParameters(table).mode, "on");
}

// Every shipped machine: what it declares is complete, and what its table says is declared.
TEST(DeclaredParameters, HaveUnitAndMeaningAndAreDeclaredOnce) {
  std::set<std::string> implementations;
  for (const MachineName& machine : machine_names())
    implementations.insert(load_parameters(machine.name).machine());
  EXPECT_GE(implementations.size(), 7u);
  for (const std::string& implementation : implementations) {
    SCOPED_TRACE(implementation);
    const auto declared = declared_parameters(implementation);
    ASSERT_TRUE(declared.has_value());
    std::set<std::string> keys;
    for (const ParameterDeclaration& d : *declared) {
      SCOPED_TRACE(d.key);
      EXPECT_TRUE(keys.insert(d.key).second);
      EXPECT_FALSE(d.unit.empty());
      EXPECT_FALSE(d.sentence.empty());
      // As `machines show` prints "unit: meaning; source".
      EXPECT_EQ(d.unit.find_first_of(":;"), std::string::npos);
      EXPECT_EQ(d.sentence.find(';'), std::string::npos);
    }
  }
}

TEST(DeclaredParameters, TablesThatArePrintedReadBackTheSame) {
  for (const MachineName& machine : machine_names()) {
    SCOPED_TRACE(machine.name);
    const ParameterTable table = load_parameters(machine.name);
    const ParameterTable again = ParameterTable::from_toml(table.to_toml(), "again.toml");
    EXPECT_EQ(again.hash(), table.hash());
    EXPECT_EQ(again.to_toml(), table.to_toml());
  }
}

}  // namespace
}  // namespace raddle::machine

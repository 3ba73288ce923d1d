#include "machine/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "base/error.h"
#include "machine/parameter_text.h"

namespace raddle::machine {
namespace {

constexpr const char* kExample = R"(# A machine for tests.
machine = "toy"
description = "a # toy; for tests"
clock_hz = 1.4e9     # Hz; data sheet, table 2
enabled = true       # 1; chosen: on
policy = "gto"       # name; section 3 # with a hash
[l2]
ways = 8             # 1; measured
bytes = 786_432      # bytes; table 1; footnote
)";

ParameterTable example() { return ParameterTable::from_toml(kExample, "machines/toy.toml"); }

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.full_text();
  }
  return "no error";
}

std::string error_of_reading(const std::string& text) {
  return error_of([&] { ParameterTable::from_toml(text, "toy.toml"); });
}

TEST(ParameterTable, HoldsTypedValuesByDottedKey) {
  const ParameterTable table = example();
  EXPECT_EQ(table.machine(), "toy");
  EXPECT_EQ(table.name(), "toy");
  EXPECT_EQ(table.text("description"), "a # toy; for tests");
  EXPECT_EQ(table.number("clock_hz"), 1.4e9);
  EXPECT_TRUE(table.boolean("enabled"));
  EXPECT_EQ(table.text("policy"), "gto");
  EXPECT_EQ(table.integer("l2.bytes"), 786432);
  EXPECT_EQ(table.number("l2.ways"), 8.0);
  EXPECT_TRUE(table.has("l2.ways"));
  EXPECT_FALSE(table.has("ways"));
}

TEST(ParameterTable, TakesUnitAndSourceFromTheComment) {
  const ParameterTable table = example();
  ASSERT_EQ(table.all().size(), 7u);
  EXPECT_EQ(table.all()[2].key, "clock_hz");
  EXPECT_EQ(table.all()[2].unit, "Hz");
  EXPECT_EQ(table.all()[2].source, "data sheet, table 2");
  EXPECT_EQ(table.all()[4].source, "section 3 # with a hash");
  EXPECT_EQ(table.all()[6].source, "table 1; footnote");
}

TEST(ParameterTable, KeepsTheOrderOfTheFile) {
  std::string keys;
  const ParameterTable table = example();
  for (const Parameter& parameter : table.all()) keys += parameter.key + " ";
  EXPECT_EQ(keys, "machine description clock_hz enabled policy l2.ways l2.bytes ");
}

TEST(ParameterTable, PrintsATableThatReadsBackTheSame) {
  const ParameterTable table = example();
  EXPECT_EQ(table.to_toml(),
            "machine = \"toy\"\n"
            "description = \"a # toy; for tests\"\n"
            "clock_hz = 1400000000.0   # Hz; data sheet, table 2\n"
            "enabled = true            # 1; chosen: on\n"
            "policy = \"gto\"            # name; section 3 # with a hash\n"
            "\n[l2]\n"
            "ways = 8                  # 1; measured\n"
            "bytes = 786432            # bytes; table 1; footnote\n");
  const ParameterTable again = ParameterTable::from_toml(table.to_toml(), "again.toml");
  EXPECT_EQ(again.to_toml(), table.to_toml());
  EXPECT_EQ(again.hash(), table.hash());
}

TEST(ParameterTable, PrintsTextsThatNeedEscapes) {
  const ParameterTable table = ParameterTable::from_toml(
      "machine = \"toy\"\ntitle = 'C:\\x \"y\" # z' # name; chosen\n", "toy.toml");
  EXPECT_EQ(table.text("title"), "C:\\x \"y\" # z");
  EXPECT_EQ(ParameterTable::from_toml(table.to_toml(), "again.toml").text("title"),
            table.text("title"));
}

TEST(ParameterTable, OverridesKeepTheTypeAndAreMarked) {
  ParameterTable table = example();
  table.set("l2.bytes=1_048_576");
  table.set("clock_hz = 2000000000");
  table.set("enabled=false");
  table.set("policy=lrr");
  EXPECT_EQ(table.integer("l2.bytes"), 1048576);
  EXPECT_EQ(table.number("clock_hz"), 2e9);
  EXPECT_FALSE(table.boolean("enabled"));
  EXPECT_EQ(table.text("policy"), "lrr");
  EXPECT_TRUE(table.all()[6].overridden);
  EXPECT_FALSE(table.all()[5].overridden);
  EXPECT_EQ(table.all()[6].unit, "bytes");
}

TEST(ParameterTable, UnknownKeySuggestsTheNearest) {
  ParameterTable table = example();
  EXPECT_EQ(error_of([&] { table.set("clok_hz=1"); }),
            "unknown parameter 'clok_hz' of machine 'toy'\n"
            "hint: did you mean 'clock_hz'? `raddle machines show toy` lists them");
  EXPECT_EQ(error_of([&] { table.set("bytes=1"); }),
            "unknown parameter 'bytes' of machine 'toy'\n"
            "hint: did you mean 'l2.bytes'? `raddle machines show toy` lists them");
  EXPECT_EQ(
      error_of([&] { table.set("voltage=1"); }),
      "unknown parameter 'voltage' of machine 'toy'\nhint: `raddle machines show toy` lists them");
}

TEST(ParameterTable, WrongTypesAreRefusedAndChangeNothing) {
  ParameterTable table = example();
  EXPECT_EQ(error_of([&] { table.set("l2.ways=1.5"); }),
            "parameter 'l2.ways' is a whole number, not '1.5'\nhint: its value in 'toy' is 8");
  EXPECT_EQ(
      error_of([&] { table.set("clock_hz=fast"); }),
      "parameter 'clock_hz' is a number, not 'fast'\nhint: its value in 'toy' is 1400000000.0");
  EXPECT_EQ(error_of([&] { table.set("enabled=1"); }),
            "parameter 'enabled' is true or false, not '1'\nhint: its value in 'toy' is true");
  EXPECT_EQ(error_of([&] { table.set("l2.ways="); }),
            "parameter 'l2.ways' is a whole number, not ''\nhint: its value in 'toy' is 8");
  EXPECT_EQ(error_of([&] { table.set("l2.ways"); }),
            "'l2.ways' is not an assignment\nhint: write --set KEY=VALUE");
  EXPECT_EQ(error_of([&] { table.set("machine=ref"); }),
            "parameter 'machine' cannot be set\nhint: choose another machine with -m NAME");
  EXPECT_EQ(table.to_toml(), example().to_toml());
}

TEST(ParameterTable, NumbersBeyondTheirTypeAreRefused) {
  ParameterTable table = example();
  EXPECT_EQ(error_of([&] { table.set("l2.ways=99999999999999999999"); }),
            "parameter 'l2.ways' is a whole number, not '99999999999999999999'\nhint: its value in "
            "'toy' is 8");
  EXPECT_EQ(
      error_of([&] { table.set("clock_hz=nan"); }),
      "parameter 'clock_hz' is a number, not 'nan'\nhint: its value in 'toy' is 1400000000.0");
}

TEST(ParameterTable, AskingForTheWrongTypeNamesTheFile) {
  const ParameterTable table = example();
  EXPECT_EQ(error_of([&] { static_cast<void>(table.integer("clock_hz")); }),
            "machines/toy.toml:4: parameter 'clock_hz' must be a whole number, not 1400000000.0");
  EXPECT_EQ(error_of([&] { static_cast<void>(table.text("l2.ways")); }),
            "machines/toy.toml:8: parameter 'l2.ways' must be a string, not 8");
  EXPECT_EQ(error_of([&] { static_cast<void>(table.number("sms")); }),
            "machines/toy.toml: parameter 'sms' is missing\n"
            "hint: `raddle machines show NAME` prints a complete table");
}

TEST(ParameterTable, ValuesWithinARangeAreGivenItsEndsIncluded) {
  ParameterTable table = example();
  EXPECT_EQ(table.integer_in("l2.ways", 1, 8), 8);
  EXPECT_EQ(table.integer_in("l2.ways", 8, 64), 8);
  EXPECT_EQ(table.number_in("clock_hz", 1.4e9, 1e12), 1.4e9);
  table.set("l2.ways=-3");
  EXPECT_EQ(table.integer_in("l2.ways", -5, 0), -3);
}

TEST(ParameterTable, ValuesOutsideARangeAreRefusedInExactWords) {
  ParameterTable table = example();
  EXPECT_EQ(error_of([&] { static_cast<void>(table.integer_in("l2.ways", 16, 64)); }),
            "machines/toy.toml:8: parameter 'l2.ways' is 8, but must be from 16 to 64\n"
            "hint: `raddle machines show toy` prints all parameters");
  table.set("clock_hz=-1");
  EXPECT_EQ(error_of([&] { static_cast<void>(table.number_in("clock_hz", 1e3, 1e12)); }),
            "parameter 'clock_hz' is -1.0, but must be from 1000.0 to 1000000000000.0\n"
            "hint: its unit: Hz; `raddle machines show toy` prints all parameters");
  table.set("l2.bytes=9223372036854775807");
  EXPECT_EQ(error_of([&] { static_cast<void>(table.integer_in("l2.bytes", 4096, 4096)); }),
            "parameter 'l2.bytes' is 9223372036854775807, but must be 4096\n"
            "hint: its unit: bytes; `raddle machines show toy` prints all parameters");
  EXPECT_EQ(error_of([&] { static_cast<void>(table.integer_in("clock_hz", 1, 2)); }),
            "parameter 'clock_hz' must be a whole number, not -1.0");
}

TEST(ParameterTable, ValuesWithoutSourceAreFound) {
  const ParameterTable table = ParameterTable::from_toml(
      "machine = \"toy\"\nways = 8\nsets = 4  # sets;\nbanks = 2  # chosen\n", "toy.toml");
  EXPECT_EQ(table.integer("ways"), 8);
  ASSERT_EQ(table.without_source().size(), 2u);
  EXPECT_EQ(table.without_source()[0].key, "ways");
  EXPECT_EQ(table.place_of(table.without_source()[1].key), "toy.toml:3");
  // They are still found in what `raddle machines show` prints.
  EXPECT_EQ(ParameterTable::from_toml(table.to_toml(), "again.toml").without_source().size(), 2u);
}

ParameterTable example_of(const std::string& name) {
  EXPECT_EQ(name, "toy");
  return example();
}

TEST(ParameterTable, TakesFromItsBaseWhatItLeavesOut) {
  const ParameterTable table = ParameterTable::from_toml(
      "base = \"toy\"\nenabled = false # chosen\n[l2]\nways = 16 # chosen\nbanks = 2 # chosen\n",
      "mine.toml", example_of);
  EXPECT_EQ(table.name(), "mine");
  EXPECT_EQ(table.machine(), "toy");
  EXPECT_FALSE(table.has("base"));
  EXPECT_FALSE(table.boolean("enabled"));
  EXPECT_EQ(table.integer("l2.ways"), 16);
  EXPECT_EQ(table.integer("l2.bytes"), 786432);
  EXPECT_EQ(table.integer("l2.banks"), 2);
  EXPECT_EQ(table.place_of("l2.ways"), "mine.toml:4");
  EXPECT_EQ(table.place_of("l2.bytes"), "machines/toy.toml:9");
  EXPECT_TRUE(table.without_source().empty());
  // Written out, it is a whole table of the same values.
  EXPECT_EQ(ParameterTable::from_toml(table.to_toml(), "whole.toml").hash(), table.hash());
}

TEST(ParameterTable, AMachineAndABaseExcludeEachOther) {
  EXPECT_EQ(error_of([] {
              ParameterTable::from_toml("machine = \"toy\"\nbase = \"toy\"\n", "mine.toml",
                                        example_of);
            }),
            "mine.toml:1: a table has a machine or a base, not both\n"
            "hint: remove 'machine': it is the base's");
  EXPECT_EQ(error_of([] {
              ParameterTable::from_toml("\nbase = \"tyo\"\n", "mine.toml",
                                        [](const std::string& name) -> ParameterTable {
                                          throw Error("unknown machine '" + name + "'", {}, "look");
                                        });
            }),
            "mine.toml:2: unknown machine 'tyo'\nhint: look");
}

TEST(ParameterTable, BadTomlIsNamedWithItsLine) {
  EXPECT_THAT(error_of_reading("machine = \"toy\"\nways = = 8\n"),
              testing::StartsWith("toy.toml:2: "));
  EXPECT_EQ(error_of_reading("ways = 8 # 1; chosen\n"),
            "toy.toml: the table does not name its machine\n"
            "hint: write: machine = \"ref\", or base = \"fermi\" and what differs from it");
  EXPECT_EQ(error_of_reading("machine = \"toy\"\nlist = [1, 2] # 1; chosen\n"),
            "toy.toml:2: parameter 'list' is not a string, a number or a boolean");
  EXPECT_EQ(error_of_reading("machine = \"toy\"\n\"a b\" = 1 # 1; chosen\n"),
            "toy.toml:2: 'a b' is not a plain parameter name");
  EXPECT_EQ(error_of_reading("machine = \"toy\"\nx = inf # 1; chosen\n"),
            "toy.toml:2: parameter 'x' is not finite");
}

TEST(ParameterTable, ATableWithAModeIsSetByItsName) {
  ParameterTable table = ParameterTable::from_toml(
      "machine = \"toy\"\n[sharing]\nmode = \"off\" # mode; chosen\n", "toy.toml");
  table.set("sharing=on");
  EXPECT_EQ(table.text("sharing.mode"), "on");
}

TEST(ParameterTable, ATableWithAnAnyTakesOtherNamesLikeIt) {
  ParameterTable table = ParameterTable::from_toml(
      "machine = \"toy\"\n[kernel]\nany = \"\" # mode; chosen\nlast = 1 # 1; chosen\n", "toy.toml");
  table.set("kernel.step=fast");
  EXPECT_EQ(table.text("kernel.step"), "fast");
  const ParameterTable again = ParameterTable::from_toml(table.to_toml(), "again.toml");
  EXPECT_EQ(again.text("kernel.step"), "fast");
  EXPECT_EQ(again.hash(), table.hash());
  EXPECT_EQ(error_of([&] { table.set("kernel.a b=fast"); }),
            "unknown parameter 'kernel.a b' of machine 'toy'\nhint: did you mean 'kernel.any'? "
            "`raddle machines show toy` lists them");
}

TEST(ParameterTable, HashDependsOnValuesAndNotOnCommentsOrOrder) {
  const auto hash = [](const std::string& rest) {
    return ParameterTable::from_toml("machine = \"toy\"\n" + rest, "toy.toml").hash();
  };
  const std::string base = hash("a = 1 # 1; x\nb = 2 # 1; y\n");
  EXPECT_EQ(base.size(), 16u);
  EXPECT_EQ(base, hash("description = \"other\"\nb = 2 # B; z\na = 1 # 1; x\n"));
  EXPECT_NE(base, hash("a = 1 # 1; x\nb = 3 # 1; y\n"));
  EXPECT_NE(base, hash("a = 1.0 # 1; x\nb = 2 # 1; y\n"));
  EXPECT_NE(base, hash("a = \"1\" # 1; x\nb = 2 # 1; y\n"));
  EXPECT_NE(base, hash("a = 1 # 1; x\n"));
}

TEST(ParameterText, CommentStartsAtTheFirstHashOutsideQuotes) {
  EXPECT_EQ(comment_of("a = 1 # x; y "), "x; y");
  EXPECT_EQ(comment_of("a = \"#\\\"#\" # x"), "x");
  EXPECT_EQ(comment_of("a = '#' "), "");
}

}  // namespace
}  // namespace raddle::machine

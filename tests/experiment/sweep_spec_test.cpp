#include "experiment/sweep_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/temporary_folder.h"
#include "experiment/sweep.h"

namespace raddle::experiment {
namespace {

using testing::ElementsAre;

// The message that reading the spec, or making its cells, gives.
std::string complaint(const std::string& text) {
  try {
    sweep_of(parse_sweep_spec(text, "s.toml"));
  } catch (const Error& error) {
    return error.full_text();
  }
  return "none";
}

std::vector<std::string> names_of(const std::string& text) {
  const SweepSpec spec = parse_sweep_spec(text, "s.toml");
  std::vector<std::string> names;
  for (const SweepCell& cell : sweep_of(spec).cells) names.push_back(cell.name);
  return names;
}

TEST(SweepSpec, ReadsAxesInTheOrderOfTheFile) {
  const SweepSpec spec = parse_sweep_spec(R"(
description = "why"
figures = ["memory.global.bytes_read"]
[axes]
size = [64, 128]
program = ["matmul"]
set.multiprocessors = [4, 16]
[cell]
arguments = ["{size}", 7, 0.5, true]
)",
                                          "some/folder/sizes.toml");
  EXPECT_EQ(spec.name, "sizes");
  EXPECT_EQ(spec.description, "why");
  EXPECT_THAT(spec.figures, ElementsAre("memory.global.bytes_read"));
  ASSERT_EQ(spec.axes.size(), 3u);
  EXPECT_EQ(spec.axes[0].name, "size");
  EXPECT_EQ(spec.axes[1].name, "program");
  EXPECT_EQ(spec.axes[2].name, "multiprocessors");
  EXPECT_EQ(spec.axes[2].line, 7u);

  const std::vector<SweepCell> cells = sweep_of(spec).cells;
  ASSERT_EQ(cells.size(), 4u);
  EXPECT_THAT(cells[1].labels, ElementsAre("64", "matmul", "16"));
  EXPECT_THAT(cells[1].arguments, ElementsAre("64", "7", "0.5", "true"));
  EXPECT_THAT(cells[1].assignments, ElementsAre("multiprocessors=16"));
  EXPECT_EQ(cells[1].program, "matmul");
  EXPECT_EQ(cells[1].machine, "ref");
  EXPECT_EQ(cells[1].name, "size=64 multiprocessors=16");
}

TEST(SweepSpec, TakesWholeSettingsAsValuesOfAnAxis) {
  const std::vector<SweepCell> cells = sweep_of(parse_sweep_spec(R"(
[axes]
work = [
  { label = "small", program = "matmul", arguments = [64, 64] },
  { label = "odd", program = "dir/own.cu", arguments = "{work}", set = { multiprocessors = 2 }, cc = "-DN=4" },
]
arguments = [["1", "two words"], "3"]
[cell]
timeout = 60
max_cycles = 1000
check = true
inputs = "graph.txt"
)",
                                                                 "specs/s.toml"))
                                           .cells;
  ASSERT_EQ(cells.size(), 4u);
  EXPECT_THAT(cells[0].labels, ElementsAre("small", "1 'two words'"));
  // A later axis has the last word.
  EXPECT_THAT(cells[0].arguments, ElementsAre("1", "two words"));
  EXPECT_EQ(cells[0].program, "matmul");
  EXPECT_EQ(cells[0].timeout_seconds, 60);
  EXPECT_EQ(cells[0].max_cycles, 1000u);
  EXPECT_TRUE(cells[0].check);
  EXPECT_THAT(cells[0].inputs, ElementsAre("specs/graph.txt"));
  EXPECT_THAT(cells[3].arguments, ElementsAre("3"));
  EXPECT_EQ(cells[3].program, "specs/dir/own.cu");
  EXPECT_EQ(cells[3].compile_flags, "-DN=4");
  EXPECT_THAT(cells[3].assignments, ElementsAre("multiprocessors=2"));
  EXPECT_NE(cells[0].parameters_hash, cells[3].parameters_hash);
}

TEST(SweepSpec, LeavesOutAndAddsCells) {
  EXPECT_THAT(names_of(R"(
[axes]
program = ["a", "b"]
n = [1, 2, 3]
[cell]
arguments = ["{n}"]
[[exclude]]
program = "b"
n = [2, 3]
[[include]]
program = "a"
n = [3, 9]
[[include]]
n = 10
)"),
              ElementsAre("a n=1", "a n=2", "a n=3", "b n=1", "a n=9", "a n=10", "b n=10"));
}

TEST(SweepSpec, WithoutAxesIsOneCell) {
  EXPECT_THAT(names_of("[cell]\nprogram = \"matmul\"\n"), ElementsAre("matmul"));
}

TEST(SweepSpec, WritesBracesTwice) {
  const std::vector<SweepCell> cells =
      sweep_of(parse_sweep_spec(
                   "[axes]\nn = [5]\n[cell]\nprogram = \"p\"\narguments = \"{{{n}}}\"\n", "s"))
          .cells;
  EXPECT_THAT(cells[0].arguments, ElementsAre("{5}"));
}

TEST(SweepSpec, SaysWhichKeyIsUnknown) {
  EXPECT_EQ(complaint("[axis]\nprogram = [\"a\"]\n"),
            "s.toml:1: unknown key 'axis'\nhint: did you mean 'axes'?");
  EXPECT_EQ(complaint("speed = 1\n"),
            "s.toml:1: unknown key 'speed'\n"
            "hint: known: name, description, figures, axes, cell, include, exclude");
  EXPECT_EQ(complaint("[cell]\nprogramm = \"a\"\n"),
            "s.toml:2: unknown key 'programm' of [cell]\nhint: did you mean 'program'?");
  EXPECT_EQ(complaint("[axes]\nw = [{ label = \"x\", argumets = 5 }]\n"),
            "s.toml:2: unknown key 'argumets' of a value of axis 'w'\n"
            "hint: did you mean 'arguments'?");
  EXPECT_EQ(complaint("[axes]\nprogam = [\"a\"]\n"),
            "s.toml:2: axis 'progam' changes nothing\nhint: did you mean 'program'?");
  EXPECT_EQ(complaint("[axes]\nn = [1]\nprogram = [\"a\"]\n"),
            "s.toml:2: axis 'n' changes nothing\n"
            "hint: use it in [cell], for example arguments = [\"{n}\"]");
  EXPECT_EQ(complaint("[axes]\nsize = [1]\n[cell]\narguments = [\"{sise}\"]\n"),
            "s.toml:4: {sise} does not name an axis\nhint: did you mean 'size'?");
  EXPECT_EQ(complaint("[cell]\narguments = [\"{n}\"]\n"),
            "s.toml:2: {n} does not name an axis\nhint: the sweep has no [axes]");
  EXPECT_EQ(complaint("[axes]\nprogram = [\"a\"]\n[[exclude]]\nprogramme = \"a\"\n"),
            "s.toml:4: 'programme' is not an axis\nhint: did you mean 'program'?");
}

TEST(SweepSpec, SaysWhatIsWrongWithAValue) {
  EXPECT_EQ(complaint("[axes\n").substr(0, 9), "s.toml:1:");
  EXPECT_EQ(complaint("axes = 5\n"),
            "s.toml:1: 'axes' is not a table\nhint: write [axes] on a line of its own");
  EXPECT_EQ(complaint("name = \"a/b\"\n"),
            "s.toml:1: 'a/b' cannot be the name of a file\n"
            "hint: the name becomes NAME.csv in the output folder");
  EXPECT_EQ(complaint("name = 5\n"), "s.toml:1: 'name' must be a string");
  EXPECT_EQ(complaint("[axes]\nprogram = \"a\"\n"),
            "s.toml:2: axis 'program' is not a list of values\nhint: write program = [\"a\"]");
  EXPECT_EQ(complaint("[axes]\nprogram = []\n"), "s.toml:2: axis 'program' has no values");
  EXPECT_EQ(complaint("[axes]\nprogram = [\"a\",\n \"a\"]\n"),
            "s.toml:3: axis 'program' lists 'a' twice");
  EXPECT_EQ(complaint("[axes]\nprogram = [[\"a\"]]\n"),
            "s.toml:2: a value of axis 'program' is a list\n"
            "hint: only arguments and inputs have lists for values; others take a string, a number "
            "or a table with a label");
  EXPECT_EQ(complaint("[axes]\nprogram = [1979-05-27]\n"),
            "s.toml:2: a value of 'program' is not a string, a number or a boolean");
  EXPECT_EQ(complaint("[axes]\nw = [{ program = \"a\" }]\n"),
            "s.toml:2: a value of axis 'w' has no label\nhint: write { label = \"small\", … }");
  EXPECT_EQ(complaint("[axes]\nset.n = [1]\nn = [1]\n"), "s.toml:3: axis 'n' is defined twice");
  EXPECT_EQ(complaint("[cell]\nprogram = [\"a\", \"b\"]\n"),
            "s.toml:2: 'program' of [cell] takes one value\n"
            "hint: several values make an axis: write the list into [axes] as program = […]");
  EXPECT_EQ(complaint("[cell]\narguments = \"{n\"\n"),
            "s.toml:2: '{n' has a { without }\nhint: a brace itself is written {{");
  EXPECT_EQ(complaint("[cell]\narguments = \"n}\"\n"),
            "s.toml:2: 'n}' has a } without {\nhint: a brace itself is written }}");
  EXPECT_EQ(complaint("include = 5\n"),
            "s.toml:1: 'include' is not a list of tables\n"
            "hint: write [[include]] on a line of its own");
  EXPECT_EQ(complaint("[cell]\nprogram = \"a\"\ntimeout = \"soon\"\n"),
            "s.toml:3: timeout is 'soon', not a number of seconds");
  EXPECT_EQ(complaint("[cell]\nprogram = \"a\"\nmax_cycles = -1\n"),
            "s.toml:3: max_cycles is '-1', not a whole number");
  EXPECT_EQ(complaint("[cell]\nprogram = \"a\"\ncheck = \"maybe\"\n"),
            "s.toml:3: check is 'maybe', not true or false");
}

TEST(SweepSpec, SaysWhatIsWrongWithTheCells) {
  EXPECT_EQ(complaint("[axes]\nmachine = [\"ref\"]\n"),
            "s.toml: the sweep names no program\nhint: write program = [\"matmul\"] under [axes]");
  EXPECT_EQ(complaint("[axes]\nprogram = [\"a\"]\nmachine = [\"ref\",\n \"rfe\"]\n"),
            "s.toml:4: unknown machine 'rfe'\n"
            "hint: did you mean 'ref'? `raddle machines` lists them");
  EXPECT_EQ(complaint("[axes]\nprogram = [\"a\"]\nmachine = [\"nowhere.toml\"]\n"),
            "s.toml:3: cannot read 'nowhere.toml': No such file or directory");
  EXPECT_EQ(complaint("[axes]\nprogram = [\"a\"]\nset.multiprocessor = [1]\n"),
            "s.toml:3: unknown parameter 'multiprocessor' of machine 'ref'\n"
            "hint: did you mean 'multiprocessors'? `raddle machines show ref` lists them");
  EXPECT_EQ(complaint("[axes]\nprogram = [\"a\"]\n[cell]\nset.multiprocessors = 1.5\n"),
            "s.toml:4: parameter 'multiprocessors' is a whole number, not '1.5'\n"
            "hint: its value in 'ref' is 16");
  EXPECT_EQ(complaint("[axes]\nprogram = [\"a\", \"b\"]\n[[exclude]]\nprogram = \"c\"\n"),
            "s.toml:4: axis 'program' has no value 'c'\nhint: its values are a, b");
  EXPECT_EQ(complaint("[axes]\nprogram = [\"aa\", \"bb\"]\nn=[1, 2]\n[cell]\narguments=\"{n}\"\n"
                      "[[exclude]]\nprogram = \"aa\"\n[[exclude]]\n"),
            "s.toml:8: this [[exclude]] leaves no cell of the grid");
  EXPECT_EQ(complaint("[axes]\nwork = [{ label = \"small\", program = \"a\" }]\n[[include]]\n"
                      "work = \"smal\"\n"),
            "s.toml:4: axis 'work' has no value 'smal'\nhint: did you mean 'small'?");
  std::string many = "[axes]\nprogram = [\"a\"]\n";
  for (const char* axis : {"u", "v", "w", "x", "y", "z"})
    many += std::string(axis) + " = [1, 2, 3, 4, 5, 6, 7, 8]\n";
  EXPECT_EQ(complaint(many + "[cell]\narguments = \"{u}{v}{w}{x}{y}{z}\"\n"),
            "s.toml:2: the grid has more than 100,000 cells\nhint: split it into several sweeps");
}

TEST(SweepSpec, NamesTheFileThatCannotBeRead) {
  const TemporaryFolder folder;
  EXPECT_THROW(read_sweep_spec((folder / "nothing.toml").string()), Error);
}

}  // namespace
}  // namespace raddle::experiment

#include "report/text_summary.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text_table.h"
#include "experiment/sample_result.h"
#include "report/comparison.h"
#include "report/text_wrap.h"

namespace raddle::report {
namespace {

using experiment::RunResult;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

RunResult busy_result() {
  RunResult result = experiment::sample_result();
  for (int i = 0; i < 20; ++i) {
    machine::LaunchResult launch = experiment::sample_launch();
    launch.kernel = fmt::format(
        "void a_kernel_with_a_rather_long_name_number_{}<float, 16, true>(float*, int)", i);
    launch.thread_instructions = 1'000'000'000'000;
    launch.faults[0].message =
        "out-of-bounds load of 4 bytes at 0x200000100028, 0 bytes behind the end of the allocation "
        "of 40 bytes";
    add_launch(result, launch);
  }
  return result;
}

TEST(TextSummary, FitsAHundredColumns) {
  for (const std::string& line : lines_of(text_summary(busy_result(), {})))
    EXPECT_LE(display_width(line), 100u) << line;
}

TEST(TextSummary, SaysWhatRanWhereAndWhatCameOut) {
  const std::string text =
      text_summary(experiment::sample_result(), {.result_file = "raddle-out/scale-ref.json"});
  EXPECT_THAT(text, HasSubstr("scale.cu on ref with multiprocessors=4\n"));
  EXPECT_THAT(text, HasSubstr("partial: interrupted; the figures end there\n"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "1 launch, 1,000 cycles, 1.00 µs simulated, 24,000 thread instructions, IPC 24.0\n"));
  EXPECT_THAT(text, HasSubstr("scale<float> (stopped)"));
  EXPECT_THAT(text, HasSubstr("4×3×2   64×2"));
  EXPECT_THAT(text,
              HasSubstr("75.0 %"));  // lanes active: 24000 of 32 × 1000; also integer instructions
  EXPECT_THAT(text, HasSubstr("2.00"));  // segments an access: 132 of 66
  EXPECT_THAT(text, HasSubstr("34 faults\n"));
  EXPECT_THAT(text, HasSubstr("scale.cu:3: out-of-bounds load of 4 bytes, in scale<float>, block "
                              "(1,0,0), thread (5,6,7)\n"));
  EXPECT_THAT(text, HasSubstr("and 33 more\n"));
  EXPECT_THAT(text, HasSubstr("result: raddle-out/scale-ref.json\n"));
}

TEST(TextSummary, IsColouredOnlyWhenAsked) {
  EXPECT_THAT(text_summary(busy_result(), {.colour = false, .result_file = {}}),
              Not(HasSubstr("\x1b")));
  EXPECT_THAT(text_summary(busy_result(), {.colour = true, .result_file = {}}),
              HasSubstr("\x1b[31m"));
}

TEST(TextSummary, SaysWhenNothingWasLaunched) {
  RunResult result;
  result.program = "x.cu";
  result.machine = "ref";
  EXPECT_THAT(text_summary(result, {}), HasSubstr("no kernel was launched\n"));
}

TEST(TextSummary, ShortensKernelNames) {
  EXPECT_EQ(short_kernel_name("scale(float*, int)"), "scale");
  EXPECT_EQ(short_kernel_name("void scale<float, (Mode)1>(float*, int)"), "scale<float, (Mode)1>");
  EXPECT_EQ(short_kernel_name("(anonymous namespace)::scale(float*)"),
            "(anonymous namespace)::scale");
  EXPECT_EQ(short_kernel_name("scale"), "scale");
}

TEST(Comparison, PutsMachinesInColumnsWithRatiosToTheFirst) {
  RunResult slow = experiment::sample_result();
  slow.partial = false;
  RunResult fast = slow;
  fast.machine = "fast";
  fast.totals.cycles = 250;
  fast.totals.memory.clear();
  const std::string text = comparison_table({slow, fast}, {});
  EXPECT_THAT(text, HasSubstr("scale.cu\n"));
  EXPECT_THAT(text, testing::ContainsRegex("cycles +1,000 +250 +0\\.25×"));
  EXPECT_THAT(text, testing::ContainsRegex("global segments +132 +– +–"));
  for (const std::string& line : lines_of(text)) EXPECT_LE(display_width(line), 100u) << line;
}

TEST(Comparison, NamesProgramsWhereTheyDiffer) {
  RunResult one = experiment::sample_result();
  RunResult two = one;
  two.program = "other.cu";
  const std::string text = comparison_table({one, two}, {});
  EXPECT_THAT(text, HasSubstr("scale.cu on ref (partial)"));
  EXPECT_THAT(text, HasSubstr("other.cu on ref (partial)"));
}

TEST(Comparison, LeavesTheHostComputerOut) {
  RunResult one = experiment::sample_result();
  RunResult two = one;
  two.host.wall_seconds = 1234;
  EXPECT_EQ(comparison_table({one, one}, {}), comparison_table({one, two}, {}));
}

TEST(Comparison, GivesOneRowAProgramInTheOverview) {
  RunResult one = experiment::sample_result();
  RunResult fast = one;
  fast.machine = "fast";
  fast.totals.cycles = 500;
  RunResult two = one;
  two.program = "other.cu";
  const std::string text = overview_table({{one, fast}, {two}, {}});
  EXPECT_THAT(text, testing::ContainsRegex("scale.cu +1 +24,000 +1,000 +24.00 +500 +0.50×"));
  EXPECT_THAT(text, testing::ContainsRegex("other.cu +1 +24,000 +1,000 +24.00 +– +–"));
}

TEST(TextWrap, BreaksAtBlanksAndKeepsLongWords) {
  const std::string word(60, 'a');
  EXPECT_EQ(wrap_text(word + " " + word, 4), word + "\n    " + word);
  const std::string long_word(120, 'b');
  EXPECT_EQ(wrap_text(long_word, 2), long_word);
  EXPECT_EQ(wrap_text(long_word + " c", 2), long_word + "\n  c");
  EXPECT_EQ(wrap_text("short", 2), "short");
}

}  // namespace
}  // namespace raddle::report

#include "report/text/text_summary.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text_table.h"
#include "experiment/sample_result.h"
#include "report/text/text_wrap.h"
#include "report/timed_result.h"

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
        "out-of-bounds load of 4 bytes at 0x200000100028, 0 bytes past the end of the allocation "
        "of 40 bytes";
    add_launch(result, launch);
  }
  return result;
}

TEST(TextSummary, SaysHowOftenAFaultHappenedAndCountsTheRest) {
  RunResult result = experiment::sample_result();
  result.launches[0].faults[0].count = 31;
  const std::string text = text_summary(result, {});
  EXPECT_THAT(
      text, HasSubstr("in scale<float>, 31 times, first in block (1,0,0),\n    thread (5,6,7)\n"));
  EXPECT_THAT(text, HasSubstr("and 3 more\n"));
}

TEST(TextSummary, SaysHowSharingWasChosenAndForHowManyLaunches) {
  RunResult result;
  for (const char* mode : {"half", "half", "bigsm"}) {
    machine::LaunchResult launch = timed_launch();
    launch.kernel_launch->sharing = {mode, std::string("why ") + mode};
    add_launch(result, launch);
  }
  EXPECT_THAT(text_summary(result, {}),
              HasSubstr("sharing       matmul<16>: half, 2 launches (why half)\n"
                        "              matmul<16>: bigsm, 1 launch (why bigsm)\n"));
  EXPECT_THAT(text_summary(timed_result(), {}), Not(HasSubstr("\nsharing")));
}

TEST(TextSummary, ListsThePiecesOfKernelsInFullAlone) {
  RunResult result;
  machine::LaunchResult launch = timed_launch();
  launch.fabric = {{{2, 100, 50}, {1, 40, 20.4}}, {}, 30};
  add_launch(result, launch);
  add_launch(result, launch);
  SummaryOptions in_full;
  in_full.in_full = true;
  EXPECT_THAT(text_summary(result, in_full),
              testing::AllOf(testing::ContainsRegex("matmul<16> +0 +2 +200 +100\n"),
                             testing::ContainsRegex("matmul<16> +1 +1 +80 +41\n")));
  EXPECT_THAT(text_summary(result, {}), Not(HasSubstr("cycles configured")));
}

TEST(TextSummary, FitsAHundredColumns) {
  for (const std::string& line : lines_of(text_summary(busy_result(), {})))
    EXPECT_LE(display_width(line), 100u) << line;
}

TEST(TextSummary, PutsARunWithTimingOnOneScreen) {
  const std::string text =
      text_summary(timed_result(), {.result_file = "raddle-out/matmul-fermi.json"});
  EXPECT_EQ(text,
            R"(matmul.cu on fermi with multiprocessors=16
2 launches, 96,120 cycles, 68.7 µs simulated at 1.40 GHz
18,900,000 thread instructions, IPC 196.6 of 512 (38%)
50% of issue slots stall on DRAM; DRAM is at 83% of its peak
simulated in 840 ms with 48 MiB of memory

kernel      launches   grid  block  thread instr  warp instr  cycles    IPC  lanes active
──────────  ────────  ─────  ─────  ────────────  ──────────  ──────  ─────  ────────────
matmul<16>         1  16×16  16×16        13.5 M     430,694  84,120  160.5        98.0 %
scale              1    256    256        5.40 M     168,750  12,000  450.0       100.0 %

memory   loads  stores     read  written  hit rate  segments/access  bank conflicts
──────  ──────  ──────  ───────  ───────  ────────  ───────────────  ──────────────
global  2.10 M  65,536    8 MiB  256 KiB         –             2.00               –
shared  33.6 M  2.10 M  128 MiB    8 MiB         –                –           4,096
L1           –       –    8 MiB  256 KiB    62.5 %                –               –
L2           –       –    3 MiB  256 KiB    50.0 %                –               –
DRAM         –       –  1.8 MiB  512 KiB         –                –               –

instructions  ████████████████████████▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▒▒▒▒▒▒▒▒▒▒▒▒░░░░▚▚▚──  18.9 M
              █ float32 40.0 %   ▓ load 25.2 %   ▒ integer 20.0 %   ░ move 7.4 %   ▚ control 4.8 %
              ─ store 2.6 %
issue slots   ███████████████████████▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▒▒▒▒░░░  1.54 M cycles
              █ issued 39.0 %   ▓ stall: DRAM 49.6 %   ▒ stall: operands 6.1 %
              ░ stall: barrier 4.4 %   ▚ stall: shared memory 0.9 %
occupancy     matmul<16> 24.1 of 48 warps, limited by registers; scale 40.0 of 48 warps, limited by
              threads
busy          DRAM 83%, L2 38%, crossbar 21%
energy        ███████████████▓▓▓▓▓▓▓▓▓▒▒▒▒░░▚───────────────────────······  46.8 µJ (circuit)
              █ cores 24.1 %   ▓ register files 15.6 %   ▒ shared memory 7.1 %   ░ L1 3.0 %
              ▚ L2 1.9 %   ─ DRAM 37.8 %   · leakage 10.5 %
power         682 mW on average

line          thread instr  warp instr   share  stall cycles  mostly for
────────────  ────────────  ──────────  ──────  ────────────  ───────────
matmul.cu:12        7.60 M     240,000  40.2 %       740,000  DRAM 95%
matmul.cu:14        3.50 M     110,000  18.5 %       120,000  barrier 55%
matmul.cu:9         2.40 M      80,694  12.7 %        55,226  DRAM 73%

result: raddle-out/matmul-fermi.json
)");
  EXPECT_LE(lines_of(text).size(), 42u);
  for (const std::string& line : lines_of(text)) EXPECT_LE(display_width(line), 100u) << line;
}

TEST(TextSummary, LeavesWarpsOutWhereThereAreNone) {
  experiment::RunResult result = empty_timed_result();
  machine::LaunchResult launch = timed_launch();
  launch.warp_instructions = 0;
  launch.lines.clear();
  launch.kernel_launch->occupancy = {};
  launch.stalls = {{"fired", machine::CycleKind::kIssued, 300},
                   {"unmapped", machine::CycleKind::kIdle, 700}};
  add_launch(result, launch);
  const std::string text = text_summary(result, {});
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("warp")));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("lanes active")));
  EXPECT_THAT(text, testing::HasSubstr("unit cycles   "));
  EXPECT_THAT(text, testing::HasSubstr("fired 30.0 %"));
  EXPECT_THAT(text, testing::HasSubstr("idle: unmapped 70.0 %"));
}

TEST(TextSummary, SaysTheOccupancyOfOneKernelWithoutItsName) {
  RunResult result = empty_timed_result();
  add_launch(result, timed_launch());
  machine::LaunchResult again = timed_launch();
  again.cycles *= 3;
  again.kernel_launch->occupancy.warps = 16.125;
  add_launch(result, again);
  EXPECT_THAT(text_summary(result, {}),
              HasSubstr("\noccupancy     18.1 of 48 warps, limited by registers\n"))
      << "averaged over cycles";
}

TEST(TextSummary, NamesThreeKernelsWithTheirOccupancyAndCountsTheRest) {
  RunResult result = empty_timed_result();
  for (std::uint32_t i = 0; i < 5; ++i) {
    machine::LaunchResult launch = timed_launch();
    launch.kernel = fmt::format("k{}()", i);
    launch.cycles -= i;
    add_launch(result, launch);
  }
  EXPECT_THAT(text_summary(result, {}),
              HasSubstr("\noccupancy     k0 24.1 of 48 warps, limited by registers; k1 24.1 of 48 "
                        "warps, limited by registers;\n              k2 24.1 of 48 warps, limited "
                        "by registers; and 2 more\n"));
}

TEST(TextSummary, PutsTheLineThatWaitsMostFirst) {
  RunResult result = empty_timed_result();
  machine::LaunchResult launch = timed_launch();
  launch.lines = {{"busy.cu:1", 500, 16'000, 10}, {"slow.cu:2", 5, 160, 9'000}};
  add_launch(result, launch);
  const std::string text = text_summary(result, {});
  EXPECT_LT(text.find("slow.cu:2"), text.find("busy.cu:1"));
  EXPECT_THAT(text, HasSubstr("         9,000           –\n")) << "the cause is not known";
}

TEST(TextSummary, KeepsTheEndOfALocationThatIsTooLong) {
  RunResult result = empty_timed_result();
  machine::LaunchResult launch = timed_launch();
  launch.lines = {{"examples/stalls/load_store_unit.cu:117", 500, 16'000, 10}};
  add_launch(result, launch);
  EXPECT_THAT(text_summary(result, {}), HasSubstr("\nstalls/load_store_unit.cu:117 "));
}

TEST(TextSummary, LeavesStallsOutOfLinesThatHaveNone) {
  RunResult result = empty_timed_result();
  machine::LaunchResult launch = timed_launch();
  launch.lines = {{"few.cu:1", 5, 160, 0}, {"many.cu:2", 500, 16'000, 0}};
  launch.kernel_launch->occupancy = {};
  add_launch(result, launch);
  const std::string text = text_summary(result, {});
  EXPECT_LT(text.find("many.cu:2"), text.find("few.cu:1"));
  EXPECT_THAT(text, Not(HasSubstr("stall cycles")));
  EXPECT_THAT(text, Not(HasSubstr("occupancy")));
}

TEST(TextSummary, NamesTheTraceAfterTheResult) {
  EXPECT_THAT(
      text_summary(timed_result(), {.result_file = "r.json", .trace_file = "t.perfetto"}),
      testing::EndsWith("\nresult: r.json\ntrace: t.perfetto, open it in ui.perfetto.dev\n"));
}

TEST(TextSummary, NamesWhatAMachineDoesNotModel) {
  RunResult result = timed_result();
  result.machine = "ref";
  result.peaks = {};
  result.totals.stalls.clear();
  result.totals.energy.clear();
  result.totals.utilisation.clear();
  result.totals.cycles = result.totals.warp_instructions;
  const std::string text = text_summary(result, {});
  EXPECT_THAT(text, HasSubstr("68.7 µs simulated\n18,900,000 thread instructions, IPC 31.5\n"
                              "ref has no timing model: cycles are warp instructions\n"));
  EXPECT_THAT(text, HasSubstr("\nenergy        not modelled by ref\n"));
  EXPECT_THAT(text, Not(HasSubstr("issue slots ")));
}

TEST(TextSummary, SaysWhatRanWhereAndWhatWentWrong) {
  const std::string text =
      text_summary(experiment::sample_result(), {.result_file = "raddle-out/scale-ref.json"});
  EXPECT_THAT(text, HasSubstr("scale.cu on ref with multiprocessors=4\n"));
  EXPECT_THAT(text, HasSubstr("partial: interrupted; figures cover the run up to that point\n"));
  EXPECT_THAT(text, HasSubstr("1 launch, 1,000 cycles, 1.00 µs simulated"));
  EXPECT_THAT(text, HasSubstr("scale<float> (stopped)"));
  EXPECT_THAT(text, HasSubstr("4×3×2   64×2"));
  EXPECT_THAT(text, HasSubstr("75.0 %"));  // lanes active: 24000 of 32 × 1000
  EXPECT_THAT(text, HasSubstr("2.00"));    // segments an access: 132 of 66
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
  result.peaks.clock_hz = 1e9;
  EXPECT_THAT(text_summary(result, {}), HasSubstr("no kernel was launched\n"));
}

TEST(TextSummary, SaysWhenNothingWasSimulated) {
  RunResult result;
  result.program = "x.ddm.cpp";
  result.machine = "ddm";
  result.host.wall_seconds = 0.0125;
  EXPECT_EQ(text_summary(result, {}),
            "x.ddm.cpp on ddm\nmeasured on this host in 12.5 ms; nothing was simulated\n");
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

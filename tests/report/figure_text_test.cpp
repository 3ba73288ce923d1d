#include "report/figure_text.h"

#include <gtest/gtest.h>

#include "report/run_tables.h"
#include "report/timed_result.h"

namespace raddle::report {
namespace {

TEST(FigureText, RoundsPercentAndNeverHidesALittle) {
  EXPECT_EQ(percent(0.624), "62%");
  EXPECT_EQ(percent(1), "100%");
  EXPECT_EQ(percent(0), "0%");
  EXPECT_EQ(percent(0.001), "<1%");
}

TEST(FigureText, MeasuresIpcAgainstThePeakThatIsThere) {
  EXPECT_EQ(ipc_text(29.32, {.thread_instructions_per_cycle = 32}), "29.3 of 32 (92%)");
  EXPECT_EQ(ipc_text(29.32, {}), "29.3");
}

TEST(FigureText, KnowsWhatIsNoCache) {
  EXPECT_DOUBLE_EQ(hit_rate(traffic_of("L1", 0, 0, 3, 1)), 0.75);
  EXPECT_LT(hit_rate(traffic_of("DRAM", 100, 0)), 0);
}

TEST(RunTables, AddUpLaunchesOfOneKernelAndShape) {
  experiment::RunResult result = timed_result();
  add_launch(result, second_launch());
  machine::LaunchResult other_shape = second_launch();
  other_shape.kernel_launch->grid = {2, 1, 1};
  other_shape.complete = false;
  add_launch(result, other_shape);
  const std::vector<KernelTotals> kernels = kernel_totals(result);
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(kernels[0].kernel, "matmul<16>") << "most cycles first";
  EXPECT_EQ(kernels[1].kernel, "scale");
  EXPECT_EQ(kernels[1].totals.launches, 2u);
  EXPECT_EQ(kernels[1].totals.cycles, 24'000u);
  EXPECT_EQ(kernels[1].totals.stalls[0].cycles, 2 * 168'750);
  EXPECT_TRUE(kernels[1].complete);
  EXPECT_FALSE(kernels[2].complete);
}

TEST(RunTables, KeepTheLargestPartsInTheirOrder) {
  const auto names = [](const std::vector<machine::Share>& parts) {
    std::string text;
    for (const machine::Share& part : parts) text += part.name;
    return text;
  };
  const std::vector<machine::Share> parts{{"a", 5},  {"b", 0}, {"c", 5},
                                          {"d", 10}, {"e", 1}, {"f", 5}};
  EXPECT_EQ(names(largest_parts(parts, 4)), "acdef") << "a rest of one is not worth it";
  EXPECT_EQ(names(largest_parts(parts, 3)), "acdothers");
  EXPECT_EQ(largest_parts(parts, 3).back().value, 6);
  EXPECT_EQ(names(largest_parts(parts, 1)), "dothers");
  EXPECT_TRUE(largest_parts({}, 3).empty());
}

}  // namespace
}  // namespace raddle::report

// Random programs give the same numbers on every executor and with any number of workers.
#include "random_graph.h"

#include <gtest/gtest.h>

namespace raddle::ddm {
namespace {

TEST(RandomGraphs, GiveTheSameNumbersWithOneToEightWorkersAsOneAfterAnother) {
  const auto sequential = make_sequential_executor();
  const auto native = make_native_executor();
  for (std::uint32_t seed = 1; seed <= 120; ++seed) {
    RandomGraph graph(seed);
    auto expected = graph.make_frame();
    const auto yardstick = graph.program.run_on(*sequential, expected);
    Options options;
    for (const int workers : {1, 2, 1 + static_cast<int>(seed % 8)}) {
      options.workers = workers;
      auto frame = graph.make_frame();
      const auto report = graph.program.run_on(*native, frame, options);
      ASSERT_EQ(frame.values, expected.values) << "seed " << seed << ", " << workers << " workers";
      ASSERT_EQ(report.threads_fired, yardstick.threads_fired)
          << "seed " << seed << ", " << workers << " workers";
    }
  }
}

}  // namespace
}  // namespace raddle::ddm

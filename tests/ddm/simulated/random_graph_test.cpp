// Random programs, recorded and simulated: the values are those of every other executor, and every
// thread of the recording runs on machines of several sizes.
#include <gtest/gtest.h>

#include "ddm/random_graph.h"
#include "ddm/recorder/graph_recorder.h"
#include "machine/d2now/d2now_machine.h"

namespace raddle::ddm {
namespace {

double stat(const machine::LaunchResult& result, std::string_view component,
            std::string_view name) {
  for (const sim::StatValue& value : result.stats) {
    if (value.component == component && value.name == name) return value.value;
  }
  throw std::runtime_error("no such statistic");
}

class SimulatedRandomGraph : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(SimulatedRandomGraph, ComputesTheSameAndRunsEveryThreadOnAnyNumberOfNodes) {
  RandomGraph graph(GetParam());
  RandomFrame plain = graph.make_frame(), recorded = graph.make_frame();
  graph.program.run_on(*make_native_executor(), plain);
  GraphRecorder recorder({1, 2, 5});
  graph.program.run_on(*make_observed_executor(recorder, 1), recorded);
  EXPECT_EQ(plain.values, recorded.values);

  const recording::Recording& recording = recorder.recording("random");
  for (const char* nodes : {"nodes=1", "nodes=2", "nodes=5"}) {
    machine::ParameterTable table = machine::load_parameters("d2now");
    table.set(nodes);
    const machine::LaunchResult result = machine::d2now::D2nowMachine(table).replay(recording, {});
    EXPECT_TRUE(result.complete);
    EXPECT_GE(stat(result, "TIU", "threads"), static_cast<double>(recording.threads.size()));
    double cycles = 0;
    for (const machine::Stall& share : result.stalls) cycles += share.cycles;
    EXPECT_DOUBLE_EQ(cycles, static_cast<double>(result.cycles) * std::stod(nodes + 6));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, SimulatedRandomGraph, ::testing::Range(1u, 41u));

}  // namespace
}  // namespace raddle::ddm

#include "machine/d2now/recorded_program.h"

#include <stdexcept>

namespace raddle::machine::d2now::testing {

RecordedProgram::RecordedProgram() {
  recording.program = "test";
  recording.templates.push_back({"work", rec::TemplateKind::kPlain});
  recording.templates.push_back({"join", rec::TemplateKind::kJoin});
  recording.blocks.push_back({"main", 2});
}

std::uint32_t RecordedProgram::thread(std::uint32_t node, std::uint32_t cycles,
                                      std::uint32_t block) {
  rec::Thread made;
  made.block = block;
  made.index = recording.threads.size();
  made.instructions = cycles;
  made.last_ticks = std::uint64_t{cycles} * kTicksPerCycle;
  recording.threads.push_back(made);
  node_of.push_back(node);
  return static_cast<std::uint32_t>(recording.threads.size() - 1);
}

std::uint32_t RecordedProgram::join(std::uint32_t node) {
  const std::uint32_t number = thread(node, 0);
  recording.threads[number].thread_template = 1;
  return number;
}

void RecordedProgram::stream(std::uint32_t number, std::span<const Step> steps) {
  rec::Thread& made = recording.threads[number];
  made.last_ticks = 0;
  made.events = {recording.events.size(), steps.size()};
  for (const Step& step : steps) {
    recording.events.push_back(
        rec::Event::make(step.line, step.cycles * kTicksPerCycle, step.touch));
  }
}

void RecordedProgram::loads(std::uint32_t number, std::initializer_list<std::uint32_t> lines) {
  std::vector<Step> steps;
  for (const std::uint32_t line : lines) steps.push_back({0, rec::Touch::kLoad, line});
  stream(number, steps);
}

void RecordedProgram::inputs(std::uint32_t number, std::initializer_list<rec::Region> regions) {
  recording.threads[number].inputs = {recording.inputs.size(), regions.size()};
  recording.inputs.insert(recording.inputs.end(), regions);
}

void RecordedProgram::flows(std::uint32_t number, std::initializer_list<rec::Flow> flows) {
  recording.threads[number].flows = {recording.flows.size(), flows.size()};
  recording.flows.insert(recording.flows.end(), flows);
}

void RecordedProgram::consumers(std::uint32_t number, const std::vector<std::uint32_t>& consumers) {
  recording.threads[number].consumers = {recording.consumers.size(), consumers.size()};
  recording.consumers.insert(recording.consumers.end(), consumers.begin(), consumers.end());
}

ParameterTable table_with(std::initializer_list<const char*> assignments) {
  ParameterTable table = load_parameters("d2now");
  for (const char* quiet : {"nodes=1",
                            "cacheflow.prefetch=false",
                            "cacheflow.avoid_conflicts=false",
                            "cacheflow.reorder=false",
                            "processor.fetch_cycles=0",
                            "processor.acknowledge_cycles=0",
                            "processor.send_value_cycles=0",
                            "processor.send_block_cycles=0",
                            "processor.load_template_cycles=0",
                            "tsu.clock=0.0",
                            "memory.l2_hit_cycles=4",
                            "memory.miss_cycles=60",
                            "memory.bus_line_cycles=24",
                            "memory.bus_word_cycles=6",
                            "memory.bus_snoop_cycles=0",
                            "memory.reorder_buffer=0",
                            "network.blocks=false",
                            "network.ethernet=false",
                            "network.latency_cycles=20",
                            "network.value_packet_cycles=8",
                            "network.block_word_cycles=4"}) {
    table.set(quiet);
  }
  for (const char* assignment : assignments) table.set(assignment);
  return table;
}

LaunchResult run(rec::Recording& recording, std::initializer_list<const char*> assignments) {
  return D2nowMachine(table_with(assignments)).replay(recording, {});
}

double stat(const LaunchResult& result, std::string_view component, std::string_view name) {
  for (const sim::StatValue& value : result.stats) {
    if (value.component == component && value.name == name) return value.value;
  }
  throw std::runtime_error("no such statistic");
}

double node_cycles(const LaunchResult& result, std::size_t node, std::string_view part) {
  for (const Share& share : result.data_driven->node_cycles.at(node)) {
    if (share.name == part) return share.value;
  }
  throw std::runtime_error("no such part");
}

double stall(const LaunchResult& result, std::string_view name) {
  for (const Stall& share : result.stalls) {
    if (share.name == name) return share.cycles;
  }
  throw std::runtime_error("no such stall");
}

}  // namespace raddle::machine::d2now::testing

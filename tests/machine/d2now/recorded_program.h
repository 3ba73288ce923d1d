// Writes recordings by hand, so that tests of the machine need no program: threads with their
// touches, arcs and nodes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "ddm/recording/recording.h"
#include "machine/d2now/d2now_machine.h"
#include "machine/d2now/simulation.h"

namespace raddle::machine::d2now::testing {

namespace rec = ddm::recording;

struct Step {
  std::uint32_t cycles = 0;
  rec::Touch touch = rec::Touch::kNone;
  std::uint32_t line = 0;
};

class RecordedProgram {
 public:
  RecordedProgram();

  // A thread on a node of its own choice that computes for so many cycles.
  std::uint32_t thread(std::uint32_t node, std::uint32_t cycles, std::uint32_t block = 0);
  std::uint32_t join(std::uint32_t node);
  // Its stream, in place of plain computation.
  void stream(std::uint32_t number, std::span<const Step> steps);
  void loads(std::uint32_t number, std::initializer_list<std::uint32_t> lines);
  void inputs(std::uint32_t number, std::initializer_list<rec::Region> regions);
  void flows(std::uint32_t number, std::initializer_list<rec::Flow> flows);
  void consumers(std::uint32_t number, const std::vector<std::uint32_t>& consumers);
  // Places the threads as they were made.
  rec::Recording& on(std::uint32_t nodes) {
    recording.placements = {{nodes, node_of}};
    return recording;
  }

  rec::Recording recording;
  std::vector<std::uint32_t> node_of;
};

// The machine of machines/d2now.toml with changes. CacheFlow is off and units outside the test cost
// nothing unless it says otherwise.
ParameterTable table_with(std::initializer_list<const char*> assignments);

LaunchResult run(rec::Recording& recording, std::initializer_list<const char*> assignments);

double stat(const LaunchResult& result, std::string_view component, std::string_view name);

double node_cycles(const LaunchResult& result, std::size_t node, std::string_view part);

double stall(const LaunchResult& result, std::string_view name);

}  // namespace raddle::machine::d2now::testing

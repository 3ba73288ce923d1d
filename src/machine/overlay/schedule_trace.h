// A schedule as a Perfetto trace: a track for each batch context with its ALU instructions from the
// first operand's read to the write, and tracks for the ports of the register file.
#pragma once

#include <string>
#include <vector>

#include "machine/overlay/overlay_parameters.h"
#include "machine/overlay/schedule.h"
#include "machine/overlay/shader.h"
#include "machine/run/trace_writer.h"

namespace raddle::machine::overlay {

class ScheduleTrace {
 public:
  // Both must outlive it.
  ScheduleTrace(sim::TraceFile& file, const OverlayParameters& parameters, const Shader& shader);

  // Writes the events and empties the schedule.
  void write(Schedule& schedule);

 private:
  void write_event(const ScheduleEvent& event);

  TraceWriter writer_;
  std::vector<std::string> names_;  // of the instructions
  std::vector<sim::Track> batches_;
  sim::Track host_, reads_, writes_;
  Cycle alu_cycles_;
};

}  // namespace raddle::machine::overlay

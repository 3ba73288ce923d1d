// A run of a thick control flow processor as a trace (--trace): for each backend its instructions
// and what it spent its cycles on, for each frontend what it did and waited for, the waves that
// separate steps, and the flows alive. Stretches of one kind that follow each other are one slice.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/run/trace_writer.h"
#include "machine/tpa/program.h"
#include "machine/tpa/tpa_parameters.h"
#include "machine/tpa/unit_causes.h"

namespace raddle::machine::tpa {

class RunTrace;

// What a backend tells of itself.
class BackendTrace {
 public:
  BackendTrace(RunTrace& run, TraceWriter& writer, std::uint32_t number);

  void spent(BackendCause why, Cycle cycles) { cycles_.add(kBackendCauses[why].name, cycles); }
  // An instruction of the program begins; the one before it has ended.
  void begin_work(std::size_t line, std::uint64_t items);
  void end_work();
  void close();

 private:
  RunTrace* run_;
  TraceWriter* writer_;
  sim::Track track_;
  TraceStretches cycles_;
  std::string work_;  // empty: none
  Cycle begun_;
};

class RunTrace {
 public:
  // The file and the program must outlive it.
  RunTrace(sim::TraceFile& file, const TpaParameters& parameters, const Program& program);
  RunTrace(const RunTrace&) = delete;
  RunTrace& operator=(const RunTrace&) = delete;

  BackendTrace& backend(std::size_t number) { return backends_[number]; }
  void frontend_spent(std::size_t number, FrontCause why, Cycle cycles) {
    frontends_[number].add(kFrontCauses[why].name, cycles);
  }
  // All modules have seen the wave.
  void wave(Cycle cycle);
  void flows(std::uint64_t alive, Cycle cycle);
  void flush_some() { writer_.flush_some(); }
  // The run is over, in this cycle.
  void finish(Cycle cycles);

  const std::string& name_of_line(std::size_t line) const { return line_names_[line]; }

 private:
  TraceWriter writer_;
  std::string program_name_;
  sim::Track program_, waves_, flows_;
  std::uint64_t counted_flows_ = 0;
  std::vector<std::string> line_names_;
  std::vector<TraceStretches> frontends_;
  std::vector<BackendTrace> backends_;
};

}  // namespace raddle::machine::tpa

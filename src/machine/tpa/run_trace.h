// A run of a thick control flow processor as a trace (--trace): for each backend its instructions
// and what it spent its cycles on, for each frontend what it did and waited for, the waves that
// separate steps, and the flows alive. Stretches of one kind that follow each other are one slice.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/tpa/backend_cause.h"
#include "machine/tpa/program.h"
#include "machine/tpa/tpa_parameters.h"
#include "sim/trace.h"

namespace raddle::machine::tpa {

// Stretches of cycles on one track; they come in the order of time, without gaps.
class StretchTrack {
 public:
  StretchTrack(sim::TraceStream& stream, const sim::Clock& clock, sim::Track track)
      : stream_(&stream), clock_(&clock), track_(track) {}

  // `name` must live on.
  void add(std::string_view name, std::uint64_t cycles);
  std::uint64_t now() const { return begin_ + length_; }
  // What has not been written yet.
  void close();

 private:
  sim::TraceStream* stream_;
  const sim::Clock* clock_;
  sim::Track track_;
  std::string_view name_;
  std::uint64_t begin_ = 0, length_ = 0;
};

class RunTrace;

// What a backend tells of itself.
class BackendTrace {
 public:
  BackendTrace(RunTrace& run, sim::TraceStream& stream, const sim::Clock& clock,
               std::uint32_t number);

  void spent(BackendCause why, std::uint64_t cycles) {
    cycles_.add(kBackendCauseNames[static_cast<std::size_t>(why)], cycles);
  }
  // An instruction of the program begins; the one before it has ended.
  void begin_work(std::size_t line, std::uint64_t items);
  void end_work();
  void close();

 private:
  RunTrace* run_;
  sim::TraceStream* stream_;
  const sim::Clock* clock_;
  sim::Track track_;
  StretchTrack cycles_;
  std::string work_;  // empty: none
  std::uint64_t begun_ = 0;
};

class RunTrace {
 public:
  // The file and the program must outlive it.
  RunTrace(sim::TraceFile& file, const TpaParameters& parameters, const Program& program);
  RunTrace(const RunTrace&) = delete;
  RunTrace& operator=(const RunTrace&) = delete;

  BackendTrace& backend(std::size_t number) { return backends_[number]; }
  void frontend_spent(std::size_t number, FrontWait why, std::uint64_t cycles) {
    frontends_[number].add(kFrontWaitNames[static_cast<std::size_t>(why)], cycles);
  }
  // All modules have seen the wave.
  void wave(std::uint64_t cycle);
  void flows(std::uint64_t alive, std::uint64_t cycle);
  // What the streams hold goes to the file once it is much.
  void flush_some();
  // The run is over, in this cycle.
  void finish(std::uint64_t cycles);

  const std::string& name_of_line(std::size_t line) const { return line_names_[line]; }

 private:
  sim::TraceFile& file_;
  sim::Clock clock_;
  sim::TraceStream& stream_;
  std::string program_name_;
  sim::Track program_, waves_, flows_;
  std::uint64_t counted_flows_ = 0;
  std::vector<std::string> line_names_;
  std::vector<StretchTrack> frontends_;
  std::vector<BackendTrace> backends_;
};

}  // namespace raddle::machine::tpa

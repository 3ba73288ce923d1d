#include "machine/tpa/run_trace.h"

#include <fmt/format.h>

namespace raddle::machine::tpa {

namespace {

// "min.e:6 MLMIN": where a line comes from, and what its memory unit does.
std::string name_of(const Program& program, const Line& line) {
  std::string name = program.short_where(line.place);
  for (const Subinstruction& part : line.parts) {
    if (part.unit != Unit::kMemory) continue;
    if (!name.empty()) name += ' ';
    name += mnemonic_of(part.unit, part.operation, part.op).text;
  }
  return name.empty() ? "instruction" : name;
}

}  // namespace

BackendTrace::BackendTrace(RunTrace& run, TraceWriter& writer, std::uint32_t number)
    : run_(&run),
      writer_(&writer),
      track_(writer.add_track(fmt::format("backend {}", number))),
      cycles_(writer, writer.add_track("cycles", track_)) {}

void BackendTrace::begin_work(std::size_t line, std::uint64_t items) {
  end_work();
  if (items == 0) return;
  work_ = fmt::format("{} ({})", run_->name_of_line(line), items);
  begun_ = cycles_.now();
}

void BackendTrace::end_work() {
  if (work_.empty()) return;
  writer_->slice(track_, work_, begun_, cycles_.now());
  work_.clear();
}

void BackendTrace::close() {
  end_work();
  cycles_.close();
}

RunTrace::RunTrace(sim::TraceFile& file, const TpaParameters& parameters, const Program& program)
    : writer_(file, sim::Clock("core", parameters.clock)),
      program_name_(program.files.empty() ? "program" : program.files.front()),
      program_(writer_.add_track("program")),
      waves_(writer_.add_track("waves")),
      flows_(writer_.add_counter("flows", "flows")) {
  for (const Line& line : program.lines) line_names_.push_back(name_of(program, line));
  for (std::uint32_t f = 0; f < parameters.front.count; ++f)
    frontends_.emplace_back(writer_, writer_.add_track(fmt::format("frontend {}", f)));
  for (std::uint32_t b = 0; b < parameters.back.count; ++b)
    backends_.emplace_back(*this, writer_, b);
}

void RunTrace::wave(Cycle cycle) { writer_.instant(waves_, "wave", cycle); }

void RunTrace::flows(std::uint64_t alive, Cycle cycle) {
  if (alive == counted_flows_) return;
  counted_flows_ = alive;
  writer_.count(flows_, cycle, static_cast<double>(alive));
}

void RunTrace::finish(Cycle cycles) {
  for (TraceStretches& frontend : frontends_) frontend.close();
  for (BackendTrace& backend : backends_) backend.close();
  writer_.slice(program_, program_name_, Cycle(0), cycles);
}

}  // namespace raddle::machine::tpa

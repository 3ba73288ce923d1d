#include "machine/tpa/run_trace.h"

#include <fmt/format.h>

namespace raddle::machine::tpa {

namespace {

constexpr std::size_t kMostPendingBytes = 8U << 20;

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

void StretchTrack::add(std::string_view name, std::uint64_t cycles) {
  if (cycles == 0) return;
  if (name != name_) {
    close();
    name_ = name;
  }
  length_ += cycles;
}

void StretchTrack::close() {
  if (length_ == 0) return;
  const std::uint64_t end = begin_ + length_;
  stream_->slice(track_, name_, clock_->time_of(Cycle(begin_)), clock_->time_of(Cycle(end)));
  begin_ = end;
  length_ = 0;
}

BackendTrace::BackendTrace(RunTrace& run, sim::TraceStream& stream, const sim::Clock& clock,
                           std::uint32_t number)
    : run_(&run),
      stream_(&stream),
      clock_(&clock),
      track_(stream.add_track(fmt::format("backend {}", number))),
      cycles_(stream, clock, stream.add_track("cycles", track_)) {}

void BackendTrace::begin_work(std::size_t line, std::uint64_t items) {
  end_work();
  if (items == 0) return;
  work_ = fmt::format("{} ({})", run_->name_of_line(line), items);
  begun_ = cycles_.now();
}

void BackendTrace::end_work() {
  if (work_.empty()) return;
  const std::uint64_t end = cycles_.now();
  if (end > begun_)
    stream_->slice(track_, work_, clock_->time_of(Cycle(begun_)), clock_->time_of(Cycle(end)));
  work_.clear();
}

void BackendTrace::close() {
  end_work();
  cycles_.close();
}

RunTrace::RunTrace(sim::TraceFile& file, const TpaParameters& parameters, const Program& program)
    : file_(file),
      clock_("core", Hertz(parameters.clock_hz)),
      stream_(file.add_stream()),
      program_name_(program.files.empty() ? "program" : program.files.front()),
      program_(stream_.add_track("program")),
      waves_(stream_.add_track("waves")),
      flows_(stream_.add_counter("flows", "flows")) {
  for (const Line& line : program.lines) line_names_.push_back(name_of(program, line));
  for (std::uint32_t f = 0; f < parameters.front.count; ++f)
    frontends_.emplace_back(stream_, clock_, stream_.add_track(fmt::format("frontend {}", f)));
  for (std::uint32_t b = 0; b < parameters.back.count; ++b)
    backends_.emplace_back(*this, stream_, clock_, b);
}

void RunTrace::wave(std::uint64_t cycle) {
  stream_.instant(waves_, "wave", clock_.time_of(Cycle(cycle)));
}

void RunTrace::flows(std::uint64_t alive, std::uint64_t cycle) {
  if (alive == counted_flows_) return;
  counted_flows_ = alive;
  stream_.count(flows_, clock_.time_of(Cycle(cycle)), static_cast<double>(alive));
}

void RunTrace::flush_some() {
  if (file_.pending_bytes() > kMostPendingBytes) file_.flush();
}

void RunTrace::finish(std::uint64_t cycles) {
  for (StretchTrack& frontend : frontends_) frontend.close();
  for (BackendTrace& backend : backends_) backend.close();
  if (cycles != 0)
    stream_.slice(program_, program_name_, clock_.time_of(Cycle(0)), clock_.time_of(Cycle(cycles)));
}

}  // namespace raddle::machine::tpa

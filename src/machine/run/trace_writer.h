// One stream of a trace, written in cycles of a machine's clock. Time begins anew after a launch
// that was stopped, and what is pending goes to the file once it is much: the same for every
// machine.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/trace.h"

namespace raddle::machine {

class TraceWriter {
 public:
  TraceWriter(sim::TraceFile& file, sim::Clock clock)
      : file_(&file), stream_(&file.add_stream()), clock_(std::move(clock)) {}

  sim::Track add_track(std::string_view name, sim::Track parent = {}) {
    return stream_->add_track(name, parent);
  }
  sim::Track add_counter(std::string_view name, std::string_view unit, sim::Track parent = {}) {
    return stream_->add_counter(name, unit, parent);
  }

  // Nothing where it has no length.
  void slice(sim::Track track, std::string_view name, Cycle begin, Cycle end) {
    if (end > begin) stream_->slice(track, name, at(begin), at(end));
  }
  void instant(sim::Track track, std::string_view name, Cycle cycle) {
    stream_->instant(track, name, at(cycle));
  }
  void count(sim::Track track, Cycle cycle, double value) {
    stream_->count(track, at(cycle), value);
  }

  sim::Instant at(Cycle cycle) const { return start_ + clock_.time_of(cycle); }
  // When a machine that was stopped in that cycle may begin anew: later than what had begun ends.
  sim::Instant after_stop(Cycle cycle) const { return at(cycle + kStopCycles); }
  // Cycle 0 falls there from now on.
  void restart(sim::Instant start) { start_ = start; }

  // What the streams of the file hold is written out once it is much; between quanta.
  void flush_some() {
    if (file_->pending_bytes() > kMaxPendingBytes) file_->flush();
  }

  const sim::TraceFile* file() const { return file_; }
  sim::TraceStream& stream() { return *stream_; }

 private:
  static constexpr std::size_t kMaxPendingBytes = std::size_t{8} << 20;
  // Longer than an instruction or an access takes.
  static constexpr Cycle kStopCycles{64};

  sim::TraceFile* file_;
  sim::TraceStream* stream_;
  sim::Clock clock_;
  sim::Instant start_{0};
};

// What one unit does, as stretches of cycles without gaps; those of one kind that follow each other
// are one slice.
class TraceStretches {
 public:
  TraceStretches() = default;
  TraceStretches(TraceWriter& writer, sim::Track track, Cycle begin = Cycle(0))
      : writer_(&writer), track_(track), begin_(begin), end_(begin) {}

  // `name` must live on.
  void add(std::string_view name, Cycle cycles) {
    if (cycles == Cycle(0)) return;
    if (name != name_) {
      close();
      name_ = name;
    }
    end_ += cycles;
  }
  Cycle now() const { return end_; }
  // Writes what has not been written yet.
  void close() {
    if (end_ > begin_) writer_->slice(track_, name_, begin_, end_);
    begin_ = end_;
  }

 private:
  TraceWriter* writer_ = nullptr;
  sim::Track track_;
  std::string_view name_;
  Cycle begin_, end_;
};

}  // namespace raddle::machine

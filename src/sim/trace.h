// What happened when, as a Perfetto trace (protocol buffers, opened by ui.perfetto.dev or `raddle
// view`): tracks with slices, instants and counters. A component keeps a pointer to its stream;
// with tracing off that pointer is null and costs one test. Trace timestamps count nanoseconds; one
// of them stands for one simulated picosecond, so that cycles of gigahertz clocks stay apart.
#pragma once

#include <cstdint>
#include <deque>
#include <fstream>
#include <string>
#include <string_view>
#include <unordered_map>

#include "sim/clock.h"
#include "sim/protobuf_writer.h"

namespace raddle::sim {

struct Track {
  std::uint64_t id = 0;  // 0: none
};

// The events of one partition; used by one thread at a time.
class TraceStream {
 public:
  // Tracks may lie under others; `name` is what the viewer shows.
  Track add_track(std::string_view name, Track parent = {});
  Track add_counter(std::string_view name, std::string_view unit, Track parent = {});

  // Slices of one track must not overlap except by nesting.
  void slice(Track track, std::string_view name, Instant begin, Instant end);
  // A slice that holds others: these are written between its begin and its end.
  void begin(Track track, std::string_view name, Instant at);
  void end(Track track, Instant at);
  void instant(Track track, std::string_view name, Instant at);
  void count(Track track, Instant at, double value);

 private:
  friend class TraceFile;
  explicit TraceStream(std::uint32_t sequence) : sequence_(sequence) {}

  Track describe(const ProtobufWriter& descriptor_rest, std::string_view name, Track parent);
  // The number that stands for the text from here on; 0: there are too many to keep.
  std::uint64_t intern(std::string_view name);
  void event(Track track, std::uint32_t type, std::string_view name, Instant at);
  void packet(ProtobufWriter& body, Instant at, bool timed);

  std::uint32_t sequence_;
  std::uint64_t tracks_ = 0;
  bool begun_ = false;
  std::unordered_map<std::string, std::uint64_t> names_;
  ProtobufWriter pending_interned_;
  ProtobufWriter out_;
};

// The file. Streams are written one after the other at every flush, so that the bytes do not depend
// on host threads. Until finish() the content lies under a temporary name, unless the path is a
// device or a pipe.
class TraceFile {
 public:
  // Throws Error when the place cannot be written.
  explicit TraceFile(std::string path);
  // Where a process that was killed has left what it had written.
  static std::string temporary_name(const std::string& path, int process);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  TraceStream& add_stream();
  // What the streams hold.
  std::size_t pending_bytes() const;
  // Moves what the streams hold to the file; between quanta, on one thread.
  void flush();
  // Flushes and gives the file its name. Throws Error when the disk is full.
  void finish();

 private:
  std::string path_;
  std::string temporary_;  // empty: the content goes to the path itself
  std::ofstream file_;
  std::deque<TraceStream> streams_;
  bool finished_ = false;
};

}  // namespace raddle::sim

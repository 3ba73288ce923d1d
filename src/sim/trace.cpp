#include "sim/trace.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/error.h"

namespace raddle::sim {

namespace {

// Field numbers of Perfetto's messages (protos/perfetto/trace), by message.
namespace packet_field {
constexpr std::uint32_t kTimestamp = 8;
constexpr std::uint32_t kSequence = 10;
constexpr std::uint32_t kTrackEvent = 11;
constexpr std::uint32_t kInternedData = 12;
constexpr std::uint32_t kSequenceFlags = 13;
constexpr std::uint32_t kTrackDescriptor = 60;
}  // namespace packet_field
namespace event_field {
constexpr std::uint32_t kType = 9;
constexpr std::uint32_t kNameNumber = 10;
constexpr std::uint32_t kTrack = 11;
constexpr std::uint32_t kName = 23;
constexpr std::uint32_t kDoubleValue = 44;
}  // namespace event_field
namespace track_field {
constexpr std::uint32_t kId = 1;
constexpr std::uint32_t kName = 2;
constexpr std::uint32_t kParent = 5;
constexpr std::uint32_t kCounter = 8;
}  // namespace track_field
constexpr std::uint32_t kCounterUnitName = 6;
constexpr std::uint32_t kInternedEventName = 2;
constexpr std::uint32_t kInternedNumber = 1;
constexpr std::uint32_t kInternedText = 2;
constexpr std::uint32_t kTracePacket = 1;

constexpr std::uint64_t kStateCleared = 1;
constexpr std::uint64_t kNeedsState = 2;

enum EventType : std::uint32_t {
  kSliceBegin = 1,
  kSliceEnd = 2,
  kInstantEvent = 3,
  kCounterEvent = 4
};

constexpr std::uint64_t kFemtosecondsPerTimestamp = 1000;
constexpr std::uint64_t kTracksPerStream = 1ULL << 32;
// The limit of one stream. Names beyond, such as those of very many blocks, stand in their events.
constexpr std::size_t kMaxInternedNames = 4096;

[[noreturn]] void fail_to_write(const std::string& path, int error) {
  throw Error(fmt::format("cannot write the trace: {}", std::strerror(error)), path);
}

}  // namespace

void TraceStream::packet(ProtobufWriter& body, Instant at, bool timed) {
  if (timed) body.varint(packet_field::kTimestamp, at.count() / kFemtosecondsPerTimestamp);
  body.varint(packet_field::kSequence, sequence_);
  body.varint(packet_field::kSequenceFlags, begun_ ? kNeedsState : kStateCleared | kNeedsState);
  begun_ = true;
  if (!pending_interned_.bytes().empty()) {
    body.message(packet_field::kInternedData, pending_interned_);
    pending_interned_.clear();
  }
  out_.message(kTracePacket, body);
}

Track TraceStream::describe(const ProtobufWriter& descriptor_rest, std::string_view name,
                            Track parent) {
  const Track track{sequence_ * kTracksPerStream + ++tracks_};
  ProtobufWriter descriptor;
  descriptor.varint(track_field::kId, track.id);
  descriptor.text(track_field::kName, name);
  if (parent.id != 0) descriptor.varint(track_field::kParent, parent.id);
  if (!descriptor_rest.bytes().empty()) descriptor.message(track_field::kCounter, descriptor_rest);
  ProtobufWriter body;
  body.message(packet_field::kTrackDescriptor, descriptor);
  packet(body, {}, false);
  return track;
}

Track TraceStream::add_track(std::string_view name, Track parent) {
  return describe({}, name, parent);
}

Track TraceStream::add_counter(std::string_view name, std::string_view unit, Track parent) {
  ProtobufWriter counter;
  counter.text(kCounterUnitName, unit);
  return describe(counter, name, parent);
}

std::uint64_t TraceStream::intern(std::string_view name) {
  if (names_.size() >= kMaxInternedNames) {
    const auto known = names_.find(std::string(name));
    return known == names_.end() ? 0 : known->second;
  }
  const auto [place, added] = names_.try_emplace(std::string(name), names_.size() + 1);
  if (added) {
    ProtobufWriter entry;
    entry.varint(kInternedNumber, place->second);
    entry.text(kInternedText, name);
    pending_interned_.message(kInternedEventName, entry);
  }
  return place->second;
}

void TraceStream::event(Track track, std::uint32_t type, std::string_view name, Instant at) {
  ProtobufWriter event;
  event.varint(event_field::kType, type);
  if (!name.empty()) {
    const std::uint64_t number = intern(name);
    if (number != 0) {
      event.varint(event_field::kNameNumber, number);
    } else {
      event.text(event_field::kName, name);
    }
  }
  event.varint(event_field::kTrack, track.id);
  ProtobufWriter body;
  body.message(packet_field::kTrackEvent, event);
  packet(body, at, true);
}

void TraceStream::slice(Track track, std::string_view name, Instant begin, Instant end) {
  event(track, kSliceBegin, name, begin);
  event(track, kSliceEnd, {}, end);
}

void TraceStream::begin(Track track, std::string_view name, Instant at) {
  event(track, kSliceBegin, name, at);
}

void TraceStream::end(Track track, Instant at) { event(track, kSliceEnd, {}, at); }

void TraceStream::instant(Track track, std::string_view name, Instant at) {
  event(track, kInstantEvent, name, at);
}

void TraceStream::count(Track track, Instant at, double value) {
  ProtobufWriter event;
  event.varint(event_field::kType, kCounterEvent);
  event.varint(event_field::kTrack, track.id);
  event.number(event_field::kDoubleValue, value);
  ProtobufWriter body;
  body.message(packet_field::kTrackEvent, event);
  packet(body, at, true);
}

std::string TraceFile::temporary_name(const std::string& path, int process) {
  std::error_code none_there;
  const std::filesystem::path target = std::filesystem::canonical(path, none_there);
  return fmt::format("{}.{}.tmp", none_there ? path : target.string(), process);
}

TraceFile::TraceFile(std::string path) : path_(std::move(path)) {
  struct stat status{};
  const bool exists = stat(path_.c_str(), &status) == 0;
  // What the rename at the end would trip over, or pass by, is found before hours of work.
  if (exists && S_ISDIR(status.st_mode)) fail_to_write(path_, EISDIR);
  if (exists && access(path_.c_str(), W_OK) != 0) fail_to_write(path_, errno);
  if (!exists || S_ISREG(status.st_mode)) temporary_ = temporary_name(path_, getpid());
  file_.open(temporary_.empty() ? path_ : temporary_, std::ios::binary | std::ios::trunc);
  if (!file_) fail_to_write(path_, errno);
}

TraceFile::~TraceFile() {
  if (!finished_ && !temporary_.empty()) std::remove(temporary_.c_str());
}

TraceStream& TraceFile::add_stream() {
  const auto sequence = static_cast<std::uint32_t>(streams_.size() + 1);
  streams_.push_back(TraceStream(sequence));
  return streams_.back();
}

std::size_t TraceFile::pending_bytes() const {
  std::size_t bytes = 0;
  for (const TraceStream& stream : streams_) bytes += stream.out_.bytes().size();
  return bytes;
}

void TraceFile::flush() {
  for (TraceStream& stream : streams_) {
    const std::string_view bytes = stream.out_.bytes();
    file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    stream.out_.clear();
  }
}

void TraceFile::finish() {
  flush();
  file_.close();
  if (!file_) fail_to_write(path_, errno);
  if (!temporary_.empty()) {
    std::error_code none_there;
    const std::filesystem::path target = std::filesystem::canonical(path_, none_there);
    const std::string name = none_there ? path_ : target.string();
    if (std::rename(temporary_.c_str(), name.c_str()) != 0) fail_to_write(path_, errno);
  }
  finished_ = true;
}

}  // namespace raddle::sim

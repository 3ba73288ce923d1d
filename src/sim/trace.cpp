#include "sim/trace.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

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
  const auto [place, added] = names_.try_emplace(std::string(name), names_.size() + 1);
  if (added) {
    ProtobufWriter entry;
    entry.varint(kInternedNumber, place->second);
    entry.text(kInternedText, name);
    pending_interned_.message(kInternedEventName, entry);
  }
  return place->second;
}

void TraceStream::event(Track track, std::uint32_t type, std::uint64_t name, Instant at) {
  ProtobufWriter event;
  event.varint(event_field::kType, type);
  if (name != 0) event.varint(event_field::kNameNumber, name);
  event.varint(event_field::kTrack, track.id);
  ProtobufWriter body;
  body.message(packet_field::kTrackEvent, event);
  packet(body, at, true);
}

void TraceStream::slice(Track track, std::string_view name, Instant begin, Instant end) {
  event(track, kSliceBegin, intern(name), begin);
  event(track, kSliceEnd, 0, end);
}

void TraceStream::instant(Track track, std::string_view name, Instant at) {
  event(track, kInstantEvent, intern(name), at);
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

TraceFile::TraceFile(std::string path)
    : path_(std::move(path)), temporary_(fmt::format("{}.{}.tmp", path_, getpid())) {
  file_.open(temporary_, std::ios::binary | std::ios::trunc);
  if (!file_) throw Error(fmt::format("cannot write the trace: {}", std::strerror(errno)), path_);
}

TraceFile::~TraceFile() {
  if (!finished_) std::remove(temporary_.c_str());
}

TraceStream& TraceFile::add_stream() {
  const auto sequence = static_cast<std::uint32_t>(streams_.size() + 1);
  streams_.push_back(TraceStream(sequence));
  return streams_.back();
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
  if (!file_ || std::rename(temporary_.c_str(), path_.c_str()) != 0)
    throw Error(fmt::format("cannot write the trace: {}", std::strerror(errno)), path_);
  finished_ = true;
}

}  // namespace raddle::sim

#include "sim/protobuf_writer.h"

#include <bit>

namespace raddle::sim {

namespace {

// Wire types of the encoding.
constexpr std::uint32_t kVarint = 0;
constexpr std::uint32_t kFixed64 = 1;
constexpr std::uint32_t kLengthDelimited = 2;

constexpr std::uint64_t kLowBits = 0x7f;
constexpr std::uint64_t kMoreFollows = 0x80;

}  // namespace

void ProtobufWriter::raw_varint(std::uint64_t value) {
  while (value > kLowBits) {
    bytes_ += static_cast<char>((value & kLowBits) | kMoreFollows);
    value >>= 7;
  }
  bytes_ += static_cast<char>(value);
}

void ProtobufWriter::key(std::uint32_t field, std::uint32_t wire_type) {
  raw_varint(std::uint64_t{field} << 3 | wire_type);
}

void ProtobufWriter::varint(std::uint32_t field, std::uint64_t value) {
  key(field, kVarint);
  raw_varint(value);
}

void ProtobufWriter::signed_varint(std::uint32_t field, std::int64_t value) {
  varint(field, static_cast<std::uint64_t>(value));
}

void ProtobufWriter::number(std::uint32_t field, double value) {
  key(field, kFixed64);
  auto bits = std::bit_cast<std::uint64_t>(value);
  for (int i = 0; i < 8; ++i, bits >>= 8) bytes_ += static_cast<char>(bits & 0xff);
}

void ProtobufWriter::text(std::uint32_t field, std::string_view value) {
  key(field, kLengthDelimited);
  raw_varint(value.size());
  bytes_ += value;
}

}  // namespace raddle::sim

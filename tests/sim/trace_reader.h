// Reads a trace back with a decoder of its own, as a viewer would: one line an event.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace raddle::sim {

// Fields of one message in the order of their coming; texts and nested messages stay bytes.
struct Field {
  std::uint64_t number = 0;
  std::uint64_t value = 0;
  std::string bytes;
};

inline std::uint64_t read_varint(std::string_view& in) {
  std::uint64_t value = 0;
  for (int shift = 0; !in.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(in.front());
    in.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80) return value;
  }
  ADD_FAILURE() << "the varint does not end";
  return value;
}

inline std::vector<Field> decode(std::string_view in) {
  std::vector<Field> fields;
  while (!in.empty()) {
    const std::uint64_t key = read_varint(in);
    Field field{key >> 3, 0, {}};
    if ((key & 7) == 0) {
      field.value = read_varint(in);
    } else if ((key & 7) == 1) {
      std::memcpy(&field.value, in.data(), 8);
      in.remove_prefix(8);
    } else {
      const std::uint64_t size = read_varint(in);
      field.bytes = in.substr(0, size);
      in.remove_prefix(size);
    }
    fields.push_back(field);
  }
  return fields;
}

inline const Field* find(const std::vector<Field>& fields, std::uint64_t number) {
  for (const Field& field : fields) {
    if (field.number == number) return &field;
  }
  return nullptr;
}

// One line an event: "time track what name".
inline std::vector<std::string> events_of(const std::string& trace) {
  std::vector<std::string> lines;
  std::map<std::uint64_t, std::string> tracks;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> names;  // by sequence and number
  for (const Field& packet_field : decode(trace)) {
    EXPECT_EQ(packet_field.number, 1U);
    const std::vector<Field> packet = decode(packet_field.bytes);
    const std::uint64_t sequence = find(packet, 10)->value;
    if (const Field* interned = find(packet, 12)) {
      for (const Field& entry : decode(interned->bytes)) {
        const std::vector<Field> name = decode(entry.bytes);
        names[{sequence, find(name, 1)->value}] = find(name, 2)->bytes;
      }
    }
    if (const Field* descriptor = find(packet, 60)) {
      const std::vector<Field> track = decode(descriptor->bytes);
      const Field* parent = find(track, 5);
      tracks[find(track, 1)->value] =
          (parent == nullptr ? "" : tracks[parent->value] + "/") + find(track, 2)->bytes;
      if (const Field* counter = find(track, 8))
        tracks[find(track, 1)->value] += "[" + find(decode(counter->bytes), 6)->bytes + "]";
    }
    const Field* event_field = find(packet, 11);
    if (event_field == nullptr) continue;
    const std::vector<Field> event = decode(event_field->bytes);
    std::string line =
        std::to_string(find(packet, 8)->value) + " " + tracks[find(event, 11)->value];
    const char* const types[] = {"", " begin", " end", " instant", " count"};
    line += types[find(event, 9)->value];
    if (const Field* name = find(event, 10)) line += " " + names[{sequence, name->value}];
    if (const Field* name = find(event, 23)) line += " " + name->bytes;
    if (const Field* value = find(event, 44))
      line += " " + std::to_string(std::bit_cast<double>(value->value));
    lines.push_back(line);
  }
  return lines;
}

}  // namespace raddle::sim

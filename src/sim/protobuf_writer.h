// Just enough of the protocol buffers wire format to write a trace: varints, texts, nested
// messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace raddle::sim {

class ProtobufWriter {
 public:
  void varint(std::uint32_t field, std::uint64_t value);
  void signed_varint(std::uint32_t field, std::int64_t value);
  void number(std::uint32_t field, double value);
  void text(std::uint32_t field, std::string_view value);
  void message(std::uint32_t field, const ProtobufWriter& nested) { text(field, nested.bytes()); }

  std::string_view bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  void raw_varint(std::uint64_t value);
  void key(std::uint32_t field, std::uint32_t wire_type);

  std::string bytes_;
};

}  // namespace raddle::sim

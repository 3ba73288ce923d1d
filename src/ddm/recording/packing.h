// Lists of a recording as bytes. Threads of one template resemble each other, and what they touch
// lies beside what they touched before; so each entry is written as what sets it apart from a
// prediction, in as few bytes as that takes. Reading needs the same predictions and no tables.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "ddm/recording/recording.h"

namespace raddle::ddm::recording {

// Numbers of seven bits a byte, the lowest first; small numbers take one byte.
class ByteSink {
 public:
  void put(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<std::uint8_t>(value | 0x80));
    bytes_.push_back(static_cast<std::uint8_t>(value));
  }
  // With a tag of so many bits (six at most) in the first byte.
  void put_tagged(std::uint64_t value, unsigned tag, int bits) {
    const int here = 7 - bits;
    const auto low = value & ((std::uint64_t{1} << here) - 1);
    const auto rest = value >> here;
    bytes_.push_back(static_cast<std::uint8_t>(low << bits | tag | (rest != 0 ? 0x80 : 0)));
    if (rest != 0) put(rest);
  }
  // Small numbers of either sign become small ones.
  static std::uint64_t folded(std::uint64_t change) { return change << 1 ^ (0 - (change >> 63)); }
  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  std::vector<std::uint8_t> bytes_;
};

class ByteSource {
 public:
  explicit ByteSource(std::span<const std::uint8_t> bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  std::uint64_t get() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = next();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value;
  }
  struct Tagged {
    std::uint64_t value;
    unsigned tag;
  };
  Tagged get_tagged(int bits) {
    const unsigned first = next();
    Tagged read{(first & 0x7f) >> bits, first & ((1u << bits) - 1)};
    if (first >= 0x80) read.value |= get() << (7 - bits);
    return read;
  }
  static std::uint64_t unfolded(std::uint64_t value) { return value >> 1 ^ (0 - (value & 1)); }
  [[nodiscard]] bool at_end() const { return at_ == end_; }

 private:
  std::uint8_t next() {
    if (at_ == end_) throw std::runtime_error("it ends early");
    return *at_++;
  }

  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

// Numbers of several sequences that take turns, such as the rows that a stencil reads: each is
// told by the sequence that it continues and how far it is from that one's last.
class Sequences {
 public:
  // With a tag of so many bits, four at most.
  void write(ByteSink& to, std::uint64_t value, unsigned tag, int bits) {
    unsigned nearest = 0;
    auto least = ByteSink::folded(value - last_[0]);
    for (unsigned i = 1; i < last_.size(); ++i) {
      const auto distance = ByteSink::folded(value - last_[i]);
      if (distance >= least) continue;
      least = distance;
      nearest = i;
    }
    to.put_tagged(least, tag << 2 | nearest, bits + 2);
    remember(nearest, value, least);
  }
  // Gives the number and the tag.
  ByteSource::Tagged read(ByteSource& from, int bits) {
    const auto read = from.get_tagged(bits + 2);
    const unsigned nearest = read.tag & 3;
    const auto value = last_[nearest] + ByteSource::unfolded(read.value);
    remember(nearest, value, read.value);
    return {value, read.tag >> 2};
  }

 private:
  static constexpr std::uint64_t kNear = 128;  // what is farther begins a sequence

  void remember(unsigned nearest, std::uint64_t value, std::uint64_t distance) {
    if (distance >= kNear) nearest = oldest_++ % 4;
    last_[nearest] = value;
  }

  std::array<std::uint64_t, 4> last_{};
  unsigned oldest_ = 0;
};

// Each of these writes and reads entries of one list, from its first to its last.
class EventPacking {
 public:
  void write(ByteSink& to, const Event& event);
  Event read(ByteSource& from);

 private:
  Sequences data_, code_;
};

class ThreadPacking {
 public:
  void write(ByteSink& to, const Thread& thread);
  Thread read(ByteSource& from);

 private:
  // What a thread is expected to be, from the last one and the last one of its template.
  [[nodiscard]] Thread expected(std::uint32_t thread_template) const;
  void remember(const Thread& thread);

  Thread last_;
  std::array<Thread, 256> last_of_;  // by template, as far as there is room
};

class NumberPacking {
 public:
  void write(ByteSink& to, std::uint32_t number);
  std::uint32_t read(ByteSource& from);

 private:
  Sequences numbers_;
};

class RegionPacking {
 public:
  void write(ByteSink& to, const Region& region);
  Region read(ByteSource& from);

 private:
  Sequences addresses_;
  std::uint64_t bytes_ = 0;
};

class FlowPacking {
 public:
  void write(ByteSink& to, const Flow& flow);
  Flow read(ByteSource& from);

 private:
  Sequences producers_;
  RegionPacking regions_;
};

}  // namespace raddle::ddm::recording

#include "base/content_hash.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace raddle {

namespace {

constexpr std::uint64_t kFirst = 0x9e3779b97f4a7c15;
constexpr std::uint64_t kSecond = 0xc2b2ae3d27d4eb4f;

std::uint64_t finish(std::uint64_t value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccd;
  value ^= value >> 33;
  value *= 0xc4ceb9fe1a85ec53;
  return value ^ (value >> 33);
}

}  // namespace

void ContentHash::mix(std::uint64_t word) {
  a_ = std::rotl((a_ ^ word) * kFirst, 29) + b_;
  b_ = std::rotl((b_ + word) * kSecond, 31) ^ a_;
}

ContentHash& ContentHash::add(std::string_view text) {
  mix(text.size());
  while (text.size() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), 8);
    mix(word);
    text.remove_prefix(8);
  }
  std::uint64_t tail = 0;
  std::memcpy(&tail, text.data(), text.size());
  mix(tail);
  return *this;
}

std::string ContentHash::hex() const {
  return fmt::format("{:016x}{:016x}", finish(a_), finish(b_ ^ finish(a_)));
}

}  // namespace raddle

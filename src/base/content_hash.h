// A 128-bit hash of contents, for cache keys: two FNV-1a-like streams with different multipliers
// and a strong finish. It is not meant to withstand an adversary; equal keys for different inputs
// are as unlikely as a disk fault.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace raddle {

class ContentHash {
 public:
  // Each text counts together with its length, so that moving a character from one to the next
  // changes the hash.
  ContentHash& add(std::string_view text);
  std::string hex() const;  // 32 digits

 private:
  void mix(std::uint64_t word);

  std::uint64_t a_ = 0x243f6a8885a308d3;  // digits of pi
  std::uint64_t b_ = 0x13198a2e03707344;
};

}  // namespace raddle

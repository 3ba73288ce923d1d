// A 128-bit hash of contents (XXH3), for cache keys. It does not withstand an adversary; equal keys
// for different inputs are as unlikely as a disk fault.
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
  std::uint64_t high_ = 0;
  std::uint64_t low_ = 0;
};

}  // namespace raddle

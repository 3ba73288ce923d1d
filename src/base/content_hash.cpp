#include "base/content_hash.h"

#include <fmt/format.h>
// Compiled in: programs that link Raddle's runtime need no further library.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>

namespace raddle {

ContentHash& ContentHash::add(std::string_view text) {
  const XXH128_hash_t part = XXH3_128bits(text.data(), text.size());
  const std::array<std::uint64_t, 5> chain{high_, low_, text.size(), part.high64, part.low64};
  const XXH128_hash_t all = XXH3_128bits(chain.data(), sizeof(chain));
  high_ = all.high64;
  low_ = all.low64;
  return *this;
}

std::string ContentHash::hex() const { return fmt::format("{:016x}{:016x}", high_, low_); }

}  // namespace raddle

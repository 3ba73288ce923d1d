#include "machine/tpa/step_cache.h"

#include <algorithm>

#include "base/host_versions.h"

namespace raddle::machine::tpa {

// Whether sets one after the other are full, and none has its key.
RADDLE_HOST_VERSIONS bool StepCache::is_full_without(const Set* sets, Set full,
                                                     const std::uint64_t* keys, std::uint64_t key,
                                                     std::size_t count) {
  std::uint32_t differs = 0;
  for (std::size_t i = 0; i < count; ++i)
    differs |= (sets[i].step ^ full.step) | (sets[i].used ^ full.used);
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t way = 0; way < kUsualWays; ++way)
      found |= keys[i * kUsualWays + way] == key + i ? 1 : 0;
  }
  return differs == 0 && found == 0;
}

bool StepCache::replace_run(std::uint64_t key, std::size_t count) {
  if (ways_ != kUsualWays || fold_ != kNoFold || count > sets_.size()) return false;
  // After the last set comes the first one.
  const std::size_t begin = key & set_mask_;
  const std::size_t first = std::min(count, sets_.size() - begin);
  const Set full{step_, kUsualWays};
  if (!is_full_without(&sets_[begin], full, &keys_[begin * kUsualWays], key, first) ||
      !is_full_without(sets_.data(), full, keys_.data(), key + first, count - first))
    return false;
  std::uint64_t* const keys = keys_.data();
  std::uint32_t* const entries = entries_.data();
  const std::uint64_t mask = set_mask_;
  std::uint64_t random = random_;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t line =
        ((key + i) & mask) * kUsualWays + (next_splitmix64(random) & (kUsualWays - 1));
    keys[line] = key + i;
    entries[line] = kNone;
  }
  random_ = random;
  stats_.misses += count;
  stats_.evictions += count;
  return true;
}

}  // namespace raddle::machine::tpa

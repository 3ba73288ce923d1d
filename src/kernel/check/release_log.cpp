#include "kernel/check/release_log.h"

#include <algorithm>

namespace raddle::kernel::check {

void join(Acquired& into, const Acquired& from) {
  for (const auto& [location, count] : from) {
    std::uint32_t& known = into[location];
    known = std::max(known, count);
  }
}

void ReleaseLog::release(std::uint64_t address, const Record& now, const Coverage& coverage,
                         bool within_block, const Acquired& known) {
  if (is_full()) return;
  const auto [found, is_new] =
      index_.try_emplace(address, static_cast<std::uint32_t>(locations_.size()));
  if (is_new) locations_.emplace_back();
  Location& location = locations_[found->second];
  std::vector<Release>& releases = location.by_block[now.block];
  // Without another fence the same thread has nothing new to give away.
  const bool repeated = !releases.empty() && releases.back().thread == now.thread() &&
                        releases.back().coverage == coverage;
  if (!repeated) {
    releases.push_back({location.count, now.thread(), now.stamp, within_block, coverage});
    ++releases_;
  }
  join(location.inherited, known);
  location.inherited.erase(found->second);  // what it holds itself is known by its count
  ++location.count;
}

void ReleaseLog::acquire(std::uint64_t address, Acquired& known) const {
  const auto found = index_.find(address);
  if (found == index_.end()) return;
  std::uint32_t& count = known[found->second];
  count = std::max(count, locations_[found->second].count);
}

bool ReleaseLog::covers(const Location& location, std::uint32_t count, const Record& access,
                        std::uint32_t block) const {
  const auto found = location.by_block.find(access.block);
  if (found == location.by_block.end()) return false;
  const std::vector<Release>& releases = found->second;
  for (std::size_t i = releases.size(); i-- > 0;) {
    const Release& release = releases[i];
    if (access.stamp >= release.stamp) return false;  // it came after this and all before
    if (release.position >= count) continue;
    if (release.within_block && block != access.block) continue;
    if (access.stamp < release.coverage.block) return true;
    if (release.thread == access.thread() && access.stamp < release.coverage.own) return true;
    if (release.thread / 32 == access.thread() / 32 && access.stamp < release.coverage.warp)
      return true;
  }
  return false;
}

bool ReleaseLog::covers(const Acquired& known, const Record& access, std::uint32_t block) const {
  if (is_full()) return true;
  bool inherits = false;
  for (const auto& [index, count] : known) {
    if (covers(locations_[index], count, access, block)) return true;
    inherits = inherits || !locations_[index].inherited.empty();
  }
  return inherits && covers_indirectly(known, access, block);
}

// What those had acquired from whom this was acquired.
bool ReleaseLog::covers_indirectly(const Acquired& known, const Record& access,
                                   std::uint32_t block) const {
  Acquired seen = known;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> open(known.begin(), known.end());
  while (!open.empty()) {
    const auto [index, count] = open.back();
    open.pop_back();
    const Location& location = locations_[index];
    if (covers(location, count, access, block)) return true;
    for (const auto& [next, its_count] : location.inherited) {
      std::uint32_t& before = seen[next];
      if (before >= its_count) continue;
      before = its_count;
      open.emplace_back(next, its_count);
    }
  }
  return false;
}

}  // namespace raddle::kernel::check

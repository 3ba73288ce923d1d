#include "machine/simt/scheduling_policy.h"

#include <bit>
#include <functional>
#include <map>

#include "base/error.h"

namespace raddle::machine::simt {

namespace {

// Written only while static objects are made, before there is a second thread. Never destroyed:
// launches that a program left in a stream run while it exits.
std::map<std::string, PolicyFactory, std::less<>>& factories() {
  static auto* const known = new std::map<std::string, PolicyFactory, std::less<>>;
  return *known;
}

}  // namespace

PolicyRegistration::PolicyRegistration(const char* name, PolicyFactory factory) {
  const bool is_new = factories().emplace(name, factory).second;
  RADDLE_ASSERT(is_new);
}

std::vector<std::string> policy_names() {
  std::vector<std::string> names;
  for (const auto& [name, factory] : factories()) names.push_back(name);
  return names;
}

std::unique_ptr<SchedulingPolicy> make_policy(std::string_view name, const CoreParameters& core) {
  const auto found = factories().find(name);
  RADDLE_ASSERT(found != factories().end());
  return found->second(core);
}

std::uint32_t oldest_of(WarpSet candidates, const WarpTable& warps) {
  auto best = static_cast<std::uint32_t>(std::countr_zero(candidates));
  auto age = warps[best].age;
  for (WarpSet left = candidates & (candidates - 1); left != 0; left &= left - 1) {
    const auto warp = static_cast<std::uint32_t>(std::countr_zero(left));
    if (const auto other = warps[warp].age; other < age) {
      age = other;
      best = warp;
    }
  }
  return best;
}

std::uint32_t first_behind(std::uint32_t last, WarpSet candidates) {
  const WarpSet later = candidates & ~((set_of(last) << 1) - 1);
  return static_cast<std::uint32_t>(std::countr_zero(later != 0 ? later : candidates));
}

}  // namespace raddle::machine::simt

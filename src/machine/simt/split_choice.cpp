#include "machine/simt/split_choice.h"

#include <array>
#include <string_view>

namespace raddle::machine::simt {

using kernel::exec::CachePreference;

namespace {

SplitChoice wanted(CachePreference preference, SplitChoice latest) {
  switch (preference) {
    case CachePreference::kShared: return SplitChoice::kTable;
    case CachePreference::kL1: return SplitChoice::kMoreL1;
    default: return latest;  // equal parts are none of the choices
  }
}

bool can_launch(const Launch& launch, const BlockNeeds& needs, SplitChoice choice,
                const GpuParameters& gpu) {
  const std::uint64_t blocks = occupancy_limit(needs, divided(gpu.core, choice)).blocks;
  return launch.cooperative ? blocks * gpu.cores >= launch.grid.count() : blocks > 0;
}

}  // namespace

CoreParameters divided(const CoreParameters& core, SplitChoice choice) {
  CoreParameters copy = core;
  copy.use(choice);
  return copy;
}

SplitChoice choose_split(const Launch& launch, const BlockNeeds& needs, SplitChoice latest,
                         const GpuParameters& gpu) {
  if (!gpu.core.split_switches) return SplitChoice::kTable;
  const SplitChoice first = wanted(launch.prefers, latest);
  const SplitChoice other =
      first == SplitChoice::kTable ? SplitChoice::kMoreL1 : SplitChoice::kTable;
  const bool must_change =
      !can_launch(launch, needs, first, gpu) && can_launch(launch, needs, other, gpu);
  return must_change ? other : first;
}

L1Split describe_split(const CoreParameters& core, SplitChoice choice, CachePreference preference) {
  if (!core.split_switches) return {};
  constexpr std::array<std::string_view, 4> kNames{"none", "shared", "L1", "equal"};
  const SplitSizes& sizes = core.splits[static_cast<std::size_t>(choice)];
  return {sizes.l1_bytes.count(), sizes.shared_bytes.count(),
          std::string(kNames[static_cast<std::size_t>(preference)])};
}

}  // namespace raddle::machine::simt

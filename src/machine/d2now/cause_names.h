// What the causes of a node's cycles are called in results.
#pragma once

#include <array>
#include <string_view>

#include "machine/d2now/cycle_account.h"
#include "machine/launch_result.h"

namespace raddle::machine::d2now {

struct NamedCause {
  Cause cause;
  std::string_view stall;  // in LaunchResult::stalls
  std::string_view name;   // of a node's statistics
  std::string_view sentence;
};

// In the order of Cause.
inline constexpr auto kCauseNames = std::to_array<NamedCause>({
    {Cause::kExecution, kIssued, "execution", "threads' own instructions"},
    {Cause::kCache, "wait: cache miss", "cache_miss", "waiting for the L2 or memory"},
    {Cause::kOverhead, "wait: thread sequencing", "overhead",
     "reading the firing queue, writing the acknowledgement queue, handing over values"},
    {Cause::kTsu, "wait: TSU", "tsu_wait", "the TSU had not yet issued a thread that was enabled"},
    {Cause::kNetwork, "wait: network", "network_wait",
     "what the next thread needed was on its way"},
    {Cause::kWork, "wait: other threads", "work_wait",
     "what the next thread needed had not been computed, or nothing was left to do"},
});
static_assert(kCauseNames.size() == kCauses);

}  // namespace raddle::machine::d2now

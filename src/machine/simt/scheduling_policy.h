// Which of the warps that could issue does: the part of a warp scheduler that users replace. A
// policy is one class in one file of policy/, registered there by name; core.policy chooses it.
// Each scheduler has one of its own, which may keep what it likes between its slots. Nothing but
// its calls may change what it chooses, so that results are the same for any number of host
// threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "machine/simt/warp_table.h"

namespace raddle::machine::simt {

struct CoreParameters;

class SchedulingPolicy {
 public:
  virtual ~SchedulingPolicy() = default;
  // One of the candidates, of which there is at least one: they are eligible, and their units take
  // them now. Whoever is chosen issues.
  virtual std::uint32_t choose(WarpSet candidates, const WarpTable& warps) = 0;
  // A policy that does not let every ready warp issue says so: it is asked in every slot.
  virtual bool restricts() const { return false; }
  // Those that may issue now, of those that are ready. Not asked of policies that do not restrict.
  virtual WarpSet eligible(WarpSet ready, const WarpTable& /*warps*/) { return ready; }
};

// What policies are made of.
std::uint32_t oldest_of(WarpSet candidates, const WarpTable& warps);
// The first after the last one chosen, in the order of their places.
std::uint32_t first_behind(std::uint32_t last, WarpSet candidates);

using PolicyFactory = std::unique_ptr<SchedulingPolicy> (*)(const CoreParameters&);

// One line after the class: RADDLE_REGISTER_POLICY("loose-round-robin", LooseRoundRobin); it is
// made with the parameters of its multiprocessor.
class PolicyRegistration {
 public:
  PolicyRegistration(const char* name, PolicyFactory factory);
};
#define RADDLE_REGISTER_POLICY(name, Class)                                             \
  static const ::raddle::machine::simt::PolicyRegistration kPolicyRegistration_##Class( \
      name,                                                                             \
      [](const ::raddle::machine::simt::CoreParameters& core)                           \
          -> std::unique_ptr<::raddle::machine::simt::SchedulingPolicy> {               \
        return std::make_unique<Class>(core);                                           \
      })

// Sorted.
std::vector<std::string> policy_names();
// One of these names.
std::unique_ptr<SchedulingPolicy> make_policy(std::string_view name, const CoreParameters& core);

}  // namespace raddle::machine::simt

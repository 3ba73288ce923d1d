// Where the time of a run went: what each thread took, the critical path, and what ran while
// workers were idle.
#pragma once

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "ddm/native/context_shape.h"
#include "ddm/native/timeline.h"
#include "raddle/ddm/executor.h"

namespace raddle::ddm::native {

struct Context;

// A chain of instances: how long it takes and what of that each thread of the program has.
struct CriticalPath {
  double seconds = 0;
  std::map<std::uint32_t, double> parts;  // by ordinal
};

// What the instances of one context took. Workers write to instances of their own.
class ContextProfile {
 public:
  explicit ContextProfile(const ContextShape& shape);

  void add(std::uint32_t thread, std::size_t slot, double seconds) {
    seconds_[thread][slot] += static_cast<float>(seconds);
  }
  // A context that an instance invoked has ended. Those of one instance run beside each other.
  void add_invoked(std::uint32_t thread, std::size_t slot, CriticalPath path);
  // When the context has ended.
  [[nodiscard]] CriticalPath critical_path(const Context& context) const;

 private:
  std::vector<std::vector<float>> seconds_;  // by thread and slot
  std::mutex mutex_;
  std::map<std::pair<std::uint32_t, std::size_t>, CriticalPath> invoked_;
};

// The profile of a run from its events; `path` is that of its first context.
void add_profile(Report& report, const ProgramPlan& plan, const Timeline& timeline,
                 const CriticalPath& path);

}  // namespace raddle::ddm::native

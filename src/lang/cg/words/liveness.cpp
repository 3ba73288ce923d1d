#include "lang/cg/words/liveness.h"

#include "base/stop_token.h"

namespace raddle::cg {

std::vector<BitSet> live_out(const std::vector<FlowStep>& steps, std::size_t numbers) {
  std::vector<BitSet> after(steps.size(), BitSet(numbers));
  std::vector<BitSet> before(steps.size(), BitSet(numbers));
  for (bool changed = true; changed;) {
    throw_if_stopped("compiling Cg");
    changed = false;
    for (std::size_t i = steps.size(); i-- > 0;) {
      const FlowStep& step = steps[i];
      for (const std::uint32_t next : step.next) {
        if (next < steps.size()) after[i].add_all(before[next]);
      }
      BitSet live = after[i];
      if (step.defines_always) {
        for (const std::uint32_t number : step.defines) live.erase(number);
      }
      for (const std::uint32_t number : step.uses) live.insert(number);
      changed = before[i].add_all(live) || changed;
    }
  }
  return after;
}

}  // namespace raddle::cg

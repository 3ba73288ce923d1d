#include "machine/instruction_totals.h"

#include <algorithm>
#include <utility>

namespace raddle::machine {

void InstructionTotals::add(const kernel::exec::DecodedFunction& function,
                            const kernel::exec::DecodedInstruction& instruction,
                            std::uint64_t warps, std::uint64_t threads) {
  if (warps == 0) return;
  const auto c = static_cast<std::size_t>(kernel::class_of(*instruction.ir));
  result_.warp_instructions += warps;
  result_.thread_instructions += threads;
  result_.warp_instructions_by_class[c] += warps;
  result_.thread_instructions_by_class[c] += threads;
  if (!lines_) return;
  LineCost& line = by_line_[function.module->describe_location(instruction.ir->location)];
  line.warp_instructions += warps;
  line.thread_instructions += threads;
}

void InstructionTotals::finish() {
  for (auto& [location, line] : by_line_) {
    line.location = location;
    result_.lines.push_back(std::move(line));
  }
  std::stable_sort(result_.lines.begin(), result_.lines.end(),
                   [](const LineCost& a, const LineCost& b) {
                     return a.warp_instructions > b.warp_instructions;
                   });
}

}  // namespace raddle::machine

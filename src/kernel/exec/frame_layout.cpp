#include "kernel/exec/frame_layout.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <utility>

#include "kernel/analysis/cfg.h"
#include "kernel/analysis/def_use.h"
#include "kernel/analysis/liveness.h"
#include "kernel/exec/decoded.h"

namespace raddle::kernel::exec {

namespace {

// From the first to the last place in the text at which the register may hold a value that is
// needed, gaps included. Instructions are places, and so are the beginning and the end of a block.
struct Life {
  std::uint32_t first = ~std::uint32_t{0};
  std::uint32_t last = 0;

  void reaches(std::uint32_t place) {
    first = std::min(first, place);
    last = std::max(last, place);
  }
};

std::vector<Life> lives_of(const Function& function, const Liveness& liveness) {
  std::vector<Life> lives(function.registers.size());
  std::uint32_t place = 0;
  const auto reaches = [&](RegisterId id) { lives[id].reaches(place); };
  for (BlockId b = 0; b < function.blocks.size(); ++b, ++place) {
    liveness.live_in(b).for_each(reaches);
    for (const Instruction& instruction : function.blocks[b].instructions) {
      ++place;
      for_each_use(instruction, reaches);
      for_each_def(instruction, reaches);
    }
    ++place;
    liveness.live_out(b).for_each(reaches);
  }
  return lives;
}

}  // namespace

int register_bytes(Type type) { return type == Type::kPred ? 0 : std::max(2, size_of(type)); }

std::uint32_t slot_bytes(int bytes_per_lane) {
  constexpr std::uint32_t kHostLine = 64;
  const auto bytes = static_cast<std::uint32_t>(bytes_per_lane * kLanes);
  return std::max((bytes + kHostLine - 1) / kHostLine * kHostLine, kHostLine);
}

FrameLayout separate_registers(const Function& function) {
  FrameLayout layout;
  for (const Register& reg : function.registers) {
    layout.slots.push_back(layout.bytes);
    layout.bytes += slot_bytes(register_bytes(reg.type));
  }
  return layout;
}

FrameLayout share_places(const Function& function) {
  const ControlFlowGraph graph(function);
  const Liveness liveness(function, graph);
  const std::vector<Life> lives = lives_of(function, liveness);
  std::vector<RegisterId> order(function.registers.size());
  for (RegisterId id = 0; id < order.size(); ++id) order[id] = id;
  std::stable_sort(order.begin(), order.end(),
                   [&](RegisterId a, RegisterId b) { return lives[a].first < lives[b].first; });

  using Place = std::pair<std::uint32_t, std::uint32_t>;  // last use, slot
  // By bytes a lane: lanes live on their own, so a lane must have the same bytes in all that share.
  std::map<int, std::priority_queue<Place, std::vector<Place>, std::greater<>>> places;
  FrameLayout layout;
  layout.slots.resize(function.registers.size());
  for (const RegisterId id : order) {
    if (lives[id].first > lives[id].last) continue;  // nobody names it
    const int bytes = register_bytes(function.registers[id].type);
    auto& free_first = places[bytes];
    const bool unwritten = !function.blocks.empty() && liveness.live_in(0).contains(id);
    if (unwritten || free_first.empty() || free_first.top().first >= lives[id].first) {
      layout.slots[id] = layout.bytes;
      layout.bytes += slot_bytes(bytes);
    } else {
      layout.slots[id] = free_first.top().second;
      free_first.pop();
    }
    if (!unwritten) free_first.emplace(lives[id].last, layout.slots[id]);
  }
  return layout;
}

}  // namespace raddle::kernel::exec

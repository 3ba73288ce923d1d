// Looks through the synchronization memory of a context that has ended for instances that still
// wait.
#include <bit>

#include "ddm/graph_walk.h"
#include "ddm/native/bindings.h"
#include "ddm/native/context.h"
#include "ddm/native/instance_order.h"

namespace raddle::ddm::native {
namespace {

// Inputs that came for an instance, as far as the synchronization memory tells.
std::size_t received(const Context& context, std::uint32_t thread, std::uint32_t tile,
                     unsigned cell) {
  const auto& shape = context.shape->threads[thread];
  const auto expected = context.shape->expected_inputs(thread, tile, cell);
  const unsigned owner = shape.bound ? context.bindings->owner_of(thread, tile, cell) : 0;
  if (shape.sync == Sync::kCount) return expected - context.count(shape, tile, cell, owner).load();
  if (shape.sync == Sync::kPair && expected == 2)
    return context.pair_bits(shape, tile, owner).load() >> cell & 1;
  return 0;
}

}  // namespace

std::exception_ptr find_starvation(const Context& context, std::uint64_t fired) {
  const auto& shape = *context.shape;
  const bool some_missing = fired < shape.counted_instances;
  if (!some_missing && !context.plan->has_conditional) return nullptr;
  std::optional<InstanceOrder> reachable;
  if (some_missing) reachable.emplace(*context.plan, shape, context.frame);
  std::vector<StarvedThread> starved;
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < shape.threads.size(); ++i) {
    const auto& thread = shape.threads[i];
    const bool counted = context.plan->threads[i].counted;
    if (counted && !some_missing) continue;
    if (!counted && thread.sync == Sync::kNone) continue;
    for (std::uint32_t tile = 0; tile < thread.grid.tiles(); ++tile) {
      const auto at = thread.grid.position(tile);
      for (auto left = thread.existing_at(tile, at); left != 0; left &= left - 1) {
        const auto cell = static_cast<unsigned>(std::countr_zero(left));
        const auto inputs = received(context, i, tile, cell);
        if (counted ? reachable->reaches(i, tile, cell) : inputs == 0) continue;
        ++count;
        if (starved.size() < 4) {
          starved.push_back(
              {i, thread.grid.coordinates(at, cell), inputs, shape.expected_inputs(i, tile, cell)});
        }
      }
    }
  }
  if (count == 0) return nullptr;
  return std::make_exception_ptr(starvation_error(*context.plan->block, starved, count));
}

}  // namespace raddle::ddm::native

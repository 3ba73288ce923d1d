// Looks through the synchronization memory of a context that has ended for instances that still
// wait.
#include <bit>

#include "ddm/graph_walk.h"
#include "ddm/native/bindings.h"
#include "ddm/native/context.h"

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

// Marks, by running the graph's arcs without its threads, what can ever run: what is left starves.
// Inputs of threads that a switch decides on count as given.
class Reachability {
 public:
  explicit Reachability(const Context& context)
      : context_(context), remaining_(context.shape->threads.size()) {
    const auto& shape = *context.shape;
    for (std::size_t i = 0; i < remaining_.size(); ++i) {
      const auto& grid = shape.threads[i].grid;
      remaining_[i].assign(grid.tiles() * grid.cells_per_tile(), kNotAnInstance);
      for (std::uint32_t tile = 0; tile < grid.tiles(); ++tile) {
        for (auto left = shape.threads[i].existing_at(tile); left != 0; left &= left - 1) {
          at(i, tile, static_cast<unsigned>(std::countr_zero(left))) = 0;
        }
      }
    }
    producers_ = shape.producers;
    for_each_arc([&](std::uint32_t thread, const Coordinates& index) { ++at(thread, index); });
    flow();
  }

  [[nodiscard]] bool runs(std::uint32_t thread, std::uint32_t tile, unsigned cell) const {
    return remaining_[thread]
                     [context_.shape->threads[thread].grid.cells_per_tile() * tile + cell] == kRan;
  }

 private:
  static constexpr std::uint32_t kNotAnInstance = 0xffffffff;
  static constexpr std::uint32_t kRan = 0xfffffffe;

  std::uint32_t& at(std::size_t thread, std::uint32_t tile, unsigned cell) {
    return remaining_[thread][context_.shape->threads[thread].grid.cells_per_tile() * tile + cell];
  }
  std::uint32_t& at(std::uint32_t thread, const Coordinates& index) {
    const auto& grid = context_.shape->threads[thread].grid;
    return at(thread, grid.tile_of(index), grid.cell_of(index));
  }

  void for_each_arc(FunctionRef<void(std::uint32_t, const Coordinates&)> input) {
    const auto& block = *context_.plan->block;
    for (std::uint32_t thread = 0; thread < remaining_.size(); ++thread) {
      for_each_instance(block.threads[thread], context_.frame, context_.shape->extents[thread],
                        [&](const Coordinates& index) { targets(thread, index, true, input); });
    }
  }

  void targets(std::uint32_t thread, const Coordinates& index, bool counting,
               FunctionRef<void(std::uint32_t, const Coordinates&)> input) {
    const auto& block = *context_.plan->block;
    for (const auto number : block.threads[thread].consumers) {
      const auto& arc = block.arcs[number];
      if (arc.again) continue;
      const auto& extents = context_.shape->extents[arc.to];
      if (arc.kind != ArcKind::kAll) {
        for_each_target(block, arc, context_.frame, extents, index,
                        [&](const Coordinates& to) { input(arc.to, to); });
        continue;
      }
      if (counting ? index != first_instance(thread) : --producers_[number] > 0) continue;
      for_each_instance(block.threads[arc.to], context_.frame, extents,
                        [&](const Coordinates& to) { input(arc.to, to); });
    }
  }

  Coordinates first_instance(std::uint32_t thread) const {
    std::optional<Coordinates> first;
    for_each_instance(context_.plan->block->threads[thread], context_.frame,
                      context_.shape->extents[thread], [&](const Coordinates& index) {
                        if (!first) first = index;
                      });
    return *first;
  }

  void flow() {
    std::vector<std::pair<std::uint32_t, Coordinates>> ready;
    for (std::uint32_t thread = 0; thread < remaining_.size(); ++thread) {
      for_each_instance(context_.plan->block->threads[thread], context_.frame,
                        context_.shape->extents[thread], [&](const Coordinates& index) {
                          if (at(thread, index) == 0) ready.emplace_back(thread, index);
                        });
    }
    while (!ready.empty()) {
      const auto [thread, index] = ready.back();
      ready.pop_back();
      at(thread, index) = kRan;
      targets(thread, index, false, [&](std::uint32_t to, const Coordinates& target) {
        if (--at(to, target) == 0) ready.emplace_back(to, target);
      });
    }
  }

  const Context& context_;
  std::vector<std::vector<std::uint32_t>> remaining_;
  std::vector<std::uint64_t> producers_;
};

}  // namespace

std::exception_ptr find_starvation(const Context& context, std::uint64_t fired) {
  const auto& shape = *context.shape;
  const bool some_missing = fired < shape.counted_instances;
  if (!some_missing && !context.plan->has_conditional) return nullptr;
  std::optional<Reachability> reachable;
  if (some_missing) reachable.emplace(context);
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
        if (counted ? reachable->runs(i, tile, cell) : inputs == 0) continue;
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

#include "ddm/native/plan.h"

#include <algorithm>

#include "ddm/data_order.h"
#include "ddm/graph_walk.h"
#include "ddm/native/context_shape.h"

namespace raddle::ddm::native {
namespace {

Delivery delivery_of(const BlockGraph& block, const Arc& arc) {
  if (arc.again) return Delivery::kAlone;
  if (arc.kind == ArcKind::kOffset) return Delivery::kOffset;
  if (arc.kind == ArcKind::kMap) return Delivery::kMap;
  const bool single = block.threads[arc.from].dimensions == 0 &&
                      block.threads[arc.to].dimensions == 0 && !block.threads[arc.from].exists &&
                      !block.threads[arc.to].exists;
  return single ? Delivery::kSingle : Delivery::kAll;
}

ThreadPlan plan_thread(const ProgramGraph& program, const BlockGraph& block,
                       const ThreadTemplate& thread) {
  ThreadPlan plan;
  plan.thread = &thread;
  plan.body = thread.code.body.get();
  plan.run = thread.code.run;
  plan.kind = thread.kind;
  plan.has_reads = static_cast<bool>(thread.reads);
  plan.bound = thread.worker || thread.memory_node;
  plan.prioritised = !plan.bound && (thread.priority || block.critical_path_first);
  for (const auto number : thread.consumers) {
    const Arc& arc = block.arcs[number];
    const auto delivery = delivery_of(block, arc);
    plan.consumers.push_back({&arc, number, arc.to, delivery, arc.when.has_value(),
                              arc.when.value_or(0),
                              delivery == Delivery::kOffset && arc.to == arc.from,
                              TileOffset(thread.dimensions, arc.offset)});
  }
  if (block.infers_arcs && declares_data(thread)) {
    ArcPlan data;
    data.number = kNoArc;
    data.to = static_cast<std::uint32_t>(&thread - block.threads.data());
    data.delivery = Delivery::kData;
    plan.consumers.push_back(data);
  }
  for (std::uint32_t i = 0; i < program.blocks.size(); ++i) {
    if (program.blocks[i].get() == thread.invocation.callee) plan.callee = i;
  }
  return plan;
}

}  // namespace

std::shared_ptr<const ProgramPlan> make_plan(const ProgramGraph& program) {
  auto plan = std::make_shared<ProgramPlan>();
  for (const auto& block : program.blocks) {
    auto made = std::make_unique<BlockPlan>();
    made->block = block.get();
    made->number = static_cast<std::uint32_t>(plan->blocks.size());
    const auto conditional = conditional_threads(*block);
    for (const auto& thread : block->threads)
      made->threads.push_back(plan_thread(program, *block, thread));
    for (std::size_t i = 0; i < conditional.size(); ++i) {
      made->threads[i].counted = !conditional[i];
      made->has_conditional |= conditional[i];
      plan->has_reads |= made->threads[i].has_reads;
      made->has_bound |= made->threads[i].bound;
      made->bindings_depend_on_frame |= block->threads[i].worker_depends_on_frame;
      plan->has_bound |= made->threads[i].bound;
      plan->has_priorities |= made->threads[i].prioritised;
      plan->has_external |= made->threads[i].kind == ThreadKind::kExternal;
      made->has_special |= made->threads[i].special();
      made->threads[i].ordinal = plan->threads++;
    }
    plan->has_special |= made->has_special;
    made->rearms = std::ranges::any_of(block->arcs, [](const Arc& arc) { return arc.again; });
    made->shape_depends_on_extents_alone =
        !block->infers_arcs &&
        std::ranges::none_of(block->arcs,
                             [](const Arc& arc) { return arc.map_depends_on_frame; }) &&
        std::ranges::none_of(block->threads, [](const ThreadTemplate& thread) {
          return thread.exists_depends_on_frame;
        });
    const bool fixed = std::ranges::all_of(block->threads, [](const ThreadTemplate& thread) {
      return thread.fixed_extents.has_value();
    });
    // Functions that do not depend on the frame are not given one.
    if (fixed && made->shape_depends_on_extents_alone) {
      made->fixed_shape =
          std::make_shared<ContextShape>(*made, nullptr, extents_of(*block, nullptr));
    }
    plan->blocks.push_back(std::move(made));
  }
  return plan;
}

}  // namespace raddle::ddm::native

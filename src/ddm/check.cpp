// Checks of a graph before it runs. What depends on frames (ranges, conditions, mappings) is found
// when a context starves.
#include <algorithm>
#include <span>

#include "ddm/data_order.h"
#include "ddm/graph_walk.h"

namespace raddle::ddm {
namespace {

// Whether a thread waits for this arc before it first runs, at the same index or at every index:
// then a cycle of such arcs can never fire. Arcs that lead to other indices may lead out of the
// range.
bool always_waits(const Arc& arc) {
  if (arc.again || arc.kind == ArcKind::kMap) return false;
  return arc.kind == ArcKind::kAll || arc.offset == Distance{0, 0, 0};
}

[[noreturn]] void throw_cycle(const BlockGraph& block, std::span<const std::uint32_t> path) {
  std::string cycle;
  for (const auto thread : path) cycle += "'" + block.threads[thread].name + "' → ";
  throw GraphError(
      "the cycle " + cycle + "'" + block.threads[path.front()].name + "' can never fire",
      "block '" + block.name + "'",
      "a loop's way back is declared with again(…), a step to another iteration with an offset");
}

// Goes down the arcs from each thread. The path is kept here and not on the stack: chains of
// threads may be long.
void check_for_cycles(const BlockGraph& block) {
  enum class Mark { kNew, kOpen, kDone };
  std::vector<Mark> marks(block.threads.size(), Mark::kNew);
  std::vector<std::size_t> next_consumer(block.threads.size());
  std::vector<std::uint32_t> path;
  for (std::uint32_t first = 0; first < block.threads.size(); ++first) {
    if (marks[first] == Mark::kNew) path.push_back(first);
    while (!path.empty()) {
      const auto thread = path.back();
      marks[thread] = Mark::kOpen;
      const auto& consumers = block.threads[thread].consumers;
      if (next_consumer[thread] == consumers.size()) {
        marks[thread] = Mark::kDone;
        path.pop_back();
        continue;
      }
      const auto& arc = block.arcs[consumers[next_consumer[thread]++]];
      if (!always_waits(arc) || marks[arc.to] == Mark::kDone) continue;
      if (marks[arc.to] == Mark::kOpen)
        throw_cycle(block, {std::ranges::find(path, arc.to), path.end()});
      path.push_back(arc.to);
    }
  }
}

void check_switches(const BlockGraph& block) {
  for (std::uint32_t number = 0; number < block.threads.size(); ++number) {
    const auto& thread = block.threads[number];
    if (thread.kind == ThreadKind::kSwitch && thread.consumers.empty()) {
      throw GraphError("this switch thread has no consumer", thread_name(block, number),
                       "declare what runs in each case with when(…)");
    }
  }
}

// With fixed ranges, an arc from index to index must reach at least one instance of the consumer.
void check_reach(const BlockGraph& block) {
  for (const auto& arc : block.arcs) {
    const auto& from = block.threads[arc.from].fixed_extents;
    const auto& to = block.threads[arc.to].fixed_extents;
    if (arc.kind != ArcKind::kOffset || !from || !to) continue;
    for (int i = 0; i < kMaxDimensions; ++i) {
      const auto first = std::max<std::ptrdiff_t>(0, arc.offset[i]);
      const auto last =
          std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(to->size[i]),
                                   static_cast<std::ptrdiff_t>(from->size[i]) + arc.offset[i]);
      if (first < last || from->count() == 0 || to->count() == 0) continue;
      throw GraphError(
          "its arc to '" + block.threads[arc.to].name + "' reaches no instance of that thread",
          thread_name(block, arc.from), "the offset leads out of the consumer's range");
    }
  }
}

// The ready count of instances that no edge of a range cuts short.
void check_ready_counts(const BlockGraph& block) {
  for (std::uint32_t number = 0; number < block.threads.size(); ++number) {
    const auto& thread = block.threads[number];
    if (!thread.declared_ready_count) continue;
    if (counts_depend_on_frame(block, thread)) continue;  // see the executors
    const auto arcs = static_cast<std::size_t>(std::ranges::count_if(
        thread.producers, [&](std::uint32_t arc) { return !block.arcs[arc].again; }));
    if (arcs == *thread.declared_ready_count) continue;
    throw GraphError(
        "its ready count of " + std::to_string(*thread.declared_ready_count) + " is never met: " +
            std::to_string(arcs) + (arcs == 1 ? " arc leads" : " arcs lead") + " to it",
        thread_name(block, number), "declare the missing producer, or correct expects(…)");
  }
}

// A thread that may run more than once, or never, has no place in program order.
void check_data(const BlockGraph& block) {
  if (!block.infers_arcs) return;
  const auto conditional = conditional_threads(block);
  for (std::uint32_t i = 0; i < block.threads.size(); ++i) {
    if (!conditional[i] || !declares_data(block.threads[i])) continue;
    throw GraphError(
        "arcs cannot be inferred from what it reads and writes: a switch or a loop decides "
        "whether it runs",
        thread_name(block, i), "put it in a block of its own, or declare arcs and no writes(…)");
  }
}

void check_invocations(const ProgramGraph& program, const BlockGraph& block) {
  for (std::uint32_t number = 0; number < block.threads.size(); ++number) {
    const auto& thread = block.threads[number];
    if (thread.kind != ThreadKind::kCall) continue;
    const auto* callee = thread.invocation.callee;
    const bool known = std::ranges::any_of(
        program.blocks, [&](const auto& candidate) { return candidate.get() == callee; });
    if (!known) {
      throw GraphError("it invokes a block of another program", thread_name(block, number),
                       "make the block with block(…) of the same program");
    }
    if (callee->threads.empty() && !callee->inlet && !callee->outlet) {
      throw GraphError("it has no threads", "block '" + callee->name + "'",
                       "it is invoked by " + thread_name(block, number));
    }
  }
}

// Every thread waits for some other one: nothing starts.
void check_for_start(const BlockGraph& block) {
  if (block.threads.empty()) return;
  const bool starts = std::ranges::any_of(block.threads, [&](const ThreadTemplate& thread) {
    return std::ranges::none_of(thread.producers,
                                [&](std::uint32_t arc) { return always_waits(block.arcs[arc]); });
  });
  if (starts) return;
  throw GraphError("no thread can start: each waits for another one", "block '" + block.name + "'",
                   "");
}

}  // namespace

void check(const ProgramGraph& program) {
  for (const auto& block : program.blocks) {
    check_for_cycles(*block);
    check_for_start(*block);
    check_switches(*block);
    check_reach(*block);
    check_ready_counts(*block);
    check_data(*block);
    check_invocations(program, *block);
  }
}

}  // namespace raddle::ddm

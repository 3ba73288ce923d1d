#include "machine/d2now/post_processing_unit.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"

namespace raddle::machine::d2now {

PostProcessingUnit::PostProcessingUnit(const TsuParameters& tsu, const ThreadGraph& graph,
                                       std::uint32_t node, std::vector<std::uint32_t>& ready_counts,
                                       ThreadIssueUnit& issue, EventQueue& events,
                                       std::function<void(std::uint32_t, Ticks)> send)
    : tsu_(tsu),
      graph_(graph),
      ready_counts_(ready_counts),
      issue_(issue),
      events_(events),
      send_(std::move(send)),
      graph_memory_(tsu.graph_memory, static_cast<std::uint32_t>(graph.recording().blocks.size())),
      synchronization_memory_(tsu.synchronization_memory),
      threads_left_(graph.recording().blocks.size()) {
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    if (graph.thread(i).node == node) ++threads_left_[graph.thread(i).block];
  }
  for (const ddm::recording::Block& block : graph.recording().blocks) {
    if (block.templates > tsu.graph_memory) {
      throw Error(fmt::format("code block '{}' has {} templates, the graph memory holds {}",
                              block.name, block.templates, tsu.graph_memory),
                  graph.recording().program,
                  "split the block, or set tsu.graph_memory to a larger number");
    }
  }
}

void PostProcessingUnit::start(std::vector<std::uint32_t> threads) {
  started_ = std::move(threads);
  if (started_.empty()) return;
  tasks_.push_back({Task::Kind::kStart, 0, {}, {}});
  begin_task(Ticks(0));
}

void PostProcessingUnit::completed(std::uint32_t thread, Ticks now) {
  ++acknowledgements_;
  if (graph_.thread(thread).messages.count != 0) ++senders_;
  tasks_.push_back({Task::Kind::kCompleted, thread, {}, {}});
  begin_task(now);
}

void PostProcessingUnit::received(std::uint32_t message, Ticks sent, Ticks now) {
  tasks_.push_back({Task::Kind::kReceived, message, sent, now});
  begin_task(now);
}

void PostProcessingUnit::begin_task(Ticks now) {
  if (busy_ || tasks_.empty()) return;
  const Task& task = tasks_.front();
  busy_ = true;
  task_began_ = now;
  position_ = 0;
  current_begun_ = false;
  Ticks duration;
  if (task.kind == Task::Kind::kCompleted) {
    --acknowledgements_;
    duration = tsu_.acknowledge;
  }
  events_.schedule(now + duration, EventKind::kPostProcessing);
}

std::span<const std::uint32_t> PostProcessingUnit::consumers_of(const Task& task) const {
  switch (task.kind) {
    case Task::Kind::kStart: return started_;
    case Task::Kind::kCompleted: return graph_.decrements(graph_.thread(task.number).consumers);
    case Task::Kind::kReceived: break;
  }
  return graph_.decrements(graph_.message(task.number).decrements);
}

// Each consumer is one step, so that the first is ready while others are still looked at.
void PostProcessingUnit::step(Ticks now) {
  const Task& task = tasks_.front();
  if (!current_begun_) {
    current_begun_ = true;
    if (task.kind == Task::Kind::kCompleted) {
      const PlacedThread& thread = graph_.thread(task.number);
      if (thread.messages.count != 0) --senders_;
      for (std::uint64_t i = 0; i < thread.messages.count; ++i) {
        send_(static_cast<std::uint32_t>(thread.messages.first + i), now);
      }
    }
  } else {
    decrement({consumers_of(task)[position_], task.sent, task.arrived}, now);
    ++position_;
  }
  plan_next(now);
}

void PostProcessingUnit::plan_next(Ticks now) {
  if (position_ < consumers_of(tasks_.front()).size()) {
    Ticks duration = tsu_.decrement;
    if (synchronization_memory_.is_full()) {
      ++counts_.count_overflows;
      duration += tsu_.overflow;
    }
    events_.schedule(now + duration, EventKind::kPostProcessing);
    return;
  }
  const Task done = tasks_.front();
  tasks_.pop_front();
  if (done.kind == Task::Kind::kCompleted) {
    thread_of_block_completed(graph_.thread(done.number).block, now);
  }
  busy_ = false;
  busy_ticks_ += now - task_began_;
  if (trace_ != nullptr) trace(done, now);
  begin_task(now);
}

void PostProcessingUnit::trace(const Task& done, Ticks now) const {
  switch (done.kind) {
    case Task::Kind::kStart: trace_->post_processes("start", task_began_, now); break;
    case Task::Kind::kCompleted: trace_->completes(done.number, task_began_, now); break;
    case Task::Kind::kReceived: trace_->post_processes("message", task_began_, now); break;
  }
}

void PostProcessingUnit::decrement(const Decrement& decrement, Ticks now) {
  const PlacedThread& thread = graph_.thread(decrement.thread);
  if (!make_resident(thread.block)) {
    ++counts_.waits_for_graph_memory;
    parked_.push_back(decrement);
    return;
  }
  ++counts_.decrements;
  std::uint32_t& count = ready_counts_[decrement.thread];
  if (count == thread.ready_count && count > 1) synchronization_memory_.count_begins();
  if (count != 0) --count;  // one that waits for nothing starts at zero
  if (count != 0) return;
  if (thread.ready_count > 1) synchronization_memory_.count_ends();
  const std::uint64_t number = std::uint64_t{thread.block} << 32 | thread.thread_template;
  issue_.push({decrement.thread, number, thread.index, decrement.sent, decrement.arrived}, now);
}

bool PostProcessingUnit::make_resident(std::uint32_t block) {
  if (graph_memory_.is_resident(block)) return true;
  const std::uint32_t templates = graph_.recording().blocks[block].templates;
  if (!graph_memory_.try_load(block, templates)) return false;
  ++counts_.blocks_loaded;
  templates_loaded_ += templates;
  return true;
}

// DDM §2.2: the outlet thread, the last of its block, removes it from the TSU.
void PostProcessingUnit::thread_of_block_completed(std::uint32_t block, Ticks now) {
  if (--threads_left_[block] != 0) return;
  graph_memory_.remove(block, graph_.recording().blocks[block].templates);
  std::deque<Decrement> again;
  again.swap(parked_);
  for (const Decrement& waiting : again) decrement(waiting, now);
}

std::uint32_t PostProcessingUnit::templates_loaded() { return std::exchange(templates_loaded_, 0); }

std::vector<std::uint32_t> PostProcessingUnit::parked() const {
  std::vector<std::uint32_t> threads;
  for (const Decrement& waiting : parked_) threads.push_back(waiting.thread);
  return threads;
}

}  // namespace raddle::machine::d2now

#include "ddm/recorder/graph_recorder.h"

#include <algorithm>
#include <utility>

#include "ddm/graph_walk.h"

namespace raddle::ddm {

using recording::TemplateKind;

GraphRecorder::GraphRecorder(const std::vector<std::uint32_t>& node_counts) : stream_(recording_) {
  for (const std::uint32_t nodes : node_counts) recording_.placements.push_back({nodes, {}});
}

// Arcs are gathered in the order in which they were found; a thread's consumers must lie together.
const recording::Recording& GraphRecorder::recording(std::string program) {
  recording_.program = std::move(program);
  std::ranges::stable_sort(arcs_, {}, &RecordedArc::from);
  recording_.consumers.clear();
  for (std::size_t first = 0; first < arcs_.size();) {
    const Number from = arcs_[first].from;
    recording::Range& consumers = recording_.threads[from].consumers;
    consumers.first = recording_.consumers.size();
    for (; first < arcs_.size() && arcs_[first].from == from; ++first) {
      recording_.consumers.push_back(arcs_[first].to);
    }
    consumers.count = recording_.consumers.size() - consumers.first;
  }
  return recording_;
}

void GraphRecorder::run_begins(const ProgramGraph& /*program*/) { producer_ = kNone; }

void GraphRecorder::run_ends() {}

void GraphRecorder::context_begins(ContextKey key, const BlockGraph& block, void* frame,
                                   ContextKey caller, std::uint32_t thread, const Coordinates& at) {
  Context context;
  context.graph = &block;
  context.frame = frame;
  context.block = static_cast<std::uint32_t>(recording_.blocks.size());
  recording_.blocks.push_back({block.name, static_cast<std::uint32_t>(block.threads.size()) + 2});
  if (caller != nullptr) {
    Context& invoking = contexts_.at(caller);
    context.caller = caller;
    context.caller_thread = thread;
    context.caller_index = invoking.extents[thread].flat(at);
    context.nodes = nodes_of(invoking, thread, at);
    // A block without an inlet thread of its own has one that only loads it.
    context.inlet = add_thread(context, special_template(block, TemplateKind::kInlet), 0);
    place(context.inlet, context.nodes);
    enable(invoking.fired.at({thread, context.caller_index}), context.inlet);
  }
  contexts_.insert_or_assign(key, std::move(context));
  if (checker_ && caller != nullptr) stream_.allocated(frame, block.frame.size);
}

void GraphRecorder::context_ends(ContextKey key) {
  const auto found = contexts_.find(key);
  Context& context = found->second;
  if (context.caller == nullptr) {
    between_runs_ = context.last;
  } else {
    contexts_.at(context.caller)
        .returned[{context.caller_thread, context.caller_index}]
        .push_back(context.last);
  }
  contexts_.erase(found);
}

void GraphRecorder::begins(ContextKey key, Activity activity, std::uint32_t thread,
                           const Coordinates& at) {
  stream_.set_stack(__builtin_frame_address(0));
  Context& context = contexts_.at(key);
  Number number = kNone;
  switch (activity) {
    case Activity::kInlet: number = begin_inlet(context); break;
    case Activity::kOutlet: number = begin_outlet(context); break;
    case Activity::kThread: number = begin_thread(context, thread, at); break;
  }
  if (checker_)
    origins_.insert(
        {number,
         {context.graph, activity, thread, at, context.caller == nullptr ? 0 : context.block}});
  stream_.begin(number);
}

void GraphRecorder::ends() {
  stream_.end();
  if (checker_ && checker_->races().size() > race_reports_.size()) describe_races();
}

GraphRecorder::Number GraphRecorder::begin_inlet(Context& context) {
  if (context.inlet == kNone) {  // of the program's own block
    context.inlet = add_thread(context, special_template(*context.graph, TemplateKind::kInlet), 0);
    place(context.inlet, std::vector<int>(recording_.placements.size(), 0));
    if (between_runs_ != kNone) enable(between_runs_, context.inlet);
  }
  return context.inlet;
}

// Comes after everything else of its context.
GraphRecorder::Number GraphRecorder::begin_outlet(Context& context) {
  const std::vector<Number> before = last_firings(context);
  const Number all = before.size() > 1 ? add_join(context, before) : kNone;
  context.last = add_thread(context, special_template(*context.graph, TemplateKind::kOutlet), 0);
  place(context.last,
        context.nodes.empty() ? std::vector<int>(recording_.placements.size(), 0) : context.nodes);
  if (all != kNone) {
    enable(all, context.last);
  } else {
    const Number only = before.empty() ? context.inlet : before.front();
    if (only != kNone) enable(only, context.last);
  }
  return context.last;
}

std::vector<GraphRecorder::Number> GraphRecorder::last_firings(const Context& context) const {
  std::vector<Number> last;
  for (const Number firing : context.firings) {
    if (!has_consumers_[firing]) last.push_back(firing);
  }
  return last;
}

GraphRecorder::Number GraphRecorder::begin_thread(Context& context, std::uint32_t thread,
                                                  const Coordinates& at) {
  if (context.extents.empty()) context.extents = extents_of(*context.graph, context.frame);
  const std::size_t index = context.extents[thread].flat(at);
  const Number number = add_thread(context, template_of(*context.graph, thread), index);
  place(number, nodes_of(context, thread, at));
  context.firings.push_back(number);
  context.fired[{thread, index}] = number;
  add_inputs(context, thread, at, number);
  const auto waiting = context.enabled_by.find({thread, index});
  if (waiting != context.enabled_by.end()) {
    for (const Number producer : waiting->second) enable(producer, number);
    context.enabled_by.erase(waiting);
  } else if (context.inlet != kNone) {
    enable(context.inlet, number);
  } else if (between_runs_ != kNone) {
    enable(between_runs_, number);
  }
  return number;
}

void GraphRecorder::completes(ContextKey key, std::uint32_t thread, const Coordinates& at) {
  Context& context = contexts_.at(key);
  const std::pair instance{thread, context.extents[thread].flat(at)};
  producer_ = context.fired.at(instance);
  const auto returned = context.returned.find(instance);
  if (returned == context.returned.end()) return;
  producer_ =
      returned->second.size() == 1 ? returned->second.front() : add_join(context, returned->second);
  context.firings.push_back(producer_);
  context.returned.erase(returned);
}

void GraphRecorder::gives_input(ContextKey key, std::uint32_t arc, const Coordinates& at) {
  Context& context = contexts_.at(key);
  const Arc& declared = context.graph->arcs[arc];
  const bool from_all = declared.kind == ArcKind::kAll && !declared.again;
  context.enabled_by[{declared.to, context.extents[declared.to].flat(at)}].push_back(
      from_all ? context.join.at(arc) : producer_);
}

void GraphRecorder::gives_data(ContextKey key, std::uint32_t thread, const Coordinates& at) {
  Context& context = contexts_.at(key);
  context.enabled_by[{thread, context.extents[thread].flat(at)}].push_back(producer_);
}

void GraphRecorder::arrives_at(ContextKey key, std::uint32_t arc) {
  contexts_.at(key).arrived[arc].push_back(producer_);
}

void GraphRecorder::passes(ContextKey key, std::uint32_t arc) {
  Context& context = contexts_.at(key);
  std::vector<Number>& producers = context.arrived[arc];
  context.join[arc] = producers.size() == 1 ? producers.front() : add_join(context, producers);
  producers.clear();
}

GraphRecorder::Number GraphRecorder::add_join(Context& context,
                                              const std::vector<Number>& producers) {
  const Number join = add_thread(context, special_template(*context.graph, TemplateKind::kJoin), 0);
  place(join,
        context.nodes.empty() ? std::vector<int>(recording_.placements.size(), 0) : context.nodes);
  for (const Number producer : producers) enable(producer, join);
  return join;
}

GraphRecorder::Number GraphRecorder::add_thread(Context& context, std::uint32_t thread_template,
                                                std::uint64_t index) {
  recording::Thread thread;
  thread.thread_template = thread_template;
  thread.block = context.block;
  thread.index = index;
  recording_.threads.push_back(thread);
  has_consumers_.push_back(false);
  return static_cast<Number>(recording_.threads.size() - 1);
}

void GraphRecorder::place(Number number, const std::vector<int>& nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    recording_.placements[i].node_of.resize(number + 1);
    recording_.placements[i].node_of[number] = static_cast<std::uint32_t>(nodes[i]);
  }
}

// Threads of an invoked block run where it was invoked, unless they say otherwise.
std::vector<int> GraphRecorder::nodes_of(const Context& context, std::uint32_t thread,
                                         const Coordinates& at) {
  const ThreadTemplate& declared = context.graph->threads[thread];
  if (!declared.node && !context.nodes.empty()) return context.nodes;
  std::vector<int> nodes;
  for (const recording::Placement& placement : recording_.placements) {
    const int count = static_cast<int>(placement.nodes);
    nodes.push_back(declared.node ? declared.node(context.frame, at, count)
                                  : node_of(*context.graph, thread, context.frame,
                                            context.extents[thread], at, count));
    if (nodes.back() < 0 || nodes.back() >= count) {
      throw GraphError("its mapping names node " + std::to_string(nodes.back()) +
                           ", but there are " + std::to_string(count),
                       thread_name(*context.graph, thread, at),
                       "nodes are numbered from 0 to nodes − 1");
    }
  }
  return nodes;
}

std::uint32_t GraphRecorder::template_of(const BlockGraph& block, std::uint32_t thread) {
  const auto kind = block.threads[thread].kind == ThreadKind::kSwitch ? TemplateKind::kSwitch
                                                                      : TemplateKind::kPlain;
  const auto [place, is_new] = templates_.try_emplace(
      {&block, thread, kind}, static_cast<std::uint32_t>(recording_.templates.size()));
  if (is_new) recording_.templates.push_back({block.threads[thread].name, kind});
  return place->second;
}

std::uint32_t GraphRecorder::special_template(const BlockGraph& block, TemplateKind kind) {
  const auto [place, is_new] = templates_.try_emplace(
      {&block, ~0u, kind}, static_cast<std::uint32_t>(recording_.templates.size()));
  if (is_new) {
    const char* name = kind == TemplateKind::kInlet    ? "inlet"
                       : kind == TemplateKind::kOutlet ? "outlet"
                                                       : "join";
    recording_.templates.push_back({name, kind});
  }
  return place->second;
}

void GraphRecorder::add_inputs(const Context& context, std::uint32_t thread, const Coordinates& at,
                               Number number) {
  const ThreadTemplate& declared = context.graph->threads[thread];
  recording::Range& inputs = recording_.threads[number].inputs;
  inputs.first = recording_.inputs.size();
  if (declared.reads) {
    declared.reads(context.frame, at, [this](Operand operand) {
      stream_.add_region(reinterpret_cast<std::uint64_t>(operand.data), operand.bytes,
                         recording_.inputs);
    });
  }
  inputs.count = recording_.inputs.size() - inputs.first;
}

}  // namespace raddle::ddm

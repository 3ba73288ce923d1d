// Records a program while the sequential executor runs it: every firing becomes a thread of the
// recording, with its stream and with arcs from those that enabled it. Code blocks that are invoked
// get an inlet and an outlet thread; arcs from all instances to all become joins.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "ddm/recorder/stream_recorder.h"
#include "ddm/run_observer.h"

namespace raddle::ddm {

class GraphRecorder : public RunObserver {
 public:
  // Threads are placed for each of these numbers of nodes.
  explicit GraphRecorder(const std::vector<std::uint32_t>& node_counts);

  // Looks for races instead of recording what threads do.
  void check_for_races();
  // For people to read; nothing where none was found.
  void write_races(std::ostream& out) const;

  // All that has run so far, under the program's name.
  const recording::Recording& recording(std::string program);

 private:
  using Number = std::uint32_t;  // of a thread of the recording
  static constexpr Number kNone = ~Number{0};

  struct Context {
    const BlockGraph* graph = nullptr;
    void* frame = nullptr;
    std::vector<Extents> extents;
    std::uint32_t block = 0;  // of the recording
    std::vector<int> nodes;   // where it was invoked, by number of nodes; empty: the program's own
    ContextKey caller = nullptr;
    std::uint32_t caller_thread = 0;
    std::size_t caller_index = 0;
    Number inlet = kNone;
    Number last = kNone;  // outlet
    // Who has enabled an instance so far, by thread and index.
    std::map<std::pair<std::uint32_t, std::size_t>, std::vector<Number>> enabled_by;
    std::map<std::pair<std::uint32_t, std::size_t>, Number> fired;  // the latest firing
    // Outlets of what an instance has invoked.
    std::map<std::pair<std::uint32_t, std::size_t>, std::vector<Number>> returned;
    std::map<std::uint32_t, std::vector<Number>> arrived;  // by arc from all to all
    std::map<std::uint32_t, Number> join;                  // … the latest
    std::vector<Number> firings;
  };

  void run_begins(const ProgramGraph& program) override;
  void run_ends() override;
  void context_begins(ContextKey key, const BlockGraph& block, void* frame, ContextKey caller,
                      std::uint32_t thread, const Coordinates& at) override;
  void context_ends(ContextKey key) override;
  void begins(ContextKey key, Activity activity, std::uint32_t thread,
              const Coordinates& at) override;
  void ends() override;
  void completes(ContextKey key, std::uint32_t thread, const Coordinates& at) override;
  void gives_input(ContextKey key, std::uint32_t arc, const Coordinates& at) override;
  void gives_data(ContextKey key, std::uint32_t thread, const Coordinates& at) override;
  void arrives_at(ContextKey key, std::uint32_t arc) override;
  void passes(ContextKey key, std::uint32_t arc) override;

  // While the graph and its frames are there.
  void describe_races();
  std::string name_of(Number number) const;
  std::string place_of(const Race& race) const;

  Number begin_inlet(Context& context);
  Number begin_outlet(Context& context);
  Number begin_thread(Context& context, std::uint32_t thread, const Coordinates& at);
  Number add_thread(Context& context, std::uint32_t thread_template, std::uint64_t index);
  Number add_join(Context& context, const std::vector<Number>& producers);
  void enable(Number producer, Number consumer) {
    arcs_.push_back({producer, consumer});
    has_consumers_[producer] = true;
    if (checker_) checker_->add_arc(producer, consumer);
  }
  // Those of a context that enable nobody.
  std::vector<Number> last_firings(const Context& context) const;
  void place(Number number, const std::vector<int>& nodes);
  std::vector<int> nodes_of(const Context& context, std::uint32_t thread, const Coordinates& at);
  std::uint32_t template_of(const BlockGraph& block, std::uint32_t thread);
  std::uint32_t special_template(const BlockGraph& block, recording::TemplateKind kind);
  void add_inputs(const Context& context, std::uint32_t thread, const Coordinates& at,
                  Number number);

  recording::Recording recording_;
  StreamRecorder stream_;
  std::unordered_map<ContextKey, Context> contexts_;
  std::map<std::tuple<const BlockGraph*, std::uint32_t, recording::TemplateKind>, std::uint32_t>
      templates_;
  struct RecordedArc {
    Number from, to;
  };
  std::vector<RecordedArc> arcs_;
  std::vector<bool> has_consumers_;  // by thread
  Number between_runs_ = kNone;      // what the threads of the next run come after
  Number producer_ = kNone;          // who gives inputs at present

  // Where threads of the recording come from: kept while looking for races.
  struct Origin {
    const BlockGraph* graph;
    Activity activity;
    std::uint32_t thread;
    Coordinates at;
    std::uint32_t invocation;  // 0: the program's own context
  };
  std::unique_ptr<RaceChecker> checker_;
  std::unordered_map<Number, Origin> origins_;
  std::vector<std::string> race_reports_;  // by race, without its count
};

}  // namespace raddle::ddm

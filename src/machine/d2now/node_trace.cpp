#include "machine/d2now/node_trace.h"

#include <fmt/format.h>

namespace raddle::machine::d2now {

NodeTrace::NodeTrace(sim::TraceFile& file, const ThreadGraph& graph, std::uint32_t node,
                     double clock_hz)
    : graph_(graph), writer_(file, sim::Clock("ticks", Hertz(clock_hz * kTicksPerCycle))) {
  const sim::Track all = writer_.add_track(fmt::format("node {}", node));
  processor_ = writer_.add_track("processor", all);
  firing_queue_ = writer_.add_counter("firing queue", "threads", all);
  issue_ = writer_.add_track("TIU", all);
  post_processing_ = writer_.add_track("PPU", all);
  sender_ = writer_.add_track("NIU sends", all);
  ethernet_ = writer_.add_track("Ethernet sends", all);
  receiver_ = writer_.add_track("NIU receives", all);
}

void NodeTrace::runs(std::uint32_t thread, Ticks begin, Ticks end) {
  slice(processor_, graph_.name(thread), begin, end);
}

void NodeTrace::waits(NodeCause cause, Ticks begin, Ticks end) {
  slice(processor_, kNodeCauses[cause].name, begin, end);
}

void NodeTrace::issues(std::uint32_t thread, Ticks begin, Ticks end) {
  slice(issue_, graph_.name(thread), begin, end);
}

void NodeTrace::postpones(std::uint32_t thread, Ticks when) {
  instant(issue_, fmt::format("{}: to the temporary buffer", graph_.name(thread)), when);
}

void NodeTrace::false_conflict(Ticks when) { instant(issue_, "false conflict", when); }

void NodeTrace::firing_queue(std::size_t threads, Ticks when) {
  writer_.count(firing_queue_, on_clock(when), static_cast<double>(threads));
}

void NodeTrace::completes(std::uint32_t thread, Ticks begin, Ticks end) {
  slice(post_processing_, graph_.name(thread), begin, end);
}

void NodeTrace::post_processes(std::string_view what, Ticks begin, Ticks end) {
  slice(post_processing_, what, begin, end);
}

void NodeTrace::sends(const Message& message, std::string_view way, bool by_ethernet, Ticks begin,
                      Ticks end) {
  slice(by_ethernet ? ethernet_ : sender_,
        fmt::format("{} bytes to node {} as {}", message.bytes.count(), message.to, way), begin,
        end);
}

void NodeTrace::receives(const Message& message, Ticks when) {
  instant(receiver_, fmt::format("{} bytes from node {}", message.bytes.count(), message.from),
          when);
}

}  // namespace raddle::machine::d2now

#include "machine/d2now/node_trace.h"

#include <fmt/format.h>

#include "machine/d2now/cause_names.h"

namespace raddle::machine::d2now {

NodeTrace::NodeTrace(sim::TraceFile& file, const ThreadGraph& graph, std::uint32_t node,
                     double clock_hz)
    : graph_(graph), stream_(file.add_stream()), clock_("ticks", Hertz(clock_hz * kTicksPerCycle)) {
  const sim::Track all = stream_.add_track(fmt::format("node {}", node));
  processor_ = stream_.add_track("processor", all);
  firing_queue_ = stream_.add_counter("firing queue", "threads", all);
  issue_ = stream_.add_track("TIU", all);
  post_processing_ = stream_.add_track("PPU", all);
  sender_ = stream_.add_track("NIU sends", all);
  ethernet_ = stream_.add_track("Ethernet sends", all);
  receiver_ = stream_.add_track("NIU receives", all);
}

void NodeTrace::slice(sim::Track track, std::string_view name, Ticks begin, Ticks end) {
  if (end > begin) stream_.slice(track, name, at(begin), at(end));
}

void NodeTrace::runs(std::uint32_t thread, Ticks begin, Ticks end) {
  slice(processor_, graph_.name(thread), begin, end);
}

void NodeTrace::waits(Cause cause, Ticks begin, Ticks end) {
  slice(processor_, kCauseNames[static_cast<std::size_t>(cause)].stall, begin, end);
}

void NodeTrace::issues(std::uint32_t thread, Ticks begin, Ticks end) {
  slice(issue_, graph_.name(thread), begin, end);
}

void NodeTrace::postpones(std::uint32_t thread, Ticks when) {
  stream_.instant(issue_, fmt::format("{}: to the temporary buffer", graph_.name(thread)),
                  at(when));
}

void NodeTrace::false_conflict(Ticks when) { stream_.instant(issue_, "false conflict", at(when)); }

void NodeTrace::firing_queue(std::size_t threads, Ticks when) {
  stream_.count(firing_queue_, at(when), static_cast<double>(threads));
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
        fmt::format("{} bytes to node {} as {}", message.bytes, message.to, way), begin, end);
}

void NodeTrace::receives(const Message& message, Ticks when) {
  stream_.instant(receiver_, fmt::format("{} bytes from node {}", message.bytes, message.from),
                  at(when));
}

}  // namespace raddle::machine::d2now

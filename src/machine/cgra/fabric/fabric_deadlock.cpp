#include "machine/cgra/fabric/fabric_deadlock.h"

#include <fmt/format.h>

#include <algorithm>

namespace raddle::machine::cgra {

namespace {

constexpr std::size_t kMaxWaits = 8;

std::string node_text(const DataflowGraph& graph, std::uint32_t number) {
  const Node& node = graph.nodes[number];
  const std::string channel =
      node.channel.empty() ? std::string() : fmt::format(" on channel \"{}\"", node.channel);
  return fmt::format("node {} ({}{})", number,
                     node.label.empty() ? name_of(node.kind) : std::string_view(node.label),
                     channel);
}

std::string wait_text(const FabricWait& wait, const DataflowGraph& graph) {
  const std::string who =
      fmt::format("thread {} waits at {}", wait.thread, node_text(graph, wait.node));
  switch (wait.what) {
    case FabricWait::For::kInput: {
      const std::uint32_t from = graph.nodes[wait.node].inputs[wait.input].from;
      return fmt::format("{} for input {} from {} of thread {}", who, wait.input,
                         node_text(graph, from), static_cast<std::int32_t>(wait.other));
    }
    case FabricWait::For::kLoop:
      return fmt::format("{} for what thread {} loads", who, static_cast<std::int32_t>(wait.other));
    case FabricWait::For::kRoom: break;
  }
  return fmt::format("{} for space in its consumers", who);
}

}  // namespace

std::string describe(std::span<const FabricWait> waits, const DataflowGraph& graph) {
  std::string text;
  for (const FabricWait& wait : waits.first(std::min(waits.size(), kMaxWaits)))
    text += (text.empty() ? "" : "; ") + wait_text(wait, graph);
  if (waits.size() > kMaxWaits) text += fmt::format("; and {} more", waits.size() - kMaxWaits);
  return text;
}

}  // namespace raddle::machine::cgra

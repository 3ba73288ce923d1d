#include "machine/cgra/sample_graphs.h"

#include <algorithm>
#include <random>

namespace raddle::machine::cgra {

namespace {

constexpr std::uint32_t kSource = 0;

Cycle latency_of(UnitClass unit) {
  switch (unit) {
    case UnitClass::kFpu: return Cycle(4);
    case UnitClass::kSpecial: return Cycle(12);
    default: return Cycle(1);
  }
}

}  // namespace

GraphBuilder::GraphBuilder(std::string name) {
  graph_.name = std::move(name);
  Node& source = graph_.nodes.emplace_back();
  source.kind = NodeKind::kSource;
  source.unit = UnitClass::kPort;
  source.label = "threads";
}

std::uint32_t GraphBuilder::add(NodeKind kind, UnitClass unit, std::string label,
                                const std::vector<std::uint32_t>& from, std::uint32_t location) {
  Node node;
  node.kind = kind;
  node.unit = unit;
  node.label = std::move(label);
  node.latency = latency_of(unit);
  node.location = location;
  for (const std::uint32_t sender : from) node.inputs.push_back({.from = sender});
  if (kind == NodeKind::kMemory) {
    node.number = graph_.accesses++;
    node.port = MemoryPort::kGlobal;
  }
  if (kind == NodeKind::kElevator) node.receive = graph_.receives++;
  graph_.nodes.push_back(std::move(node));
  return static_cast<std::uint32_t>(graph_.nodes.size() - 1);
}

std::uint32_t GraphBuilder::add(UnitClass unit, std::string label,
                                const std::vector<std::uint32_t>& from, std::uint32_t location) {
  return add(NodeKind::kCompute, unit, std::move(label), from, location);
}

DataflowGraph chain_graph(std::uint32_t length, UnitClass unit) {
  GraphBuilder builder("chain");
  std::uint32_t last = kSource;
  for (std::uint32_t i = 0; i < length; ++i) last = builder.add(unit, "add.s32", {last}, i + 1);
  return builder.take();
}

DataflowGraph fan_out_graph(std::uint32_t nodes) {
  GraphBuilder builder("fan-out");
  for (std::uint32_t i = 0; i < nodes; ++i)
    builder.add(i % 2 == 0 ? UnitClass::kAlu : UnitClass::kFpu, "cvt", {kSource});
  return builder.take();
}

DataflowGraph random_graph(std::uint64_t seed, const UnitCounts& units) {
  // The generator's numbers are the same everywhere; distributions of the library are not.
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t limit) {
    return static_cast<std::uint32_t>(random() % limit);
  };
  std::vector<UnitClass> classes;
  for (std::size_t c = 0; c < kUnitClasses; ++c)
    classes.insert(classes.end(), units[c], static_cast<UnitClass>(c));
  for (std::size_t i = classes.size(); i > 1; --i) std::swap(classes[i - 1], classes[below(i)]);
  GraphBuilder builder("random");
  for (std::uint32_t next = 1; next <= classes.size(); ++next) {
    const UnitClass unit = classes[next - 1];
    std::vector<std::uint32_t> from;
    for (std::uint32_t left = 1 + below(3); left > 0; --left) {
      const std::uint32_t back = below(8) == 0 ? below(next) : below(std::min(next, 12u));
      from.push_back(next - 1 - back);
    }
    builder.add(unit == UnitClass::kLoadStore ? NodeKind::kMemory : NodeKind::kCompute, unit,
                std::string(name_of(unit)), from, next);
  }
  builder.add(NodeKind::kExit, UnitClass::kPort, "exit",
              {static_cast<std::uint32_t>(classes.size())});
  return builder.take();
}

DataflowGraph saxpy_graph() {
  GraphBuilder builder("saxpy, block 0");
  const auto index = builder.add(UnitClass::kAlu, "mad.lo.s32", {kSource}, 1);
  const auto bound = builder.add(UnitClass::kControl, "setp.lt.s32", {index}, 2);
  const auto x = builder.add(UnitClass::kAlu, "add.s64", {index}, 3);
  const auto y = builder.add(UnitClass::kAlu, "add.s64", {index}, 3);
  const auto load_x =
      builder.add(NodeKind::kMemory, UnitClass::kLoadStore, "ld.global", {x, bound}, 3);
  const auto load_y =
      builder.add(NodeKind::kMemory, UnitClass::kLoadStore, "ld.global", {y, bound}, 3);
  const auto sum = builder.add(UnitClass::kFpu, "fma.f32", {load_x, load_y}, 3);
  const auto store = builder.add(NodeKind::kMemory, UnitClass::kLoadStore, "st.global",
                                 {x, sum, bound, load_x}, 3);
  builder.node(store).inputs.back().control = true;
  builder.node(store).writes = true;
  const auto exit = builder.add(NodeKind::kExit, UnitClass::kPort, "exit", {store}, 4);
  builder.node(exit).inputs.back().control = true;
  return builder.take();
}

DataflowGraph scan_graph() {
  GraphBuilder builder("scan, block 0");
  const auto address = builder.add(UnitClass::kAlu, "mad.wide.s32", {kSource}, 4);
  const auto load =
      builder.add(NodeKind::kMemory, UnitClass::kLoadStore, "ld.global", {address}, 4);
  const auto elevator = builder.add(NodeKind::kElevator, UnitClass::kControl, "elevator +1", {}, 5);
  const auto sum = builder.add(UnitClass::kFpu, "add.f32", {elevator, load}, 5);
  builder.node(elevator).inputs = {{.from = sum, .shift = 1}, {.from = kSource, .control = true}};
  const auto to = builder.add(UnitClass::kAlu, "mad.wide.s32", {kSource}, 7);
  const auto store =
      builder.add(NodeKind::kMemory, UnitClass::kLoadStore, "st.global", {to, sum}, 7);
  builder.node(store).writes = true;
  const auto exit = builder.add(NodeKind::kExit, UnitClass::kPort, "exit", {store}, 8);
  builder.node(exit).inputs.back().control = true;
  return builder.take();
}

}  // namespace raddle::machine::cgra

// Values from one node to all and from all to one, between runs. Every node calls them, in the same
// order; each is a small program on the same runtime. On one machine they copy.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "raddle/ddm/program.h"

namespace raddle::ddm {

// `value` becomes what it is on node `from`, everywhere.
template <class Value>
void broadcast(Value& value, int from = 0, const Options& options = {}) {
  Program program("broadcast");
  auto have = program.thread("have", [] {});
  auto take = program.thread("take", range(nodes()), [](std::size_t) {});
  have.on([from](int) { return from; });
  take.on([](std::size_t node, int) { return static_cast<int>(node); });
  have.then(take, all).carries([&value] { return data(object(value)); });
  program.run(options);
}

// What every node has, by node; on other nodes than `to` it is empty.
template <class Value>
std::vector<Value> gather(const Value& value, int to = 0, const Options& options = {}) {
  std::vector<Value> values(static_cast<std::size_t>(nodes()), value);
  Program program("gather");
  auto have = program.thread("have", range(nodes()), [](std::size_t) {});
  auto take = program.thread("take", [] {});
  have.on([](std::size_t node, int) { return static_cast<int>(node); });
  take.on([to](int) { return to; });
  have.then(take, all).carries([&values](std::size_t node) { return data(object(values[node])); });
  program.run(options);
  if (node() != to) values.clear();
  return values;
}

}  // namespace raddle::ddm

#include "ddm/graph_walk.h"

#include <algorithm>

#include "ddm/data_order.h"

namespace raddle::ddm {

std::string index_text(const ThreadTemplate& thread, const Coordinates& at) {
  if (thread.dimensions == 0) return "";
  std::string text = "[";
  if (thread.indices > kMaxDimensions && thread.fixed_extents) {
    // Other ranges show the outer indices as the one number they are folded into.
    const auto outer = static_cast<std::size_t>(thread.indices) - kMaxDimensions + 1;
    std::vector<std::size_t> sizes(outer);
    thread.folded(nullptr, sizes.data());
    std::size_t left = at[0];
    std::string folded;
    for (std::size_t i = outer; i-- > 0; left /= sizes[i])
      folded.insert(0, std::to_string(left % sizes[i]) + ",");
    return text + folded + std::to_string(at[1]) + "," + std::to_string(at[2]) + "]";
  }
  for (int i = kMaxDimensions - thread.dimensions; i < kMaxDimensions; ++i) {
    if (text.size() > 1) text += ',';
    text += std::to_string(at[i]);
  }
  return text + "]";
}

std::string thread_name(const BlockGraph& block, std::uint32_t thread) {
  return "thread '" + block.threads[thread].name + "' of block '" + block.name + "'";
}

std::string thread_name(const BlockGraph& block, std::uint32_t thread, const Coordinates& at) {
  const auto& declared = block.threads[thread];
  return "thread '" + declared.name + "'" + index_text(declared, at) + " of block '" + block.name +
         "'";
}

namespace {

// A negative number given as an extent has become one of these.
std::string extent_text(std::size_t size) {
  return size >> 63 != 0 ? std::to_string(static_cast<std::ptrdiff_t>(size)) : std::to_string(size);
}

// Tiles are counted in 31 bits, also where a range is so thin that it fills one row of each.
void check_extents(const BlockGraph& block, std::uint32_t thread, const Extents& extents) {
  const auto most = kTileShapes[block.threads[thread].dimensions].width(2) << 30;
  std::size_t left = most;
  for (const auto size : extents.size) {
    if (size == 0) return;
    left /= size;
  }
  if (left > 0) return;
  std::string text;
  for (int i = kMaxDimensions - block.threads[thread].dimensions; i < kMaxDimensions; ++i)
    text += (text.empty() ? "" : ", ") + extent_text(extents.size[i]);
  throw GraphError("its range(" + text + ") has no size that can be run",
                   thread_name(block, thread),
                   "such a thread has at most " + std::to_string(most) + " instances");
}

}  // namespace

std::vector<Extents> extents_of(const BlockGraph& block, const void* frame) {
  std::vector<Extents> extents;
  extents.reserve(block.threads.size());
  for (std::uint32_t i = 0; i < block.threads.size(); ++i) {
    extents.push_back(block.threads[i].extents(frame));
    check_extents(block, i, extents.back());
  }
  return extents;
}

void for_each_target(const BlockGraph& block, const Arc& arc, const void* frame,
                     const Extents& consumer, const Coordinates& at, IndexSink sink) {
  const auto& thread = block.threads[arc.to];
  if (arc.kind == ArcKind::kOffset) {
    Coordinates to;
    // A negative coordinate wraps round to a huge one, which no range contains.
    for (int i = 0; i < kMaxDimensions; ++i)
      to[i] = at[i] + static_cast<std::size_t>(arc.offset[i]);
    if (consumer.contains(to) && exists(thread, frame, to)) sink(to);
    return;
  }
  arc.map(frame, at, [&](const Coordinates& to) {
    if (!consumer.contains(to) || !exists(thread, frame, to)) {
      if (arc.map_may_miss) return;
      throw GraphError(
          "it names '" + thread.name + "'" + index_text(thread, to) +
              " as consumer, which is not an instance of that thread",
          thread_name(block, arc.from, at),
          "let the mapping leave out consumers beyond the range or the condition of '" +
              thread.name + "'");
    }
    sink(to);
  });
}

void for_each_instance(const ThreadTemplate& thread, const void* frame, const Extents& extents,
                       IndexSink sink) {
  // Otherwise a large range times an empty one would be walked for nothing.
  if (std::ranges::find(extents.size, std::size_t{0}) != extents.size.end()) return;
  Coordinates at;
  for (at[0] = 0; at[0] < extents.size[0]; ++at[0]) {
    for (at[1] = 0; at[1] < extents.size[1]; ++at[1]) {
      for (at[2] = 0; at[2] < extents.size[2]; ++at[2]) {
        if (exists(thread, frame, at)) sink(at);
      }
    }
  }
}

int node_of(const BlockGraph& block, std::uint32_t thread, const void* frame,
            const Extents& extents, const Coordinates& at, int nodes) {
  const auto& declared = block.threads[thread];
  if (!declared.node) {
    const auto count = extents.count();
    return static_cast<int>(extents.flat(at) * static_cast<std::size_t>(nodes) /
                            std::max<std::size_t>(count, 1));
  }
  const int node = declared.node(frame, at, nodes);
  if (node < 0 || node >= nodes) {
    throw GraphError("its mapping names node " + std::to_string(node) + ", but there are " +
                         std::to_string(nodes),
                     thread_name(block, thread, at), "nodes are numbered from 0 to nodes − 1");
  }
  return node;
}

bool counts_depend_on_frame(const BlockGraph& block, const ThreadTemplate& thread) {
  if (block.infers_arcs && declares_data(thread)) return true;
  return std::ranges::any_of(thread.producers, [&](std::uint32_t arc) {
    return block.arcs[arc].kind == ArcKind::kMap && !block.arcs[arc].map_may_miss;
  });
}

std::vector<bool> conditional_threads(const BlockGraph& block) {
  std::vector<bool> conditional(block.threads.size());
  std::vector<std::uint32_t> open;
  for (const auto& arc : block.arcs) {
    if (arc.when || arc.again) open.push_back(arc.to);
  }
  while (!open.empty()) {
    const auto thread = open.back();
    open.pop_back();
    if (conditional[thread]) continue;
    conditional[thread] = true;
    for (const auto arc : block.threads[thread].consumers) open.push_back(block.arcs[arc].to);
  }
  return conditional;
}

StarvationError starvation_error(const BlockGraph& block, const std::vector<StarvedThread>& starved,
                                 std::size_t count) {
  const auto& first = starved.front();
  const auto& thread = block.threads[first.thread];
  std::string waits_for;
  for (const auto arc : thread.producers) {
    const auto& name = block.threads[block.arcs[arc].from].name;
    if (waits_for.find("'" + name + "'") != std::string::npos) continue;
    waits_for += (waits_for.empty() ? "'" : ", '") + name + "'";
  }
  std::string others;
  for (std::size_t i = 1; i < starved.size(); ++i) {
    others += (i == 1 ? "" : ", ") + ("'" + block.threads[starved[i].thread].name + "'") +
              index_text(block.threads[starved[i].thread], starved[i].at);
  }
  if (count > starved.size()) others += " and " + std::to_string(count - starved.size()) + " more";
  return {"it never ran: " + std::to_string(first.received) + " of " +
              std::to_string(first.expected) + " inputs came" +
              (others.empty() ? "" : "; neither did " + others),
          thread_name(block, first.thread, first.at),
          "its inputs come from " + waits_for +
              (!block.infers_arcs || !declares_data(thread) ? ""
               : waits_for.empty() ? "those before it that read or write its data"
                                   : " and those before it that read or write its data")};
}

GraphError missing_case_error(const BlockGraph& block, std::uint32_t thread, const Coordinates& at,
                              std::int64_t choice) {
  return {"it chose " + std::to_string(choice) + ", for which it has no consumer",
          thread_name(block, thread, at), "declare one with when(…)"};
}

bool has_case(const BlockGraph& block, const ThreadTemplate& thread, std::int64_t choice) {
  return std::ranges::any_of(thread.consumers,
                             [&](std::uint32_t arc) { return block.arcs[arc].when == choice; });
}

}  // namespace raddle::ddm

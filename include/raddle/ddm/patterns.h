// Ready-made programs on the same runtime: loops, reductions, scans, sorting, pipelines, wavefronts
// and stencils. Each declares a program, runs it to its end and gives its result; what an exception
// ends, ends here as well. Results do not depend on the number of workers: chunks are the same
// everywhere and are put together in their order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "raddle/ddm/grain.h"
#include "raddle/ddm/program.h"

namespace raddle::ddm {

// body(i) for each i below n, or body(chunk); with range(n).grain(g), body(i, j) for two
// dimensions.
template <class... Sizes, class Body>
Report parallel_for(GrainedRange<Sizes...> range, Body body, const Options& options = {}) {
  Program program("parallel_for");
  program.thread("chunk", std::move(range), std::move(body));
  return program.run(options);
}
template <class Body>
Report parallel_for(std::size_t count, Body body, const Options& options = {}) {
  return parallel_for(range(count).grain(), std::move(body), options);
}

// combine(combine(start, map(0)), map(1)) … up to map(count - 1), in chunks: combine must be
// associative, and start its neutral element.
template <class Value, class Map, class Combine = std::plus<>>
Value reduce(std::size_t count, Value start, Map map, Combine combine = {},
             const Options& options = {}) {
  const std::size_t grain = detail::automatic_grain(count);
  std::vector<Value> parts((count + grain - 1) / grain, start);
  Program program("reduce");
  auto part = program.thread("part", range(parts.size()), [&](std::size_t chunk) {
    Value sum = start;
    const std::size_t last = std::min(count, (chunk + 1) * grain);
    for (std::size_t i = chunk * grain; i < last; ++i) sum = combine(std::move(sum), map(i));
    parts[chunk] = std::move(sum);
  });
  Value result = start;
  auto join = program.thread("join", [&] {
    for (Value& value : parts) result = combine(std::move(result), std::move(value));
  });
  part.then(join);
  program.run(options);
  return result;
}

// values[i] becomes combine of all values up to i, itself among them.
template <class Value, class Combine = std::plus<>>
void inclusive_scan(std::span<Value> values, Combine combine = {}, const Options& options = {}) {
  const std::size_t grain = detail::automatic_grain(values.size());
  const std::size_t chunks = (values.size() + grain - 1) / grain;
  if (chunks == 0) return;
  const auto of = [&](std::size_t chunk) {
    return values.subspan(chunk * grain, std::min(grain, values.size() - chunk * grain));
  };
  std::vector<Value> before(chunks, values.front());  // of a chunk: what precedes it, combined
  Program program("inclusive_scan");
  auto scan = program.thread("scan", range(chunks), [&](std::size_t chunk) {
    const auto part = of(chunk);
    for (std::size_t i = 1; i < part.size(); ++i) part[i] = combine(part[i - 1], part[i]);
  });
  auto join = program.thread("join", [&] {
    for (std::size_t chunk = 1; chunk < chunks; ++chunk) {
      const Value& last = of(chunk - 1).back();
      before[chunk] = chunk == 1 ? last : combine(before[chunk - 1], last);
    }
  });
  auto add = program.thread("add", range(chunks), [&](std::size_t chunk) {
    if (chunk == 0) return;
    for (Value& value : of(chunk)) value = combine(before[chunk], value);
  });
  scan.then(join);
  join.then(add);
  program.run(options);
}

namespace detail {

// For two sorted runs: how many of the first are among the least `count` of both.
template <class Value, class Less>
std::size_t split_of_merge(std::span<const Value> a, std::span<const Value> b, std::size_t count,
                           const Less& less) {
  std::size_t low = count > b.size() ? count - b.size() : 0;
  std::size_t high = std::min(count, a.size());
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (less(b[count - middle - 1], a[middle])) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace detail

// Sorts; equal values keep their order. Values are copyable: a second array holds them meanwhile.
template <class Value, class Less = std::less<>>
void sort(std::span<Value> values, Less less = {}, const Options& options = {}) {
  constexpr std::size_t kLeast = 2048;  // values that are worth a thread
  const std::size_t count = values.size();
  const std::size_t grain = std::max(kLeast, detail::automatic_grain(count));
  std::vector<Value> second(values.begin(), values.end());
  Program program("sort");
  auto last = program.thread("chunks", range(count).grain(grain), [&](Chunk chunk) {
    std::stable_sort(values.begin() + static_cast<std::ptrdiff_t>(chunk.first),
                     values.begin() + static_cast<std::ptrdiff_t>(chunk.last), less);
  });
  // Rounds of merging two runs each; every thread makes one chunk of the result.
  std::span<Value> from = values, to = second;
  for (std::size_t run = grain; run < count; run *= 2) {
    auto merge =
        program.thread("merge of " + std::to_string(run), range(count).grain(grain),
                       [from, to, run, count, &less](Chunk chunk) {
                         const std::size_t begin = chunk.first / (2 * run) * (2 * run);
                         const std::size_t middle = std::min(count, begin + run);
                         const std::span<const Value> a = from.subspan(begin, middle - begin);
                         const std::span<const Value> b =
                             from.subspan(middle, std::min(count, middle + run) - middle);
                         std::size_t i = detail::split_of_merge(a, b, chunk.first - begin, less);
                         std::size_t j = chunk.first - begin - i;
                         for (std::size_t at = chunk.first; at < chunk.last; ++at) {
                           const bool first = j == b.size() || (i < a.size() && !less(b[j], a[i]));
                           to[at] = first ? a[i++] : b[j++];
                         }
                       });
    last.then(merge, all);
    last = merge;
    std::swap(from, to);
  }
  program.run(options);
  if (from.data() != values.data()) std::ranges::move(second, values.begin());
}

// A stage of a pipeline: f(i) of item i. Items pass a serial stage one after another, in their
// order.
template <class Function>
struct Stage {
  Function function;
  bool serial;
};
template <class Function>
Stage<Function> serial(Function function) {
  return {std::move(function), true};
}
template <class Function>
Stage<Function> parallel(Function function) {
  return {std::move(function), false};
}

// Items 0 … count - 1 pass all stages; at most `slots` of them are under way at a time.
template <class... Functions>
Report pipeline(std::size_t count, std::size_t slots, Stage<Functions>... stages) {
  static_assert(sizeof...(Functions) >= 1, "a pipeline has one stage at least");
  Program program("pipeline");
  std::vector<Thread<NoFrame, 1>> threads;
  const auto add = [&](auto stage) {
    auto thread = program.thread("stage " + std::to_string(threads.size() + 1), range(count),
                                 std::move(stage.function));
    if (stage.serial) thread.then(thread, offset(1));
    if (!threads.empty()) threads.back().then(thread);
    threads.push_back(thread);
  };
  (add(std::move(stages)), ...);
  threads.back().then(threads.front(), offset(std::max<std::size_t>(1, slots)));
  return program.run();
}

// body(i, j), or body(chunk, chunk), after the ones above and to the left of it.
template <class... Sizes, class Body>
Report wavefront(GrainedRange<Sizes...> range, Body body, const Options& options = {}) {
  static_assert(sizeof...(Sizes) == 2, "wavefront(…) takes a range of two dimensions");
  Program program("wavefront");
  auto block = program.thread("block", std::move(range), std::move(body));
  block.then(block, offset(1, 0));
  block.then(block, offset(0, 1));
  return program.run(options);
}

// body(step, chunk): each chunk of the range after itself and its two neighbours of the step
// before.
template <class Size, class Body>
Report stencil(std::size_t steps, GrainedRange<Size> range, Body body,
               const Options& options = {}) {
  Program program("stencil");
  auto step = program.thread(
      "step",
      GrainedRange<std::size_t, Size>{{steps, std::get<0>(range.sizes)}, {1, range.grain[0]}},
      [body = std::move(body)](Chunk at, Chunk chunk) { body(at.first, chunk); });
  for (const int distance : {-1, 0, 1}) step.then(step, offset(1, distance));
  return program.run(options);
}

}  // namespace raddle::ddm

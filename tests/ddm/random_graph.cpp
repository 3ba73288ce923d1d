#include "random_graph.h"

#include <memory>
#include <optional>
#include <random>
#include <variant>

namespace raddle::ddm {
namespace {

std::uint64_t mix(std::uint64_t value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdULL;
  value ^= value >> 33;
  return value * 0xc4ceb9fe1a85ec53ULL;
}

using AnyThread =
    std::variant<Thread<RandomFrame, 0>, Thread<RandomFrame, 1>, Thread<RandomFrame, 2>>;

// Values that reach an instance; inputs are added up, so that their order does not matter.
struct Input {
  std::size_t from;
  ArcKind kind;
  Distance offset;
  std::size_t modulus;  // of a mapping
};

struct Plan {
  std::vector<Extents> sizes;
  std::vector<std::vector<Input>> inputs;
};

std::uint64_t value_of(const Plan& plan, const RandomFrame& frame, std::size_t thread,
                       const Coordinates& at) {
  std::uint64_t sum = mix(thread * 1000003 + plan.sizes[thread].flat(at) + 1);
  for (const auto& input : plan.inputs[thread]) {
    const auto& from = plan.sizes[input.from];
    const auto& values = frame.values[input.from];
    if (input.kind == ArcKind::kAll) {
      for (const auto value : values) sum += mix(value);
    } else if (input.kind == ArcKind::kOffset) {
      Coordinates source;
      for (int i = 0; i < kMaxDimensions; ++i)
        source[i] = at[i] - static_cast<std::size_t>(input.offset[i]);
      if (from.contains(source)) sum += mix(values[from.flat(source)] + 7);
    } else {
      for (std::size_t i = 0; i < from.count(); ++i) {
        if (i % input.modulus == plan.sizes[thread].flat(at)) sum += mix(values[i] + 11);
      }
    }
  }
  return mix(sum);
}

// A block that takes a value apart and puts it together again, on one of two ways.
struct Detour {
  std::uint64_t value;
  std::uint64_t halves[2];
};

Block<Detour> declare_detour(Program<RandomFrame>& program) {
  auto detour = program.block<Detour>("detour");
  auto odd = detour.choose("odd", [](Detour& f) { return f.value % 2 == 1; });
  auto less = detour.thread("less", [](Detour& f) { --f.value; });
  auto same = detour.thread("same", [](Detour&) {});
  auto split =
      detour.thread("split", range(2), [](Detour& f, std::size_t i) { f.halves[i] = f.value / 2; });
  auto join = detour.thread("join", [](Detour& f) { f.value = f.halves[0] + f.halves[1]; });
  auto whole = detour.thread("whole", [](Detour&) {});
  odd.when(true, less).when(false, same);
  less.merge(whole);
  same.merge(whole);
  whole.then(split);
  split.then(join);
  return detour;
}

}  // namespace

int random_node(std::size_t thread, std::size_t flat, int nodes) {
  return static_cast<int>(mix(thread * 131 + flat) % static_cast<std::uint64_t>(nodes));
}

RandomGraph::RandomGraph(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  auto plan = std::make_shared<Plan>();
  std::vector<AnyThread> threads;
  const auto detour = declare_detour(program);
  const std::size_t count = 3 + below(8);
  for (std::size_t t = 0; t < count; ++t) {
    const auto name = "t" + std::to_string(t);
    Extents extents;
    const auto store = [plan, t](RandomFrame& frame, const Coordinates& at) {
      frame.values[t][plan->sizes[t].flat(at)] = value_of(*plan, frame, t, at);
    };
    switch (below(4)) {
      case 0:
        threads.emplace_back(
            program.thread(name, [store](RandomFrame& f) { store(f, {0, 0, 0}); }));
        break;
      case 1:
        extents.size[2] = 1 + below(150);
        threads.emplace_back(
            program.thread(name, range(extents.size[2]),
                           [store](RandomFrame& f, std::size_t i) { store(f, {0, 0, i}); }));
        break;
      case 2:
        extents.size[2] = 1 + below(100);
        threads.emplace_back(program.call(
            name, range(extents.size[2]), detour,
            [plan, t](RandomFrame& f, std::size_t i) {
              return Detour{value_of(*plan, f, t, {0, 0, i}), {0, 0}};
            },
            [t](RandomFrame& f, std::size_t i, Detour& done) { f.values[t][i] = done.value; }));
        break;
      default:
        extents.size[1] = 1 + below(20);
        extents.size[2] = 1 + below(20);
        threads.emplace_back(program.thread(
            name, range(extents.size[1], extents.size[2]),
            [store](RandomFrame& f, std::size_t i, std::size_t j) { store(f, {0, i, j}); }));
    }
    sizes.push_back(extents);
    plan->sizes.push_back(extents);
    plan->inputs.emplace_back();
  }
  for (std::size_t t = 0; t < count; ++t) {
    std::visit(
        [&]<int dimensions>(const Thread<RandomFrame, dimensions>& thread) {
          thread.on([t, extents = sizes[t]](std::integral auto... index_and_nodes) {
            const std::array<std::size_t, dimensions + 1> values{
                static_cast<std::size_t>(index_and_nodes)...};
            Coordinates at{0, 0, 0};
            for (int i = 0; i < dimensions; ++i) at[kMaxDimensions - dimensions + i] = values[i];
            return random_node(t, extents.flat(at), static_cast<int>(values.back()));
          });
        },
        threads[t]);
  }
  const auto add = [&](std::size_t from, std::size_t to, Input input) {
    std::visit(
        [&]<int a, int b>(const Thread<RandomFrame, a>& producer,
                          const Thread<RandomFrame, b>& consumer) {
          const auto value = [from, extents = sizes[from]](RandomFrame& f, const Coordinates& at) {
            return data(f.values[from][extents.flat(at)]);
          };
          std::optional<ArcHandle<RandomFrame, a, b>> arc;
          if (input.kind == ArcKind::kAll) {
            arc = producer.then(consumer, all);
          } else if (input.kind == ArcKind::kOffset) {
            if constexpr (a == b && a == 1) arc = producer.then(consumer, offset(input.offset[2]));
            if constexpr (a == b && a == 2)
              arc = producer.then(consumer, offset(input.offset[1], input.offset[2]));
          } else if constexpr (a == 1 && b == 1) {
            arc = producer.then(consumer, [modulus = input.modulus](std::size_t i, auto to_index) {
              to_index(i % modulus);
            });
          }
          if constexpr (a == 0)
            arc->carries([value](RandomFrame& f) { return value(f, {0, 0, 0}); });
          if constexpr (a == 1)
            arc->carries([value](RandomFrame& f, std::size_t i) { return value(f, {0, 0, i}); });
          if constexpr (a == 2) {
            arc->carries([value](RandomFrame& f, std::size_t i, std::size_t j) {
              return value(f, {0, i, j});
            });
          }
        },
        threads[from], threads[to]);
    plan->inputs[to].push_back(input);
  };
  for (std::size_t to = 0; to < count; ++to) {
    const auto dimensions = threads[to].index();
    // Within the thread, always forward; between threads, from earlier ones.
    if (dimensions > 0 && below(2) == 0) {
      Distance step{0, 0, static_cast<std::ptrdiff_t>(1 + below(3))};
      if (step[2] < static_cast<std::ptrdiff_t>(sizes[to].size[2]))
        add(to, to, {to, ArcKind::kOffset, step, 0});
      if (dimensions == 2 && sizes[to].size[1] > 1)
        add(to, to, {to, ArcKind::kOffset, {0, 1, 0}, 0});
    }
    if (to == 0) continue;
    for (std::size_t arcs = below(4); arcs > 0; --arcs) {
      const auto from = below(to);
      if (threads[from].index() == dimensions && dimensions > 0 && below(2) == 0) {
        Distance step{0, 0, 0};
        if (dimensions == 2) step[1] = static_cast<std::ptrdiff_t>(below(2));
        const auto reaches = [&](int i) {
          return step[i] < static_cast<std::ptrdiff_t>(sizes[to].size[i]);
        };
        if (reaches(1) && reaches(2)) add(from, to, {from, ArcKind::kOffset, step, 0});
      } else if (threads[from].index() == 1 && dimensions == 1 && below(2) == 0) {
        add(from, to, {from, ArcKind::kMap, {0, 0, 0}, 1 + below(sizes[to].size[2])});
      } else {
        add(from, to, {from, ArcKind::kAll, {0, 0, 0}, 0});
      }
    }
  }
}

RandomFrame RandomGraph::make_frame() const {
  RandomFrame frame;
  for (const auto& size : sizes) frame.values.emplace_back(size.count(), 0);
  return frame;
}

}  // namespace raddle::ddm

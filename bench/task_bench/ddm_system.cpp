// Task Bench on the data-driven runtime, on this machine's workers or, under mpirun, on all ranks.
#include <raddle/ddm.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "bench/task_bench/systems.h"

namespace raddle::bench::task_bench {
namespace {

class DdmSystem : public System {
 public:
  DdmSystem(Graphs graphs, int workers) {
    options_.workers = workers > 0 ? workers
                       : ranks() > 1
                           ? 1
                           : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    for (const TaskGraph& graph : graphs) {
      prepared_.push_back(std::make_unique<Prepared>(graph));
      scratch_.push_back(std::make_unique<Scratch>(graph, static_cast<std::size_t>(graph.width)));
      declare(*prepared_.back(), *scratch_.back());
    }
  }

  double run() override {
    for (auto& each : prepared_) each->outputs.clear();
    const double begin = agree(0);  // ranks begin together
    (void)begin;
    const auto start = std::chrono::steady_clock::now();
    program_.run(options_);
    return agree(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  [[nodiscard]] int cores() const override { return options_.workers * ranks(); }

 private:
  void declare(Prepared& prepared, const Scratch& scratch) {
    const TaskGraph& graph = *prepared.graph;
    const auto width = static_cast<std::size_t>(graph.width);
    auto task = program_.thread("task" + std::to_string(graph.number),
                                ddm::range(static_cast<std::size_t>(graph.steps), width),
                                [&](std::size_t step, std::size_t point) {
                                  run_in_place(prepared, static_cast<long>(step),
                                               static_cast<long>(point), scratch.of(point));
                                });
    const bool all_exist = graph.pattern != Pattern::kDom && graph.pattern != Pattern::kTree;
    if (!all_exist) {
      task.where([&](std::size_t step, std::size_t point) {
        return graph.exists(static_cast<long>(step), static_cast<long>(point));
      });
    }
    task.on([width](std::size_t, std::size_t point, int nodes) {
      return static_cast<int>(point * static_cast<std::size_t>(nodes) / width);
    });
    // Of a node's points, equal shares for its workers.
    task.worker([width](std::size_t, std::size_t point, int workers) {
      const auto nodes = static_cast<std::size_t>(ranks());
      const std::size_t parts = nodes * static_cast<std::size_t>(workers);
      return static_cast<int>(point * parts / width % static_cast<std::size_t>(workers));
    });
    connect(prepared, task);
  }

  // Arcs to points at the same distance everywhere, and a mapping for all else.
  static void connect(Prepared& prepared, const ddm::Thread<ddm::NoFrame, 2>& task) {
    const auto [first, last] = distances(*prepared.graph);
    const auto output = [&prepared](std::size_t step, std::size_t point) {
      return ddm::data(prepared.outputs.span(static_cast<long>(step), static_cast<long>(point)));
    };
    for (long distance = first; distance <= last; ++distance)
      task.then(task, ddm::offset(1, distance)).carries(output);
    if (!needs_mapping(*prepared.graph)) return;
    task.then(task,
              [&prepared, first, last](std::size_t step, std::size_t point, auto to) {
                const auto own = static_cast<long>(point);
                for (const long consumer :
                     prepared.dependences.consumers(static_cast<long>(step), own)) {
                  if (consumer - own < first || consumer - own > last)
                    to(step + 1, static_cast<std::size_t>(consumer));
                }
              })
        .carries(output);
  }
  struct Distances {
    long first, last;  // none: the first is greater
  };
  static Distances distances(const TaskGraph& graph) {
    switch (graph.pattern) {
      case Pattern::kNoComm: return {0, 0};
      case Pattern::kStencil: return {-1, 1};
      case Pattern::kPeriodicStencil: return {-1, 1};
      case Pattern::kDom: return {0, 1};
      case Pattern::kAllToAll: return {1 - graph.width, graph.width - 1};
      case Pattern::kNearest:
        if (graph.radix > 0) return {-(graph.radix - 1) / 2, graph.radix / 2};
        [[fallthrough]];
      default: return {1, 0};
    }
  }
  static bool needs_mapping(const TaskGraph& graph) {
    switch (graph.pattern) {
      case Pattern::kPeriodicStencil:
      case Pattern::kTree:
      case Pattern::kFft:
      case Pattern::kSpread:
      case Pattern::kRandomNearest: return true;
      default: return false;
    }
  }

  ddm::Options options_;
  ddm::Program<> program_{"task bench"};
  std::vector<std::unique_ptr<Prepared>> prepared_;
  std::vector<std::unique_ptr<Scratch>> scratch_;
};

}  // namespace

std::unique_ptr<System> make_ddm(Graphs graphs, int workers) {
  return std::make_unique<DdmSystem>(graphs, workers);
}

}  // namespace raddle::bench::task_bench

// Task Bench on oneTBB: a counter of missing inputs for each task; whoever brings the last one
// starts it in a task group.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <chrono>

#include "bench/task_bench/systems.h"

namespace raddle::bench::task_bench {
namespace {

class TbbSystem : public System {
 public:
  TbbSystem(Graphs graphs, int workers)
      : workers_(workers > 0 ? workers : oneapi::tbb::info::default_concurrency()),
        control_(oneapi::tbb::global_control::max_allowed_parallelism,
                 static_cast<std::size_t>(workers_)),
        arena_(workers_) {
    for (const TaskGraph& graph : graphs) {
      prepared_.push_back(std::make_unique<Prepared>(graph));
      scratch_.push_back(std::make_unique<Scratch>(graph, static_cast<std::size_t>(graph.width)));
      missing_.emplace_back(static_cast<std::size_t>(graph.steps * graph.width));
    }
  }

  double run() override {
    for (std::size_t i = 0; i < prepared_.size(); ++i) count_inputs(i);
    const auto start = std::chrono::steady_clock::now();
    arena_.execute([&] {
      for (std::size_t i = 0; i < prepared_.size(); ++i) start_sources(i);
      group_->wait();
    });
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  [[nodiscard]] int cores() const override { return workers_; }

 private:
  std::atomic<long>& missing(std::size_t number, long step, long point) {
    return missing_[number]
                   [static_cast<std::size_t>(step * prepared_[number]->graph->width + point)];
  }

  void count_inputs(std::size_t number) {
    Prepared& prepared = *prepared_[number];
    prepared.outputs.clear();
    for (long step = 0; step < prepared.graph->steps; ++step) {
      for (long point = 0; point < prepared.graph->width; ++point)
        missing(number, step, point)
            .store(static_cast<long>(prepared.dependences.inputs(step, point).size()),
                   std::memory_order_relaxed);
    }
  }

  void start_sources(std::size_t number) {
    const Prepared& prepared = *prepared_[number];
    for (long step = 0; step < prepared.graph->steps; ++step) {
      const long first = prepared.graph->first_point(step);
      for (long point = first; point < first + prepared.graph->points(step); ++point) {
        if (prepared.dependences.inputs(step, point).empty())
          group_->run([=, this] { run_one(number, step, point); });
      }
    }
  }

  void run_one(std::size_t number, long step, long point) {
    Prepared& prepared = *prepared_[number];
    run_in_place(prepared, step, point, scratch_[number]->of(static_cast<std::size_t>(point)));
    for (const long to : prepared.dependences.consumers(step, point)) {
      if (missing(number, step + 1, to).fetch_sub(1, std::memory_order_acq_rel) == 1)
        group_->run([=, this] { run_one(number, step + 1, to); });
    }
  }

  int workers_;
  oneapi::tbb::global_control control_;
  oneapi::tbb::task_arena arena_;
  std::unique_ptr<oneapi::tbb::task_group> group_ = std::make_unique<oneapi::tbb::task_group>();
  std::vector<std::unique_ptr<Prepared>> prepared_;
  std::vector<std::unique_ptr<Scratch>> scratch_;
  std::vector<std::vector<std::atomic<long>>> missing_;
};

}  // namespace

std::unique_ptr<System> make_tbb(Graphs graphs, int workers) {
  return std::make_unique<TbbSystem>(graphs, workers);
}

}  // namespace raddle::bench::task_bench

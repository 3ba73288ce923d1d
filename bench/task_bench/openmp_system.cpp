// Task Bench on OpenMP tasks with dependences, all made by one thread.
#include <omp.h>

#include <chrono>
#include <exception>
#include <mutex>

#include "bench/task_bench/systems.h"

namespace raddle::bench::task_bench {
namespace {

class OpenMpSystem : public System {
 public:
  OpenMpSystem(Graphs graphs, int workers) : workers_(workers > 0 ? workers : omp_get_num_procs()) {
    for (const TaskGraph& graph : graphs) {
      prepared_.push_back(std::make_unique<Prepared>(graph));
      scratch_.push_back(std::make_unique<Scratch>(graph, static_cast<std::size_t>(workers_)));
    }
  }

  double run() override {
    for (auto& each : prepared_) each->outputs.clear();
    error_ = nullptr;
    const auto start = std::chrono::steady_clock::now();
#pragma omp parallel num_threads(workers_)
#pragma omp single
    for (std::size_t i = 0; i < prepared_.size(); ++i) make_tasks(i);
    const auto end = std::chrono::steady_clock::now();
    if (error_) std::rethrow_exception(error_);
    return std::chrono::duration<double>(end - start).count();
  }
  [[nodiscard]] int cores() const override { return workers_; }

 private:
  void make_tasks(std::size_t number) {
    Prepared& prepared = *prepared_[number];
    const TaskGraph& graph = *prepared.graph;
    // A task depends on the outputs of the row before; each is named by its own first byte.
    std::vector<const char*> from;
    for (long step = 0; step < graph.steps; ++step) {
      const long first = graph.first_point(step);
      for (long point = first; point < first + graph.points(step); ++point) {
        from.clear();
        for (const long input : prepared.dependences.inputs(step, point))
          from.push_back(reinterpret_cast<const char*>(prepared.outputs.at(step - 1, input)));
        [[maybe_unused]] const char* own =
            reinterpret_cast<const char*>(prepared.outputs.at(step, point));
        [[maybe_unused]] const char** inputs = from.data();
        const int count = static_cast<int>(from.size());
        if (count == 0) {
#pragma omp task depend(out : *own) firstprivate(number, step, point)
          run_one(number, step, point);
        } else {
#pragma omp task depend(iterator(int n = 0 : count), in : *inputs[n]) depend(out : *own) \
    firstprivate(number, step, point)
          run_one(number, step, point);
        }
      }
    }
  }

  void run_one(std::size_t number, long step, long point) {
    try {
      run_in_place(*prepared_[number], step, point,
                   scratch_[number]->of(static_cast<std::size_t>(omp_get_thread_num())));
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }

  int workers_;
  std::vector<std::unique_ptr<Prepared>> prepared_;
  std::vector<std::unique_ptr<Scratch>> scratch_;
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

std::unique_ptr<System> make_openmp(Graphs graphs, int workers) {
  return std::make_unique<OpenMpSystem>(graphs, workers);
}

}  // namespace raddle::bench::task_bench

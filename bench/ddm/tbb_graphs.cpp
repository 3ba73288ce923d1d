#include <tbb/flow_graph.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <deque>
#include <vector>

#include "bench/ddm/contenders.h"

namespace raddle::bench {
namespace {

// Ready counts of a blocked Cholesky factorisation: which steps follow a step, and how many inputs
// each has.
struct Step {
  enum Kind { kFactorise, kSolve, kUpdate } kind;
  std::size_t k, i, j;
};

std::size_t number(std::size_t n, const Step& step) {
  if (step.kind == Step::kFactorise) return step.k;
  if (step.kind == Step::kSolve) return n + step.k * n + step.i;
  return n + n * n + (step.k * n + step.i) * n + step.j;
}

int inputs(const Step& step) {
  if (step.kind == Step::kFactorise) return step.k > 0 ? 1 : 0;
  if (step.kind == Step::kSolve) return step.k > 0 ? 2 : 1;
  return (step.k > 0 ? 1 : 0) + (step.i == step.j ? 1 : 2);
}

template <class Next>
void for_each_next(std::size_t n, const Step& step, Next next) {
  const auto [kind, k, i, j] = step;
  if (kind == Step::kFactorise) {
    for (auto below = k + 1; below < n; ++below) next(Step{Step::kSolve, k, below, 0});
  } else if (kind == Step::kSolve) {
    for (auto right = k + 1; right <= i; ++right) next(Step{Step::kUpdate, k, i, right});
    for (auto below = i + 1; below < n; ++below) next(Step{Step::kUpdate, k, below, i});
  } else if (k + 1 < j) {
    next(Step{Step::kUpdate, k + 1, i, j});
  } else if (j < i) {
    next(Step{Step::kSolve, j, i, 0});
  } else {
    next(Step{Step::kFactorise, j, 0, 0});
  }
}

template <class Visit>
void for_each_step(std::size_t n, Visit visit) {
  for (std::size_t k = 0; k < n; ++k) {
    visit(Step{Step::kFactorise, k, 0, 0});
    for (auto i = k + 1; i < n; ++i) {
      visit(Step{Step::kSolve, k, i, 0});
      for (auto j = k + 1; j <= i; ++j) visit(Step{Step::kUpdate, k, i, j});
    }
  }
}

void run_step(BlockedMatrix& matrix, const Step& step) {
  if (step.kind == Step::kFactorise) matrix.factorise(step.k);
  if (step.kind == Step::kSolve) matrix.solve(step.k, step.i);
  if (step.kind == Step::kUpdate) matrix.update(step.k, step.i, step.j);
}

}  // namespace

namespace task_group {

Runner independent(int workers) {
  auto arena = std::make_shared<tbb::task_arena>(workers);
  return [arena] {
    arena->execute([] {
      tbb::task_group group;
      for (std::size_t i = 0; i < kThreads; ++i) group.run([] { empty_thread(); });
      group.wait();
    });
  };
}

Runner wavefront(int workers) {
  auto arena = std::make_shared<tbb::task_arena>(workers);
  auto counts = std::make_shared<std::vector<std::atomic<unsigned char>>>(kSide * kSide);
  return [arena, counts] {
    arena->execute([&] {
      for (std::size_t i = 0; i < kSide * kSide; ++i) {
        (*counts)[i].store(static_cast<unsigned char>((i / kSide > 0) + (i % kSide > 0)),
                           std::memory_order_relaxed);
      }
      tbb::task_group group;
      // One task a thread: what is compared is the library's cost of a thread.
      const std::function<void(std::size_t)> task = [&](std::size_t cell) {
        empty_thread();
        if (cell / kSide + 1 < kSide && --(*counts)[cell + kSide] == 0)
          group.run([&task, next = cell + kSide] { task(next); });
        if (cell % kSide + 1 < kSide && --(*counts)[cell + 1] == 0)
          group.run([&task, next = cell + 1] { task(next); });
      };
      group.run([&] { task(0); });
      group.wait();
    });
  };
}

Runner chain(int workers) {
  auto arena = std::make_shared<tbb::task_arena>(workers);
  return [arena] {
    arena->execute([] {
      tbb::task_group group;
      const std::function<void(std::size_t)> task = [&](std::size_t i) {
        empty_thread();
        if (i + 1 < kThreads) group.run([&task, i] { task(i + 1); });
      };
      group.run([&] { task(0); });
      group.wait();
    });
  };
}

Runner cholesky(BlockedMatrix& matrix, int workers) {
  auto arena = std::make_shared<tbb::task_arena>(workers);
  const auto n = matrix.blocks();
  auto counts = std::make_shared<std::vector<std::atomic<int>>>(n + n * n + n * n * n);
  return [&matrix, arena, counts, n] {
    arena->execute([&] {
      for_each_step(n, [&](const Step& step) { (*counts)[number(n, step)] = inputs(step); });
      tbb::task_group group;
      const std::function<void(Step)> task = [&](const Step& step) {
        run_step(matrix, step);
        for_each_next(n, step, [&](const Step& next) {
          if (--(*counts)[number(n, next)] == 0) group.run([&task, next] { task(next); });
        });
      };
      group.run([&] { task({Step::kFactorise, 0, 0, 0}); });
      group.wait();
    });
  };
}

}  // namespace task_group

namespace flow_graph {
namespace {

using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;

struct Graph {
  explicit Graph(int workers) : arena(workers) {
    arena.execute([this] { graph = std::make_unique<tbb::flow::graph>(); });
  }
  template <class Body>
  Node& add(Body body) {
    return nodes.emplace_back(*graph, [body](const tbb::flow::continue_msg&) { body(); });
  }
  void run() {
    arena.execute([this] {
      nodes.front().try_put(tbb::flow::continue_msg());
      graph->wait_for_all();
    });
  }
  tbb::task_arena arena;
  std::unique_ptr<tbb::flow::graph> graph;
  std::deque<Node> nodes;
};

Runner runner(std::shared_ptr<Graph> graph) {
  return [graph = std::move(graph)] { graph->run(); };
}

}  // namespace

Runner independent(int workers) {
  auto graph = std::make_shared<Graph>(workers);
  using Put = tbb::flow::function_node<std::size_t, tbb::flow::continue_msg>;
  auto node = std::make_shared<Put>(*graph->graph, tbb::flow::unlimited, [](std::size_t) {
    empty_thread();
    return tbb::flow::continue_msg();
  });
  return [graph, node] {
    graph->arena.execute([&] {
      for (std::size_t i = 0; i < kThreads; ++i) node->try_put(i);
      graph->graph->wait_for_all();
    });
  };
}

Runner wavefront(int workers) {
  auto graph = std::make_shared<Graph>(workers);
  for (std::size_t i = 0; i < kSide * kSide; ++i) {
    auto& node = graph->add([] { empty_thread(); });
    if (i % kSide > 0) tbb::flow::make_edge(graph->nodes[i - 1], node);
    if (i / kSide > 0) tbb::flow::make_edge(graph->nodes[i - kSide], node);
  }
  return runner(std::move(graph));
}

Runner chain(int workers) {
  auto graph = std::make_shared<Graph>(workers);
  for (std::size_t i = 0; i < kThreads; ++i) {
    auto& node = graph->add([] { empty_thread(); });
    if (i > 0) tbb::flow::make_edge(graph->nodes[i - 1], node);
  }
  return runner(std::move(graph));
}

Runner cholesky(BlockedMatrix& matrix, int workers) {
  auto graph = std::make_shared<Graph>(workers);
  const auto n = matrix.blocks();
  std::vector<Node*> nodes(n + n * n + n * n * n);
  for_each_step(n, [&](const Step& step) {
    nodes[number(n, step)] = &graph->add([&matrix, step] { run_step(matrix, step); });
  });
  for_each_step(n, [&](const Step& step) {
    for_each_next(n, step, [&](const Step& next) {
      tbb::flow::make_edge(*nodes[number(n, step)], *nodes[number(n, next)]);
    });
  });
  return runner(std::move(graph));
}

}  // namespace flow_graph
}  // namespace raddle::bench

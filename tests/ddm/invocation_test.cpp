// Code blocks: invocation with return values, recursion, dynamic graphs, nested loops, re-running.
#include <gtest/gtest.h>
#include <raddle/ddm.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <vector>

namespace raddle::ddm {
namespace {

Options workers(int count) {
  Options options;
  options.workers = count;
  return options;
}

class Invocation : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Workers, Invocation, testing::Values(1, 2, 5));

// The paper's example (§2.4): the outer loop is one block, the inner product another.
TEST_P(Invocation, MultipliesVectorAndMatrixWithOneBlockALoop) {
  struct Inner {
    const std::vector<double>* row;
    const std::vector<double>* column;
    std::vector<double> products;
    double sum;
  };
  struct Outer {
    std::size_t columns;
    std::vector<double> vector;
    std::vector<std::vector<double>> matrix;
    std::vector<double> result;
  };
  Program<Outer> program;
  auto inner = program.block<Inner>("inner product");
  auto multiply =
      inner.thread("multiply", range([](const Inner& f) { return f.row->size(); }),
                   [](Inner& f, std::size_t i) { f.products[i] = (*f.row)[i] * (*f.column)[i]; });
  auto add = inner.thread("add", [](Inner& f) {
    for (const double product : f.products) f.sum += product;
  });
  multiply.then(add);
  program.call(
      "column", range(&Outer::columns), inner,
      [](Outer& f, std::size_t c) {
        return Inner{&f.vector, &f.matrix[c], std::vector<double>(f.vector.size()), 0};
      },
      [](Outer& f, std::size_t c, Inner& done) { f.result[c] = done.sum; });
  Outer frame{40, std::vector<double>(33, 2.0), {}, std::vector<double>(40)};
  for (int c = 0; c < 40; ++c) frame.matrix.emplace_back(33, c);
  const auto report = program.run(frame, workers(GetParam()));
  for (int c = 0; c < 40; ++c) EXPECT_EQ(frame.result[c], 2.0 * 33 * c);
  EXPECT_EQ(report.contexts, 41U);
}

struct Fibonacci {
  int n;
  long result = 0;
  long parts[2] = {0, 0};
};

Block<Fibonacci> declare_fibonacci(Program<Fibonacci>& program) {
  auto fibonacci = program.block<Fibonacci>("fibonacci");
  program.call(
      "go", fibonacci, [](Fibonacci& f) { return Fibonacci{f.n}; },
      [](Fibonacci& f, Fibonacci& done) { f.result = done.result; });
  auto small = fibonacci.choose("small", [](Fibonacci& f) { return f.n < 2; });
  auto leaf = fibonacci.thread("leaf", [](Fibonacci& f) { f.result = f.n; });
  auto both = fibonacci.call(
      "both", range(2), fibonacci,
      [](Fibonacci& f, std::size_t i) { return Fibonacci{f.n - 1 - static_cast<int>(i)}; },
      [](Fibonacci& f, std::size_t i, Fibonacci& done) { f.parts[i] = done.result; });
  auto add = fibonacci.thread("add", [](Fibonacci& f) { f.result = f.parts[0] + f.parts[1]; });
  small.when(true, leaf).when(false, both);
  both.then(add);
  return fibonacci;
}

TEST_P(Invocation, Recurses) {
  Program<Fibonacci> program;
  declare_fibonacci(program);
  Fibonacci frame{15};
  program.run(frame, workers(GetParam()));
  EXPECT_EQ(frame.result, 610);
}

TEST(InvocationMemory, FollowsLiveContextsAndNotInvocations) {
  Program<Fibonacci> program;
  declare_fibonacci(program);
  Fibonacci frame{18};
  const auto report = program.run(frame, workers(1));
  EXPECT_GT(report.contexts, 8000U);
  EXPECT_LT(report.most_live_contexts, 40U);
}

TEST_P(Invocation, InvokesAnyNumberOfBlocksFromADynamicThread) {
  struct Tree {
    std::vector<std::unique_ptr<Tree>> children;
    int value = 1;
    int sum = 0;
  };
  struct Visit {
    Tree* tree;
  };
  Tree root;
  int nodes = 1;
  for (int i = 0; i < 9; ++i) {
    auto child = std::make_unique<Tree>();
    for (int j = 0; j < i; ++j, ++nodes) child->children.push_back(std::make_unique<Tree>());
    root.children.push_back(std::move(child));
    ++nodes;
  }
  Program<Visit> program;
  auto visit = program.block<Visit>("visit");
  const auto declare = [&](const Block<Visit>& block) {
    auto descend = block.thread("descend", [visit](Visit& f, Spawn spawn) {
      for (auto& child : f.tree->children) spawn(visit, {child.get()});
    });
    auto add = block.thread("add", [](Visit& f) {
      f.tree->sum = f.tree->value;
      for (auto& child : f.tree->children) f.tree->sum += child->sum;
    });
    descend.then(add);
  };
  declare(program);
  declare(visit);
  Visit frame{&root};
  program.run(frame, workers(GetParam()));
  EXPECT_EQ(root.sum, nodes);
}

TEST_P(Invocation, RunsAgainWithOtherFramesWithoutBeingDeclaredAgain) {
  struct Frame {
    std::size_t size;
    std::vector<int> values;
  };
  Program<Frame> program;
  auto step = program.thread("step", range(&Frame::size), [](Frame& f, std::size_t i) {
    f.values[i] = (i > 0 ? f.values[i - 1] : 0) + 1;
  });
  step.then(step, offset(1));
  for (std::size_t size : {10U, 1000U, 1000U, 65U, 1U}) {
    Frame frame{size, std::vector<int>(size)};
    program.run(frame, workers(GetParam()));
    EXPECT_EQ(frame.values.back(), static_cast<int>(size));
  }
}

TEST_P(Invocation, RunsAgainWithThreadsDeclaredSince) {
  std::atomic<int> runs{0};
  Program program;
  auto first = program.thread("first", [&] { ++runs; });
  program.run(workers(GetParam()));
  first.then(program.thread("second", [&] { runs = runs * 10; }));
  program.run(workers(GetParam()));
  EXPECT_EQ(runs, 20);
}

TEST_P(Invocation, DestroysEachFrameOnce) {
  struct Counted {
    std::shared_ptr<int> token;
  };
  auto token = std::make_shared<int>(0);
  Program program;
  auto block = program.block<Counted>("counted");
  block.thread("use", [](Counted& f) { EXPECT_GE(f.token.use_count(), 2); });
  program.call("calls", range(300), block, [&](std::size_t) { return Counted{token}; });
  program.run(workers(GetParam()));
  EXPECT_EQ(token.use_count(), 1);
}

TEST_P(Invocation, RunsAProgramFromAThreadOfAnother) {
  std::atomic<int> inner_threads{0};
  Program inner;
  inner.thread("inner", range(10), [&](std::size_t) { ++inner_threads; });
  Program outer;
  outer.thread("outer", range(20), [&](std::size_t) { EXPECT_EQ(inner.run().threads_fired, 10U); });
  outer.run(workers(GetParam()));
  EXPECT_EQ(inner_threads, 200);
}

// Each context waits for the one that it has invoked; all end one after the other.
void count_down(Executor& executor, const Options& options) {
  struct Level {
    int left;
    int levels;
  };
  Program<Level> program;
  auto block = program.block<Level>("level");
  auto more = block.choose("more", [](Level& f) { return f.left > 0; });
  auto deeper = block.call(
      "deeper", block, [](Level& f) { return Level{f.left - 1, 0}; },
      [](Level& f, Level& below) { f.levels = below.levels + 1; });
  auto bottom = block.thread("bottom", [](Level& f) { f.levels = 0; });
  more.when(true, deeper).when(false, bottom);
  program.call(
      "first", block, [](Level& f) { return f; },
      [](Level& f, Level& below) { f.levels = below.levels; });
  Level frame{100000, 0};
  EXPECT_EQ(program.run_on(executor, frame, options).contexts, 100002U);
  EXPECT_EQ(frame.levels, 100000);
}

TEST_P(Invocation, RecursesMoreDeeplyThanTheStackWouldAllow) {
  count_down(default_executor(), workers(GetParam()));
}

TEST(SequentialInvocation, RecursesMoreDeeplyThanTheStackWouldAllow) {
  count_down(*make_sequential_executor(), {});
}

TEST(SequentialInvocation, DestroysNoFrameThatWasNotMade) {
  struct Frame {
    Frame() = default;
    Frame(Frame&&) = default;
    ~Frame() { ++destroyed(); }
    static int& destroyed() {
      static int count = 0;
      return count;
    }
  };
  Program program;
  auto block = program.block<Frame>("block");
  block.thread("use", [] {});
  program.call("call", block, []() -> Frame { throw std::runtime_error("no frame"); });
  NoFrame frame;
  EXPECT_THROW(program.run_on(*make_sequential_executor(), frame), std::runtime_error);
  EXPECT_EQ(Frame::destroyed(), 0);
}

}  // namespace
}  // namespace raddle::ddm

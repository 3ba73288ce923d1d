// Arcs that follow from what threads read and write: any executor gives the numbers of the
// sequential program.
#include <gtest/gtest.h>
#include <raddle/ddm.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

namespace raddle::ddm {
namespace {

Options workers(int count) {
  Options options;
  options.workers = count;
  return options;
}

std::uint64_t mix(std::uint64_t value) {
  value ^= value >> 31;
  value *= 0x9e3779b97f4a7c15ULL;
  return value ^ value >> 29;
}

using Memory = std::vector<std::uint64_t>;

// A thread of a random program: some pieces of memory that each instance reads and writes, found
// from its index alone.
struct RandomThread {
  std::uint64_t seed;
  std::size_t rows, columns;
  bool in_steps;  // the first index is the step

  struct Piece {
    std::size_t first, count;
    bool is_read, is_written;
  };
  [[nodiscard]] std::vector<Piece> pieces(std::size_t i, std::size_t j, std::size_t size) const {
    std::vector<Piece> result;
    std::uint64_t state = mix(seed * 1000 + i * 40 + j);
    for (std::uint64_t n = 1 + state % 3; n > 0; --n) {
      state = mix(state + n);
      const std::size_t first = state % size;
      const std::size_t count = std::min<std::size_t>(1 + state / 7 % 9, size - first);
      result.push_back({first, count, state / 64 % 3 != 0, state / 1024 % 2 != 0});
    }
    return result;
  }
  void run(Memory& memory, std::size_t i, std::size_t j) const {
    std::uint64_t sum = mix(seed + i * 100 + j);
    const auto all = pieces(i, j, memory.size());
    for (const Piece& piece : all) {
      if (!piece.is_read) continue;
      for (std::size_t at = piece.first; at < piece.first + piece.count; ++at)
        sum = mix(sum + memory[at]);
    }
    for (const Piece& piece : all) {
      if (!piece.is_written) continue;
      for (std::size_t at = piece.first; at < piece.first + piece.count; ++at)
        memory[at] = mix(sum + at);
    }
  }
};

std::vector<Operand> operands(const RandomThread& thread, Memory& memory, std::size_t i,
                              std::size_t j, bool RandomThread::Piece::* which) {
  std::vector<Operand> result;
  for (const auto& piece : thread.pieces(i, j, memory.size())) {
    if (piece.*which)
      result.push_back(data(std::span(memory).subspan(piece.first, piece.count)).front());
  }
  return result;
}

std::vector<RandomThread> random_threads(std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<RandomThread> threads(2 + random() % 6);
  for (auto& thread : threads)
    thread = {random(), 1 + random() % 6, 1 + random() % 20, seed % 2 == 0};
  return threads;
}

// What the program means: steps, in each the threads as declared, in each the indices in order.
Memory run_one_after_another(const std::vector<RandomThread>& threads, std::size_t size) {
  Memory memory(size, 1);
  for (std::size_t step = 0; step < 6; ++step) {
    for (const auto& thread : threads) {
      for (std::size_t i = 0; i < thread.rows; ++i) {
        if ((thread.in_steps ? i : 0) != step) continue;
        for (std::size_t j = 0; j < thread.columns; ++j) thread.run(memory, i, j);
      }
    }
  }
  return memory;
}

void declare(Program<Memory>& program, const std::vector<RandomThread>& threads) {
  for (std::size_t number = 0; number < threads.size(); ++number) {
    const auto& thread = threads[number];
    using Index = std::size_t;
    auto declared =
        program.thread("t" + std::to_string(number), range(thread.rows, thread.columns),
                       [&thread](Memory& memory, Index i, Index j) { thread.run(memory, i, j); });
    declared.reads([&thread](Memory& memory, Index i, Index j) {
      return operands(thread, memory, i, j, &RandomThread::Piece::is_read);
    });
    declared.writes([&thread](Memory& memory, Index i, Index j) {
      return operands(thread, memory, i, j, &RandomThread::Piece::is_written);
    });
    if (thread.in_steps) declared.step([](Index i, Index) { return i; });
  }
}

TEST(DataOrder, GivesTheNumbersOfTheSequentialProgramForRandomReadsAndWrites) {
  const auto sequential = make_sequential_executor();
  const auto native = make_native_executor();
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    const auto threads = random_threads(seed);
    const std::size_t size = 20 + seed * 17 % 300;
    const Memory expected = run_one_after_another(threads, size);
    Program<Memory> program;
    declare(program, threads);
    if (seed % 3 == 0) program.critical_path_first();
    Memory memory(size, 1);
    program.run_on(*sequential, memory);
    ASSERT_EQ(memory, expected) << "seed " << seed << ", one after another";
    for (const int count : {1, 2, 4}) {
      std::ranges::fill(memory, 1);
      program.run_on(*native, memory, workers(count));
      ASSERT_EQ(memory, expected) << "seed " << seed << ", " << count << " workers";
    }
  }
}

// The order in which instances ran, for programs small enough to say what it must be.
struct Log {
  std::mutex mutex;
  std::vector<std::string> names;
  void add(const std::string& name) {
    const std::lock_guard lock(mutex);
    names.push_back(name);
  }
  [[nodiscard]] bool before(const std::string& a, const std::string& b) const {
    return std::ranges::find(names, a) < std::ranges::find(names, b);
  }
};

TEST(DataOrder, OrdersReadersAndWritersButNotReadersAmongThemselves) {
  double x = 0, y = 0;
  Log log;
  Program program;
  const auto add = [&](const char* name) {
    return program.thread(name, [&log, name] { log.add(name); });
  };
  add("write").writes([&] { return data(x); });
  add("read").reads([&] { return data(x); }).writes([&] { return data(y); });
  add("read too").reads([&] { return data(x); });
  add("write again").writes([&] { return data(x); });
  add("last").updates([&] { return data(x, y); });
  const auto report = program.run(workers(4));
  EXPECT_EQ(report.threads_fired, 5U);
  EXPECT_EQ(log.names.front(), "write");
  EXPECT_TRUE(log.before("read", "write again"));
  EXPECT_TRUE(log.before("read too", "write again"));
  EXPECT_EQ(log.names.back(), "last");
}

// A Cholesky factorisation in blocks: arcs follow from the blocks that each kernel touches, and the
// numbers are those of the loops.
constexpr std::size_t kBlocks = 5, kBlock = 3, kSize = kBlocks * kBlock;
struct Matrix {
  std::vector<double> a = std::vector<double>(kSize * kSize);
  double* block(std::size_t i, std::size_t j) { return &a[(i * kSize + j) * kBlock]; }
  auto section_of(std::size_t i, std::size_t j) {
    return section(block(i, j), kBlock, kBlock, kSize);
  }
};

Matrix example_matrix() {
  Matrix m;
  for (std::size_t i = 0; i < kSize; ++i) {
    for (std::size_t j = 0; j < kSize; ++j)
      m.a[i * kSize + j] = 1.0 / static_cast<double>(1 + i + j) + (i == j ? 20.0 : 0.0);
  }
  return m;
}
void factor(double* a) {
  for (std::size_t k = 0; k < kBlock; ++k) {
    for (std::size_t i = k + 1; i < kBlock; ++i) {
      a[i * kSize + k] /= a[k * kSize + k];
      for (std::size_t j = k + 1; j < kBlock; ++j)
        a[i * kSize + j] -= a[i * kSize + k] * a[k * kSize + j];
    }
  }
}
void subtract_product(double* c, const double* a, const double* b) {
  for (std::size_t i = 0; i < kBlock; ++i) {
    for (std::size_t j = 0; j < kBlock; ++j) {
      for (std::size_t k = 0; k < kBlock; ++k)
        c[i * kSize + j] -= a[i * kSize + k] * b[k * kSize + j];
    }
  }
}

TEST(DataOrder, FindsTheArcsOfAFactorisationInBlocks) {
  using Index = std::size_t;
  Matrix expected = example_matrix();
  for (Index k = 0; k < kBlocks; ++k) {
    factor(expected.block(k, k));
    for (Index i = k + 1; i < kBlocks; ++i)
      subtract_product(expected.block(i, k), expected.block(k, k), expected.block(k, k));
    for (Index i = k + 1; i < kBlocks; ++i) {
      for (Index j = k + 1; j < kBlocks; ++j)
        subtract_product(expected.block(i, j), expected.block(i, k), expected.block(k, j));
    }
  }
  Program<Matrix> program;
  auto diagonal =
      program.thread("diagonal", range(kBlocks), [](Matrix& m, Index k) { factor(m.block(k, k)); });
  auto column = program.thread("column", range(kBlocks, kBlocks), [](Matrix& m, Index k, Index i) {
    subtract_product(m.block(i, k), m.block(k, k), m.block(k, k));
  });
  auto update = program.thread("update", range(kBlocks, kBlocks, kBlocks),
                               [](Matrix& m, Index k, Index i, Index j) {
                                 subtract_product(m.block(i, j), m.block(i, k), m.block(k, j));
                               });
  column.where([](Index k, Index i) { return i > k; });
  update.where([](Index k, Index i, Index j) { return i > k && j > k; });
  diagonal.updates([](Matrix& m, Index k) { return data(m.section_of(k, k)); });
  column.reads([](Matrix& m, Index k, Index) { return data(m.section_of(k, k)); });
  column.updates([](Matrix& m, Index k, Index i) { return data(m.section_of(i, k)); });
  update.reads([](Matrix& m, Index k, Index i, Index j) {
    return data(m.section_of(i, k), m.section_of(k, j));
  });
  update.updates([](Matrix& m, Index, Index i, Index j) { return data(m.section_of(i, j)); });
  diagonal.step([](Index k) { return k; });
  column.step([](Index k, Index) { return k; });
  update.step([](Index k, Index, Index) { return k; });
  for (const int count : {1, 2, 4}) {
    Matrix matrix = example_matrix();
    program.run(matrix, workers(count));
    EXPECT_EQ(matrix.a, expected.a) << count << " workers";
  }
}

TEST(DataOrder, TakesChunks) {
  std::vector<int> values(1000), sums(10);
  Program program;
  program
      .thread("fill", range(1000).grain(30),
              [&](Chunk chunk) {
                for (const auto i : chunk) values[i] = static_cast<int>(i);
              })
      .writes(
          [&](Chunk chunk) { return data(std::span(values).subspan(chunk.first, chunk.size())); });
  auto sum = program.thread("sum", range(10), [&](std::size_t i) {
    for (std::size_t at = 100 * i; at < 100 * (i + 1); ++at) sums[i] += values[at];
  });
  sum.reads([&](std::size_t i) { return data(std::span(values).subspan(100 * i, 100)); });
  program.run(workers(4));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(sums[static_cast<std::size_t>(i)], 100 * 100 * i + 4950);
}

// The invoked block works on what the call declares: what follows waits for its end.
TEST(DataOrder, HoldsForInvocations) {
  struct Part {
    int* value;
  };
  int value = 0, seen = 0;
  Program program;
  auto inner = program.block<Part>("inner");
  inner.thread("add", [](Part& part) { *part.value += 5; });
  program.call("call", inner, [&] { return Part{&value}; }).writes([&] { return data(value); });
  program.thread("look", [&] { seen = value; }).reads([&] { return data(value); });
  program.run(workers(2));
  EXPECT_EQ(seen, 5);
}

TEST(DataOrder, CountsAsInputsOfThreadsThatExpectSome) {
  int x = 0;
  Program program;
  program.thread("a", range(3), [](std::size_t) {}).reads([&](std::size_t) { return data(x); });
  program.thread("b", [] {}).writes([&] { return data(x); }).expects(2);
  try {
    program.run(workers(2));
    FAIL();
  } catch (const GraphError& error) {
    EXPECT_STREQ(error.what(),
                 "thread 'b' of block 'main': its ready count of 2 is never met: it has 3 inputs\n"
                 "hint: correct the mapping that leads to it, or expects(…)");
  }
}

TEST(DataOrder, NamesThreadsWhoseArcsContradictProgramOrder) {
  int x = 0;
  Program program;
  auto a = program.thread("a", [] {});
  auto b = program.thread("b", [] {});
  a.writes([&] { return data(x); });
  b.writes([&] { return data(x); });
  b.then(a);
  try {
    program.run(workers(2));
    FAIL();
  } catch (const StarvationError& error) {
    EXPECT_STREQ(error.what(),
                 "thread 'a' of block 'main': it never ran: 0 of 1 inputs came; neither did 'b'\n"
                 "hint: its inputs come from 'b' and those before it that read or write its data");
  }
}

TEST(DataOrder, RefusesThreadsThatMayRunAgain) {
  int x = 0;
  Program program;
  auto test = program.choose("test", [] { return true; });
  auto body = program.thread("body", [] {});
  body.writes([&] { return data(x); });
  test.when(true, body);
  try {
    program.run();
    FAIL();
  } catch (const GraphError& error) {
    EXPECT_STREQ(error.what(),
                 "thread 'body' of block 'main': arcs cannot be inferred from what it reads and "
                 "writes: a switch or a loop decides whether it runs\n"
                 "hint: put it in a block of its own, or declare arcs and no writes(…)");
  }
}

}  // namespace
}  // namespace raddle::ddm

// Where the time of a run went, thread by thread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <raddle/ddm.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

namespace raddle::ddm {
namespace {

using namespace std::chrono_literals;

Options profiled(int workers) {
  Options options;
  options.workers = workers;
  options.profile = true;
  return options;
}

const ThreadReport& of(const Report& report, const std::string& thread) {
  for (const auto& each : report.threads) {
    if (each.thread == thread) return each;
  }
  throw std::runtime_error("no thread " + thread);
}

TEST(Profile, IsMadeOnlyWhereItIsAskedFor) {
  Program program;
  program.thread("t", range(10), [](std::size_t) {});
  const auto report = program.run();
  EXPECT_TRUE(report.threads.empty());
  EXPECT_EQ(text(report), "");
}

// Sleeping threads take as long as they say, and no less.
TEST(Profile, FindsTheCriticalPath) {
  Program program;
  auto chain =
      program.thread("chain", range(5), [](std::size_t) { std::this_thread::sleep_for(4ms); });
  chain.then(chain, offset(1));
  auto wide =
      program.thread("wide", range(8), [](std::size_t) { std::this_thread::sleep_for(2ms); });
  auto end = program.thread("end", [] { std::this_thread::sleep_for(3ms); });
  chain.then(end, all);
  wide.then(end, all);
  const auto report = program.run(profiled(2));
  EXPECT_EQ(of(report, "chain").instances, 5U);
  EXPECT_EQ(of(report, "wide").instances, 8U);
  EXPECT_GE(of(report, "wide").seconds, 0.016);
  EXPECT_GE(report.critical_path, 0.023);
  // Unless a busy machine let one of them sleep for as long as the chain.
  if (of(report, "wide").longest < 0.020) {
    EXPECT_GE(of(report, "chain").on_critical_path, 0.020);
    EXPECT_EQ(of(report, "wide").on_critical_path, 0);
  }
  EXPECT_NEAR(of(report, "end").on_critical_path, of(report, "end").seconds, 1e-6);
  EXPECT_NEAR(report.work,
              of(report, "chain").seconds + of(report, "wide").seconds + of(report, "end").seconds,
              1e-9);
  EXPECT_LE(report.critical_path, report.seconds + 1e-6);
  EXPECT_NEAR(report.parallelism(), report.work / report.critical_path, 1e-9);
}

// Two workers, of which one has nothing to do while the other runs a chain.
TEST(Profile, SaysWhatRanWhileWorkersWereIdle) {
  Program program;
  auto alone =
      program.thread("alone", range(3), [](std::size_t) { std::this_thread::sleep_for(5ms); });
  alone.then(alone, offset(1));
  auto both =
      program.thread("both", range(2), [](std::size_t) { std::this_thread::sleep_for(2ms); });
  alone.then(both, all);
  const auto report = program.run(profiled(2));
  EXPECT_GE(of(report, "alone").idle, 0.015);
  EXPECT_LE(report.idle_of_all, report.idle);
  double shared = report.idle_of_all;
  for (const auto& thread : report.threads) shared += thread.idle;
  EXPECT_NEAR(shared, report.idle, 1e-6);
  EXPECT_NEAR(report.work + report.idle, 2 * report.seconds, 0.1 * report.seconds + 1e-3);
}

TEST(Profile, GoesThroughInvokedBlocks) {
  Program program;
  auto inner = program.block("inner");
  auto first = inner.thread("first", [] { std::this_thread::sleep_for(3ms); });
  auto second = inner.thread("second", [] { std::this_thread::sleep_for(2ms); });
  first.then(second);
  program.thread("spawn", [inner](Spawn spawn) {
    for (int i = 0; i < 4; ++i) spawn(inner, {});
  });
  const auto report = program.run(profiled(2));
  EXPECT_EQ(of(report, "first").instances, 4U);
  EXPECT_GE(report.critical_path, 0.005);
  EXPECT_LT(report.critical_path, report.work);  // four of them, one on the path
  EXPECT_GE(of(report, "first").on_critical_path, 0.003);
  EXPECT_LT(of(report, "first").on_critical_path, of(report, "first").seconds);
}

TEST(Profile, IsWrittenAsATableWhereTheEnvironmentSays) {
  const std::string file = testing::TempDir() + "ddm_report.txt";
  setenv("RADDLE_DDM_REPORT", file.c_str(), 1);
  Program program;
  auto a = program.thread("a", range(100), [](std::size_t) {});
  a.then(program.thread("b", [] {}));
  const auto report = program.run();
  unsetenv("RADDLE_DDM_REPORT");
  std::ifstream in(file);
  std::stringstream written;
  written << in.rdbuf();
  EXPECT_EQ(written.str(), text(report));
  EXPECT_THAT(written.str(), testing::ContainsRegex("ms; work .* critical path .* parallelism"));
  EXPECT_THAT(written.str(), testing::ContainsRegex("main/a +100 +"));
  EXPECT_THAT(written.str(), testing::ContainsRegex("main/b +1 +"));
}

TEST(Profile, SaysWhenItsFileCannotBeWritten) {
  setenv("RADDLE_DDM_REPORT", "/nonexistent/report", 1);
  Program program;
  program.thread("a", [] {});
  try {
    program.run();
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "/nonexistent/report: the report cannot be written\n"
                 "hint: choose another file for RADDLE_DDM_REPORT");
  }
  unsetenv("RADDLE_DDM_REPORT");
}

// On a busy machine the second worker may come when all is done; then once more.
TEST(Timeline, ShowsWhenWorkersFoundNothingToRun) {
  Options options;
  options.workers = 2;
  options.trace = testing::TempDir() + "ddm_idle_trace.json";
  Program program;
  auto alone = program.thread("alone", [] { std::this_thread::sleep_for(3ms); });
  alone.then(program.thread("end", range(2), [](std::size_t) {}), all);
  bool shown = false;
  for (int attempt = 0; attempt < 100 && !shown; ++attempt) {
    program.run(options);
    std::ifstream in(options.trace);
    std::stringstream trace;
    trace << in.rdbuf();
    shown = trace.str().find(R"("name":"no thread is ready","cat":"idle")") != std::string::npos;
  }
  EXPECT_TRUE(shown);
}

}  // namespace
}  // namespace raddle::ddm

// What one can see of a program: its drawing, its timeline, its report; and settings from outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <raddle/ddm.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace raddle::ddm {
namespace {

using testing::HasSubstr;

std::string contents(const std::string& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string scratch_file(const std::string& name) { return testing::TempDir() + "ddm_" + name; }

class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() { unsetenv(name_); }

 private:
  const char* name_;
};

TEST(Drawing, ShowsThreadsArcsSwitchesLoopsAndInvocations) {
  Program program("outer");
  auto inner = program.block("inner \"block\"");
  inner.thread("work", [] {});
  auto test = program.choose("test", [] { return true; });
  auto call = program.call("call", inner, [] { return NoFrame{}; });
  auto cells = program.thread("cells", range(30, 20), [](std::size_t, std::size_t) {});
  auto end = program.thread("end", [] {});
  cells.then(cells, offset(1, -1));
  cells.then(test);
  test.when(true, call).when(false, end);
  call.again(test);
  EXPECT_EQ(program.dot(),
            "digraph ddm {\n"
            "  node [fontname=\"sans-serif\"];\n"
            "  subgraph cluster_0 {\n"
            "    label=\"outer\";\n"
            "    b0t0 [label=\"test\", shape=diamond];\n"
            "    b0t1 [label=\"call\", shape=box, peripheries=2];\n"
            "    b0t2 [label=\"cells\\n30×20\", shape=box];\n"
            "    b0t3 [label=\"end\", shape=box];\n"
            "    b0t2 -> b0t2 [label=\"+1,-1\"];\n"
            "    b0t2 -> b0t0 [label=\"all\"];\n"
            "    b0t0 -> b0t1 [label=\"if 1\"];\n"
            "    b0t0 -> b0t3 [label=\"if 0\"];\n"
            "    b0t1 -> b0t0 [style=dashed, constraint=false];\n"
            "  }\n"
            "  subgraph cluster_1 {\n"
            "    label=\"inner \\\"block\\\"\";\n"
            "    b1t0 [label=\"work\", shape=box];\n"
            "  }\n"
            "  b0t1 -> b1t0 [lhead=cluster_1, style=dotted, label=\"invokes\"];\n"
            "  compound=true;\n"
            "}\n");
}

TEST(Drawing, IsWrittenWhereTheEnvironmentSays) {
  const auto file = scratch_file("graph.dot");
  const Environment environment("RADDLE_DDM_DOT", file);
  Program program;
  program.thread("only", [] {});
  program.run();
  EXPECT_EQ(contents(file), program.dot());
}

TEST(Timeline, NamesEachThreadThatRan) {
  Options options;
  options.workers = 2;
  options.trace = scratch_file("trace.json");
  Program program;
  auto many = program.thread("many \"of\" them", range(100), [](std::size_t) {});
  many.then(program.thread("last", [] {}));
  program.run(options);
  const auto text = contents(options.trace);
  EXPECT_THAT(text, HasSubstr("{\"displayTimeUnit\":\"ns\",\"traceEvents\":["));
  EXPECT_THAT(text, HasSubstr("\"name\":\"many \\\"of\\\" them\",\"cat\":\"main\""));
  EXPECT_THAT(text, HasSubstr("\"name\":\"last\""));
  EXPECT_THAT(text, HasSubstr("\"name\":\"worker 1\""));
  // Every instance is in some event.
  std::size_t instances = 0;
  const std::string key = "\"instances\":";
  for (auto at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
    instances += std::strtoul(text.c_str() + at + key.size(), nullptr, 10);
  }
  EXPECT_EQ(instances, 101U);
}

TEST(Timeline, SaysWhenItsFileCannotBeWritten) {
  Options options;
  options.trace = "/nonexistent/trace.json";
  Program program;
  program.thread("only", [] {});
  try {
    program.run(options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "/nonexistent/trace.json: the timeline cannot be written\n"
                 "hint: choose another file for Options::trace");
  }
}

TEST(Settings, TakeTheNumberOfWorkersFromTheEnvironment) {
  Program program;
  std::vector<std::thread::id> ids(64);
  program.thread("who", range(64), [&](std::size_t i) { ids[i] = std::this_thread::get_id(); });
  {
    const Environment environment("RADDLE_DDM_WORKERS", "1");
    program.run();
    for (const auto& id : ids) EXPECT_EQ(id, ids.front());
  }
  const Environment environment("RADDLE_DDM_WORKERS", "many");
  try {
    program.run();
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "RADDLE_DDM_WORKERS: 'many' is not a number of workers\nhint: give a number from 1");
  }
}

TEST(CacheFlow, PrefetchesDeclaredInputsOfThreadsThatAreAboutToFire) {
  struct Frame {
    std::vector<double> a = std::vector<double>(1000, 1);
    std::vector<double> b = std::vector<double>(1000, 2);
  };
  Program<Frame> program;
  program.thread("add", range(1000), [](Frame& f, std::size_t i) { f.a[i] += f.b[i]; })
      .reads([](Frame& f, std::size_t i) { return data(f.a[i], std::span(&f.b[i], 1)); });
  Frame frame;
  Options options;
  options.workers = 1;
  const auto report = program.run(frame, options);
  EXPECT_GT(report.prefetches, 1000U);  // two operands a thread, but for the first of each tile
  for (const double value : frame.a) EXPECT_EQ(value, 3);
  options.prefetch_distance = 0;
  EXPECT_EQ(program.run(frame, options).prefetches, 0U);
}

TEST(CacheFlow, RunsReadyThreadsInTheOrderOfThreadAndIteration) {
  // One thread makes instances of two others ready, in mixed order and in different tiles.
  std::vector<std::string> order;
  Program program;
  auto start = program.thread("start", [] {});
  auto a = program.thread("a", range(500),
                          [&](std::size_t i) { order.push_back("a" + std::to_string(i)); });
  auto b = program.thread("b", range(500),
                          [&](std::size_t i) { order.push_back("b" + std::to_string(i)); });
  for (const auto& thread : {a, b}) thread.where([](std::size_t i) { return i % 100 == 50; });
  for (const auto& thread : {b, a}) {
    start.then(thread, [](auto to) {
      for (const std::size_t i : {450U, 50U, 250U, 150U, 350U}) to(i);
    });
  }
  Options options;
  options.workers = 1;
  program.run(options);
  EXPECT_THAT(order, testing::ElementsAre("a50", "a150", "a250", "a350", "a450", "b50", "b150",
                                          "b250", "b350", "b450"));
  order.clear();
  options.reorder = false;
  program.run(options);
  EXPECT_EQ(order.front(), "b450");
}

TEST(Workers, ParkWhileThereIsNothingForThem) {
  Program program;
  auto slow =
      program.thread("slow", [] { std::this_thread::sleep_for(std::chrono::milliseconds(100)); });
  std::atomic<int> runs{0};
  slow.then(program.thread("many", range(2000), [&](std::size_t) { ++runs; }));
  Options options;
  options.workers = 4;
  const auto report = program.run(options);
  EXPECT_GE(report.parks, 1U);  // all three, unless the machine is very busy
  EXPECT_EQ(runs, 2000);
}

TEST(Workers, ShareInstancesThatTakeLong) {
  std::vector<std::thread::id> ids(8);
  Program program;
  program.thread("slow", range(8), [&](std::size_t i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ids[i] = std::this_thread::get_id();
  });
  Options options;
  options.workers = 2;
  program.run(options);
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::unique(ids.begin(), ids.end()) - ids.begin(), 2);
}

}  // namespace
}  // namespace raddle::ddm

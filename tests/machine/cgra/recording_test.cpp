// What a fabric records of a launch beside its result: costs by line, figures over time, a trace.
// Each is held against what the result of the same launch says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <numeric>

#include "base/atomic_file.h"
#include "machine/cgra/fabric_machine.h"
#include "sim/trace.h"
#include "sim/trace_reader.h"
#include "test_paths.h"

namespace raddle::machine::cgra {
namespace {

constexpr std::uint32_t kBlocks = 8, kThreads = 128;

// Line 2 loads, line 3 passes values on, line 4 stores.
std::string shift_kernel() {
  return kernel_of(R"(
  .loc 1 2 1
  ld.global.u32 %r10, [%rd2];
  .loc 1 3 1
  call __raddle_it_tag_u32, (%r10, 97, 0, 0, 0);
  call (%r11), __raddle_it_recv_const_u32, (9, -1, 0, 0, 0, 97, 0, 0, 0);
  .loc 1 4 1
  add.u32 %r12, %r10, %r11;
  st.global.u32 [%rd2], %r12;
)",
                   kInterThread);
}

double stall(const std::vector<Stall>& stalls, const std::string& name) {
  for (const Stall& share : stalls) {
    if (share.name == name) return share.cycles;
  }
  return 0;
}

const std::vector<double>& series(const LaunchResult& result, const std::string& name) {
  for (const SampleSeries& one : result.samples) {
    if (one.name == name) return one.values;
  }
  throw std::runtime_error("no series " + name);
}

class FabricRecordingTest : public testing::Test {
 protected:
  ~FabricRecordingTest() override { std::filesystem::remove_all(folder_); }

  // Two launches: the second one goes on after the first on the time line.
  std::vector<LaunchResult> traced(const std::string& path) {
    FabricMachine machine(shift_kernel(), {}, "dmt-cgra");
    sim::TraceFile file(path);
    machine.options().trace = &file;
    std::vector<LaunchResult> results;
    for (int launch = 0; launch < 2; ++launch) results.push_back(machine.run_k(kBlocks, kThreads));
    file.finish();
    return results;
  }

  std::filesystem::path folder_ = [] {
    std::string name = testing::TempDir() + "raddle-fabric-trace-XXXXXX";
    return std::filesystem::path(mkdtemp(name.data()));
  }();
};

TEST_F(FabricRecordingTest, LinesHaveAllFiringsAndAllThatMappedUnitsWaitFor) {
  FabricMachine machine(shift_kernel(), {}, "dmt-cgra");
  machine.options().lines = true;
  const LaunchResult result = machine.run_k(kBlocks, kThreads);
  std::uint64_t firings = 0;
  std::map<std::string, double> waits;
  std::map<std::string, std::uint64_t> by_line;
  for (const LineCost& line : result.lines) {
    firings += line.thread_instructions;
    by_line[line.location] = line.thread_instructions;
    double sum = 0;
    for (const Stall& share : line.stalls) {
      waits[share.name] += share.cycles;
      sum += share.cycles;
    }
    EXPECT_DOUBLE_EQ(line.stall_cycles, sum) << line.location;
  }
  EXPECT_EQ(firings, result.thread_instructions);
  // An elevator a thread; an addition and a store a thread.
  EXPECT_EQ(by_line["k.cu:3"], kBlocks * kThreads);
  EXPECT_GE(by_line["k.cu:4"], 2 * kBlocks * kThreads);
  for (const std::string cause : {"operand wait", "backpressure", "link contention", "memory"})
    EXPECT_DOUBLE_EQ(waits[cause], stall(result.stalls, cause)) << cause;
  EXPECT_GT(waits["memory"], 0);
  EXPECT_EQ(waits.count("unmapped"), 0U);
}

TEST_F(FabricRecordingTest, SamplesSumUpToTheLaunch) {
  FabricMachine machine(shift_kernel(), {}, "dmt-cgra");
  machine.options().sample_cycles = Cycle(100);
  const LaunchResult result = machine.run_k(kBlocks, kThreads);
  ASSERT_GE(result.sample_cycles, 100U);
  const std::vector<double>& ipc = series(result, "IPC");
  ASSERT_EQ(ipc.size(), (result.cycles + result.sample_cycles - 1) / result.sample_cycles);
  std::map<std::string, double> sums;
  for (std::size_t i = 0; i < ipc.size(); ++i) {
    const double cycles = static_cast<double>(
        std::min(result.sample_cycles, result.cycles - i * result.sample_cycles));
    double shares = 0;
    for (const SampleSeries& one : result.samples) {
      sums[one.name] += one.values[i] * cycles;
      if (one.kind) shares += one.values[i];
    }
    EXPECT_NEAR(shares, 1, 1e-9) << i;
  }
  EXPECT_NEAR(sums["IPC"], static_cast<double>(result.thread_instructions), 1e-6);
  for (const Stall& share : result.stalls)
    EXPECT_NEAR(sums[share.name] * 140, share.cycles, 1e-6 * share.cycles) << share.name;
}

TEST_F(FabricRecordingTest, ATraceShowsWhatEveryUnitDidInEveryCycle) {
  const std::vector<LaunchResult> results = traced(folder_ / "a");
  const int checked =
      std::system(fmt::format("/usr/bin/python3 {}/tests/machine/simt/check_trace.py {} dmt-cgra "
                              "'core 0' configuration 'L2 slice 5' 'kernels 0' >&2",
                              test_root(), (folder_ / "a").string())
                      .c_str());
  EXPECT_EQ(checked, 0);
  std::map<std::string, std::pair<double, std::string>> open;  // by track
  std::map<std::string, double> cycles;                        // by what a unit did
  for (const std::string& text : sim::events_of(read_file(folder_ / "a"))) {
    const std::size_t space = text.find(' ');
    const std::string rest = text.substr(space + 1);
    const bool begins = rest.find(" begin ") != std::string::npos;
    if (!rest.starts_with("core 0/unit ") || (!begins && !rest.ends_with(" end"))) continue;
    const std::string track = rest.substr(0, rest.find(begins ? " begin " : " end"));
    const double at = std::stod(text) * 1.4e9 / 1e12;
    if (begins) {
      open[track] = {at, rest.substr(track.size() + 7)};
    } else {
      cycles[open[track].second] += at - open[track].first;
    }
  }
  // Times of a trace are whole picoseconds.
  for (const std::string cause : {"operand wait", "backpressure", "link contention", "memory"}) {
    const double all = stall(results[0].stalls, cause) + stall(results[1].stalls, cause);
    EXPECT_NEAR(cycles[cause], all, 0.01 * all) << cause;
  }
  EXPECT_GT(cycles["memory"], 0);
  EXPECT_NEAR(cycles["st.global.u32"], 2 * kBlocks * kThreads, 1);
}

TEST_F(FabricRecordingTest, ATraceChangesNothingElseAndIsTheSameEveryTime) {
  FabricMachine machine(shift_kernel(), {}, "dmt-cgra");
  const LaunchResult plain = machine.run_k(kBlocks, kThreads);
  const LaunchResult one = traced(folder_ / "a").front();
  traced(folder_ / "b");
  EXPECT_EQ(plain.cycles, one.cycles);
  for (std::size_t i = 0; i < plain.stalls.size(); ++i)
    EXPECT_EQ(plain.stalls[i].cycles, one.stalls[i].cycles) << plain.stalls[i].name;
  EXPECT_EQ(read_file(folder_ / "a"), read_file(folder_ / "b"));
}

TEST_F(FabricRecordingTest, ATraceOfAStoppedLaunchIsWhole) {
  const std::string path = folder_ / "a";
  FabricMachine machine(kernel_of(R"(
  .loc 1 2 1
AGAIN:
  ld.volatile.global.u32 %r10, [%rd2];
  bra AGAIN;
)"));
  sim::TraceFile file(path);
  machine.options().trace = &file;
  machine.options().control = RunControl(Cycle(3000));
  EXPECT_FALSE(machine.run_k(1, 32).complete);
  EXPECT_FALSE(machine.run_k(1, 32).complete);
  file.finish();
  EXPECT_EQ(std::system(fmt::format("/usr/bin/python3 {}/tests/machine/simt/check_trace.py {} >&2",
                                    test_root(), path)
                            .c_str()),
            0);
}

}  // namespace
}  // namespace raddle::machine::cgra

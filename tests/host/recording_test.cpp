// What a machine records on its way through the runtime: one trace for the whole program, samples
// and threads from the environment, and the host's writes told to the machine. Each case runs in a
// process of its own.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "base/atomic_file.h"
#include "experiment/result_json.h"
#include "machine/recording_machine.h"
#include "sim/trace_reader.h"
#include "test_paths.h"
#include "test_program.h"

namespace raddle::host::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::ExitedWithCode;
using ::testing::HasSubstr;

void launch(const char& kernel) {
  cudaLaunchKernel(&kernel, dim3(1), dim3(32), nullptr, 0, nullptr);
}

double recorded(const machine::LaunchResult& launch, std::string_view name) {
  for (const sim::StatValue& stat : launch.stats) {
    if (stat.component == "recorder" && stat.name == name) return stat.value;
  }
  return -1;
}

class RecordingProcess : public ::testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const char* name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = fs::path(test_build_root()) / fmt::format("host_test_{}", name);
    // The process that a case runs in comes by here, too.
    fs::create_directories(folder_);
    setenv("RADDLE_MACHINE", machine::kRecordingMachine.c_str(), 1);
    setenv("RADDLE_JSON", json().c_str(), 1);
  }
  void TearDown() override {
    unsetenv("RADDLE_MACHINE");
    unsetenv("RADDLE_JSON");
    fs::remove_all(folder_);
  }

  std::string json() const { return folder_ / "result.json"; }
  std::string trace() const { return folder_ / "run.perfetto"; }
  experiment::RunResult result() const { return experiment::read_result_file(json()); }
  std::vector<std::string> traced() const { return sim::events_of(read_file(trace())); }
  // Nothing under a temporary name.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  fs::path folder_;
};

TEST_F(RecordingProcess, PutsAllLaunchesIntoOneTraceOneAfterTheOther) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_TRACE", trace().c_str(), 1);
        launch(program().bounded);
        cudaDeviceReset();
        launch(program().shaped);
        launch(program().bounded);
        exit(0);
      },
      ExitedWithCode(0), "");
  EXPECT_THAT(traced(), ElementsAre("0 kernels begin bounded", "1000 kernels end",
                                    "1000 kernels begin bounded", "2000 kernels end"));
  EXPECT_THAT(files(), ElementsAre("result.json", "run.perfetto"));
}

TEST_F(RecordingProcess, FinishesTheTraceInTheFolderItStartedIn) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_TRACE", "run.perfetto", 1);
        if (chdir(folder_.c_str()) != 0) exit(5);
        launch(program().bounded);
        if (chdir("/") != 0) exit(5);
        exit(0);
      },
      ExitedWithCode(0), "");
  EXPECT_THAT(files(), ElementsAre("result.json", "run.perfetto"));
}

TEST_F(RecordingProcess, FinishesTheTraceOfAKernelStoppedByCtrlC) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_TRACE", trace().c_str(), 1);
        launch(program().bounded);
        std::thread([] {
          std::this_thread::sleep_for(std::chrono::milliseconds(200));
          kill(getpid(), SIGINT);
        }).detach();
        launch(program().spin);
        exit(0);
      },
      ExitedWithCode(130), "interrupted");
  EXPECT_THAT(traced(), ElementsAre("0 kernels begin bounded", "1000 kernels end",
                                    "1000 kernels begin spin", HasSubstr(" kernels end")));
  EXPECT_THAT(files(), ElementsAre("result.json", "run.perfetto"));
}

TEST_F(RecordingProcess, FinishesTheTraceOfAKernelStoppedByTheWatchdog) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_TRACE", trace().c_str(), 1);
        setenv("RADDLE_MAX_CYCLES", "1000", 1);
        launch(program().spin);
        exit(0);
      },
      ExitedWithCode(1), "stopped after 1000 cycles");
  const std::uint64_t nanoseconds = result().launches.at(0).cycles;
  EXPECT_THAT(traced(), ElementsAre("0 kernels begin spin",
                                    fmt::format("{} kernels end", 1000 * nanoseconds)));
}

TEST_F(RecordingProcess, FinishesTheTraceOfHostCodeStoppedInTime) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_TRACE", trace().c_str(), 1);
        setenv("RADDLE_TIMEOUT", "0.3", 1);
        launch(program().bounded);
        for (;;) pause();
      },
      ExitedWithCode(1), "stopped by --timeout");
  EXPECT_THAT(traced(), ElementsAre("0 kernels begin bounded", "1000 kernels end"));
}

TEST_F(RecordingProcess, WithoutAPlaceForItsTraceDoesNotBegin) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_TRACE", "/no/such/folder/t.perfetto", 1);
        launch(program().bounded);
        exit(0);
      },
      ExitedWithCode(1),
      "^raddle: /no/such/folder/t.perfetto: cannot write the trace: No such file or directory\n$");
  EXPECT_TRUE(files().empty());
}

TEST_F(RecordingProcess, KeepsTheSamplesOfEachLaunch) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_SAMPLE", "5000", 1);
        setenv("RADDLE_MAX_CYCLES", "20000", 1);
        launch(program().bounded);
        launch(program().spin);
        exit(0);
      },
      ExitedWithCode(1), "");
  const experiment::RunResult read = result();
  ASSERT_EQ(read.launches.size(), 2u);
  EXPECT_EQ(read.launches[0].sample_cycles, 5000u);
  EXPECT_EQ(read.launches[1].sample_cycles, 5000u);
  ASSERT_EQ(read.launches[0].samples.size(), 3u);
  EXPECT_EQ(read.launches[0].samples[0].name, "IPC");
  EXPECT_THAT(read.launches[0].samples[0].values, ElementsAre(0));
  // The watchdog looks every 20,000 cycles.
  EXPECT_THAT(read.launches[1].samples[0].values.size(), read.launches[1].cycles / 5000);
}

TEST_F(RecordingProcess, TakesNoSamplesUnlessAsked) {
  EXPECT_EXIT(
      {
        launch(program().bounded);
        exit(0);
      },
      ExitedWithCode(0), "^$");
  EXPECT_TRUE(result().launches[0].samples.empty());
  EXPECT_EQ(recorded(result().launches[0], "host_threads"), 1);
}

TEST_F(RecordingProcess, SimulatesOnAsManyThreadsAsTheEnvironmentSays) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_THREADS", "3", 1);
        launch(program().bounded);
        exit(0);
      },
      ExitedWithCode(0), "");
  EXPECT_EQ(recorded(result().launches[0], "host_threads"), 3);
}

TEST_F(RecordingProcess, SaysWhatItsMachineDoesNotRecord) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_MACHINE", "ref", 1);
        setenv("RADDLE_TRACE", trace().c_str(), 1);
        setenv("RADDLE_SAMPLE", "100", 1);
        launch(program().bounded);
        exit(0);
      },
      ExitedWithCode(0),
      "^raddle: note: ref does not write traces; --trace has no effect\n"
      "raddle: note: ref does not sample; --sample has no effect\n$");
  EXPECT_THAT(files(), ElementsAre("result.json"));
}

TEST_F(RecordingProcess, TellsTheMachineOfCopiesFromTheHostAndOfMemsets) {
  EXPECT_EXIT(
      {
        char host[256] = {};
        void* data = nullptr;
        cudaMalloc(&data, 4096);
        cudaMemcpy(data, host, 100, cudaMemcpyHostToDevice);                             // a write
        cudaMemset(static_cast<char*>(data) + 256, 0, 56);                               // a write
        cudaMemcpy(host, data, 100, cudaMemcpyDeviceToHost);                             // none
        cudaMemcpy(static_cast<char*>(data) + 512, data, 64, cudaMemcpyDeviceToDevice);  // none
        launch(program().bounded);
        exit(0);
      },
      ExitedWithCode(0), "");
  const machine::LaunchResult launched = result().launches.at(0);
  EXPECT_EQ(recorded(launched, "host_writes"), 2);
  EXPECT_EQ(recorded(launched, "host_bytes"), 156);
  EXPECT_EQ(recorded(launched, "first_stretch"), 256) << "from the first write to the last";
}

TEST_F(RecordingProcess, TellsTheMachineOfRowsThatLieApartOneByOne) {
  EXPECT_EXIT(
      {
        char host[64] = {};
        void* data = nullptr;
        cudaMalloc(&data, 4096);
        cudaMemcpy2D(data, 512, host, 16, 16, 4, cudaMemcpyHostToDevice);  // four rows
        cudaMemset2D(data, 32, 0, 32, 8);                                  // one stretch
        launch(program().bounded);
        exit(0);
      },
      ExitedWithCode(0), "");
  const machine::LaunchResult launched = result().launches.at(0);
  EXPECT_EQ(recorded(launched, "host_writes"), 5);
  EXPECT_EQ(recorded(launched, "host_bytes"), 4 * 16 + 8 * 32);
}

TEST_F(RecordingProcess, CarriesStallsByLineAndOccupancyIntoTheResult) {
  EXPECT_EXIT(
      {
        launch(program().bounded);
        exit(0);
      },
      ExitedWithCode(0), "");
  const machine::Occupancy occupancy = result().launches.at(0).kernel_launch.value().occupancy;
  EXPECT_EQ(occupancy.warps, 24.125);
  EXPECT_EQ(occupancy.warps_limit, 48u);
  EXPECT_EQ(occupancy.blocks_per_core, 3u);
  EXPECT_EQ(occupancy.limited_by, "registers");
}

}  // namespace
}  // namespace raddle::host::testing

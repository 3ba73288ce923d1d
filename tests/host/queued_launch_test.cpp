// Launches into streams on a machine that can overlap them: when they run, what events say, and who
// hears of their failures. Each case runs in a process of its own.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "experiment/result_json.h"
#include "test_paths.h"
#include "test_program.h"

namespace raddle::host::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ExitedWithCode;

class QueuedLaunch : public ::testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const char* name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = fs::path(test_build_root()) / fmt::format("queued_launch_test_{}", name);
    // The process that a case runs in comes by here, too.
    fs::create_directories(folder_);
    setenv("RADDLE_MACHINE", "fermi", 1);
    setenv("RADDLE_JSON", json().c_str(), 1);
  }
  void TearDown() override {
    unsetenv("RADDLE_MACHINE");
    unsetenv("RADDLE_JSON");
    fs::remove_all(folder_);
  }

  std::string json() const { return folder_ / "result.json"; }
  experiment::RunResult result() const { return experiment::read_result_file(json()); }

  fs::path folder_;
};

cudaStream_t new_stream() {
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  return stream;
}

int* new_numbers() {
  int* numbers = nullptr;
  cudaMalloc(reinterpret_cast<void**>(&numbers), 32 * sizeof(int));
  cudaMemset(numbers, 0, 32 * sizeof(int));
  return numbers;
}

cudaEvent_t new_event() {
  cudaEvent_t event = nullptr;
  cudaEventCreate(&event);
  return event;
}

cudaError_t add_one(int* numbers, cudaStream_t stream, unsigned int threads = 32) {
  int count = 32;
  void* arguments[] = {&numbers, &count};
  return cudaLaunchKernel(&program().add_one, dim3(1), dim3(threads), arguments, 0, stream);
}

cudaError_t launch_trap(cudaStream_t stream) {
  return cudaLaunchKernel(&program().trap, dim3(1), dim3(1), nullptr, 0, stream);
}

int first_of(const int* numbers) {
  int value = -1;
  cudaMemcpy(&value, numbers, sizeof value, cudaMemcpyDeviceToHost);
  return value;
}

// Ends the process with the line of the first thing that was not so.
#define REQUIRE(condition) \
  if (!(condition)) exit(__LINE__ % 200 + 10)

TEST_F(QueuedLaunch, OverlapsWithOneOfAnotherStream) {
  EXPECT_EXIT(
      {
        int* a = new_numbers();
        int* b = new_numbers();
        cudaStream_t s = new_stream();
        cudaStream_t t = new_stream();
        add_one(a, s);
        add_one(b, t);
        add_one(a, s);
        REQUIRE(first_of(a) == 2 && first_of(b) == 1);
        exit(0);
      },
      ExitedWithCode(0), "");
  const experiment::RunResult ran = result();
  ASSERT_EQ(ran.launches.size(), 3u);
  EXPECT_EQ(ran.launches[1].start_cycle, 0u);
  EXPECT_GT(ran.launches[2].start_cycle, 0u);
  EXPECT_LT(ran.totals.cycles,
            ran.launches[0].cycles + ran.launches[1].cycles + ran.launches[2].cycles);
}

TEST_F(QueuedLaunch, DoesNotOverlapWithTheDefaultStream) {
  EXPECT_EXIT(
      {
        int* a = new_numbers();
        add_one(a, new_stream());
        add_one(a, nullptr);
        add_one(a, new_stream());
        REQUIRE(first_of(a) == 3);
        exit(0);
      },
      ExitedWithCode(0), "");
  for (const machine::LaunchResult& launch : result().launches)
    EXPECT_EQ(launch.overlapped_cycles, 0u);
}

TEST_F(QueuedLaunch, RunsBeforeTheProgramEnds) {
  EXPECT_EXIT(
      {
        add_one(new_numbers(), new_stream());
        exit(0);
      },
      ExitedWithCode(0), "");
  ASSERT_EQ(result().launches.size(), 1u);
  EXPECT_TRUE(result().launches[0].complete);
}

TEST_F(QueuedLaunch, TellsOfItsFailureAtTheNextCallThatWaits) {
  EXPECT_EXIT(
      {
        int* a = new_numbers();
        cudaStream_t s = new_stream();
        cudaStream_t t = new_stream();
        add_one(a, s);
        REQUIRE(launch_trap(t) == cudaSuccess);
        REQUIRE(cudaGetLastError() == cudaSuccess);
        REQUIRE(cudaStreamSynchronize(s) == cudaErrorLaunchFailure);
        REQUIRE(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
        REQUIRE(cudaDeviceReset() == cudaSuccess);
        a = new_numbers();
        add_one(a, new_stream());
        REQUIRE(first_of(a) == 1);
        exit(0);
      },
      ExitedWithCode(0), "");
}

TEST_F(QueuedLaunch, IsBeforeAnEventThatIsRecordedBehindIt) {
  EXPECT_EXIT(
      {
        int* a = new_numbers();
        int* b = new_numbers();
        cudaStream_t s = new_stream();
        cudaStream_t t = new_stream();
        cudaEvent_t start = new_event();
        cudaEvent_t one = new_event();
        cudaEvent_t three = new_event();
        cudaEvent_t none = new_event();
        cudaEventRecord(start, nullptr);
        add_one(a, s);
        cudaEventRecord(one, s);
        for (int i = 0; i < 3; ++i) add_one(b, t);
        cudaEventRecord(three, t);
        cudaEventRecord(none, new_stream());
        float to_one = -1;
        float to_three = -1;
        float to_none = -1;
        REQUIRE(cudaEventElapsedTime(&to_one, start, one) == cudaSuccess);
        REQUIRE(cudaEventElapsedTime(&to_three, start, three) == cudaSuccess);
        REQUIRE(cudaEventElapsedTime(&to_none, start, none) == cudaSuccess);
        REQUIRE(to_one > 0 && to_three > 2 * to_one && to_none == 0);
        exit(0);
      },
      ExitedWithCode(0), "");
  EXPECT_GT(result().launches[0].cycles, 0u);
  EXPECT_EQ(result().launches[1].start_cycle, 0u);
}

TEST_F(QueuedLaunch, RunsBeforeAStreamThatWaitsForItsEvent) {
  EXPECT_EXIT(
      {
        int* a = new_numbers();
        cudaStream_t s = new_stream();
        cudaStream_t t = new_stream();
        cudaEvent_t event = new_event();
        REQUIRE(cudaStreamWaitEvent(t, event, 0) ==
                cudaSuccess);  // not recorded: nothing to wait for
        add_one(a, s);
        cudaEventRecord(event, s);
        REQUIRE(cudaStreamWaitEvent(t, event, 0) == cudaSuccess);
        add_one(a, t);
        REQUIRE(first_of(a) == 2);
        exit(0);
      },
      ExitedWithCode(0), "");
  for (const machine::LaunchResult& launch : result().launches)
    EXPECT_EQ(launch.overlapped_cycles, 0u);
}

TEST_F(QueuedLaunch, ThatWaitsForAnEventKeepsNoOtherStreamFromRunning) {
  EXPECT_EXIT(
      {
        int* a = new_numbers();
        int* b = new_numbers();
        cudaStream_t s = new_stream();
        cudaStream_t t = new_stream();
        cudaStream_t u = new_stream();
        cudaEvent_t event = new_event();
        add_one(a, s);
        cudaEventRecord(event, s);
        cudaStreamWaitEvent(t, event, 0);
        add_one(a, t);
        add_one(b, u);
        REQUIRE(first_of(a) == 2 && first_of(b) == 1);
        exit(0);
      },
      ExitedWithCode(0), "");
  const experiment::RunResult ran = result();
  ASSERT_EQ(ran.launches.size(), 3u);
  EXPECT_GE(ran.launches[1].start_cycle, ran.launches[0].cycles);
  EXPECT_EQ(ran.launches[2].start_cycle, 0u);
}

TEST_F(QueuedLaunch, ComesAfterWhatTheEventsOfItsStreamCameAfter) {
  EXPECT_EXIT(
      {
        int* a = new_numbers();
        cudaStream_t s = new_stream();
        cudaStream_t t = new_stream();
        cudaStream_t u = new_stream();
        cudaEvent_t start = new_event();
        cudaEvent_t first = new_event();
        cudaEvent_t second = new_event();
        cudaEventRecord(start, nullptr);
        add_one(a, s);
        cudaEventRecord(first, s);
        cudaStreamWaitEvent(t, first, 0);
        cudaEventRecord(second, t);  // nothing was launched into t: it happens when `first` does
        cudaStreamWaitEvent(u, second, 0);
        cudaEventRecord(first, u);  // recorded anew: those that waited for it before are not moved
        add_one(a, u);
        float to_second = 0;
        REQUIRE(cudaEventElapsedTime(&to_second, start, second) == cudaSuccess);
        REQUIRE(to_second > 0 && first_of(a) == 2);
        exit(0);
      },
      ExitedWithCode(0), "");
  const experiment::RunResult ran = result();
  ASSERT_EQ(ran.launches.size(), 2u);
  EXPECT_GE(ran.launches[1].start_cycle, ran.launches[0].cycles);
}

TEST_F(QueuedLaunch, IsToldAtOnceWhenTheMachineCannotRunIt) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_SET", "core.warps=8", 1);
        const cudaError_t status = add_one(nullptr, new_stream(), 1024);
        exit(status == cudaErrorLaunchOutOfResources ? 3 : 4);
      },
      ExitedWithCode(3), "needs more warps than a multiprocessor of");
}

}  // namespace
}  // namespace raddle::host::testing

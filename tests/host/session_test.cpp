// The runtime as a process: settings from the environment, exit status, what is printed, the result
// that is left behind, Ctrl-C. Each case runs in a process of its own.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>

#include "experiment/result_json.h"
#include "test_paths.h"
#include "test_program.h"

namespace raddle::host::testing {
namespace {

using ::testing::AllOf;
using ::testing::ExitedWithCode;
using ::testing::HasSubstr;

void launch(const char& kernel, void** arguments = nullptr) {
  cudaLaunchKernel(&kernel, dim3(1), dim3(32), arguments, 0, nullptr);
}

// A store one element after the end of an allocation of 16 bytes.
void store_out_of_bounds() {
  void* data = nullptr;
  cudaMalloc(&data, 16);
  void* behind = static_cast<char*>(data) + 16;
  void* arguments[] = {&behind};
  cudaLaunchKernel(&program().store_at, dim3(1), dim3(1), arguments, 0, nullptr);
}

void interrupt_after(std::chrono::milliseconds time) {
  std::thread([time] {
    std::this_thread::sleep_for(time);
    kill(getpid(), SIGINT);
  }).detach();
}

class SessionProcess : public ::testing::Test {
 protected:
  void SetUp() override {
    // Starts the program anew, so that no session exists yet.
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const char* name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    json_ = std::filesystem::path(test_build_root()) / fmt::format("host_test_{}.json", name);
    std::filesystem::remove(json_);
  }
  void TearDown() override { std::filesystem::remove(json_); }

  std::filesystem::path json_;
};

TEST_F(SessionProcess, WithAnUnknownMachineEndsWithStatusOne) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_MACHINE", "reff", 1);
        int count = 0;
        cudaGetDeviceCount(&count);
      },
      ExitedWithCode(1), "raddle: .*reff");
}

TEST_F(SessionProcess, WithAnUnknownParameterEndsWithStatusOne) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_SET", "memory_byte=1", 1);
        int count = 0;
        cudaGetDeviceCount(&count);
      },
      ExitedWithCode(1), "memory_byte");
}

TEST_F(SessionProcess, WithASettingThatCannotBeReadEndsWithStatusTwo) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_THREADS", "many", 1);
        int count = 0;
        cudaGetDeviceCount(&count);
      },
      ExitedWithCode(2), "RADDLE_THREADS is 'many', which is not a number");
}

TEST_F(SessionProcess, TakesMachineParametersFromTheEnvironment) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_SET", "memory_bytes=1048576", 1);
        std::size_t free_bytes = 0;
        std::size_t total_bytes = 0;
        cudaMemGetInfo(&free_bytes, &total_bytes);
        exit(total_bytes == 1048576 ? 33 : 1);
      },
      ExitedWithCode(33), "");
}

TEST_F(SessionProcess, InCheckedModeNamesTheFaultAndEndsWithStatusOne) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_CHECK", "1", 1);
        store_out_of_bounds();
        exit(cudaDeviceSynchronize() == cudaSuccess ? 0 : 5);
      },
      ExitedWithCode(1),
      AllOf(HasSubstr("raddle: error: out-of-bounds store of 4 bytes at 0x"),
            HasSubstr("in kernel store_at, block (0,0,0), thread (0,0,0)"),
            HasSubstr("raddle: 1 memory error in 1 kernel; the first: out-of-bounds")));
}

TEST_F(SessionProcess, KeepsTheProgramsOwnStatus) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_CHECK", "1", 1);
        store_out_of_bounds();
        exit(9);
      },
      ExitedWithCode(9), "out-of-bounds");
}

TEST_F(SessionProcess, ExplainsRefusedCopiesInCheckedMode) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_CHECK", "1", 1);
        void* data = nullptr;
        cudaMalloc(&data, 16);
        cudaMemset(data, 0, 20);
        exit(0);
      },
      ExitedWithCode(0),
      "raddle: warning: .* gave cudaErrorInvalidValue .invalid argument.: 20 bytes at the "
      "destination 0x.* go beyond the 16-byte allocation");
}

TEST_F(SessionProcess, WritesTheResultAtItsEnd) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_JSON", json_.c_str(), 1);
        setenv("RADDLE_PROGRAM", "my program", 1);
        launch(program().bounded);
        int host = 0;
        void* data = nullptr;
        cudaMalloc(&data, 4);
        cudaMemcpy(data, &host, 4, cudaMemcpyHostToDevice);
        exit(4);
      },
      ExitedWithCode(4), "");
  const experiment::RunResult result = experiment::read_result_file(json_.string());
  EXPECT_EQ(result.program, "my program");
  EXPECT_EQ(result.machine, "ref");
  EXPECT_FALSE(result.partial);
  EXPECT_EQ(result.exit_status, 4);
  ASSERT_EQ(result.launches.size(), 1u);
  EXPECT_EQ(result.launches[0].kernel, "bounded");
  EXPECT_EQ(result.launches[0].thread_instructions, 32u);
  EXPECT_GT(result.launches[0].kernel_launch->registers_per_thread, 0u);
  EXPECT_EQ(result.copies.host_to_device_bytes, 4u);
}

TEST_F(SessionProcess, SaysWhenTheResultCannotBeWritten) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_JSON", "/no/such/folder/result.json", 1);
        cudaDeviceSynchronize();
        exit(0);
      },
      ExitedWithCode(1), "raddle: error: .*no/such/folder");
}

TEST_F(SessionProcess, StopsAKernelThatNeverEnds) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_MAX_CYCLES", "100000", 1);
        launch(program().spin);
        const cudaError_t error = cudaDeviceSynchronize();
        std::fprintf(stderr, "the program hears %d\n", error);
        exit(0);
      },
      ExitedWithCode(1),
      AllOf(HasSubstr("stopped after 100000 cycles"), HasSubstr("in kernel spin"),
            HasSubstr("the program hears 702")));
}

TEST_F(SessionProcess, StopsAKernelAtTheTimeLimit) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_TIMEOUT", "0.2", 1);
        launch(program().spin);
        exit(cudaDeviceSynchronize() == cudaErrorLaunchTimeout ? 0 : 3);
      },
      ExitedWithCode(1), "stopped by --timeout");
}

TEST_F(SessionProcess, StopsHostCodeAtTheTimeLimit) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_JSON", json_.c_str(), 1);
        setenv("RADDLE_TIMEOUT", "0.5", 1);
        launch(program().bounded);
        for (;;) pause();
      },
      ExitedWithCode(1), "raddle: error: stopped by --timeout\n  in host code\n");
  const experiment::RunResult result = experiment::read_result_file(json_.string());
  EXPECT_TRUE(result.partial);
  EXPECT_EQ(result.partial_reason, "time limit");
  EXPECT_EQ(result.exit_status, 1);
}

TEST_F(SessionProcess, StopsAProgramThatGoesOnAfterItsKernelWasStopped) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_TIMEOUT", "0.2", 1);
        launch(program().spin);
        std::fprintf(stderr, "the program hears %d\n", cudaDeviceSynchronize());
        for (;;) pause();
      },
      ExitedWithCode(1), AllOf(HasSubstr("in kernel spin"), HasSubstr("the program hears 702")));
}

TEST_F(SessionProcess, EndedByQuickExitWritesTheResult) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_JSON", json_.c_str(), 1);
        launch(program().bounded);
        quick_exit(6);
      },
      ExitedWithCode(6), "");
  EXPECT_FALSE(experiment::read_result_file(json_.string()).partial);
}

TEST_F(SessionProcess, ThatEndsBecauseASignalWokeItLeavesAPartialResult) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_JSON", json_.c_str(), 1);
        launch(program().bounded);
        std::thread([] {
          std::this_thread::sleep_for(std::chrono::milliseconds(200));
          kill(getpid(), SIGTERM);
        }).detach();
        sleep(60);
        exit(0);
      },
      ExitedWithCode(143), "");
  const experiment::RunResult result = experiment::read_result_file(json_.string());
  EXPECT_TRUE(result.partial);
  EXPECT_EQ(result.partial_reason, "interrupted");
  EXPECT_EQ(result.exit_status, 143);
}

TEST_F(SessionProcess, OnCtrlCInAKernelLeavesAPartialResult) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_JSON", json_.c_str(), 1);
        launch(program().bounded);
        interrupt_after(std::chrono::milliseconds(200));
        launch(program().spin);
        exit(0);
      },
      ExitedWithCode(130), "interrupted");
  const experiment::RunResult result = experiment::read_result_file(json_.string());
  EXPECT_TRUE(result.partial);
  EXPECT_EQ(result.partial_reason, "interrupted");
  EXPECT_EQ(result.launches.size(), 2u);
}

TEST_F(SessionProcess, OnCtrlCInHostCodeLeavesAPartialResultToo) {
  EXPECT_EXIT(
      {
        setenv("RADDLE_JSON", json_.c_str(), 1);
        launch(program().bounded);
        interrupt_after(std::chrono::milliseconds(200));
        for (;;) pause();
      },
      ExitedWithCode(130), "");
  EXPECT_TRUE(experiment::read_result_file(json_.string()).partial);
}

}  // namespace
}  // namespace raddle::host::testing

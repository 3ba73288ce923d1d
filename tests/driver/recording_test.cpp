// --trace, --sample and -j on their way from the command line's options to a machine and back into
// a result, for .ptx files, which run in this process; and what is left of a program that crashed.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "base/atomic_file.h"
#include "base/temporary_folder.h"
#include "driver/run_program.h"
#include "experiment/result_json.h"
#include "machine/recording_machine.h"
#include "sim/trace_reader.h"

namespace raddle::driver {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

constexpr const char* kKernel = R"(
.version 7.5
.target sm_70
.address_size 64
.visible .entry k(.param .u64 first, .param .u64 second) {
  ret;
}
)";

class RecordedRun : public testing::Test {
 protected:
  RecordedRun() {
    write_file_atomically(folder_ / "k.ptx", kKernel);
    program_ = folder_ / "k.ptx";
    options_.settings.machine = machine::kRecordingMachine;
    options_.settings.trace_file = folder_ / "t.perfetto";
    options_.output_folder = folder_ / "out";
    options_.launch.block = "64";
    options_.launch.arguments = {"buffer:f32:100", "buffer:i32:8"};
  }
  ProgramRun run() const {
    return run_program(find_program(program_), options_,
                       {.to_error = true, .log_file = folder_ / "log"}, false);
  }

  TemporaryFolder folder_;
  std::string program_;
  RunRequest options_;
};

double recorded(const ProgramRun& run, std::string_view name) {
  for (const sim::StatValue& stat : run.result->totals.stats) {
    if (stat.name == name) return stat.value;
  }
  return -1;
}

TEST_F(RecordedRun, WritesTheTraceAndNamesIt) {
  const ProgramRun done = run();
  EXPECT_EQ(done.trace_file, (folder_ / "t.perfetto").string());
  EXPECT_THAT(sim::events_of(read_file(folder_ / "t.perfetto")),
              ElementsAre("0 kernels begin k", "2000 kernels end"));
  EXPECT_EQ(read_file(folder_ / "log"), "") << "nothing is asked for in vain";
}

TEST_F(RecordedRun, FinishesTheTraceOfAKernelThatIsStopped) {
  write_file_atomically(folder_ / "k.ptx",
                        ".version 7.5\n.target sm_70\n.address_size 64\n"
                        ".visible .entry spin() {\nAGAIN:\n  bra.uni AGAIN;\n}\n");
  options_.launch.arguments.clear();
  options_.settings.max_cycles = 1000;
  EXPECT_TRUE(run().result->partial);
  EXPECT_EQ(sim::events_of(read_file(folder_ / "t.perfetto")).size(), 2u);
}

TEST_F(RecordedRun, HandsSamplesThreadsAndHostWritesOn) {
  options_.settings.sample_cycles = 1;
  options_.settings.host_threads = 5;
  const ProgramRun done = run();
  EXPECT_EQ(recorded(done, "host_threads"), 5);
  EXPECT_EQ(recorded(done, "host_writes"), 2) << "a buffer each";
  EXPECT_EQ(recorded(done, "host_bytes"), 100 * 4 + 8 * 4);
  ASSERT_EQ(done.result->launches.size(), 1u);
  EXPECT_THAT(done.result->launches[0].samples.at(0).values, ElementsAre(0, 1));
  const experiment::RunResult stored = experiment::read_result_file(done.result_file);
  EXPECT_EQ(stored.launches.at(0).sample_cycles, 1u);
}

TEST_F(RecordedRun, NamesTheMachineThatCannotRecord) {
  options_.settings.assignments = {"traces=false", "samples=false"};
  options_.settings.sample_cycles = 1;
  const ProgramRun done = run();
  EXPECT_EQ(done.trace_file, "");
  EXPECT_FALSE(fs::exists(folder_ / "t.perfetto"));
  EXPECT_EQ(read_file(folder_ / "log"),
            fmt::format("raddle: note: {0} does not write traces; --trace has no effect\n"
                        "raddle: note: {0} does not sample; --sample has no effect\n",
                        machine::kRecordingMachine));
}

TEST_F(RecordedRun, LeavesNoHalfTraceOfAProgramThatCrashed) {
  program_ = "/bin/sh";
  options_.arguments = {"-c", "touch $RADDLE_TRACE.$$.tmp && kill -SEGV $$"};
  const ProgramRun done = run();
  EXPECT_EQ(done.signal, SIGSEGV);
  EXPECT_EQ(done.trace_file, "");
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_.path()))
    EXPECT_NE(entry.path().extension(), ".tmp") << entry.path();
}

}  // namespace
}  // namespace raddle::driver

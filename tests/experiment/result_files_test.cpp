#include "experiment/result_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <map>

#include "base/temporary_folder.h"
#include "experiment/result_json.h"
#include "experiment/sample_result.h"

namespace raddle::experiment {
namespace {

namespace fs = std::filesystem;

class ResultFilesTest : public testing::Test {
 protected:
  // What a run of `raddle run` does with its result; the name below the folder.
  std::string keep(const RunResult& result, const std::vector<std::string>& identity = {"text"}) {
    const ResultFiles files(folder_.path(), "scale", "ref");
    write_result_file(result, files.pending());
    const std::string kept = files.keep(result, identity);
    EXPECT_FALSE(fs::exists(files.pending()));
    EXPECT_EQ(to_json(read_result_file(kept)), to_json(result));
    EXPECT_EQ(to_json(read_result_file(newest())), to_json(result));
    return fs::path(kept).lexically_relative(fs::absolute(folder_.path())).string();
  }
  std::string newest() const { return folder_ / "scale-ref.json"; }
  std::size_t kept() const {
    const fs::directory_iterator files(folder_ / "scale-ref");
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }

  RunResult complete() const {
    RunResult result = sample_result();
    result.partial = false;
    return result;
  }

  TemporaryFolder folder_;
};

TEST_F(ResultFilesTest, NamesARunAfterItsArgumentsAndChangedParameters) {
  EXPECT_THAT(keep(complete()),
              testing::MatchesRegex("scale-ref/size_1_000_multiprocessors=4-[0-9a-f]{8}\\.json"));
  RunResult plain = complete();
  plain.arguments.clear();
  plain.parameters[1].overridden = false;
  EXPECT_THAT(keep(plain), testing::MatchesRegex("scale-ref/[0-9a-f]{8}\\.json"));
}

TEST_F(ResultFilesTest, LeavesOneResultForEveryDifferentRun) {
  keep(complete());
  RunResult other = complete();
  other.arguments.back() = "1 001";
  keep(other);
  other.arguments.back() = "1_001";  // the same when written as part of a name
  keep(other);
  other = complete();
  other.parameters_hash = "fedcba9876543210";
  keep(other);
  keep(complete(), {"another text"});
  EXPECT_EQ(kept(), 5u);
}

TEST_F(ResultFilesTest, ReplacesAnEqualRun) {
  const std::string first = keep(complete());
  RunResult again = complete();
  again.host.wall_seconds = 7;
  EXPECT_EQ(keep(again), first);
  EXPECT_EQ(kept(), 1u);
}

TEST_F(ResultFilesTest, KeepsBothIfTheFiguresOfAnEqualRunDiffer) {
  const std::string first = keep(complete());
  RunResult other = complete();
  ++other.totals.cycles;
  const std::string second = keep(other);
  EXPECT_EQ(second, first.substr(0, first.size() - 5) + "-2.json");
  EXPECT_EQ(keep(other), second);
  EXPECT_EQ(keep(complete()), first);
  EXPECT_EQ(kept(), 2u);
}

// Two processes that end a run of one name at the same time: neither replaces the other's result.
TEST_F(ResultFilesTest, GivesTwoWritersOfOneNameAFileEach) {
  constexpr int kRounds = 40;
  std::array<std::array<int, 2>, 2> pipes{};
  for (auto& ends : pipes) ASSERT_EQ(pipe(ends.data()), 0);
  std::array<pid_t, 2> writers{};
  for (std::size_t i = 0; i < 2; ++i) {
    writers[i] = fork();
    if (writers[i] != 0) continue;
    const ResultFiles files(folder_.path(), "scale", "ref");
    RunResult result = complete();
    result.totals.cycles = 100 + i;
    for (int round = 0; round < kRounds; ++round) {
      write_result_file(result, files.pending());
      char other = 0;  // is as far
      if (write(pipes[i][1], "g", 1) != 1 || read(pipes[1 - i][0], &other, 1) != 1) _exit(1);
      files.keep(result, {std::to_string(round)});
    }
    _exit(0);
  }
  for (const pid_t writer : writers) {
    int status = -1;
    ASSERT_EQ(waitpid(writer, &status, 0), writer);
    EXPECT_EQ(status, 0);
  }
  std::map<std::uint64_t, int> found;
  for (const fs::directory_entry& file : fs::directory_iterator(folder_ / "scale-ref"))
    ++found[read_result_file(file.path().string()).totals.cycles];
  EXPECT_EQ(found, (std::map<std::uint64_t, int>{{100, kRounds}, {101, kRounds}}));
}

TEST_F(ResultFilesTest, DoesNotReplaceAResultByAPartialOne) {
  keep(complete());
  EXPECT_THAT(keep(sample_result()), testing::EndsWith("-partial.json"));
  EXPECT_EQ(kept(), 2u);
}

TEST_F(ResultFilesTest, KeepsNamesShort) {
  RunResult result = complete();
  result.arguments.assign(100, "--a/long argument");
  EXPECT_LT(keep(result).size(), 100u);
}

TEST_F(ResultFilesTest, KeepsTheNewestNameForTheNewestThatIsLeft) {
  const std::string first = keep(complete());
  RunResult other = complete();
  other.parameters_hash = "fedcba9876543210";
  const std::string second = keep(other);
  remove_result_file(folder_ / second);
  EXPECT_TRUE(fs::equivalent(newest(), folder_ / first));
  const std::string third = keep(other);
  remove_result_file(folder_ / first);
  EXPECT_TRUE(fs::equivalent(newest(), folder_ / third));
  remove_result_file(folder_ / third);
  EXPECT_FALSE(fs::is_symlink(newest()));
  EXPECT_FALSE(fs::exists(folder_ / "scale-ref"));
}

}  // namespace
}  // namespace raddle::experiment

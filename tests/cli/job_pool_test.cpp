#include "cli/job_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <thread>

#include "base/atomic_file.h"
#include "base/temporary_folder.h"

namespace raddle::cli {
namespace {

class JobPoolTest : public testing::Test {
 protected:
  JobCommand shell(const std::string& script) const {
    return {{"/bin/sh", "-c", script},
            {"PATH=/usr/bin:/bin"},
            (folder_ / "output").string(),
            (folder_ / "error").string()};
  }

  // Waits until a process has written its number, and gives it.
  pid_t number_in(const std::string& file) const {
    for (int i = 0; i < 1000; ++i) {
      pid_t number = 0;
      if (std::ifstream(folder_ / file) >> number) return number;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ADD_FAILURE() << file << " was not written";
    return -1;
  }

  // A dead process whose new parent has not looked at it yet is dead all the same.
  static bool runs(pid_t process) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return !text.empty() && text.substr(text.rfind(')')).substr(2, 1) != "Z";
  }

  static bool ends(pid_t process) {
    for (int i = 0; i < 1000; ++i) {
      if (!runs(process)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

  static JobPool::End only_end(JobPool& pool) {
    for (int i = 0; i < 100; ++i) {
      const JobPool::News news = pool.wait(0.1);
      if (!news.ended.empty()) return news.ended.front();
    }
    ADD_FAILURE() << "nothing ended";
    return {};
  }

  TemporaryFolder folder_;
};

TEST_F(JobPoolTest, TellsHowAProcessEndedAndKeepsWhatItSaid) {
  JobPool pool;
  pool.start(7, shell("echo out; echo err >&2; cat; exit 3"));
  const JobPool::End end = only_end(pool);
  EXPECT_EQ(end.number, 7u);
  EXPECT_EQ(end.status, 3);
  EXPECT_EQ(read_file(folder_ / "output"), "out\n");
  EXPECT_EQ(read_file(folder_ / "error"), "err\n");
  EXPECT_TRUE(pool.running().empty());

  pool.start(8, shell("kill -SEGV $$"));
  EXPECT_EQ(only_end(pool).status, 128 + SIGSEGV);

  JobCommand missing = shell("");
  missing.arguments[0] = "/no/such/program";
  pool.start(9, missing);
  EXPECT_EQ(only_end(pool).status, 127);
}

TEST_F(JobPoolTest, HandsOverSignalsInsteadOfDying) {
  JobPool pool;
  kill(getpid(), SIGINT);
  EXPECT_EQ(pool.wait(5).signal, SIGINT);
  EXPECT_EQ(pool.wait(0).signal, 0);
}

TEST_F(JobPoolTest, StopsAProcessAndWhatItStarted) {
  JobPool pool;
  // It ignores the friendly signal, and so does its child; a second signal to us loses patience.
  pool.start(1, shell("trap '' TERM; sleep 60 & echo $! > " + (folder_ / "child").string() +
                      "; while :; do sleep 60; done"));
  const pid_t child = number_in("child");
  kill(getpid(), SIGTERM);
  EXPECT_EQ(pool.wait(5).signal, SIGTERM);
  std::thread impatient([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    kill(getpid(), SIGINT);
  });
  pool.stop();
  impatient.join();
  EXPECT_TRUE(pool.running().empty());
  EXPECT_TRUE(ends(child));
}

TEST_F(JobPoolTest, LeavesNothingRunningThatAProcessStarted) {
  JobPool pool;
  pool.start(1, shell("sleep 60 & echo $! > " + (folder_ / "child").string()));
  EXPECT_EQ(only_end(pool).status, 0);
  EXPECT_TRUE(ends(number_in("child")));
}

TEST_F(JobPoolTest, DoesNotOutliveAKilledParent) {
  const pid_t parent = fork();
  if (parent == 0) {
    JobPool pool;
    pool.start(1, shell("echo $$ > " + (folder_ / "job").string() + "; exec sleep 60"));
    for (;;) pause();
  }
  const pid_t job = number_in("job");
  EXPECT_TRUE(runs(job));
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  EXPECT_TRUE(ends(job));
}

}  // namespace
}  // namespace raddle::cli

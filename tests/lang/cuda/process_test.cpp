#include "lang/cuda/process.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "base/error.h"

namespace raddle::cuda {
namespace {

TEST(Process, GivesItsStatusAndItsSignal) {
  Process fails({{"/bin/sh", "-c", "exit 3"}, {}}, {});
  EXPECT_EQ(fails.wait(), 3);
  EXPECT_EQ(fails.signal(), 0);
  Process killed({{"/bin/sh", "-c", "kill -TERM $$"}, {}}, {});
  EXPECT_EQ(killed.wait(), 128 + SIGTERM);
  EXPECT_EQ(killed.signal(), SIGTERM);
}

TEST(Process, GivesItsStatusWhereEndsOfChildrenWereIgnored) {
  signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(Process({{"/bin/sh", "-c", "exit 3"}, {}}, {}).wait(), 3);
  signal(SIGCHLD, SIG_DFL);
}

TEST(Process, IsHeardInMemoryHoweverSoonItEnds) {
  const MemoryFile output;
  const MemoryFile errors;
  Streams streams;
  streams.output_handle = output.handle();
  streams.error_handle = errors.handle();
  EXPECT_EQ(Process({{"/bin/sh", "-c", "echo out; echo err >&2"}, {}}, streams).wait(), 0);
  EXPECT_EQ(output.content(), "out\n");
  EXPECT_EQ(errors.content(), "err\n");
}

TEST(Process, IsWaitedForNoLongerThanAsked) {
  Process sleeper({{"/bin/sleep", "60"}, {}}, {});
  EXPECT_FALSE(sleeper.ends_within(0.01));
  kill(sleeper.id(), SIGKILL);
  EXPECT_TRUE(sleeper.ends_within(60));
  EXPECT_EQ(sleeper.wait(), 128 + SIGKILL);
}

TEST(Process, ThatCannotStartIsAnError) {
  try {
    Process none({{"/nonexistent/tool"}, {}}, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.full_text(), "cannot start /nonexistent/tool: No such file or directory");
  }
}

}  // namespace
}  // namespace raddle::cuda

#include "sim/trace.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/atomic_file.h"
#include "base/error.h"
#include "sim/trace_reader.h"

namespace raddle::sim {
namespace {

class TraceTest : public testing::Test {
 protected:
  ~TraceTest() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_ = [] {
    std::string name = testing::TempDir() + "raddle-trace-XXXXXX";
    return std::filesystem::path(mkdtemp(name.data()));
  }();
  std::string path_ = folder_ / "run.pftrace";
};

TEST_F(TraceTest, HoldsSlicesInstantsAndCountersOnNestedTracks) {
  TraceFile file(path_);
  TraceStream& stream = file.add_stream();
  const Track machine = stream.add_track("SM 0");
  const Track warp = stream.add_track("warp 3", machine);
  const Track queue = stream.add_counter("MSHRs", "entries", machine);
  stream.slice(warp, "issue", Instant(2'000'000), Instant(3'000'000));
  stream.slice(warp, "issue", Instant(4'000'000), Instant(5'500'000));
  stream.instant(warp, "barrier", Instant(5'500'000));
  stream.count(queue, Instant(6'000'000), 12);
  file.finish();
  EXPECT_EQ(events_of(read_file(path_)),
            (std::vector<std::string>{"2000 SM 0/warp 3 begin issue", "3000 SM 0/warp 3 end",
                                      "4000 SM 0/warp 3 begin issue", "5500 SM 0/warp 3 end",
                                      "5500 SM 0/warp 3 instant barrier",
                                      "6000 SM 0/MSHRs[entries] count 12.000000"}));
}

TEST_F(TraceTest, KeepsStreamsApartAndWritesThemInTheirOrder) {
  TraceFile file(path_);
  TraceStream& first = file.add_stream();
  TraceStream& second = file.add_stream();
  const Track b = second.add_track("b");
  second.slice(b, "beta", Instant(0), Instant(1000));
  const Track a = first.add_track("a");
  first.slice(a, "alpha", Instant(0), Instant(1000));
  file.flush();
  second.instant(b, "gamma", Instant(2000));
  file.finish();
  EXPECT_EQ(events_of(read_file(path_)),
            (std::vector<std::string>{"0 a begin alpha", "1 a end", "0 b begin beta", "1 b end",
                                      "2 b instant gamma"}));
}

TEST_F(TraceTest, WritesATextOnceHoweverOftenItIsUsed) {
  TraceFile file(path_);
  TraceStream& stream = file.add_stream();
  const Track track = stream.add_track("t");
  for (std::uint64_t i = 0; i < 100; ++i)
    stream.instant(track, "an event with a long name", Instant(i * 1000));
  file.finish();
  const std::string content = read_file(path_);
  EXPECT_EQ(content.find("an event with a long name"), content.rfind("an event with a long name"));
  EXPECT_EQ(events_of(content).size(), 100U);
}

TEST_F(TraceTest, HoldsSlicesWithinSlices) {
  TraceFile file(path_);
  TraceStream& stream = file.add_stream();
  const Track track = stream.add_track("t");
  stream.begin(track, "miss", Instant(1000));
  stream.slice(track, "network", Instant(1000), Instant(2000));
  stream.end(track, Instant(5000));
  EXPECT_GT(file.pending_bytes(), 0U);
  file.finish();
  EXPECT_EQ(file.pending_bytes(), 0U);
  EXPECT_EQ(
      events_of(read_file(path_)),
      (std::vector<std::string>{"1 t begin miss", "1 t begin network", "2 t end", "5 t end"}));
}

TEST_F(TraceTest, KeepsNoMoreThanSomeThousandNamesInMemory) {
  TraceFile file(path_);
  TraceStream& stream = file.add_stream();
  const Track track = stream.add_track("t");
  for (std::uint64_t i = 0; i < 5000; ++i)
    stream.instant(track, "block " + std::to_string(i), Instant(i * 1000));
  stream.instant(track, "block 0", Instant(5'000'000));
  file.finish();
  const std::vector<std::string> events = events_of(read_file(path_));
  ASSERT_EQ(events.size(), 5001U);
  for (std::size_t i = 0; i < 5000; ++i)
    EXPECT_EQ(events[i], std::to_string(i) + " t instant block " + std::to_string(i));
  EXPECT_EQ(events.back(), "5000 t instant block 0");
}

TEST_F(TraceTest, LeavesNothingBehindUnlessFinished) {
  {
    TraceFile file(path_);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(TraceTest, SaysWhereItCannotBeWritten) {
  try {
    TraceFile file("/nonexistent/run.pftrace");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.full_text(),
              "/nonexistent/run.pftrace: cannot write the trace: No such file or directory");
  }
}

TEST_F(TraceTest, RefusesAFolderBeforeAnythingIsTraced) {
  try {
    TraceFile file(folder_.string());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.full_text(), folder_.string() + ": cannot write the trace: Is a directory");
  }
}

TEST_F(TraceTest, GoesToADeviceDirectlyAndLeavesItThere) {
  {
    TraceFile file("/dev/null");
    file.add_stream().add_track("t");
    file.finish();
  }
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(TraceTest, FollowsALink) {
  const std::filesystem::path target = folder_ / "target";
  write_file_atomically(target, "old");
  std::filesystem::create_symlink(target, path_);
  TraceFile file(path_);
  file.add_stream().add_track("t");
  file.finish();
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
  EXPECT_NE(read_file(target), "old");
}

TEST_F(TraceTest, ThatAKilledProcessLeftIsFoundByItsNumber) {
  TraceFile file(path_);
  EXPECT_TRUE(std::filesystem::exists(TraceFile::temporary_name(path_, getpid())));
}

}  // namespace
}  // namespace raddle::sim

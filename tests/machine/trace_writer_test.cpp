#include "machine/run/trace_writer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/temporary_folder.h"
#include "sim/trace_reader.h"

namespace raddle::machine {
namespace {

// What `write` writes at 1 GHz: a cycle takes a thousand of the trace's units.
template <class Write>
std::vector<std::string> written(Write&& write) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "trace";
  sim::TraceFile file(path.string());
  TraceWriter writer(file, sim::Clock("core", Hertz(1e9)));
  write(writer);
  file.finish();
  std::ifstream in(path, std::ios::binary);
  return sim::events_of(std::string(std::istreambuf_iterator<char>(in), {}));
}

TEST(TraceWriter, WritesNoSliceWithoutLength) {
  const auto events = written([](TraceWriter& writer) {
    const sim::Track track = writer.add_track("unit");
    writer.slice(track, "nothing", 5, 5);
    writer.slice(track, "work", 5, 7);
  });
  EXPECT_EQ(events, std::vector<std::string>({"5000 unit begin work", "7000 unit end"}));
}

TEST(TraceWriter, BeginsANewTimeAfterAStop) {
  const auto events = written([](TraceWriter& writer) {
    const sim::Track track = writer.add_track("unit");
    writer.slice(track, "before", 0, 10);
    writer.restart(writer.after_stop(10));
    writer.slice(track, "after", 1, 2);
  });
  EXPECT_EQ(events, std::vector<std::string>({"0 unit begin before", "10000 unit end",
                                              "75000 unit begin after", "76000 unit end"}));
}

TEST(TraceStretches, MakeOneSliceOfThoseOfOneKind) {
  const auto events = written([](TraceWriter& writer) {
    TraceStretches stretches(writer, writer.add_track("unit"), 10);
    stretches.add("work", 2);
    stretches.add("rest", 0);
    stretches.add("work", 3);
    EXPECT_EQ(stretches.now(), 15u);
    stretches.add("rest", 1);
    stretches.close();
    stretches.close();
  });
  EXPECT_EQ(events, std::vector<std::string>({"10000 unit begin work", "15000 unit end",
                                              "15000 unit begin rest", "16000 unit end"}));
}

}  // namespace
}  // namespace raddle::machine

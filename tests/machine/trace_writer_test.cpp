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
    writer.slice(track, "nothing", Cycle(5), Cycle(5));
    writer.slice(track, "work", Cycle(5), Cycle(7));
  });
  EXPECT_EQ(events, std::vector<std::string>({"5000 unit begin work", "7000 unit end"}));
}

TEST(TraceWriter, BeginsANewTimeAfterAStop) {
  const auto events = written([](TraceWriter& writer) {
    const sim::Track track = writer.add_track("unit");
    writer.slice(track, "before", Cycle(0), Cycle(10));
    writer.restart(writer.after_stop(Cycle(10)));
    writer.slice(track, "after", Cycle(1), Cycle(2));
  });
  EXPECT_EQ(events, std::vector<std::string>({"0 unit begin before", "10000 unit end",
                                              "75000 unit begin after", "76000 unit end"}));
}

TEST(TraceStretches, MakeOneSliceOfThoseOfOneKind) {
  const auto events = written([](TraceWriter& writer) {
    TraceStretches stretches(writer, writer.add_track("unit"), Cycle(10));
    stretches.add("work", Cycle(2));
    stretches.add("rest", Cycle(0));
    stretches.add("work", Cycle(3));
    EXPECT_EQ(stretches.now(), Cycle(15));
    stretches.add("rest", Cycle(1));
    stretches.close();
    stretches.close();
  });
  EXPECT_EQ(events, std::vector<std::string>({"10000 unit begin work", "15000 unit end",
                                              "15000 unit begin rest", "16000 unit end"}));
}

}  // namespace
}  // namespace raddle::machine

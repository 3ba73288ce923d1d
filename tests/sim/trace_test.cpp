// The trace is read back with a decoder of its own, as a viewer would.
#include "sim/trace.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/atomic_file.h"
#include "base/error.h"

namespace raddle::sim {
namespace {

// Fields of one message in the order of their coming; texts and nested messages stay bytes.
struct Field {
  std::uint64_t number = 0;
  std::uint64_t value = 0;
  std::string bytes;
};

std::uint64_t read_varint(std::string_view& in) {
  std::uint64_t value = 0;
  for (int shift = 0; !in.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(in.front());
    in.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80) return value;
  }
  ADD_FAILURE() << "the varint does not end";
  return value;
}

std::vector<Field> decode(std::string_view in) {
  std::vector<Field> fields;
  while (!in.empty()) {
    const std::uint64_t key = read_varint(in);
    Field field{key >> 3, 0, {}};
    if ((key & 7) == 0) {
      field.value = read_varint(in);
    } else if ((key & 7) == 1) {
      std::memcpy(&field.value, in.data(), 8);
      in.remove_prefix(8);
    } else {
      const std::uint64_t size = read_varint(in);
      field.bytes = in.substr(0, size);
      in.remove_prefix(size);
    }
    fields.push_back(field);
  }
  return fields;
}

const Field* find(const std::vector<Field>& fields, std::uint64_t number) {
  for (const Field& field : fields) {
    if (field.number == number) return &field;
  }
  return nullptr;
}

// One line an event: "time track what name".
std::vector<std::string> events_of(const std::string& trace) {
  std::vector<std::string> lines;
  std::map<std::uint64_t, std::string> tracks;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> names;  // by sequence and number
  for (const Field& packet_field : decode(trace)) {
    EXPECT_EQ(packet_field.number, 1U);
    const std::vector<Field> packet = decode(packet_field.bytes);
    const std::uint64_t sequence = find(packet, 10)->value;
    if (const Field* interned = find(packet, 12)) {
      for (const Field& entry : decode(interned->bytes)) {
        const std::vector<Field> name = decode(entry.bytes);
        names[{sequence, find(name, 1)->value}] = find(name, 2)->bytes;
      }
    }
    if (const Field* descriptor = find(packet, 60)) {
      const std::vector<Field> track = decode(descriptor->bytes);
      const Field* parent = find(track, 5);
      tracks[find(track, 1)->value] =
          (parent == nullptr ? "" : tracks[parent->value] + "/") + find(track, 2)->bytes;
      if (const Field* counter = find(track, 8))
        tracks[find(track, 1)->value] += "[" + find(decode(counter->bytes), 6)->bytes + "]";
    }
    const Field* event_field = find(packet, 11);
    if (event_field == nullptr) continue;
    const std::vector<Field> event = decode(event_field->bytes);
    std::string line =
        std::to_string(find(packet, 8)->value) + " " + tracks[find(event, 11)->value];
    const char* const types[] = {"", " begin", " end", " instant", " count"};
    line += types[find(event, 9)->value];
    if (const Field* name = find(event, 10)) line += " " + names[{sequence, name->value}];
    if (const Field* value = find(event, 44))
      line += " " + std::to_string(std::bit_cast<double>(value->value));
    lines.push_back(line);
  }
  return lines;
}

class TraceTest : public testing::Test {
 protected:
  ~TraceTest() override { std::filesystem::remove_all(folder); }
  std::filesystem::path folder = [] {
    std::string name = testing::TempDir() + "raddle-trace-XXXXXX";
    return std::filesystem::path(mkdtemp(name.data()));
  }();
  std::string path = folder / "run.pftrace";
};

TEST_F(TraceTest, HoldsSlicesInstantsAndCountersOnNestedTracks) {
  TraceFile file(path);
  TraceStream& stream = file.add_stream();
  const Track machine = stream.add_track("SM 0");
  const Track warp = stream.add_track("warp 3", machine);
  const Track queue = stream.add_counter("MSHRs", "entries", machine);
  stream.slice(warp, "issue", Instant(2'000'000), Instant(3'000'000));
  stream.slice(warp, "issue", Instant(4'000'000), Instant(5'500'000));
  stream.instant(warp, "barrier", Instant(5'500'000));
  stream.count(queue, Instant(6'000'000), 12);
  file.finish();
  EXPECT_EQ(events_of(read_file(path)),
            (std::vector<std::string>{"2000 SM 0/warp 3 begin issue", "3000 SM 0/warp 3 end",
                                      "4000 SM 0/warp 3 begin issue", "5500 SM 0/warp 3 end",
                                      "5500 SM 0/warp 3 instant barrier",
                                      "6000 SM 0/MSHRs[entries] count 12.000000"}));
}

TEST_F(TraceTest, KeepsStreamsApartAndWritesThemInTheirOrder) {
  TraceFile file(path);
  TraceStream& first = file.add_stream();
  TraceStream& second = file.add_stream();
  const Track b = second.add_track("b");
  second.slice(b, "beta", Instant(0), Instant(1000));
  const Track a = first.add_track("a");
  first.slice(a, "alpha", Instant(0), Instant(1000));
  file.flush();
  second.instant(b, "gamma", Instant(2000));
  file.finish();
  EXPECT_EQ(events_of(read_file(path)),
            (std::vector<std::string>{"0 a begin alpha", "1 a end", "0 b begin beta", "1 b end",
                                      "2 b instant gamma"}));
}

TEST_F(TraceTest, WritesATextOnceHoweverOftenItIsUsed) {
  TraceFile file(path);
  TraceStream& stream = file.add_stream();
  const Track track = stream.add_track("t");
  for (std::uint64_t i = 0; i < 100; ++i)
    stream.instant(track, "an event with a long name", Instant(i * 1000));
  file.finish();
  const std::string content = read_file(path);
  EXPECT_EQ(content.find("an event with a long name"), content.rfind("an event with a long name"));
  EXPECT_EQ(events_of(content).size(), 100U);
}

TEST_F(TraceTest, LeavesNothingBehindUnlessFinished) {
  {
    TraceFile file(path);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
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

}  // namespace
}  // namespace raddle::sim

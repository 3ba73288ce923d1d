// Words of instrumented code become streams: written here by hand.
#include "ddm/recorder/stream_recorder.h"

#include <gtest/gtest.h>

#include "ddm/recorder/probe.h"

namespace raddle::ddm {
namespace {

using recording::Recording;
using recording::Touch;

// Plays instrumented code.
class Recorded {
 public:
  Recorded() : stream(recording) {}

  void begin() {
    recording.threads.emplace_back();
    stream.set_stack(__builtin_frame_address(0));
    stream.begin(static_cast<std::uint32_t>(recording.threads.size() - 1));
  }
  void end() { stream.end(); }
  static void append(std::uint64_t word) {
    *raddle_ddm_probe_cursor++ = word;
    if (raddle_ddm_probe_cursor >= raddle_ddm_probe_limit) raddle_ddm_probe_flush();
  }
  static void load(std::uint64_t address, std::uint64_t bytes = 8) {
    append(probe::tag(probe::Kind::kLoad, bytes) | address);
  }
  static void store(std::uint64_t address, std::uint64_t bytes = 8) {
    append(probe::tag(probe::Kind::kStore, bytes) | address);
  }
  std::size_t events() const { return recording.events.size(); }

  Recording recording;
  StreamRecorder stream;
};

constexpr std::uint64_t kHeap = 0x5000'0000'0000;

TEST(StreamRecorder, TellsALineOnceUntilAnotherOfItsSetComes) {
  Recorded recorded;
  recorded.begin();
  Recorded::load(kHeap);
  Recorded::load(kHeap + 8);
  Recorded::load(kHeap + 4096);  // another page, the same set
  Recorded::load(kHeap);
  recorded.end();
  EXPECT_EQ(recorded.events(), 3u);
}

TEST(StreamRecorder, TellsTheFirstStoreToALoadedLine) {
  Recorded recorded;
  recorded.begin();
  Recorded::load(kHeap);
  Recorded::store(kHeap);
  Recorded::store(kHeap + 8);
  recorded.end();
  ASSERT_EQ(recorded.events(), 2u);
  EXPECT_EQ(recorded.recording.events[1].touch(), Touch::kStore);
}

TEST(StreamRecorder, AccessAcrossLinesTouchesBoth) {
  Recorded recorded;
  recorded.begin();
  Recorded::load(kHeap + 28, 8);
  recorded.end();
  EXPECT_EQ(recorded.events(), 2u);
}

TEST(StreamRecorder, CountsAllLoadsAndStoresOfEightBytesEvenThoseItLeavesOut) {
  Recorded recorded;
  recorded.begin();
  for (int i = 0; i < 10; ++i) Recorded::load(kHeap);
  Recorded::store(kHeap, 4);
  Recorded::load(kHeap, 16);  // two
  Recorded::append(probe::tag(probe::Kind::kStoreRange) | kHeap);
  Recorded::append(64);  // eight
  Recorded::append(probe::tag(probe::Kind::kStoreRange) | kHeap);
  Recorded::append(0);  // none
  recorded.end();
  EXPECT_EQ(recorded.recording.threads[0].references, 10u + 1 + 2 + 8);
}

TEST(StreamRecorder, RangeTouchesAllItsLines) {
  Recorded recorded;
  recorded.begin();
  Recorded::append(probe::tag(probe::Kind::kStoreRange) | kHeap);
  Recorded::append(10 * recording::kLineBytes);
  recorded.end();
  EXPECT_EQ(recorded.events(), 10u);
}

TEST(StreamRecorder, BlocksAddTicksAndInstructionsAndFetchTheirCode) {
  Recorded recorded;
  recorded.begin();
  Recorded::append(probe::BlockWord{12, 5, 0}.encode());
  Recorded::append(probe::BlockWord{12, 5, 0}.encode());
  Recorded::load(kHeap);
  Recorded::append(probe::BlockWord{6, 1, 0}.encode());
  recorded.end();
  const recording::Thread& thread = recorded.recording.threads[0];
  EXPECT_EQ(thread.instructions, 11u);
  ASSERT_EQ(recorded.events(), 2u);
  EXPECT_EQ(recorded.recording.events[0].touch(), Touch::kFetch);
  EXPECT_EQ(recorded.recording.events[1].ticks(), 24u);
  EXPECT_EQ(thread.last_ticks, 6u);
}

TEST(StreamRecorder, WordsOutsideOfThreadsAreDropped) {
  Recorded recorded;
  Recorded::load(kHeap);
  recorded.begin();
  recorded.end();
  Recorded::load(kHeap);
  EXPECT_EQ(recorded.events(), 0u);
}

TEST(StreamRecorder, StreamsLongerThanTheBufferAreWhole) {
  Recorded recorded;
  recorded.begin();
  for (std::uint64_t i = 0; i < 300'000; ++i) Recorded::load(kHeap + i * recording::kLineBytes);
  recorded.end();
  EXPECT_EQ(recorded.events(), 300'000u);
}

TEST(StreamRecorder, SimulatedAddressesDependOnTheOrderOfPagesAlone) {
  std::vector<std::uint32_t> lines[2];
  for (int round = 0; round < 2; ++round) {
    const std::uint64_t base = kHeap + static_cast<std::uint64_t>(round) * 0x1234000;
    Recorded recorded;
    recorded.begin();
    Recorded::load(base + 64);
    Recorded::load(base + 5 * 4096);
    Recorded::load(base + 96);
    recorded.end();
    for (const recording::Event& event : recorded.recording.events) {
      lines[round].push_back(event.line);
    }
  }
  EXPECT_EQ(lines[0], lines[1]);
}

TEST(StreamRecorder, FindsWhatAThreadReadsOfAnother) {
  Recorded recorded;
  recorded.begin();
  Recorded::store(kHeap);
  Recorded::store(kHeap + 8);
  Recorded::load(kHeap + 64);
  recorded.end();
  recorded.begin();
  Recorded::load(kHeap + 8);
  Recorded::load(kHeap);
  Recorded::load(kHeap);
  Recorded::load(kHeap + 64, 4);
  recorded.end();
  const auto flows = part(recorded.recording.flows, recorded.recording.threads[1].flows);
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[0].initial, 0u);
  EXPECT_EQ(flows[0].region.bytes, 16u) << "neighbours are one region";
  EXPECT_EQ(flows[1].initial, 1u) << "the first thread only looked at it";
  EXPECT_EQ(flows[1].region.bytes, 4u);
  EXPECT_EQ(recorded.recording.threads[0].flows.count, 0u);
}

TEST(StreamRecorder, ThreadThatOverwritesReadsNothingOfOthers) {
  Recorded recorded;
  recorded.begin();
  Recorded::store(kHeap);
  recorded.end();
  recorded.begin();
  Recorded::store(kHeap);
  Recorded::load(kHeap);
  recorded.end();
  EXPECT_EQ(recorded.recording.threads[1].flows.count, 0u);
}

}  // namespace
}  // namespace raddle::ddm

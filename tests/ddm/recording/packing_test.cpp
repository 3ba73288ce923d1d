// Entries of lists come back from packing as they were, whatever they are, and those of threads
// that resemble each other take few bytes.
#include "ddm/recording/packing.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace raddle::ddm::recording {
namespace {

template <class Packing, class T>
std::vector<std::uint8_t> packed(const std::vector<T>& entries) {
  Packing packing;
  ByteSink sink;
  for (const T& entry : entries) packing.write(sink, entry);
  return {sink.bytes().begin(), sink.bytes().end()};
}

template <class Packing, class T>
void expect_back(const std::vector<T>& entries) {
  const auto bytes = packed<Packing>(entries);
  Packing packing;
  ByteSource source(bytes);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const T back = packing.read(source);
    ASSERT_EQ(std::memcmp(&back, &entries[i], sizeof back), 0) << "entry " << i;
  }
  EXPECT_TRUE(source.at_end());
}

// Small, large and repeated numbers.
class Numbers {
 public:
  std::uint64_t next() {
    const int bits = static_cast<int>(random_() % 65);
    const auto number = bits == 0 ? last_ : random_() >> (64 - bits);
    return last_ = number;
  }
  std::uint32_t next32() { return static_cast<std::uint32_t>(next()); }

 private:
  std::mt19937_64 random_{7};
  std::uint64_t last_ = 0;
};

TEST(Packing, NumbersOfAllSizesComeBack) {
  ByteSink sink;
  for (int bit = 0; bit < 64; ++bit) {
    const auto number = std::uint64_t{1} << bit;
    sink.put(number);
    sink.put_tagged(number - 1, 5, 3);
    sink.put_tagged(~std::uint64_t{0} >> bit, 0, 6);
  }
  ByteSource source(sink.bytes());
  for (int bit = 0; bit < 64; ++bit) {
    const auto number = std::uint64_t{1} << bit;
    EXPECT_EQ(source.get(), number);
    const auto tagged = source.get_tagged(3);
    EXPECT_EQ(tagged.value, number - 1);
    EXPECT_EQ(tagged.tag, 5u);
    EXPECT_EQ(source.get_tagged(6).value, ~std::uint64_t{0} >> bit);
  }
  EXPECT_TRUE(source.at_end());
  EXPECT_THROW(source.get(), std::runtime_error);
}

TEST(Packing, AnyEntriesComeBack) {
  Numbers numbers;
  std::vector<Event> events;
  std::vector<Thread> threads;
  std::vector<std::uint32_t> consumers;
  std::vector<Region> regions;
  std::vector<Flow> flows;
  for (int i = 0; i < 5000; ++i) {
    events.push_back(Event::make(numbers.next32(), numbers.next32() & Event::kMaxTicks,
                                 static_cast<Touch>(numbers.next() % 4)));
    Thread thread;
    std::uint64_t* const words[] = {
        &thread.index,           &thread.instructions, &thread.references,
        &thread.last_ticks,      &thread.events.first, &thread.events.count,
        &thread.consumers.first, &thread.inputs.first, &thread.flows.first,
        &thread.consumers.count, &thread.inputs.count, &thread.flows.count};
    for (std::uint64_t* word : words) *word = numbers.next();
    thread.thread_template = numbers.next32();
    thread.block = numbers.next32();
    threads.push_back(thread);
    consumers.push_back(numbers.next32());
    regions.push_back({numbers.next(), numbers.next()});
    flows.push_back({numbers.next32(), numbers.next32(), {numbers.next(), numbers.next()}});
  }
  expect_back<EventPacking>(events);
  expect_back<ThreadPacking>(threads);
  expect_back<NumberPacking>(consumers);
  expect_back<RegionPacking>(regions);
  expect_back<FlowPacking>(flows);
}

// Threads of a stencil: three rows read, one written.
TEST(Packing, ARegularProgramTakesAFractionOfItsSize) {
  std::vector<Thread> threads;
  std::vector<Event> events;
  std::vector<Flow> flows;
  constexpr std::uint32_t kRow = 1000;
  for (std::uint32_t i = 0; i < kRow; ++i) {
    Thread thread;
    thread.index = i;
    thread.instructions = 40;
    thread.references = 4;
    thread.events = {events.size(), 4};
    thread.flows = {flows.size(), 3};
    threads.push_back(thread);
    for (std::uint32_t row = 0; row < 4; ++row)
      events.push_back(Event::make(row * kRow + i, 18, row < 3 ? Touch::kLoad : Touch::kStore));
    for (std::uint32_t row = 0; row < 3; ++row)
      flows.push_back({row * kRow + i, 0, {(row * kRow + i) * std::uint64_t{32}, 8}});
  }
  EXPECT_LT(packed<ThreadPacking>(threads).size(), threads.size() * 2);
  EXPECT_LT(packed<EventPacking>(events).size(), events.size() * sizeof(Event) / 3);
  EXPECT_LT(packed<FlowPacking>(flows).size(), flows.size() * sizeof(Flow) / 5);
}

}  // namespace
}  // namespace raddle::ddm::recording

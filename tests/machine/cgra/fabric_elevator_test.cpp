// Tokens between threads: elevators, cascades, look-ahead, recurrences, windows.
#include "base/error.h"
#include "machine/cgra/fabric_stand.h"

namespace raddle::machine::cgra {
namespace {

// A value of each thread goes to the thread `shift` later; both are joined.
std::uint32_t add_exchange(FabricStand& stand, std::int32_t shift, std::uint32_t window) {
  const std::uint32_t value = stand.compute({0});
  const std::uint32_t receive = stand.receive(shift, window);
  return stand.elevator(value, 0, shift, receive);
}

TEST(FabricElevator, GivesATokenToTheNextThread) {
  FabricStand stand;
  const std::uint32_t received = add_exchange(stand, 1, 1000);
  stand.exit({received});
  stand.threads = 100;
  const StandResult result = stand.run();
  // The first thread gets the constant: trigger 2, elevator 1 + 1.
  EXPECT_EQ(result.left[0], 4_cycles);
  // The value of thread q - 1 is at the elevator 4 cycles after its injection in cycle q - 1.
  for (std::uint32_t q = 1; q < 100; ++q) EXPECT_EQ(result.left[q], Cycle((q - 1) + 4 + 2));
  EXPECT_EQ(result.nodes.firings[received], 100u);
  EXPECT_EQ(result.counts.tokens.dropped, 1u);
}

TEST(FabricElevator, GivesATokenAsFarAsItsBufferReaches) {
  FabricStand stand;
  const std::uint32_t received = add_exchange(stand, 16, 1000);
  stand.exit({received});
  stand.threads = 100;
  const StandResult result = stand.run();
  EXPECT_EQ(result.nodes.firings[received], 100u);
  EXPECT_EQ(result.counts.tokens.dropped, 16u);
  // Nobody waits: the value has been there for long.
  for (std::uint32_t q = 0; q < 100; ++q) EXPECT_EQ(result.left[q], Cycle(4 + q));
}

TEST(FabricElevator, CascadeReachesFurther) {
  FabricStand stand;
  const std::uint32_t value = stand.compute({0});
  const std::uint32_t receive = stand.receive(18, 1000);
  const std::uint32_t first = stand.passing(value, 16, receive);
  const std::uint32_t last = stand.elevator(first, 0, 2, receive);
  stand.exit({last});
  stand.threads = 100;
  const StandResult result = stand.run();
  EXPECT_EQ(result.counts.tokens.dropped, 18u);
  EXPECT_EQ(result.nodes.firings[first], 82u);
  EXPECT_EQ(result.nodes.firings[last], 100u);
  for (std::uint32_t q = 0; q < 100; ++q) EXPECT_EQ(result.left[q], Cycle(4 + q));
}

TEST(FabricElevator, CascadeWithinWindowsServesOnlyThoseInside) {
  FabricStand stand;
  const std::uint32_t value = stand.compute({0});
  const std::uint32_t receive = stand.receive(18, 32);
  const std::uint32_t first = stand.passing(value, 16, receive);
  const std::uint32_t last = stand.elevator(first, 0, 2, receive);
  stand.exit({last});
  stand.threads = 32 * 7 + 13;
  const StandResult result = stand.run();
  EXPECT_EQ(result.nodes.firings[first], 7u * 14);
  EXPECT_EQ(result.nodes.firings[last], stand.threads);
  EXPECT_EQ(result.counts.tokens.dropped, stand.threads - 7u * 14);
}

TEST(FabricElevator, LooksAheadWithinTheBuffer) {
  FabricStand stand;
  const std::uint32_t received = add_exchange(stand, -5, 1000);
  stand.exit({received});
  stand.threads = 100;
  const StandResult result = stand.run();
  for (std::uint32_t q = 0; q < 95; ++q) EXPECT_EQ(result.left[q], Cycle((q + 5) + 4 + 2));
  EXPECT_EQ(result.counts.tokens.dropped, 5u);
}

// The trigger and the thread's own value wait for `distance` threads to come.
StandResult look_ahead(std::uint32_t distance, std::uint32_t buffers, std::uint32_t slots = 16) {
  FabricStand stand;
  stand.parameters.token_buffer = slots;
  stand.parameters.units.fill(64);
  const std::uint32_t value = stand.compute({0});
  const std::uint32_t receive = stand.receive(-static_cast<std::int32_t>(distance), 1000);
  std::uint32_t trigger = 0;
  std::uint32_t own = value;
  for (std::uint32_t i = 0; i < buffers; ++i) trigger = stand.buffer(trigger);
  for (std::uint32_t i = 0; i < buffers; ++i) own = stand.buffer(own);
  const auto shift = -static_cast<std::int32_t>(distance);
  std::uint32_t data = value;
  std::int32_t left = shift;
  for (; left < -static_cast<std::int32_t>(slots); left += static_cast<std::int32_t>(slots))
    data = stand.passing(data, -static_cast<std::int32_t>(slots), receive);
  const std::uint32_t received = stand.elevator(data, trigger, left, receive);
  stand.exit({received, own});
  stand.threads = 200;
  return stand.run();
}

TEST(FabricElevator, LooksFurtherAheadIfSiblingsAreBuffered) {
  const StandResult result = look_ahead(32, 2);
  EXPECT_EQ(result.counts.tokens.threads, 200u);
  EXPECT_EQ(result.counts.tokens.dropped, 32u);
}

TEST(FabricElevator, SaysWhoWaitsIfSiblingsAreNotBuffered) {
  try {
    look_ahead(64, 0);
    FAIL() << "a thread cannot wait for one that cannot be injected";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("test: threads wait for each other: "), std::string::npos) << text;
    EXPECT_NE(text.find("thread 0 waits at node 5 (elevator) for input 0 from node 4 (elevator) of "
                        "thread 16"),
              std::string::npos)
        << text;
  }
}

TEST(FabricElevator, WindowsOfOneThreadReceiveNothing) {
  FabricStand stand;
  const std::uint32_t received = add_exchange(stand, 1, 1);
  stand.exit({received});
  stand.threads = 61;
  const StandResult result = stand.run();
  EXPECT_EQ(result.counts.tokens.dropped, 61u);
  for (std::uint32_t q = 0; q < 61; ++q) EXPECT_EQ(result.left[q], Cycle(4 + q));
}

// sum = received sum of the thread before + own value.
StandResult scan(std::uint32_t slots, std::uint32_t window, std::uint32_t threads, Cycle latency) {
  FabricStand stand;
  stand.parameters.token_buffer = slots;
  const std::uint32_t value = stand.compute({0});
  const std::uint32_t receive = stand.receive(1, window);
  const std::uint32_t received = stand.elevator(3, 0, 1, receive);  // node 3 comes below
  const std::uint32_t sum = stand.compute({received, value}, latency);
  EXPECT_EQ(sum, 3u);
  stand.exit({sum});
  stand.threads = threads;
  return stand.run();
}

TEST(FabricElevator, RecurrenceRunsAtTheLatencyOfItsLoop) {
  const StandResult result = scan(16, 1000, 100, 4_cycles);
  // Elevator 1 + 1 link, sum 4 + 1 link.
  for (std::uint32_t q = 1; q < 100; ++q) EXPECT_EQ(result.left[q] - result.left[q - 1], 7_cycles);
}

TEST(FabricElevator, RecurrencesOfShortWindowsOverlap) {
  // 16 slots hold four windows of four threads.
  const Cycle together = scan(16, 4, 400, 4_cycles).cycles;
  const Cycle alone = scan(16, 1000, 400, 4_cycles).cycles;
  EXPECT_LT(together, alone / 3);
}

TEST(FabricElevator, RecurrenceNeedsNoMoreThanOneSlot) {
  for (const std::uint32_t slots : {1, 2}) {
    const StandResult result = scan(slots, 37, 111, 2_cycles);
    EXPECT_EQ(result.counts.tokens.threads, 111u);
    EXPECT_EQ(result.counts.tokens.dropped, 3u);
  }
}

TEST(FabricElevator, ShiftAsLargeAsTheBufferWorksForEveryBuffer) {
  for (const std::uint32_t slots : {1, 2, 4, 8, 64}) {
    FabricStand stand;
    stand.parameters.token_buffer = slots;
    const std::uint32_t received = add_exchange(stand, static_cast<std::int32_t>(slots), 1000);
    stand.exit({received});
    stand.threads = 131;
    EXPECT_EQ(stand.run().counts.tokens.dropped, slots);
  }
}

TEST(FabricElevator, ReportsALoopThatCanNeverBeServed) {
  FabricStand stand;
  const std::uint32_t receive = stand.receive(1, 1000);
  stand.has_producer[receive] = [](std::uint32_t) { return true; };  // even the first thread
  const std::uint32_t received = stand.elevator(2, 0, 1, receive);
  const std::uint32_t sum = stand.compute({received});
  stand.graph.nodes[sum].label = "add.f32";
  stand.graph.nodes[received].channel = "so far";
  stand.exit({sum});
  stand.threads = 10;
  try {
    stand.run();
    FAIL() << "thread 0 waits for nobody";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.substr(0, text.find(';')),
              "test: threads wait for each other: thread 0 waits at node 1 (elevator on channel "
              "\"so far\") for input 0 from node 2 (add.f32) of thread -1");
    EXPECT_NE(
        text.find("thread 7 waits at node 1 (elevator on channel \"so far\") for input 0 from "
                  "node 2 (add.f32) of thread 6; and 2 more"),
        std::string::npos)
        << text;
    EXPECT_EQ(error.hint(), "each waits for a value that another sends only after its own wait");
  }
}

}  // namespace
}  // namespace raddle::machine::cgra

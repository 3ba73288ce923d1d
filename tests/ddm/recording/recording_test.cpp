// Recordings survive being written and read; broken ones are refused.
#include "ddm/recording/recording.h"

#include <gtest/gtest.h>

#include <sstream>

namespace raddle::ddm::recording {
namespace {

Recording sample() {
  Recording made;
  made.program = "sample";
  made.templates = {{"work", TemplateKind::kPlain}, {"join", TemplateKind::kJoin}};
  made.blocks = {{"main", 3}};
  made.threads.resize(2);
  made.threads[0].instructions = 7;
  made.threads[1].instructions = 5;
  made.threads[0].references = 4;
  made.threads[1].references = 2;
  made.threads[0].consumers = {0, 1};
  made.threads[0].events = {0, 2};
  made.events = {Event::make(9, 12, Touch::kLoad), Event::make(10, 0, Touch::kStore)};
  made.consumers = {1};
  made.inputs = {{64, 32}};
  made.flows = {{0, 1, {64, 8}}};
  made.placements = {{1, {0, 0}}, {2, {0, 1}}};
  return made;
}

std::string bytes_of(const Recording& recording) {
  std::ostringstream out;
  write(out, recording);
  return out.str();
}

TEST(Recording, ComesBackAsItWasWritten) {
  std::istringstream in(bytes_of(sample()));
  const Recording back = read(in);
  EXPECT_EQ(bytes_of(back), bytes_of(sample()));
  EXPECT_EQ(back.events[0].ticks(), 12u);
  EXPECT_EQ(back.events[1].touch(), Touch::kStore);
  EXPECT_EQ(back.instructions(), 12u);
  EXPECT_EQ(back.references(), 6u);
  ASSERT_NE(back.placement(2), nullptr);
  EXPECT_EQ(back.placement(2)->node_of[1], 1u);
  EXPECT_EQ(back.placement(3), nullptr);
}

TEST(Recording, ListsOfSeveralPiecesComeBack) {
  Recording made = sample();
  made.consumers.clear();
  for (std::uint32_t i = 0; i < 200'000; ++i) made.consumers.push_back(i % 3 == 0 ? 1 : 0);
  std::istringstream in(bytes_of(made));
  EXPECT_EQ(read(in).consumers, made.consumers);
}

void expect_refused(const std::string& bytes, const std::string& why) {
  std::istringstream in(bytes);
  try {
    (void)read(in);
    FAIL() << "was read";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), why);
  }
}

TEST(Recording, EveryShortenedFileIsRefused) {
  const std::string whole = bytes_of(sample());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::istringstream in(whole.substr(0, size));
    EXPECT_THROW((void)read(in), std::runtime_error) << size;
  }
}

TEST(Recording, AnotherKindOfFileIsRefused) {
  expect_refused(std::string(100, 'x'), "it is not a recording of this version");
}

TEST(Recording, NumbersThatLeadNowhereAreRefused) {
  Recording bad = sample();
  bad.consumers = {5};
  expect_refused(bytes_of(bad), "a consumer that is not a thread");
  bad = sample();
  bad.threads[0].events = {1, 9};
  expect_refused(bytes_of(bad), "a thread's list lies outside");
  bad = sample();
  bad.placements[1].node_of[0] = 2;
  expect_refused(bytes_of(bad), "a thread without a node");
}

}  // namespace
}  // namespace raddle::ddm::recording

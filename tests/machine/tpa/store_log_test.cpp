// Who writes shared memory in a step, and the step cache before it: quick ways against plain ones.
#include "machine/tpa/store_log.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "machine/tpa/step_cache.h"

namespace raddle::machine::tpa {
namespace {

constexpr std::size_t kWords = 512;

// Words and their writers, one after the other; a backend's first write to a word is kept.
class PlainLog {
 public:
  explicit PlainLog(WriteWinner winner) : winner_(winner), words_(kWords) {}

  void start_step() { writers_.clear(); }
  void store(std::size_t word, Word value, std::uint32_t backend) {
    const auto [found, is_first] = writers_.try_emplace(word, backend);
    const bool loses =
        winner_ == WriteWinner::kLowest ? found->second <= backend : found->second >= backend;
    if (!is_first && loses) return;
    found->second = backend;
    words_[word] = value;
  }
  const std::vector<Word>& words() const { return words_; }

 private:
  WriteWinner winner_;
  std::vector<Word> words_;
  std::map<std::size_t, std::uint32_t> writers_;
};

class StoreLogOfWinner : public testing::TestWithParam<WriteWinner> {};

// Runs that continue each other, that meet, and single words between them.
TEST_P(StoreLogOfWinner, WritesRunsAsItWritesTheirWords) {
  WordMemory memory(kWords * kWordBytes);
  StoreLog log(memory, GetParam());
  PlainLog plain(GetParam());
  std::mt19937 random(3);
  for (int step = 0; step < 400; ++step) {
    const bool waits = step % 5 == 4;
    log.start_step(waits);
    plain.start_step();
    std::vector<std::size_t> next(8);
    for (std::size_t b = 0; b < next.size(); ++b) next[b] = b * kWords / next.size();
    for (int i = 0; i < 30; ++i) {
      const auto backend = static_cast<std::uint32_t>(random() % next.size());
      const std::size_t count = 1 + random() % 12;
      const bool continues = step % 3 == 0 || random() % 4 != 0;
      const std::size_t begin =
          std::min(continues ? next[backend] : std::size_t{random() % kWords}, kWords - count);
      next[backend] = begin + count;
      std::vector<Word> values(count);
      for (Word& value : values) value = random();
      for (std::size_t k = 0; k < count; ++k) plain.store(begin + k, values[k], backend);
      if (step % 4 == 1 && random() % 8 == 0) {
        for (std::size_t k = 0; k < count; ++k)
          log.store((begin + k) * kWordBytes, values[k], backend);
      } else {
        log.store_run(begin * kWordBytes, values.data(), count, backend);
      }
    }
    log.finish_step();
    for (std::size_t word = 0; word < kWords; ++word)
      ASSERT_EQ(memory.at(word * kWordBytes), plain.words()[word]) << step << ": " << word;
  }
}

INSTANTIATE_TEST_SUITE_P(Winners, StoreLogOfWinner,
                         testing::Values(WriteWinner::kLowest, WriteWinner::kHighest));

// Which of the words hit.
template <class LookUp>
std::vector<std::size_t> hits_of(LookUp&& look_up) {
  std::vector<std::size_t> hits;
  const std::size_t count = look_up([&](std::size_t i) { hits.push_back(i); });
  EXPECT_EQ(count, hits.size());
  return hits;
}

TEST(StepCache, FindsRunsAsItFindsTheirWords) {
  struct Layout {
    std::uint32_t ways;
    bool folded;
  };
  for (const auto& [ways, folded] :
       {Layout{1, false}, Layout{2, false}, Layout{4, false}, Layout{8, false}, Layout{4, true}}) {
    StepCache by_run(64, ways, 9, folded);
    StepCache by_word(64, ways, 9, folded);
    std::mt19937 random(5);
    for (int step = 0; step < 40; ++step) {
      by_run.start_step();
      by_word.start_step();
      for (int i = 0; i < 40; ++i) {
        std::vector<Word> addresses(1 + random() % 20);
        const Word first = random() % 300;
        for (std::size_t k = 0; k < addresses.size(); ++k) addresses[k] = (first + k) * kWordBytes;
        const auto kind = random() % 2 == 0 ? ReferenceKind::kRead : ReferenceKind::kWrite;
        EXPECT_EQ(hits_of([&](auto&& hit) {
                    return by_run.look_up_run(addresses.data(), addresses.size(), kind, hit);
                  }),
                  hits_of([&](auto&& hit) {
                    return by_word.look_up_all(addresses.data(), addresses.size(), kind, hit);
                  }));
      }
    }
    EXPECT_EQ(by_run.stats().hits, by_word.stats().hits) << ways;
    EXPECT_EQ(by_run.stats().misses, by_word.stats().misses) << ways;
    EXPECT_EQ(by_run.stats().evictions, by_word.stats().evictions) << ways;
  }
}

}  // namespace
}  // namespace raddle::machine::tpa

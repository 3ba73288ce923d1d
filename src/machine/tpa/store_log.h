// Who writes shared memory in a step. All references of a step see memory as it was before the
// step: where instructions of several flows share a step, their writes wait in a list until all of
// them have read; where there is one, which refers to memory in one way only, they are done at
// once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine/tpa/shared_memory.h"

namespace raddle::machine::tpa {

class StoreLog {
 public:
  StoreLog(WordMemory& memory, WriteWinner winner);

  // `waits`: until finish_step().
  void start_step(bool waits) {
    waits_ = waits;
    runs_.clear();
    only_runs_ = true;
    if (++step_ == kSteps) forget_writers();
  }
  void store(Word address, Word value, std::uint32_t backend) {
    if (waits_) {
      waiting_.push_back({address, value, backend, Kind::kStore, Operator::kAdd});
    } else {
      store_now(address, value, backend);
    }
  }
  // The same for words that lie one after the other. As long as a step has nothing but such runs
  // and none meets another, nobody has to be told who wrote each word.
  void store_run(Word address, const Word* values, std::size_t count, std::uint32_t backend);
  void apply(Operator op, Word address, Word value) {
    if (waits_) {
      waiting_.push_back({address, value, 0, Kind::kApply, op});
    } else {
      memory_.at(address) = applied(op, memory_.at(address), value);
    }
  }
  void finish_step();

 private:
  enum class Kind : std::uint8_t { kStore, kApply };
  struct Waiting {
    Word address;
    Word value;
    std::uint32_t backend;
    Kind kind;
    Operator op;
  };
  static constexpr std::uint32_t kBackendBits = 10;
  static constexpr std::uint32_t kSteps = 1U << (32 - kBackendBits);

  // Among the backends that write a word in one step, the one that the machine prefers wins; of its
  // own writes, where the step cache let several through, the first.
  void store_now(Word address, Word value, std::uint32_t backend) {
    if (only_runs_) [[unlikely]]
      note_runs();
    std::uint32_t& writer = writers_[address / kWordBytes];
    if (writer >> kBackendBits == step_) {
      const std::uint32_t before = writer & ((1U << kBackendBits) - 1);
      if (winner_ == WriteWinner::kLowest ? before <= backend : before >= backend) return;
    }
    writer = step_ << kBackendBits | backend;
    memory_.at(address) = value;
  }
  void forget_writers();
  // What was written by this step, from word to word.
  struct Run {
    Word begin, end;
    std::uint32_t backend;
  };
  static constexpr std::size_t kMaxRuns = 64;  // more are no longer quick to look at

  bool add_run(const Run& run);
  void note_runs();

  WordMemory& memory_;
  WriteWinner winner_;
  ZeroedMemory writers_memory_;
  std::uint32_t* writers_ = nullptr;  // by word: step and backend
  std::uint32_t step_ = 0;
  bool waits_ = false;
  bool only_runs_ = true;  // in this step so far, and writers_ does not know of them
  std::vector<Run> runs_;
  std::vector<Waiting> waiting_;
};

}  // namespace raddle::machine::tpa

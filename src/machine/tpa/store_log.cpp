#include "machine/tpa/store_log.h"

#include <algorithm>

#include "base/error.h"

namespace raddle::machine::tpa {

StoreLog::StoreLog(WordMemory& memory, WriteWinner winner) : memory_(memory), winner_(winner) {
  forget_writers();
}

void StoreLog::forget_writers() {
  writers_memory_ = zeroed_memory(memory_.words(), sizeof(std::uint32_t));
  writers_ = static_cast<std::uint32_t*>(writers_memory_.get());
  if (writers_ == nullptr)
    throw Error("cannot allocate the store log: out of host memory", {}, "reduce memory.bytes");
  step_ = 1;
}

// Makes a run longer or begins one. False: it meets another one, or there are too many.
bool StoreLog::add_run(const Run& run) {
  Run* longer = nullptr;
  for (Run& other : runs_) {
    if (run.begin < other.end && other.begin < run.end) return false;
    if (other.end == run.begin && other.backend == run.backend) longer = &other;
  }
  if (longer != nullptr) {
    longer->end = run.end;
    return true;
  }
  if (runs_.size() == kMaxRuns) return false;
  runs_.push_back(run);
  return true;
}

void StoreLog::note_runs() {
  only_runs_ = false;
  for (const Run& run : runs_)
    std::fill(&writers_[run.begin / kWordBytes], &writers_[run.end / kWordBytes],
              step_ << kBackendBits | run.backend);
}

void StoreLog::store_run(Word address, const Word* values, std::size_t count,
                         std::uint32_t backend) {
  if (only_runs_ && !waits_) {
    if (add_run({address, address + count * kWordBytes, backend})) {
      std::copy_n(values, count, &memory_.at(address));
      return;
    }
    note_runs();
  }
  std::uint32_t* const writers = &writers_[address / kWordBytes];
  bool written = waits_;  // by somebody, in this step
  for (std::size_t i = 0; i < count; ++i) written |= writers[i] >> kBackendBits == step_;
  if (written) {
    for (std::size_t i = 0; i < count; ++i) store(address + i * kWordBytes, values[i], backend);
    return;
  }
  std::fill_n(writers, count, step_ << kBackendBits | backend);
  std::copy_n(values, count, &memory_.at(address));
}

void StoreLog::finish_step() {
  for (const Waiting& w : waiting_) {
    if (w.kind == Kind::kStore) {
      store_now(w.address, w.value, w.backend);
    } else {
      memory_.at(w.address) = applied(w.op, memory_.at(w.address), w.value);
    }
  }
  waiting_.clear();
  waits_ = false;
}

}  // namespace raddle::machine::tpa

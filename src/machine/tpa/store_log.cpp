#include "machine/tpa/store_log.h"

#include <algorithm>

#include "base/error.h"

namespace raddle::machine::tpa {

StoreLog::StoreLog(WordMemory& memory, WriteWinner winner) : memory_(memory), winner_(winner) {
  forget_writers();
}

void StoreLog::forget_writers() {
  writers_.reset(
      static_cast<std::uint32_t*>(zeroed_memory(memory_.words(), sizeof(std::uint32_t))));
  if (writers_ == nullptr)
    throw Error("this computer has too little memory", {}, "lower memory.bytes");
  step_ = 1;
}

void StoreLog::store_run(Word address, const Word* values, std::size_t count,
                         std::uint32_t backend) {
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

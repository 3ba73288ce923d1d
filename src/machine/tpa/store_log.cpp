#include "machine/tpa/store_log.h"

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

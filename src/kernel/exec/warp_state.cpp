#include "kernel/exec/warp_state.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "base/error.h"

namespace raddle::kernel::exec {

FramePool::FramePool(const DecodedKernel& kernel)
    : kernel_(kernel), free_(kernel.functions.size()) {}

FramePool::~FramePool() {
  for (std::byte* frame : all_) std::free(frame);
}

std::size_t FramePool::index_of(const DecodedFunction& function) const {
  for (std::size_t i = 0; i < kernel_.functions.size(); ++i) {
    if (kernel_.functions[i].get() == &function) return i;
  }
  RADDLE_ASSERT(false && "a function of this kernel");
  return 0;
}

std::byte* FramePool::take(const DecodedFunction& function) {
  auto& list = free_[index_of(function)];
  if (!list.empty()) {
    std::byte* frame = list.back();
    list.pop_back();
    return frame;
  }
  const std::size_t bytes = function.frame_bytes + std::size_t{function.parameter_bytes} * kLanes;
  const std::size_t rounded = (bytes + 64) / 64 * 64;
  auto* frame = static_cast<std::byte*>(std::aligned_alloc(64, rounded));
  if (frame == nullptr) throw std::bad_alloc();
  std::memset(frame, 0, rounded);
  fill_constants(function, frame);
  all_.push_back(frame);
  return frame;
}

void FramePool::give_back(const DecodedFunction& function, std::byte* frame) {
  free_[index_of(function)].push_back(frame);
}

void PollWatch::poll(std::uint32_t pc, std::uint64_t seen) {
  const bool elsewhere = watching_ && pc != pc_;
  if (elsewhere && ++strangers_ < kForgetAfter) {
    others_ = (others_ ^ seen ^ pc) * kPrime;
    return;
  }
  const bool same = watching_ && !elsewhere && seen == seen_ && others_ == others_before_;
  repeats_ = same ? repeats_ + 1 : 0;
  watching_ = true;
  pc_ = pc;
  seen_ = seen;
  others_before_ = others_;
  others_ = 0;
  strangers_ = 0;
}

void join(Activation& activation, std::uint32_t pc, LaneMask mask) {
  for (Split& split : activation.splits) {
    if (split.pc == pc && split.barrier == kNotWaiting) {
      split.mask |= mask;
      return;
    }
  }
  activation.splits.push_back({.pc = pc, .mask = mask});
}

}  // namespace raddle::kernel::exec

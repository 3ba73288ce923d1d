#include "machine/ref/activation.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "base/error.h"

namespace raddle::machine::ref {

FramePool::FramePool(const kernel::exec::DecodedKernel& kernel)
    : kernel_(kernel), free_(kernel.functions.size()) {}

FramePool::~FramePool() {
  for (std::byte* frame : all_) std::free(frame);
}

std::size_t FramePool::index_of(const kernel::exec::DecodedFunction& function) const {
  for (std::size_t i = 0; i < kernel_.functions.size(); ++i) {
    if (kernel_.functions[i].get() == &function) return i;
  }
  RADDLE_ASSERT(false && "a function of this kernel");
  return 0;
}

std::byte* FramePool::take(const kernel::exec::DecodedFunction& function) {
  auto& list = free_[index_of(function)];
  if (!list.empty()) {
    std::byte* frame = list.back();
    list.pop_back();
    return frame;
  }
  const std::size_t bytes =
      function.frame_bytes + std::size_t{function.parameter_bytes} * kernel::exec::kLanes;
  const std::size_t rounded = (bytes + 64) / 64 * 64;
  auto* frame = static_cast<std::byte*>(std::aligned_alloc(64, rounded));
  if (frame == nullptr) throw std::bad_alloc();
  std::memset(frame, 0, rounded);
  kernel::exec::fill_constants(function, frame);
  all_.push_back(frame);
  return frame;
}

void FramePool::give_back(const kernel::exec::DecodedFunction& function, std::byte* frame) {
  free_[index_of(function)].push_back(frame);
}

void join(Activation& activation, std::uint32_t pc, kernel::exec::LaneMask mask) {
  for (Split& split : activation.splits) {
    if (split.pc == pc && split.barrier == kNotWaiting) {
      split.mask |= mask;
      return;
    }
  }
  activation.splits.push_back({pc, mask, kNotWaiting, 0});
}

}  // namespace raddle::machine::ref

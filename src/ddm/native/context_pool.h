// Contexts that a worker made and dropped, kept for the next invocation of the same block. What is
// kept is bounded, so that memory follows the live contexts and not the number of invocations.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#include "ddm/native/context.h"

namespace raddle::ddm::native {

class ContextPool {
 public:
  ContextPool() = default;
  ContextPool(const ContextPool&) = delete;
  ContextPool& operator=(const ContextPool&) = delete;
  ~ContextPool() { clear(); }

  // A context with room for a frame that is not yet made.
  Context* take(const BlockPlan& plan) {
    ++live_;
    if (live_ > most_live_) most_live_ = live_;
    if (plan.number < kept_.size() && kept_[plan.number].first != nullptr) {
      auto& kept = kept_[plan.number];
      Context* context = kept.first;
      kept.first = context->next_free;
      --kept.count;
      context->activity.store(1, std::memory_order_relaxed);
      context->join = nullptr;
      context->ticket = 0;
      return context;
    }
    const auto alignment = alignment_of(plan);
    auto* memory = ::operator new(frame_offset(plan) + plan.block->frame.size, alignment);
    auto* context = new (memory) Context;
    context->plan = &plan;
    context->frame = static_cast<std::byte*>(memory) + frame_offset(plan);
    return context;
  }

  // Takes back a context whose frame has been destroyed.
  void give_back(Context* context) {
    --live_;
    const auto number = context->plan->number;
    if (number >= kept_.size()) kept_.resize(number + 1);
    if (!context->plan->fixed_shape || kept_[number].count >= kMaxKept) {
      drop(context);
      return;
    }
    context->next_free = kept_[number].first;
    kept_[number].first = context;
    ++kept_[number].count;
  }

  void clear() {
    for (auto& kept : kept_) {
      while (kept.first != nullptr) {
        Context* context = kept.first;
        kept.first = context->next_free;
        drop(context);
      }
    }
    kept_.clear();
    live_ = 0;
    most_live_ = 0;
  }

  // May also count contexts that other workers have dropped since.
  [[nodiscard]] std::int64_t most_live() const { return most_live_; }

 private:
  static constexpr std::size_t kMaxKept = 256;
  struct Kept {
    Context* first = nullptr;
    std::size_t count = 0;
  };

  static std::align_val_t alignment_of(const BlockPlan& plan) {
    return std::align_val_t{std::max(alignof(Context), plan.block->frame.alignment)};
  }
  static std::size_t frame_offset(const BlockPlan& plan) {
    const auto alignment = plan.block->frame.alignment;
    return (sizeof(Context) + alignment - 1) / alignment * alignment;
  }
  static void drop(Context* context) {
    const auto alignment = alignment_of(*context->plan);
    context->~Context();
    ::operator delete(context, alignment);
  }

  std::vector<Kept> kept_;
  std::int64_t live_ = 0;
  std::int64_t most_live_ = 0;
};

}  // namespace raddle::ddm::native

// Messages for one worker: inputs of instances that are bound to it. Any worker sends, the owner
// takes; no locks. A message is written to one cache line that only the sender and the owner touch,
// and the owner writes nothing there, so that a message costs one transfer between cores.
#pragma once

#include <atomic>
#include <cstdint>

namespace raddle::ddm::native {

struct Context;

struct Message {
  Context* context = nullptr;
  std::uint32_t thread = 0;
  std::uint32_t tile = 0;
  std::uint64_t cells = 0;
  bool ready = false;  // no matter how many inputs came; else one input for each cell
};

class Inbox {
 public:
  // Anybody. False if there is no room: the owner has to take something first.
  [[nodiscard]] bool send(const Message& message) {
    auto tail = tail_.load(std::memory_order_relaxed);
    do {
      if (tail - taken_seen_.load(std::memory_order_acquire) >= kSlots) {
        taken_seen_.store(taken_.load(std::memory_order_acquire), std::memory_order_release);
        if (tail - taken_seen_.load(std::memory_order_acquire) >= kSlots) return false;
      }
    } while (!tail_.compare_exchange_weak(tail, tail + 1, std::memory_order_relaxed));
    Slot& slot = slots_[tail % kSlots];
    slot.message = message;
    slot.turn.store(tail / kSlots + 1, std::memory_order_release);
    return true;
  }

  // Owner only: the message sent first, valid until pop(); null: none.
  [[nodiscard]] const Message* front() const {
    const Slot& slot = slots_[head_ % kSlots];
    return slot.turn.load(std::memory_order_acquire) == head_ / kSlots + 1 ? &slot.message
                                                                           : nullptr;
  }
  void pop() { taken_.store(++head_, std::memory_order_release); }

 private:
  static constexpr std::uint64_t kSlots = 256;
  struct alignas(64) Slot {
    Message message;
    std::atomic<std::uint64_t> turn{0};
  };

  alignas(64) std::atomic<std::uint64_t> tail_{0};
  std::atomic<std::uint64_t> taken_seen_{0};  // by senders
  alignas(64) std::atomic<std::uint64_t> taken_{0};
  std::uint64_t head_ = 0;  // of the owner
  alignas(64) Slot slots_[kSlots];
};

}  // namespace raddle::ddm::native

// What nodes tell each other: a header of fixed size, then bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace raddle::ddm::mpi {

enum class MessageKind : std::uint32_t {
  kGraph,    // what is declared here: its hash, its description
  kInputs,   // a producer has run: arc, its flat index, what the arc carries
  kInvoke,   // invoke a block: its number, a ticket, its frame
  kResults,  // an invocation has ended: ticket, frame
  kProbe,    // are you idle? (wave)
  kState,    // the answer: idle, sent, received, fired
  kEnd,      // all nodes are idle: fired
  kFailure,  // the run has failed: text
};

struct MessageHeader {
  MessageKind kind = MessageKind::kInputs;
  std::uint32_t run = 0;     // later runs do not mind what earlier ones have left over
  std::uint32_t number = 0;  // arc, block or wave
  std::uint32_t flag = 0;
  std::uint64_t values[3] = {0, 0, 0};
  std::uint64_t bytes = 0;  // that follow
};

// A message on its way out. Workers put them on a list that the network's thread takes over as a
// whole.
struct OutgoingMessage {
  int to = 0;
  MessageHeader header;
  std::vector<std::byte> bytes;
  OutgoingMessage* next = nullptr;
};

// Many push, one takes everything; no locks.
class OutgoingList {
 public:
  OutgoingList() = default;
  OutgoingList(const OutgoingList&) = delete;
  OutgoingList& operator=(const OutgoingList&) = delete;
  ~OutgoingList() { take_all(); }

  void push(std::unique_ptr<OutgoingMessage> message) {
    OutgoingMessage* added = message.release();
    added->next = first_.load(std::memory_order_relaxed);
    while (!first_.compare_exchange_weak(added->next, added, std::memory_order_seq_cst,
                                         std::memory_order_relaxed)) {
    }
  }
  // In the order in which they were pushed.
  std::vector<std::unique_ptr<OutgoingMessage>> take_all() {
    std::vector<std::unique_ptr<OutgoingMessage>> taken;
    for (auto* message = first_.exchange(nullptr, std::memory_order_acquire); message != nullptr;) {
      auto* next = message->next;
      taken.emplace_back(message);
      message = next;
    }
    return {std::make_move_iterator(taken.rbegin()), std::make_move_iterator(taken.rend())};
  }
  [[nodiscard]] bool empty() const { return first_.load(std::memory_order_seq_cst) == nullptr; }

 private:
  std::atomic<OutgoingMessage*> first_{nullptr};
};

}  // namespace raddle::ddm::mpi

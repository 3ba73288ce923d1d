// Threads that are ready, before the TIU has looked for their data: the waiting queue, in order of
// arrival or, with thread reordering, by thread number and index (DDM §3); and the temporary buffer
// of those that would have caused a false conflict, which go first.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <vector>

#include "machine/d2now/d2now_parameters.h"

namespace raddle::machine::d2now {

// A thread whose ready count has reached zero, and what made it so.
struct ReadyThread {
  std::uint32_t thread = 0;
  std::uint64_t number = 0;  // Thread#: code block and thread
  std::uint64_t index = 0;
  Ticks sent;     // when the last message it waited for was sent; 0: no message
  Ticks arrived;  // when that arrived
};

class WaitingQueue {
 public:
  explicit WaitingQueue(bool reorder) : reorder_(reorder) {}

  void push(const ReadyThread& ready);
  bool empty() const { return size() == 0; }
  std::size_t size() const { return reorder_ ? sorted_.size() : arrivals_.size(); }
  // With reordering: the next by number and index after the one taken last, in circles, so that
  // nobody waits for ever.
  ReadyThread pop();

 private:
  struct ByNumberAndIndex {
    bool operator()(const ReadyThread& a, const ReadyThread& b) const;
  };

  bool reorder_;
  std::deque<ReadyThread> arrivals_;
  std::set<ReadyThread, ByNumberAndIndex> sorted_;
  ReadyThread last_;
};

}  // namespace raddle::machine::d2now

// What a backend pushes down its pipeline, one item a cycle: fibers with or without a reference,
// entries of its scratchpad, synchronisation waves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace raddle::machine::tpa {

using IssueItem = std::uint16_t;
// A reference is the number of its module, with this bit if it has a reply.
inline constexpr IssueItem kWantsReply = 0x4000;
inline constexpr IssueItem kModuleMask = 0x3fff;
inline constexpr IssueItem kNoReference = 0xffff;
inline constexpr IssueItem kWaveItem = 0xfffe;
inline constexpr IssueItem kBubble = 0xfffd;  // waits for its turn in a balanced order
inline constexpr IssueItem kAwaitReplies =
    0xfffc;  // nothing goes on until what was loaded is there

// Written by those who execute, read by those who keep time.
class IssueStream {
 public:
  bool empty() const { return next_ == items_.size(); }
  std::size_t size() const { return items_.size() - next_; }
  IssueItem front() const { return items_[next_]; }
  void pop() { pop(1); }
  // What is there, and that so many of them are gone.
  std::span<const IssueItem> items() const { return std::span(items_).subspan(next_); }
  void pop(std::size_t count) {
    next_ += count;
    if (next_ == items_.size()) {
      items_.clear();
      next_ = 0;
    }
  }
  void clear() {
    items_.clear();
    next_ = 0;
  }
  void push(IssueItem item) { items_.push_back(item); }
  void push(IssueItem item, std::size_t count) { items_.insert(items_.end(), count, item); }
  // Room for items that the caller writes.
  IssueItem* extend(std::size_t count) {
    const std::size_t size = items_.size();
    items_.resize(size + count);
    return items_.data() + size;
  }

 private:
  std::vector<IssueItem> items_;
  std::size_t next_ = 0;
};

}  // namespace raddle::machine::tpa

// The last references of a node. The authors' simulator ran all nodes on one processor; before each
// thread it fetched again what the last 1K data references of the thread's node had touched (DDM
// §5.1), and what was older was gone. With this, the caches forget as theirs did.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>

namespace raddle::machine::d2now {

class RecentReferences {
 public:
  explicit RecentReferences(std::uint32_t kept) : kept_(kept) {}

  void add(std::uint32_t line) {
    touches_.push_back({line, ++number_, per_touch_});
    references_ += per_touch_;
    last_[line] = number_;
  }
  // Calls `drop` with each line that only references before the last ones have touched. From here
  // on a touch stands for so many references.
  template <class Drop>
  void forget(double references_per_touch, Drop drop) {
    per_touch_ = references_per_touch;
    while (references_ > kept_ && !touches_.empty()) {
      const Touched oldest = touches_.front();
      touches_.pop_front();
      references_ -= oldest.references;
      const auto last = last_.find(oldest.line);
      if (last->second != oldest.number) continue;
      last_.erase(last);
      drop(oldest.line);
    }
  }

 private:
  struct Touched {
    std::uint32_t line = 0;
    std::uint64_t number = 0;
    double references = 0;
  };
  std::uint32_t kept_;
  double per_touch_ = 1;
  double references_ = 0;  // of all touches
  std::uint64_t number_ = 0;
  std::deque<Touched> touches_;
  std::unordered_map<std::uint32_t, std::uint64_t> last_;  // by line: its latest touch
};

}  // namespace raddle::machine::d2now

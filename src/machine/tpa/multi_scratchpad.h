// A backend's multioperation scratchpad: for each target address of a multioperation or multiprefix
// the backend's own result. Entries outlive the step, so they hold their target address. Each flow
// has entries of its own; all together they are as many as the scratchpad has.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "machine/tpa/isa.h"

namespace raddle::machine::tpa {

struct ScratchEntry {
  Word target = 0;
  Word data = 0;  // the backend's result; after the ordering step of a prefix: its offset
  bool valid = false;
};

// The entries of one flow, in the order in which they were taken.
struct FlowEntries {
  std::vector<ScratchEntry> entries;
  std::vector<std::uint32_t> free;  // entries that were given back within a step
  // By target; kept only for prefixes, whose end has to find them again.
  std::unordered_map<Word, std::uint32_t> by_target;
  // What the last fiber found, as neighbours mostly have the same target.
  Word last_target = ~Word{0};
  std::uint32_t last_entry = 0;

  void clear() {
    entries.clear();
    free.clear();
    by_target.clear();
    last_target = ~Word{0};
  }
};

struct ScratchpadStats {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t spills = 0;
  std::uint64_t most_entries = 0;
};

class MultiScratchpad {
 public:
  static constexpr std::uint32_t kFull = ~std::uint32_t{0};

  explicit MultiScratchpad(std::uint32_t entries) : capacity_(entries) {}

  FlowEntries& of(std::uint32_t flow) {
    if (flow >= flows_.size()) flows_.resize(flow + 1);
    return flows_[flow];
  }
  // The next entry in order, or kFull.
  std::uint32_t take(FlowEntries& flow, Word target, Word data) {
    if (used_ == capacity_) return kFull;
    if (!flow.free.empty()) {
      const std::uint32_t entry = flow.free.back();
      flow.free.pop_back();
      flow.entries[entry] = {target, data, true};
      ++used_;
      return entry;
    }
    ++used_;
    if (used_ > stats.most_entries) stats.most_entries = used_;
    flow.entries.push_back({target, data, true});
    return static_cast<std::uint32_t>(flow.entries.size() - 1);
  }
  void give_back(FlowEntries& flow, std::uint32_t entry) {
    flow.entries[entry].valid = false;
    flow.free.push_back(entry);
    --used_;
  }
  void release(FlowEntries& flow) {
    used_ -= static_cast<std::uint32_t>(flow.entries.size() - flow.free.size());
    flow.clear();
  }
  std::uint32_t capacity() const { return capacity_; }

  ScratchpadStats stats;

 private:
  std::uint32_t capacity_;
  std::uint32_t used_ = 0;
  std::vector<FlowEntries> flows_;
};

}  // namespace raddle::machine::tpa

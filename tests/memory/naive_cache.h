// A cache written as its policies are told to a person: a list of lines a set, oldest first, each
// with the bytes that are valid. Slow, and shares nothing with memory::Cache but its parameters.
#pragma once

#include <algorithm>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "memory/cache.h"

namespace raddle::memory {

struct NaiveOutcome {
  Verdict verdict = Verdict::kRefused;
  Refusal refusal = Refusal::kNone;
  std::vector<Access> down;
};

class NaiveCache {
 public:
  // Replacement LRU or FIFO; lines of at most 64 bytes, of which every byte is known by itself.
  explicit NaiveCache(const CacheParameters& parameters) : p_(parameters) {}

  NaiveOutcome access(const Access& access) {
    out_ = {};
    if (access.kind == AccessKind::kLoad) {
      if (has_all(access)) {
        use(access);
        out_.verdict = Verdict::kHit;
      } else {
        fetch(access, false, true);
      }
    } else if (access.kind == AccessKind::kAtomic) {
      atomic(access);
    } else {
      store(access);
    }
    if (out_.verdict == Verdict::kRefused) out_.down.clear();
    return out_;
  }

  struct Filled {
    std::vector<Access> waiting;
    std::vector<Access> down;
  };
  Filled fill(Address start) {
    out_ = {};
    const Pending pending = pending_.at(start);
    pending_.erase(start);
    if (find(start) == nullptr) {
      make_room(start);
      set_of(start).push_back({start, false, false, {}});
    }
    Line& line = *find(start);
    line.coming = false;
    line.dirty |= pending.dirty;
    insert(line, start, p_.line_bytes);
    return {pending.waiting, out_.down};
  }

  std::vector<Access> flush() {
    std::vector<Access> dirty;
    for (auto& [number, lines] : sets_) {
      for (const Line& line : lines) {
        if (!line.coming && line.dirty) dirty.push_back(write_back(line));
      }
      lines.remove_if([](const Line& line) { return !line.coming; });
    }
    return dirty;
  }

  LineState state(Address address) {
    const Line* line = find(start_of(address));
    if (line == nullptr) return LineState::kInvalid;
    if (line->coming) return LineState::kReserved;
    return line->dirty ? LineState::kDirty : LineState::kValid;
  }
  std::vector<Address> awaited() const {
    std::vector<Address> lines;
    for (const auto& [start, pending] : pending_) lines.push_back(start);
    return lines;
  }

 private:
  struct Line {
    Address start;
    bool coming = false;
    bool dirty = false;
    std::set<Address> bytes;
  };
  struct Pending {
    std::vector<Access> waiting;
    bool dirty = false;
  };

  Address start_of(Address address) const { return address - address % p_.line_bytes; }
  std::list<Line>& set_of(Address start) {
    return sets_[start / p_.line_bytes % (p_.bytes / p_.line_bytes / p_.ways)];
  }
  Line* find(Address start) {
    for (Line& line : set_of(start)) {
      if (line.start == start) return &line;
    }
    return nullptr;
  }
  Line* present(const Access& access) {
    Line* line = find(start_of(access.address));
    return line == nullptr || line->coming ? nullptr : line;
  }
  bool has_all(const Access& access) {
    const Line* line = present(access);
    if (line == nullptr) return false;
    for (Bytes i; i < access.bytes; ++i) {
      if (line->bytes.count(access.address + i) == 0) return false;
    }
    return true;
  }
  static void insert(Line& line, Address first, Bytes bytes) {
    for (Bytes i; i < bytes; ++i) line.bytes.insert(first + i);
  }
  void use(const Access& access) {
    if (p_.replacement != Replacement::kLru) return;
    std::list<Line>& lines = set_of(start_of(access.address));
    const auto place = std::find_if(lines.begin(), lines.end(), [&](const Line& line) {
      return line.start == start_of(access.address);
    });
    lines.splice(lines.end(), lines, place);
  }
  Access write_back(const Line& line) const {
    return {line.start, ShortBytes(static_cast<std::uint32_t>(line.bytes.size())),
            AccessKind::kWriteBack, 0, line.start.value()};
  }
  void throw_out(Address start) {
    std::list<Line>& lines = set_of(start);
    if (find(start)->dirty) out_.down.push_back(write_back(*find(start)));
    lines.remove_if([&](const Line& line) { return line.start == start; });
  }
  // False: every line of the set is on its way.
  bool make_room(Address start) {
    const std::list<Line>& lines = set_of(start);
    if (lines.size() < p_.ways) return true;
    const auto victim =
        std::find_if(lines.begin(), lines.end(), [](const Line& line) { return !line.coming; });
    if (victim == lines.end()) return false;
    throw_out(victim->start);
    return true;
  }
  void refuse(Refusal reason) {
    out_.verdict = Verdict::kRefused;
    out_.refusal = reason;
  }
  void forward(const Access& access) {
    out_.verdict = Verdict::kForwarded;
    out_.down.push_back(access);
  }

  void fetch(const Access& access, bool dirty, bool waits) {
    const Address start = start_of(access.address);
    const auto known = pending_.find(start);
    if (known != pending_.end()) {
      if (waits && known->second.waiting.size() == p_.accesses_per_mshr)
        return refuse(Refusal::kMergeListFull);
      if (waits) known->second.waiting.push_back(access);
      known->second.dirty |= dirty;
      out_.verdict = Verdict::kMerged;
      return;
    }
    if (pending_.size() == p_.mshrs) return refuse(Refusal::kNoMshr);
    if (p_.allocation == Allocation::kOnMiss) {
      if (Line* line = find(start)) {
        dirty |= line->dirty;
        line->coming = true;
        line->dirty = false;
        use(access);
      } else {
        if (!make_room(start)) return refuse(Refusal::kSetReserved);
        set_of(start).push_back({start, true, false, {}});
      }
    }
    pending_[start].dirty = dirty;
    if (waits) pending_[start].waiting.push_back(access);
    out_.verdict = Verdict::kMiss;
    out_.down.push_back({start, p_.line_bytes, AccessKind::kLoad, access.source, start.value()});
  }

  void atomic(const Access& access) {
    if (p_.atomics == AtomicPlace::kBelow) {
      if (present(access) != nullptr) throw_out(start_of(access.address));
      return forward(access);
    }
    if (!has_all(access)) return fetch(access, true, true);
    present(access)->dirty = true;
    use(access);
    out_.verdict = Verdict::kHit;
  }

  void store(const Access& access) {
    const Address start = start_of(access.address);
    const bool answered = access.kind == AccessKind::kStore;
    const bool coming = pending_.count(start) != 0;
    if (Line* line = present(access)) {
      if (p_.write.hit == WriteHit::kWriteEvict) {
        throw_out(start);
        return forward(access);
      }
      insert(*line, access.address, access.bytes);
      if (p_.write.hit == WriteHit::kWriteBack) line->dirty = true;
      use(access);
      if (p_.write.hit == WriteHit::kWriteThrough) return forward(access);
      out_.verdict = Verdict::kHit;
      return;
    }
    if (p_.write.hit == WriteHit::kWriteBack) {
      if (coming) return fetch(access, true, answered);
      if (p_.write.miss == WriteMiss::kNoAllocate) return forward(access);
      if (fetches(access)) return fetch(access, true, answered);
      validate(access, true);
      return;
    }
    if (coming || p_.write.miss == WriteMiss::kNoAllocate) return forward(access);
    if (fetches(access)) {
      fetch(access, false, false);
    } else {
      validate(access, false);
    }
    if (out_.verdict != Verdict::kRefused) forward(access);
  }
  bool fetches(const Access& access) const {
    return p_.write.miss == WriteMiss::kFetchOnWrite && access.bytes < p_.line_bytes;
  }
  void validate(const Access& access, bool dirty) {
    const Address start = start_of(access.address);
    if (!make_room(start)) return refuse(Refusal::kSetReserved);
    set_of(start).push_back({start, false, dirty, {}});
    insert(*find(start), access.address, access.bytes);
    out_.verdict = Verdict::kValidated;
  }

  CacheParameters p_;
  std::map<std::uint64_t, std::list<Line>> sets_;
  std::map<Address, Pending> pending_;
  NaiveOutcome out_;
};

}  // namespace raddle::memory

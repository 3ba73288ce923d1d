// A set-associative cache as a plain state machine: somebody's tick hands it accesses and the lines
// that come from below, and it says what becomes of them and what has to go down. It moves no data
// and keeps no time beyond adding its hit latency. Every access is answered exactly once (by a hit,
// by a fill, or by the level below if it was forwarded), except a write-back, which never is; a
// refused access changes nothing but a count and is tried again by its owner.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "memory/access.h"
#include "memory/cache_parameters.h"
#include "memory/cache_stats.h"
#include "memory/mshr.h"
#include "memory/tag_array.h"

namespace raddle::memory {

enum class Verdict : std::uint8_t {
  kHit,        // answered at Outcome::ready
  kValidated,  // a store that took a line without a fetch: answered at Outcome::ready
  kMiss,       // answered by the fill of its line, which was asked for
  kMerged,     // answered by the fill of its line, which was on its way
  kForwarded,  // answered by the level below, to which it goes itself
  kRefused,    // not taken
};

enum class Refusal : std::uint8_t { kNone, kNoMshr, kMergeListFull, kSetReserved };

struct Outcome {
  Verdict verdict = Verdict::kRefused;
  Refusal refusal = Refusal::kNone;
  Cycle ready{};  // of kHit and kValidated
  // What has to go down, in this order: the write-back of a victim, then the request for the line,
  // then the access itself. Valid until the next call.
  std::span<const Access> down;
};

struct Fill {
  std::span<const Access> waiting;  // in the order of their arrival; valid until the next call
  std::span<const Access> down;     // the write-back of a victim, if there is one
};

class Cache {
 public:
  // The most that one access or one fill sends down.
  static constexpr std::size_t kMaxDown = 3;

  // Throws Error when the parameters make no cache.
  explicit Cache(const CacheParameters& parameters);

  // The access must lie within one line.
  Outcome access(const Access& access, Cycle now) {
    return this->access(access, now, parameters_.write);
  }
  // The same with a write policy of its own, as the Fermi L1 has for local memory. kValidateOnWrite
  // must then be the policy of the cache, too.
  Outcome access(const Access& access, Cycle now, WritePolicy policy);

  // A load that hits, as access() has it, without its outcome. False: it does not, and nothing has
  // happened.
  bool load_if_hit(Address address, ShortBytes bytes) {
    const LinePlace place = tags_.find(address);
    if (!place.found() || tags_.state(place) < LineState::kValid ||
        !holds(place, {address, bytes, AccessKind::kLoad, 0, 0}))
      return false;
    tags_.touch(place);
    ++stats_.hits;
    ++stats_.loads;
    stats_.bytes_read += bytes.count();
    return true;
  }

  // A line that was asked for has come.
  Fill fill(Address line);

  // Has the line of the address be there and clean, as if it had always been: counts nothing, sends
  // nothing down. A set whose lines are all on their way stays as it is.
  void preload(Address address);

  // Throws out all lines that are there; lines on their way still come. Returns the write-backs of
  // the dirty ones.
  std::vector<Access> flush();

  const CacheParameters& parameters() const { return parameters_; }
  Address line_of(Address address) const { return tags_.line_of(address); }
  // What the cache knows of the line that holds the address.
  LineState state(Address address) const;
  // Whether an access of this kind may come out as kForwarded.
  bool may_forward(AccessKind kind) const;
  const MshrTable& mshrs() const { return mshrs_; }
  const CacheStats& stats() const { return stats_; }

 private:
  Outcome store(const Access& access, Cycle now, WritePolicy policy, LinePlace place);
  Outcome store_and_fetch(const Access& access, LinePlace place, bool writes_back);
  Outcome store_hit(const Access& access, Cycle now, WriteHit policy, LinePlace place);
  Outcome atomic(const Access& access, Cycle now, LinePlace place);
  Outcome hit(Cycle now, LinePlace place);
  Outcome refuse(Refusal reason);
  Outcome fetch(const Access& access, LinePlace place, bool dirty, bool waits);
  Outcome validate(const Access& access, Cycle now, std::uint32_t set, bool dirty);
  Outcome forward(const Access& access);

  void evict(LinePlace place);
  void place_line(LinePlace place, Address address, bool dirty);
  void send_down(const Access& access) { down_[down_count_++] = access; }
  std::span<const Access> down() const { return {down_.data(), down_count_}; }
  void count(const Access& access);

  // Parts of a line: 64 of them, or its bytes if these are fewer.
  std::uint64_t parts_touched(const Access& access) const;
  std::uint64_t parts_covered(const Access& access) const;
  bool holds(LinePlace place, const Access& access) const {
    return !tracks_parts_ || (parts_touched(access) & ~parts_[tags_.number(place)]) == 0;
  }
  bool covers_parts(const Access& access) const {
    return parts_touched(access) == parts_covered(access);
  }
  Access write_back_of(Address line, std::size_t number) const;

  CacheParameters parameters_;
  TagArray tags_;
  MshrTable mshrs_;
  bool tracks_parts_;         // validate-on-write: parts_ is kept
  std::uint32_t part_shift_;  // log2 of a part's bytes
  std::uint64_t all_parts_;
  std::vector<std::uint64_t> parts_;  // by line: the parts that are valid
  std::array<Access, kMaxDown> down_{};
  std::size_t down_count_ = 0;
  CacheStats stats_;
};

}  // namespace raddle::memory

// Finds threads that access the same bytes, one of them to write, although no arcs put them in
// order: a missing arc. Gets all accesses of a run, one thread after another, and the arcs. What
// the same lines of the same two thread templates do is one race, with a count.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "ddm/recorder/address_space.h"
#include "ddm/recorder/happens_before.h"
#include "ddm/recorder/probe.h"

namespace raddle::ddm {

struct Race {
  enum class Kind : std::uint8_t { kReadAfterWrite, kWriteAfterRead, kWriteAfterWrite };
  Kind kind = Kind::kReadAfterWrite;
  std::uint32_t earlier = 0, later = 0;  // threads, the first pair that was found
  const probe::Site* earlier_site = nullptr;
  const probe::Site* later_site = nullptr;
  std::uint64_t host_address = 0;
  std::uint32_t page = 0;
  std::uint64_t pairs = 0;  // of threads
};

class RaceChecker {
 public:
  // Accesses from here on are those of this thread, an instance of the template.
  void begin(std::uint32_t thread, std::uint32_t thread_template);
  void add_arc(std::uint32_t from, std::uint32_t to) { order_.add_arc(from, to); }
  // Of bytes within one page.
  void access(std::uint32_t page, std::uint64_t host, std::uint64_t bytes, bool is_store,
              const probe::Site* site);
  // Newly allocated: earlier accesses were to another object.
  void forget(std::uint32_t page, std::uint64_t offset, std::uint64_t bytes);

  // In the order in which they were found.
  const std::vector<Race>& races() const { return races_; }

 private:
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  static constexpr std::size_t kReaders = 4;
  struct Access {
    std::uint32_t thread = kNobody;
    std::int32_t site = 0;
  };
  // The last write, and who has read it since: the first readers and the last one.
  struct Cell {
    Access write;
    std::array<Access, kReaders> reads;
  };
  // A cell for each word of four bytes, or for each byte once smaller parts were accessed.
  struct Page {
    unsigned shift = 2;
    std::vector<Cell> cells{std::vector<Cell>(kPageBytes >> 2)};
  };

  Page& page(std::uint32_t number);
  static void split(Page& page);
  bool comes_before(std::uint32_t earlier);
  void load(Cell& cell, const Access& now, std::uint64_t host, std::uint32_t page);
  void store(Cell& cell, const Access& now, std::uint64_t host, std::uint32_t page);
  void report(Race::Kind kind, const Access& earlier, const Access& later, std::uint64_t host,
              std::uint32_t page);

  HappensBefore order_;
  std::uint32_t thread_ = 0;
  std::vector<std::uint32_t> templates_;  // by thread
  std::vector<std::unique_ptr<Page>> pages_;
  struct Known {
    std::uint32_t earlier = kNobody, later = kNobody;
    bool ordered = false;
  };
  std::array<Known, 256> known_{};
  std::vector<Race> races_;
  using Key = std::tuple<std::uint32_t, std::uint32_t, const probe::Site*, const probe::Site*>;
  struct Folded {
    std::size_t race = 0;
    std::uint32_t earlier = kNobody, later = kNobody;  // the last pair that was counted
  };
  std::map<Key, Folded> folded_;
};

}  // namespace raddle::ddm

#include "ddm/recorder/race_checker.h"

#include <algorithm>
#include <cstring>

namespace raddle::ddm {
namespace {

using probe::Site;

// Sites lie in the program, near this variable, so half a pointer tells them apart.
std::int32_t encode(const Site* site) {
  if (site == nullptr) return 0;
  return static_cast<std::int32_t>(reinterpret_cast<std::intptr_t>(site) -
                                   reinterpret_cast<std::intptr_t>(&raddle_ddm_probe_cursor));
}

const Site* decode(std::int32_t site) {
  if (site == 0) return nullptr;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): see encode
  return reinterpret_cast<const Site*>(reinterpret_cast<std::intptr_t>(&raddle_ddm_probe_cursor) +
                                       site);
}

}  // namespace

void RaceChecker::begin(std::uint32_t thread, std::uint32_t thread_template) {
  thread_ = thread;
  if (templates_.size() <= thread) templates_.resize(thread + 1);
  templates_[thread] = thread_template;
}

RaceChecker::Page& RaceChecker::page(std::uint32_t number) {
  if (number >= pages_.size()) pages_.resize(number + 1);
  if (!pages_[number]) pages_[number] = std::make_unique<Page>();
  return *pages_[number];
}

void RaceChecker::split(Page& page) {
  std::vector<Cell> bytes;
  bytes.reserve(kPageBytes);
  for (const Cell& word : page.cells) bytes.insert(bytes.end(), 4, word);
  page.cells = std::move(bytes);
  page.shift = 0;
}

void RaceChecker::access(std::uint32_t number, std::uint64_t host, std::uint64_t bytes,
                         bool is_store, const Site* site) {
  Page& here = page(number);
  const std::uint64_t offset = host % kPageBytes;
  if (here.shift != 0 && (offset % 4 != 0 || bytes % 4 != 0)) split(here);
  const Access now{thread_, encode(site)};
  const std::uint64_t last = (offset + bytes - 1) >> here.shift;
  for (std::uint64_t i = offset >> here.shift; i <= last; ++i) {
    const std::uint64_t address = host - offset + (i << here.shift);
    if (is_store) {
      store(here.cells[i], now, address, number);
    } else {
      load(here.cells[i], now, address, number);
    }
  }
}

void RaceChecker::load(Cell& cell, const Access& now, std::uint64_t host, std::uint32_t number) {
  if (cell.write.thread == thread_) return;
  for (const Access& read : cell.reads) {
    if (read.thread == thread_) return;
  }
  if (cell.write.thread != kNobody && !comes_before(cell.write.thread)) {
    report(Race::Kind::kReadAfterWrite, cell.write, now, host, number);
  }
  const auto free =
      std::ranges::find_if(cell.reads, [](const Access& r) { return r.thread == kNobody; });
  (free != cell.reads.end() ? *free : cell.reads.back()) = now;
}

void RaceChecker::store(Cell& cell, const Access& now, std::uint64_t host, std::uint32_t number) {
  if (cell.write.thread != kNobody && cell.write.thread != thread_ &&
      !comes_before(cell.write.thread)) {
    report(Race::Kind::kWriteAfterWrite, cell.write, now, host, number);
  }
  for (Access& read : cell.reads) {
    if (read.thread == kNobody) break;
    if (read.thread != thread_ && !comes_before(read.thread)) {
      report(Race::Kind::kWriteAfterRead, read, now, host, number);
    }
    read = {};
  }
  cell.write = now;
}

bool RaceChecker::comes_before(std::uint32_t earlier) {
  Known& known = known_[earlier % known_.size()];
  if (known.earlier != earlier || known.later != thread_) {
    known = {earlier, thread_, order_.ordered(earlier, thread_)};
  }
  return known.ordered;
}

void RaceChecker::report(Race::Kind kind, const Access& earlier, const Access& later,
                         std::uint64_t host, std::uint32_t number) {
  const Key key{templates_[earlier.thread], templates_[later.thread], decode(earlier.site),
                decode(later.site)};
  const auto [place, is_new] = folded_.try_emplace(key);
  Folded& folded = place->second;
  if (is_new) {
    folded.race = races_.size();
    races_.push_back({kind, earlier.thread, later.thread, decode(earlier.site), decode(later.site),
                      host, number, 0});
  }
  if (folded.earlier == earlier.thread && folded.later == later.thread) return;
  folded.earlier = earlier.thread;
  folded.later = later.thread;
  ++races_[folded.race].pairs;
}

void RaceChecker::forget(std::uint32_t number, std::uint64_t offset, std::uint64_t bytes) {
  if (bytes == 0 || number >= pages_.size() || !pages_[number]) return;
  Page& here = *pages_[number];
  const auto first = here.cells.begin() + static_cast<std::ptrdiff_t>(offset >> here.shift);
  const auto last =
      here.cells.begin() + static_cast<std::ptrdiff_t>((offset + bytes - 1) >> here.shift) + 1;
  std::fill(first, last, Cell{});
}

}  // namespace raddle::ddm

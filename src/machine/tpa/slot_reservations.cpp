#include "machine/tpa/slot_reservations.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/host_versions.h"
#include "machine/tpa/quick_pass.h"

namespace raddle::machine::tpa {

namespace {

// In a mesh of any size.
template <class Links>
class MeshReservations : public SlotReservations {
 public:
  explicit MeshReservations(const TpaParameters& p)
      : SlotReservations(p), requests_(links_, p.planes), replies_(links_, p.planes) {}

  SlotTimes reserve(std::uint32_t backend, IssueItem item, std::uint64_t now) final;
  void issue(SlotIssue& issue) override;
  void forget(std::uint64_t now) final {
    requests_.forget(now);
    replies_.forget(now);
    modules_.forget(now);
  }

 protected:
  using Timetable = LinkTimetable<Links>;

  std::uint64_t reply(std::uint32_t backend, std::uint32_t module, std::uint32_t plane,
                      std::uint64_t served);
  void issue_one(SlotIssue& issue);

  Timetable requests_, replies_;
};

template <class Links>
SlotTimes MeshReservations<Links>::reserve(std::uint32_t backend, IssueItem item,
                                           std::uint64_t now) {
  const std::uint32_t module = item & kModuleMask;
  const std::uint32_t plane = turn_[backend];
  const LinkWay& way = links_.between(backend, module);
  const std::uint64_t begin = now + hop_;
  const std::uint64_t arrival = requests_.find(way, plane, begin, queue_);
  if (arrival == Timetable::kRefused) return {};
  const std::uint64_t time = std::max(arrival, floor_[module]);
  const std::uint64_t served = modules_.first_free(module, time);
  if (served - time > module_queue_) return {};
  requests_.take_found();
  modules_.take(module, served);
  waited_ += arrival - begin - way.cycles;
  waited_at_modules_ += served - time;
  turn_[backend] = plane + 1 == planes_ ? 0 : plane + 1;
  ++port_of(backend)[module].sent;
  return {served, (item & kWantsReply) != 0 ? reply(backend, module, plane, served) : 0};
}

// When the reply to what is served then is back.
template <class Links>
std::uint64_t MeshReservations<Links>::reply(std::uint32_t backend, std::uint32_t module,
                                             std::uint32_t plane, std::uint64_t served) {
  const LinkWay& way = links_.between(module, backend);
  const std::uint64_t begin = served + hop_;
  const std::uint64_t end = replies_.find(way, plane, begin, Timetable::kRefused);
  replies_.take_found();
  waited_ += end - begin - way.cycles;
  ++port_of(backend)[module].answered;
  return end;
}

// The next item, or the cycles until it can go.
template <class Links>
void MeshReservations<Links>::issue_one(SlotIssue& issue) {
  if (issue.due(0) > issue.now) {
    issue.wait_for_reply();
    return;
  }
  const IssueItem item = issue.items.front();
  if (item != kNoReference) {
    const SlotTimes times = reserve(issue.backend, item, issue.now);
    if (times.served == SlotTimes::kRefused) {
      ++issue.waited_network;
      ++issue.now;
      return;
    }
    issue.ring[issue.time & issue.ring_mask] = times.back;
  }
  issue.go_on(1);
}

template <class Links>
void MeshReservations<Links>::issue(SlotIssue& issue) {
  while (!issue.is_over()) issue_one(issue);
}

// In a small mesh of one or two planes, such as the default one. A few references go together: all
// to their modules, then back, in short loops that call nothing. Those that have to wait for longer
// go one by one.
class SmallMeshReservations final : public MeshReservations<QuickPass::Links> {
 public:
  explicit SmallMeshReservations(const TpaParameters& p) : MeshReservations(p) { place_ways(); }

  static bool fits(const TpaParameters& p) {
    const std::uint32_t most = QuickPass::kMostLinks + 1;
    return p.planes <= 2 && p.mesh_width <= most && p.back.count <= most * p.mesh_width;
  }
  void issue(SlotIssue& issue) override;
  [[gnu::always_inline]] inline void issue_inline(SlotIssue& issue);

 private:
  static constexpr std::size_t kFew = 8;
  // What has set out and is served, from an item on.
  struct Few {
    const IssueItem* items = nullptr;
    std::size_t count = 0;
    std::uint64_t now = 0;  // of the first
    std::uint32_t plane = 0;
    IssueItem flags = 0;  // that any of them has
    std::array<std::uint64_t, kFew> served;
  };
  // Where the words of ways that begin in a cycle lie, by plane in turns.
  struct Turns {
    QuickPass::Links* words;
    std::ptrdiff_t to_other;

    void next() {
      words += to_other;
      to_other = -to_other;
    }
  };

  Turns turns_of(Timetable& timetable, std::uint32_t plane, std::uint64_t cycle) const {
    QuickPass::Links* const words = timetable.words() + (timetable.origin(plane) + cycle);
    if (planes_ == 1) return {words, 0};
    const auto size = static_cast<std::ptrdiff_t>(timetable.size() / 2);
    return {words, plane == 0 ? size : -size};
  }
  std::uint32_t plane_after(std::uint32_t plane, std::uint64_t references) const {
    return (plane + references) & (planes_ - 1);
  }
  [[gnu::always_inline]] static inline std::size_t ready(const SlotIssue& issue, std::size_t count);
  [[gnu::always_inline]] inline void set_out(ModulePort* port, Few& few);
  [[gnu::always_inline]] inline void answer(ModulePort* port, const Few& few, SlotIssue& issue);
  void place_ways();
  // Growth has moved the words.
  bool is_placed() const {
    return requests_.size() == request_words_ && replies_.size() == reply_words_;
  }

  std::size_t request_words_ = 0, reply_words_ = 0;
};

void SmallMeshReservations::place_ways() {
  for (std::uint32_t backend = 0; backend < backends_; ++backend) {
    for (std::uint32_t module = 0; module < backends_; ++module) {
      ModulePort& port = port_of(backend)[module];
      port.there = QuickPass::placed(links_.between(backend, module), requests_);
      port.back = QuickPass::placed(links_.between(module, backend), replies_);
    }
  }
  request_words_ = requests_.size();
  reply_words_ = replies_.size();
}

// How many of the next items need not wait for replies.
inline std::size_t SmallMeshReservations::ready(const SlotIssue& issue, std::size_t count) {
  const std::uint64_t first = (issue.time - issue.segment) & issue.ring_mask;
  if (count == kFew && first + kFew <= issue.ring_mask) [[likely]] {
    const std::uint64_t* const due = issue.ring + first;
    std::uint64_t late = 0;
    for (std::size_t i = 0; i < kFew; ++i) late |= (issue.now - due[i]) >> 63;
    if (late == 0) return count;
  }
  std::size_t ready = 0;
  while (ready < count && issue.due(ready) <= issue.now + ready) ++ready;
  return ready;
}

// Sets few.count to the number of those that went: the next one has to wait for longer, or not to
// go at all.
inline void SmallMeshReservations::set_out(ModulePort* port, Few& few) {
  std::uint64_t* const modules = modules_.words();
  const std::uint64_t module_queue = module_queue_;
  const std::uint64_t begin = few.now + hop_;
  const std::size_t count = few.count;
  const IssueItem* const items = few.items;
  Turns turns = turns_of(requests_, few.plane, begin);
  std::uint64_t waited = 0;
  std::uint64_t waited_at_modules = 0;
  std::uint64_t references = 0;
  std::uint32_t flags = 0;
  std::size_t i = 0;
  for (; i < count; ++i) {
    const IssueItem item = items[i];
    if (item == kNoReference) continue;
    const std::size_t module = item & kModuleMask;
    ModulePort& way = port[module];
    const QuickPass pass(turns.words + i, way.there);
    const std::uint64_t arrival = begin + i + way.there.cycles + pass.waited();
    std::uint64_t* word = modules + ModuleTimetable::word(module, arrival);
    std::uint64_t free = ~*word >> arrival % 64;
    std::uint64_t waits = 0;
    if (free == 0) [[unlikely]] {
      waits = 64 - arrival % 64;
      word = modules + ModuleTimetable::word(module, arrival + waits);
      free = ~*word;
    }
    waits += static_cast<std::uint64_t>(std::countr_zero(free));
    if (!pass.is_right()) [[unlikely]]
      break;
    if (waits > module_queue || free == 0) [[unlikely]]
      break;
    pass.take();
    *word |= std::uint64_t{1} << (arrival + waits) % 64;
    few.served[i] = arrival + waits;
    waited += pass.waited();
    waited_at_modules += waits;
    ++references;
    flags |= item;
    ++way.sent;
    turns.next();
  }
  few.count = i;
  few.flags = static_cast<IssueItem>(flags);
  waited_ += waited;
  waited_at_modules_ += waited_at_modules;
  turn_[port->backend] = plane_after(few.plane, references);
}

// When the replies are back. They take the planes that their references took.
inline void SmallMeshReservations::answer(ModulePort* port, const Few& few, SlotIssue& issue) {
  std::uint64_t* const ring = issue.ring;
  const std::uint64_t mask = issue.ring_mask;
  const std::uint64_t time = issue.time;
  const std::size_t count = few.count;
  const std::uint64_t hop = hop_;
  const IssueItem* const items = few.items;
  if ((few.flags & kWantsReply) == 0) {
    for (std::size_t i = 0; i < count; ++i) ring[(time + i) & mask] = 0;
    return;
  }
  std::uint64_t waited = 0;
  std::uint64_t references = 0;
  std::size_t i = 0;
  while (true) {
    const std::uint64_t base = few.now;
    const std::uint64_t end = replies_.end();
    Turns turns = turns_of(replies_, plane_after(few.plane, references), base);
    for (; i < count; ++i) {
      const IssueItem item = items[i];
      if (item == kNoReference) continue;
      std::uint64_t back = 0;
      if ((item & kWantsReply) != 0) {
        ModulePort& way = port[item & kModuleMask];
        const std::uint64_t begin = few.served[i] + hop;
        if (begin >= end) [[unlikely]]
          break;
        const QuickPass pass(turns.words + (begin - base), way.back);
        if (!pass.is_right()) [[unlikely]]
          break;
        pass.take();
        waited += pass.waited();
        back = begin + way.back.cycles + pass.waited();
        ++way.answered;
      }
      ring[(time + i) & mask] = back;
      ++references;
      turns.next();
    }
    if (i == count) break;
    ring[(time + i) & mask] = reply(port->backend, items[i] & kModuleMask,
                                    plane_after(few.plane, references), few.served[i]);
    if (!is_placed()) place_ways();
    ++references;
    ++i;
  }
  waited_ += waited;
}

inline void SmallMeshReservations::issue_inline(SlotIssue& issue) {
  requests_.make_room(issue.end + hop_);
  if (!is_placed()) place_ways();
  ModulePort* const port = port_of(issue.backend);
  // Waves have to be waited for, or replies are needed before a few others have gone: both rare.
  const bool alone = issue.now + hop_ < last_floor_ || issue.segment < kFew;
  while (!issue.is_over()) {
    if (!alone) {
      Few few;
      few.items = issue.items.data();
      few.now = issue.now;
      few.plane = turn_[issue.backend];
      few.count = std::min<std::uint64_t>({issue.end - issue.now, issue.items.size(), kFew});
      few.count = ready(issue, few.count);
      set_out(port, few);
      answer(port, few, issue);
      issue.go_on(few.count);
    }
    if (issue.is_over()) break;
    issue_one(issue);
    if (!is_placed()) place_ways();
  }
}

// Versions are made of plain functions.
RADDLE_HOST_VERSIONS void issue_in_small_mesh(SmallMeshReservations& reservations,
                                              SlotIssue& issue) {
  reservations.issue_inline(issue);
}

void SmallMeshReservations::issue(SlotIssue& issue) { issue_in_small_mesh(*this, issue); }

}  // namespace

std::unique_ptr<SlotReservations> SlotReservations::make(const TpaParameters& parameters) {
  if (SmallMeshReservations::fits(parameters))
    return std::make_unique<SmallMeshReservations>(parameters);
  return make_for_any_mesh(parameters);
}

std::unique_ptr<SlotReservations> SlotReservations::make_for_any_mesh(
    const TpaParameters& parameters) {
  return std::make_unique<MeshReservations<std::uint32_t>>(parameters);
}

SlotReservations::SlotReservations(const TpaParameters& p)
    : backends_(p.back.count),
      planes_(p.planes),
      queue_(p.queue),
      module_queue_(p.module_queue),
      hop_(p.hop_cycles),
      links_(p.mesh_width, p.back.count / p.mesh_width, p.hop_cycles),
      modules_(backends_),
      floor_(backends_),
      turn_(backends_),
      ports_(std::size_t{backends_} * backends_) {
  for (std::uint32_t backend = 0; backend < backends_; ++backend)
    for (std::uint32_t module = 0; module < backends_; ++module)
      port_of(backend)[module].backend = backend;
}

std::uint64_t SlotReservations::pass_wave(std::span<const std::uint64_t> sent_at) {
  std::uint64_t last = 0;
  for (std::uint32_t module = 0; module < backends_; ++module) {
    std::uint64_t there = modules_.last_taken(module) + 1;
    for (std::uint32_t b = 0; b < backends_; ++b) {
      const std::uint64_t hops = links_.between(b, module).count + 1ULL;
      there = std::max(there, sent_at[b] + hops * hop_);
    }
    floor_[module] = there;
    last = std::max(last, there);
  }
  last_floor_ = last;
  return last;
}

SlotNetworkStats SlotReservations::stats() const {
  SlotNetworkStats stats;
  stats.waited = waited_;
  stats.at_modules = waited_at_modules_;
  for (std::uint32_t backend = 0; backend < backends_; ++backend) {
    for (std::uint32_t module = 0; module < backends_; ++module) {
      const ModulePort& port = ports_[std::size_t{backend} * backends_ + module];
      stats.references += port.sent;
      stats.replies += port.answered;
      stats.hops += (port.sent + port.answered) * links_.between(backend, module).count;
    }
  }
  return stats;
}

std::vector<std::uint64_t> SlotReservations::served_by_module() const {
  std::vector<std::uint64_t> served(backends_);
  for (std::size_t i = 0; i < ports_.size(); ++i) served[i % backends_] += ports_[i].sent;
  return served;
}

}  // namespace raddle::machine::tpa

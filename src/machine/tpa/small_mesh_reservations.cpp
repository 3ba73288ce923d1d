#include "machine/tpa/small_mesh_reservations.h"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>
#include <vector>

#include "base/host_versions.h"
#include "machine/tpa/line_passage.h"
#include "machine/tpa/mesh_reservations.h"

namespace raddle::machine::tpa {

namespace {

using Links = LinePassage::Links;

// Which part of the network references are in.
enum class Leg : std::uint8_t { kRowThere, kColumnThere, kRowBack, kColumnBack };

constexpr bool is_back(Leg leg) { return leg == Leg::kRowBack || leg == Leg::kColumnBack; }
constexpr bool is_row(Leg leg) { return leg == Leg::kRowThere || leg == Leg::kRowBack; }

// In a small mesh of one or two planes, such as the default one. A few references go together: all
// along their rows, then all along their columns, to their modules and back likewise, in short
// loops. That is as if one went after the other, as no row is a column. Where one finds no room,
// those after it give back what they have taken. Lines: what finds passages along lines.
template <class Lines>
class SmallMeshReservations final : public MeshReservations<Links> {
 public:
  explicit SmallMeshReservations(const TpaParameters& p)
      : MeshReservations(p), at_once_(p.back.count, kFew) {
    Cycle longest;
    for (std::uint32_t node = 0; node < backends_; ++node)
      longest = std::max(longest, links_.between(0, node).cycles);
    reach_ = longest + 2 * Timetable::kQuickWaits + module_queue_ + hop_ + Cycle(1);
    place_ways();
  }

  static bool fits(const TpaParameters& p) {
    const std::uint32_t most = Lines::kMaxLinks + 1;
    return p.planes <= 2 && p.mesh_width <= most && p.back.count <= most * p.mesh_width;
  }
  void issue(SlotIssue& issue) override;
  [[gnu::always_inline]] inline void issue_inline(SlotIssue& issue);

 private:
  static constexpr std::size_t kFew = 8;
  // Cycles from now on; to a timetable, words. Unlike a Cycle it has no value at first, as most
  // arrays below are not filled.
  using Offset = std::uint64_t;
  // A backend's next items, and those of them that are references.
  struct Few {
    Cycle now;
    std::size_t count = 0;    // items
    std::uint32_t plane = 0;  // of the first reference
    bool refused = false;     // the item after the last
    bool alike = false;       // all items are references, as many as can be, and of one kind
    bool wants_replies = false;
    std::size_t references = 0;
    // By reference, as all below: its module, if it wants no reply, and its place among the items.
    std::array<ModulePort*, kFew> ports;
    std::array<bool, kFew> silent;
    std::array<std::uint32_t, kFew> positions;
    std::array<LinePassage, kFew> rows, columns;  // on its way there
    std::array<Offset, kFew> begins;              // when it comes to its row,
    std::array<Offset, kFew> turns;               // to its column,
    std::array<Offset, kFew> ends;                // and would be there, were no link a hop
  };
  // Where the words of ways that begin now lie: of every other reference, as they take turns.
  using Planes = std::array<Links*, 2>;

  Planes planes_of(Timetable& timetable, const Few& few) const {
    return {timetable.words(few.plane, few.now),
            timetable.words(plane_after(few.plane, 1), few.now)};
  }
  std::uint32_t plane_after(std::uint32_t plane, std::uint64_t references) const {
    return (plane + references) & (planes_ - 1);
  }
  [[gnu::always_inline]] static inline std::size_t ready(const SlotIssue& issue, std::size_t count);
  [[gnu::always_inline]] inline void begin_few(const SlotIssue& issue, Few& few);
  [[gnu::always_inline]] inline bool begin_alike(const SlotIssue& issue, Few& few);
  [[gnu::always_inline]] inline void pass_few(Few& few, SlotIssue& issue);
  // kAlike: as few.alike.
  template <Leg kLeg, bool kAlike>
  [[gnu::always_inline]] inline void pass_lines(Few& few);
  template <bool kAlike>
  [[gnu::always_inline]] inline void visit_modules(Few& few);
  template <bool kAlike>
  [[gnu::always_inline]] inline void come_back(Few& few, SlotIssue& issue);
  template <Leg kLeg>
  bool pass_slowly(Few& few, std::size_t reference);
  void refuse(Few& few, std::size_t reference, int lines);
  void make_room(Cycle time);
  void place_ways();

  std::size_t request_words_ = 0, reply_words_ = 0;
  // How many cycles after a reference's begin its reply's may come, if it hardly waits.
  Cycle reach_;
  // By backend: how many items it tries at once; few, where there is hardly any room.
  std::vector<std::size_t> at_once_;
  // What references of these few took slowly.
  struct SlowlyTaken {
    std::size_t reference;
    Timetable::Found slots;
  };
  std::vector<SlowlyTaken> slowly_taken_;
};

template <class Lines>
void SmallMeshReservations<Lines>::place_ways() {
  const auto placed = [](const LinkWay& way, const Timetable& timetable) {
    return PlacedWay{timetable.place_of(way.row), timetable.place_of(way.column),
                     static_cast<std::uint32_t>(way.cycles.count()), Lines::told(way.row.links),
                     Lines::told(way.column.links)};
  };
  for (std::uint32_t backend = 0; backend < backends_; ++backend) {
    for (std::uint32_t module = 0; module < backends_; ++module) {
      ModulePort& port = port_of(backend)[module];
      port.there = placed(links_.between(backend, module), requests_);
      port.back = placed(links_.between(module, backend), replies_);
    }
  }
  request_words_ = requests_.size();
  reply_words_ = replies_.size();
}

// For ways that begin until then, and for their replies. Growth moves the words.
template <class Lines>
void SmallMeshReservations<Lines>::make_room(Cycle time) {
  requests_.make_room(time);
  replies_.make_room(time + reach_);
  if (requests_.size() != request_words_ || replies_.size() != reply_words_) place_ways();
}

// How many of the next items need not wait for replies.
template <class Lines>
inline std::size_t SmallMeshReservations<Lines>::ready(const SlotIssue& issue, std::size_t count) {
  const std::size_t first = issue.slot_of(issue.time - issue.segment);
  if (count == kFew && first + kFew <= issue.ring_mask) [[likely]] {
    const Cycle* const due = issue.ring + first;
    std::uint64_t late = 0;
    for (std::size_t i = 0; i < kFew; ++i) late |= (issue.now.count() - due[i].count()) >> 63;
    if (late == 0) return count;
  }
  std::size_t ready = 0;
  while (ready < count && issue.due(ready) <= issue.now + Cycle(ready)) ++ready;
  return ready;
}

template <class Lines>
inline void SmallMeshReservations<Lines>::begin_few(const SlotIssue& issue, Few& few) {
  few.now = issue.now;
  few.plane = turn_[issue.backend];
  const std::uint64_t cycles = (issue.end - issue.now).count();
  few.count = std::min({cycles, issue.items.size(), at_once_[issue.backend]});
  few.count = ready(issue, few.count);
  few.alike = few.count == kFew && begin_alike(issue, few);
  if (few.alike) return;
  ModulePort* const ports = port_of(issue.backend);
  const Offset hop = hop_.count();
  for (std::size_t i = 0; i < few.count; ++i) {
    const IssueItem item = issue.items[i];
    if (item == kNoReference) continue;
    const std::size_t k = few.references++;
    few.ports[k] = ports + (item & kModuleMask);
    few.silent[k] = (item & kWantsReply) == 0;
    few.wants_replies |= !few.silent[k];
    few.positions[k] = static_cast<std::uint32_t>(i);
    few.begins[k] = i + hop;
  }
}

// False: they are not alike, and nothing is done.
template <class Lines>
inline bool SmallMeshReservations<Lines>::begin_alike(const SlotIssue& issue, Few& few) {
  const IssueItem* const items = issue.items.data();
  std::uint32_t any = 0;
  std::uint32_t all = kWantsReply;
  for (std::size_t i = 0; i < kFew; ++i) {
    any |= items[i];
    all &= items[i];
  }
  static_assert(kNoReference > (kWantsReply | kModuleMask));
  if (any > (kWantsReply | kModuleMask) || (any & kWantsReply) != all) return false;
  ModulePort* const ports = port_of(issue.backend);
  const Offset hop = hop_.count();
  for (std::size_t i = 0; i < kFew; ++i) {
    few.ports[i] = ports + (items[i] & kModuleMask);
    few.positions[i] = static_cast<std::uint32_t>(i);
    few.begins[i] = i + hop;
  }
  few.silent.fill(all == 0);
  few.wants_replies = all != 0;
  few.references = kFew;
  return true;
}

// All along a line each, as far as there is room.
template <class Lines>
template <Leg kLeg, bool kAlike>
inline void SmallMeshReservations<Lines>::pass_lines(Few& few) {
  Timetable& timetable = is_back(kLeg) ? replies_ : requests_;
  Planes planes = planes_of(timetable, few);
#pragma GCC unroll 8
  for (std::size_t k = 0; k < (kAlike ? kFew : few.references); ++k) {
    if (!kAlike && is_back(kLeg) && few.silent[k]) continue;
    const PlacedWay& way = is_back(kLeg) ? few.ports[k]->back : few.ports[k]->there;
    const Offset from = is_row(kLeg) ? few.begins[k] : few.turns[k];
    Links* const words = planes[k % 2] + from + (is_row(kLeg) ? way.row : way.column);
    const LinePassage passage =
        Lines::passage(words, is_row(kLeg) ? way.row_links : way.column_links);
    if (!passage.is_usual()) [[unlikely]] {
      if (passage.is_longer()) {
        if (!pass_slowly<kLeg>(few, k)) return;
        planes = planes_of(timetable, few);
        continue;
      }
      passage.take_third(words);
    }
    passage.take(words);
    if (!is_back(kLeg)) (is_row(kLeg) ? few.rows : few.columns)[k] = passage;
    (is_row(kLeg) ? few.turns : few.ends)[k] = from + passage.waited();
  }
}

// One that has to wait for longer. False: there is no room for it.
template <class Lines>
template <Leg kLeg>
bool SmallMeshReservations<Lines>::pass_slowly(Few& few, std::size_t k) {
  Timetable& timetable = is_back(kLeg) ? replies_ : requests_;
  const std::uint32_t backend = few.ports[k]->backend;
  const std::uint32_t module = few.ports[k]->module;
  const LinkWay& way =
      is_back(kLeg) ? links_.between(module, backend) : links_.between(backend, module);
  const Offset from = is_row(kLeg) ? few.begins[k] : few.turns[k];
  const Cycle waited =
      timetable.take_line(is_row(kLeg) ? way.row : way.column, plane_after(few.plane, k),
                          few.now + Cycle(from), is_back(kLeg) ? Timetable::kRefused : queue_);
  if (waited == Timetable::kRefused) {
    make_room(few.now);
    refuse(few, k, is_row(kLeg) ? 0 : 1);
    return false;
  }
  if (!is_back(kLeg)) {
    for (const auto& slots : timetable.found()) slowly_taken_.push_back({k, slots});
    (is_row(kLeg) ? few.rows : few.columns)[k] = LinePassage();
  }
  (is_row(kLeg) ? few.turns : few.ends)[k] = from + waited.count();
  make_room(few.now + Cycle(from) + waited);
  return true;
}

// There is no room for a reference, which has passed so many lines: it and those behind it give
// back the links that they have taken.
template <class Lines>
void SmallMeshReservations<Lines>::refuse(Few& few, std::size_t reference, int lines) {
  const Planes planes = planes_of(requests_, few);
  for (std::size_t k = reference; k < few.references; ++k) {
    const PlacedWay& way = few.ports[k]->there;
    if (lines >= 1) few.rows[k].give_back(planes[k % 2] + few.begins[k] + way.row);
    if (lines >= 2) few.columns[k].give_back(planes[k % 2] + few.turns[k] + way.column);
  }
  for (const SlowlyTaken& taken : slowly_taken_)
    if (taken.reference >= reference) requests_.give_back(taken.slots);
  few.count = few.positions[reference];
  few.references = reference;
  few.refused = true;
  few.alike = false;
}

// From the ends of the ways there to the begins of those back.
template <class Lines>
template <bool kAlike>
inline void SmallMeshReservations<Lines>::visit_modules(Few& few) {
  std::uint64_t* const modules = modules_.words();
  const Cycle now = few.now;
  const Cycle queue = module_queue_;
  const Cycle hop = hop_;
  Offset waited = 0;
  Cycle waited_at_modules;
#pragma GCC unroll 8
  for (std::size_t k = 0; k < (kAlike ? kFew : few.references); ++k) {
    ModulePort& port = *few.ports[k];
    const Cycle arrival = now + Cycle(few.ends[k] + port.there.cycles);
    std::uint64_t* word = modules + ModuleTimetable::word(port.module, arrival);
    std::uint64_t free = ~*word >> ModuleTimetable::place_in_word(arrival);
    Cycle waits;
    if (free == 0) [[unlikely]] {
      waits = ModuleTimetable::kWordCycles - arrival % ModuleTimetable::kWordCycles;
      word = modules + ModuleTimetable::word(port.module, arrival + waits);
      free = ~*word;
    }
    waits += Cycle(static_cast<std::uint64_t>(std::countr_zero(free)));
    if (waits > queue || free == 0) [[unlikely]] {
      waits = modules_.first_free(port.module, arrival) - arrival;
      if (waits > queue) {
        refuse(few, k, 2);
        break;
      }
      word = modules + ModuleTimetable::word(port.module, arrival + waits);
    }
    *word |= std::uint64_t{1} << ModuleTimetable::place_in_word(arrival + waits);
    waited += few.ends[k] - few.begins[k];
    waited_at_modules += waits;
    ++port.sent;
    few.begins[k] = (arrival + waits + hop - now).count();
  }
  waited_ += Cycle(waited);
  waited_at_modules_ += waited_at_modules;
}

template <class Lines>
template <bool kAlike>
inline void SmallMeshReservations<Lines>::come_back(Few& few, SlotIssue& issue) {
  pass_lines<Leg::kRowBack, kAlike>(few);
  pass_lines<Leg::kColumnBack, kAlike>(few);
  const Cycle now = few.now;
  const Cycle time = issue.time;
  const std::uint64_t mask = issue.ring_mask;
  Offset waited = 0;
#pragma GCC unroll 8
  for (std::size_t k = 0; k < (kAlike ? kFew : few.references); ++k) {
    Cycle& back = issue.ring[(time + Cycle(few.positions[k])).count() & mask];
    back = Cycle(0);
    if (!kAlike && few.silent[k]) continue;
    waited += few.ends[k] - few.begins[k];
    back = now + Cycle(few.ends[k] + few.ports[k]->back.cycles);
    ++few.ports[k]->answered;
  }
  waited_ += Cycle(waited);
}

// To the modules and back. Whoever finds no room makes those before it unlike.
template <class Lines>
inline void SmallMeshReservations<Lines>::pass_few(Few& few, SlotIssue& issue) {
  const auto choose = [&](auto&& pass) {
    if (few.alike) [[likely]] {
      pass(std::true_type());
    } else {
      pass(std::false_type());
    }
  };
  slowly_taken_.clear();
  choose([&](auto alike) { pass_lines<Leg::kRowThere, alike>(few); });
  choose([&](auto alike) { pass_lines<Leg::kColumnThere, alike>(few); });
  choose([&](auto alike) { visit_modules<alike>(few); });
  turn_[issue.backend] = plane_after(few.plane, few.references);
  if (few.wants_replies) {
    choose([&](auto alike) { come_back<alike>(few, issue); });
  } else {
    for (std::size_t k = 0; k < few.references; ++k)
      issue.ring[issue.slot_of(issue.time + Cycle(few.positions[k]))] = Cycle(0);
  }
}

template <class Lines>
inline void SmallMeshReservations<Lines>::issue_inline(SlotIssue& issue) {
  make_room(issue.end + hop_);
  // Waves have to be waited for, or replies are needed before a few others have gone: both rare.
  const bool alone = issue.now + hop_ < last_floor_ || issue.segment < Cycle(kFew);
  while (!issue.is_over()) {
    if (alone) {
      issue_one(issue);
      continue;
    }
    Few few;
    begin_few(issue, few);
    if (few.count == 0) {
      issue.wait_for_reply();
      continue;
    }
    if (few.references != 0) pass_few(few, issue);
    issue.go_on(few.count);
    std::size_t& at_once = at_once_[issue.backend];
    at_once = few.refused ? 1 : std::min(at_once * 2, kFew);
    if (few.refused) issue.wait_for_network();
  }
}

// Versions are made of plain functions.
RADDLE_HOST_VERSIONS void issue_by_versions(SmallMeshReservations<ShortLines>& reservations,
                                            SlotIssue& issue) {
  reservations.issue_inline(issue);
}
RADDLE_HOST_VERSIONS void issue_by_versions(SmallMeshReservations<LongLines>& reservations,
                                            SlotIssue& issue) {
  reservations.issue_inline(issue);
}

template <class Lines>
void SmallMeshReservations<Lines>::issue(SlotIssue& issue) {
  issue_by_versions(*this, issue);
}

}  // namespace

std::unique_ptr<SlotReservations> make_small_mesh_reservations(const TpaParameters& parameters) {
  if (SmallMeshReservations<ShortLines>::fits(parameters))
    return std::make_unique<SmallMeshReservations<ShortLines>>(parameters);
  if (SmallMeshReservations<LongLines>::fits(parameters))
    return std::make_unique<SmallMeshReservations<LongLines>>(parameters);
  return nullptr;
}

}  // namespace raddle::machine::tpa

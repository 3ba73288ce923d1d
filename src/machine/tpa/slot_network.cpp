#include "machine/tpa/slot_network.h"

#include <algorithm>
#include <bit>

namespace raddle::machine::tpa {

// How a network is laid out: any way, or the default one, of 4 x 4 routers in two planes, whose
// numbers the compiler knows.
struct SlotNetwork::AnyLayout {
  std::uint64_t hop, planes;  // planes: as a part of an origin, as is the step
  std::uint64_t plane_step;
  std::uint32_t diagonal_bits, module_bits;

  std::uint64_t plane_mask() const { return (std::uint64_t{1} << diagonal_bits) - 1; }
  std::uint64_t plane_behind(std::uint64_t plane) const {
    return plane + plane_step == planes ? 0 : plane + plane_step;
  }
  std::uint64_t module_word(std::uint64_t time) const {
    return (time / 64 % ModuleTimetable::kWords) << module_bits;
  }
  bool operator==(const AnyLayout&) const = default;
};

struct SlotNetwork::DefaultLayout {
  static constexpr std::uint64_t hop = 1, planes = 32, plane_step = 16;
  static constexpr std::uint32_t diagonal_bits = 5, module_bits = 4;

  static constexpr std::uint64_t plane_mask() { return (std::uint64_t{1} << diagonal_bits) - 1; }
  static constexpr std::uint64_t plane_behind(std::uint64_t plane) { return plane ^ plane_step; }
  static constexpr std::uint64_t module_word(std::uint64_t time) {
    return time >> (6 - module_bits) & (ModuleTimetable::kWords - 1) << module_bits;
  }
};

SlotNetwork::AnyLayout SlotNetwork::layout() const {
  const std::uint64_t step = std::uint64_t{1} << ways_.plane_bits();
  return {hop_, planes_ * step, step, ways_.diagonal_bits(), modules_.bits()};
}

SlotNetwork::SlotNetwork(const TpaParameters& p)
    : backends_(p.back.count),
      planes_(p.planes),
      queue_(p.queue),
      module_queue_(p.module_queue),
      hop_(p.hop_cycles),
      ways_(p.mesh_width, p.back.count / p.mesh_width, p.hop_cycles, planes_),
      requests_(ways_),
      replies_(ways_),
      modules_(backends_),
      turn_(backends_),
      held_(backends_),
      held_limit_(std::size_t{p.queue} * 4),
      waves_of_(backends_),
      wave_time_(backends_),
      floor_(backends_),
      sent_(std::size_t{backends_} * backends_) {
  constexpr DefaultLayout kDefault;
  is_default_ = layout() == AnyLayout{kDefault.hop, kDefault.planes, kDefault.plane_step,
                                      kDefault.diagonal_bits, kDefault.module_bits};
}

// What the reserving of a backend's references looks at, as copies near at hand: the compiler need
// not look again after each write to a timetable.
template <class Layout>
struct SlotNetwork::Port {
  Layout layout;
  const LinkWay* there;  // by module
  const LinkWay* back;
  LinkTimetable::View requests, replies;
  std::uint64_t* modules;
  const std::uint64_t* floor;
  std::array<std::uint64_t, 2>* sent;
  std::uint64_t queue, module_queue;
  std::uint64_t plane;  // as a part of an origin
  std::uint64_t waited = 0, waited_at_modules = 0;

  // Of a way that begins then.
  std::uint64_t origin(const LinkTimetable::View& view, std::uint64_t begin) const {
    return (begin - view.base) << layout.diagonal_bits;
  }
};

template <class Layout>
inline SlotNetwork::Port<Layout> SlotNetwork::port_of(std::uint32_t backend, Layout layout,
                                                      std::uint64_t end) {
  requests_.make_room(end + hop_);
  Port<Layout> port;
  port.layout = layout;
  port.there = ways_.from(backend);
  port.back = ways_.to(backend);
  port.requests = requests_.view();
  port.replies = replies_.view();
  port.modules = modules_.words();
  port.floor = floor_.data();
  port.sent = &sent_[std::size_t{backend} * backends_];
  port.queue = queue_;
  port.module_queue = module_queue_;
  port.plane = turn_[backend] * layout.plane_step;
  return port;
}

template <class Layout>
void SlotNetwork::close_port(const Port<Layout>& port, std::uint32_t backend) {
  turn_[backend] = static_cast<std::uint32_t>(port.plane / port.layout.plane_step);
  waited_ += port.waited;
  waited_at_modules_ += port.waited_at_modules;
}

// The first free cycle of a module for what arrives at it, which is taken; kRefused if that is too
// far away.
template <class Layout>
[[gnu::always_inline]] inline std::uint64_t SlotNetwork::serve(Port<Layout>& port,
                                                               std::uint32_t module,
                                                               std::uint64_t arrival) {
  const std::uint64_t time = std::max(arrival, port.floor[module]);
  std::uint64_t* const word = port.modules + port.layout.module_word(time) + module;
  const std::uint64_t free = ~*word >> time % 64;
  const bool far = free == 0;  // the next free cycle is in another word
  const std::uint64_t served = far ? modules_.first_free(module, time)
                                   : time + static_cast<std::uint64_t>(std::countr_zero(free));
  if (served - time > port.module_queue) [[unlikely]]
    return kRefused;
  if (far) {
    modules_.take(module, served);
  } else {
    *word |= std::uint64_t{1} << served % 64;
  }
  port.waited_at_modules += served - time;
  return served;
}

// When the reply to what is served then is back.
template <class Layout>
[[gnu::always_inline]] inline std::uint64_t SlotNetwork::reply(Port<Layout>& port,
                                                               std::uint32_t module,
                                                               std::uint64_t plane,
                                                               std::uint64_t served) {
  const Layout& layout = port.layout;
  const LinkWay& way = port.back[module];
  const std::uint64_t begin = served + layout.hop;
  const std::uint64_t origin = port.origin(port.replies, begin) + plane;
  if (begin < port.replies.end) [[likely]] {
    const QuickPass pass = QuickPass::find(port.replies.taken, layout.diagonal_bits, way, origin);
    if (pass.is_right()) [[likely]] {
      pass.take(layout.diagonal_bits);
      port.waited += pass.waited();
      return begin + way.cycles + pass.waited();
    }
  }
  const std::uint64_t end = replies_.find(way, origin, begin, LinkTimetable::kRefused);
  port.replies = replies_.view();
  replies_.take_found();
  port.waited += end - begin - way.cycles;
  return end;
}

template <class Layout>
inline SlotNetwork::Times SlotNetwork::reserve_at(Port<Layout>& port, IssueItem item,
                                                  std::uint64_t now) {
  const Layout& layout = port.layout;
  const std::uint32_t module = item & kModuleMask;
  const LinkWay& way = port.there[module];
  const std::uint64_t start = now + layout.hop;
  const std::uint64_t plane = port.plane;
  const std::uint64_t origin = port.origin(port.requests, start) + plane;
  const QuickPass pass = QuickPass::find(port.requests.taken, layout.diagonal_bits, way, origin);
  const bool quick = pass.is_right() && port.queue != 0;
  std::uint64_t arrival = start + way.cycles + pass.waited();
  if (!quick) {
    arrival = requests_.find(way, origin, start, port.queue);
    port.requests = requests_.view();
    if (arrival == LinkTimetable::kRefused) return {};
  }
  const std::uint64_t served = serve(port, module, arrival);
  if (served == kRefused) return {};
  if (quick) {
    pass.take(layout.diagonal_bits);
  } else {
    requests_.take_found();
  }
  port.waited += arrival - start - way.cycles;
  port.plane = layout.plane_behind(plane);
  const bool wants_reply = (item & kWantsReply) != 0;
  ++port.sent[module][wants_reply ? 1 : 0];
  return {served, wants_reply ? reply(port, module, plane, served) : 0};
}

// A backend's references of a few cycles: all to their modules, then
// through them, then back, so that the computer has short loops to look ahead in. Gives back how
// many items have gone; none: the first has to wait.
template <class Layout>
inline std::size_t SlotNetwork::issue_few(Port<Layout>& port, const IssueItem* items,
                                          std::size_t count, const Issue& issue) {
  std::array<Reference, kFew> references;
  count = set_out(port, {items, count}, issue.now, references);
  count = serve_few(port, {items, count}, references);
  for (std::size_t i = 0; i < count; ++i) {
    const IssueItem item = items[i];
    if (item == kNoReference) continue;
    const std::uint32_t module = item & kModuleMask;
    std::uint64_t back = 0;
    if ((item & kWantsReply) != 0) {
      ++port.sent[module][1];
      back =
          reply(port, module, references[i].origin & port.layout.plane_mask(), references[i].time);
    } else {
      ++port.sent[module][0];
    }
    issue.ring[(issue.time + i) & issue.ring_mask] = back;
  }
  return count;
}

template <class Layout>
inline std::size_t SlotNetwork::set_out(Port<Layout>& port, std::span<const IssueItem> items,
                                        std::uint64_t now,
                                        std::array<Reference, kFew>& references) {
  const Layout layout = port.layout;
  const LinkWay* const ways = port.there;
  LineLinks* const taken = port.requests.taken;
  const std::uint64_t start = now + layout.hop;
  const std::uint64_t first = port.origin(port.requests, start);
  std::uint64_t plane = port.plane;
  std::uint64_t waited = 0;
  std::size_t i = 0;
  for (; i < items.size(); ++i) {
    const IssueItem item = items[i];
    if (item == kNoReference) continue;
    const LinkWay& way = ways[item & kModuleMask];
    const std::uint64_t origin = first + (i << layout.diagonal_bits) + plane;
    const QuickPass pass = QuickPass::find(taken, layout.diagonal_bits, way, origin);
    if (!pass.is_right()) [[unlikely]] {
      // The last one, as the timetable knows only of one what was found.
      const std::uint64_t arrival = requests_.find(way, origin, start + i, port.queue);
      port.requests = requests_.view();
      if (arrival == LinkTimetable::kRefused) break;
      requests_.take_found();
      waited += arrival - (start + i + way.cycles);
      references[i++] = {arrival, origin, 0, 0, true};
      plane = layout.plane_behind(plane);
      break;
    }
    pass.take(layout.diagonal_bits);
    waited += pass.waited();
    references[i] = {start + i + way.cycles + pass.waited(), origin, pass.row.first,
                     pass.column.first, false};
    plane = layout.plane_behind(plane);
  }
  port.plane = plane;
  port.waited += waited;
  return i;
}

template <class Layout>
inline std::size_t SlotNetwork::serve_few(Port<Layout>& port, std::span<const IssueItem> items,
                                          std::array<Reference, kFew>& references) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i] == kNoReference) continue;
    const std::uint64_t served = serve(port, items[i] & kModuleMask, references[i].time);
    if (served == kRefused) [[unlikely]] {
      port.plane = references[i].origin & port.layout.plane_mask();
      for (std::size_t j = i; j < items.size(); ++j)
        if (items[j] != kNoReference) take_back(port, items[j], references[j]);
      return i;
    }
    references[i].time = served;
  }
  return items.size();
}

// A reference that does not set out after all leaves its links.
template <class Layout>
void SlotNetwork::take_back(Port<Layout>& port, IssueItem item, const Reference& reference) {
  const LinkWay& way = port.there[item & kModuleMask];
  if (reference.long_wait) {
    requests_.leave_found();
    const std::uint64_t way_begins =
        port.requests.base + (reference.origin >> port.layout.diagonal_bits);
    port.waited -= reference.time - way_begins - way.cycles;
    return;
  }
  const std::size_t step = std::size_t{1} << port.layout.diagonal_bits;
  const auto leave = [&](const LineSegment& line, LineLinks first, std::uint64_t position) {
    const LineLinks second = line.links ^ first;
    port.requests.taken[position] &= ~first;
    port.requests.taken[position + step] &= ~second;
    return second != 0 ? 1U : 0U;
  };
  const std::uint64_t in_row = leave(way.row, reference.row, reference.origin + way.row.position);
  const std::uint64_t in_column =
      leave(way.column, reference.column, reference.origin + in_row * step + way.column.position);
  port.waited -= in_row + in_column;
}

SlotNetwork::Times SlotNetwork::reserve(std::uint32_t backend, IssueItem item, std::uint64_t now) {
  Port<AnyLayout> port = port_of(backend, layout(), now);
  const Times times = reserve_at(port, item, now);
  close_port(port, backend);
  return times;
}

void SlotNetwork::issue_open(Issue& issue) {
  if (is_default_) {
    issue_with(issue, DefaultLayout());
  } else {
    issue_with(issue, layout());
  }
}

template <class Layout>
void SlotNetwork::issue_with(Issue& issue, Layout layout) {
  Port<Layout> port = port_of(issue.backend, layout, issue.end);
  const std::uint64_t begun = issue.time;
  const IssueItem* next = issue.items.data();
  const IssueItem* const last = next + issue.items.size();
  const auto gone = [&](std::uint64_t items) {
    next += items;
    issue.time += items;
    issue.now += items;
  };
  // Replies to some are not needed before all of them have gone.
  const std::uint64_t most = port.queue == 0 ? 0 : std::min<std::uint64_t>(kFew, issue.segment);
  while (issue.now < issue.end && next != last) {
    const std::uint64_t left =
        std::min<std::uint64_t>(issue.end - issue.now, static_cast<std::uint64_t>(last - next));
    const std::uint64_t few = std::min(left, most);
    std::uint64_t ready = 0;
    while (ready < few && issue.due(ready) <= issue.now + ready) ++ready;
    const std::uint64_t issued = issue_few(port, next, ready, issue);
    gone(issued);
    if (issued != 0) continue;
    // The next one has to wait.
    if (issue.due(0) > issue.now) {
      const std::uint64_t until = std::min(issue.due(0), issue.end);
      issue.waited_reply += until - issue.now;
      issue.now = until;
      continue;
    }
    if (*next != kNoReference) {
      const Times times = reserve_at(port, *next, issue.now);
      if (times.served == kRefused) {
        ++issue.waited_network;
        ++issue.now;
        continue;
      }
      issue.ring[issue.time & issue.ring_mask] = times.back;
    }
    gone(1);
  }
  issue.items = {next, last};
  issue.issued += issue.time - begun;
  close_port(port, issue.backend);
}

SlotNetworkStats SlotNetwork::stats() const {
  SlotNetworkStats stats;
  stats.waited = waited_;
  stats.at_modules = waited_at_modules_;
  for (std::uint32_t backend = 0; backend < backends_; ++backend) {
    for (std::uint32_t module = 0; module < backends_; ++module) {
      const auto [without, with] = sent_[backend * backends_ + module];
      stats.references += without + with;
      stats.replies += with;
      stats.hops += (without + 2 * with) * ways_.between(backend, module).count;
    }
  }
  return stats;
}

std::vector<std::uint64_t> SlotNetwork::served_by_module() const {
  std::vector<std::uint64_t> served(backends_);
  for (std::size_t i = 0; i < sent_.size(); ++i) served[i % backends_] += sent_[i][0] + sent_[i][1];
  return served;
}

SlotNetwork::Times SlotNetwork::hold(std::uint32_t backend, Held held) {
  if (held_[backend].size() == held_limit_) return {};
  held_[backend].push_back(held);
  ++held_count_;
  return {kLater, 0};
}

// All backends have sent the wave: it reaches each module from the backend that is last, and behind
// every reference of the step.
std::uint64_t SlotNetwork::complete_wave() {
  std::uint64_t last = 0;
  for (std::uint32_t module = 0; module < backends_; ++module) {
    std::uint64_t there = modules_.last_taken(module) + 1;
    for (std::uint32_t b = 0; b < backends_; ++b) {
      const std::uint64_t hops = ways_.between(b, module).count + 1ULL;
      there = std::max(there, wave_time_[b] + hops * hop_);
    }
    floor_[module] = there;
    last = std::max(last, there);
  }
  ++complete_;
  waves_at_ = 0;
  return last;
}

void SlotNetwork::forget(std::uint64_t now) {
  requests_.forget(now);
  replies_.forget(now);
  modules_.forget(now);
}

std::uint64_t SlotNetwork::ModuleTimetable::last_taken(std::size_t module) const {
  for (std::uint64_t word_number = forgotten_ + kWords; word_number-- > forgotten_;) {
    const std::uint64_t taken = words_[word(module, word_number * 64)];
    if (taken != 0) return word_number * 64 + static_cast<std::uint64_t>(std::bit_width(taken)) - 1;
  }
  return 0;
}

void SlotNetwork::ModuleTimetable::forget(std::uint64_t now) {
  const std::uint64_t until = now / 64;  // the word of now is still in use
  if (until <= forgotten_) return;
  const std::uint64_t words = std::min(until - forgotten_, kWords);
  for (std::uint64_t i = 0; i < words; ++i)
    std::fill_n(words_.data() + word(0, (until - 1 - i) * 64), std::size_t{1} << bits_, 0);
  forgotten_ = until;
}

}  // namespace raddle::machine::tpa

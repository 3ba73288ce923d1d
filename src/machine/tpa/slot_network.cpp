#include "machine/tpa/slot_network.h"

#include <algorithm>
#include <bit>

namespace raddle::machine::tpa {

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
      sent_(std::size_t{backends_} * backends_) {}

// How a network is laid out: any way, or the default one, of 4 x 4 routers in two planes, whose
// numbers the compiler knows.
struct SlotNetwork::AnyLayout {
  std::uint64_t request_mask, reply_mask;  // of timetables' words
  std::uint64_t hop, planes;               // planes: as a part of an origin, as is the step
  std::uint64_t plane_step;
  std::uint32_t diagonal_bits, module_bits;

  bool operator==(const AnyLayout&) const = default;
};

namespace {

struct DefaultLayout {
  static constexpr std::uint64_t request_mask = 0x1fff, reply_mask = 0x1fff, hop = 1, planes = 32;
  static constexpr std::uint64_t plane_step = 16;
  static constexpr std::uint32_t diagonal_bits = 5, module_bits = 4;
};

}  // namespace

SlotNetwork::AnyLayout SlotNetwork::layout() {
  const std::uint64_t step = std::uint64_t{1} << ways_.plane_bits();
  return {requests_.view().mask, replies_.view().mask, hop_, planes_ * step, step,
          ways_.diagonal_bits(), modules_.bits()};
}

// What the reserving of a backend's references looks at, as copies near at hand: the compiler need
// not look again after each write to a timetable.
template <class Layout>
struct SlotNetwork::Port {
  Layout layout;
  const LinkWay* there;  // by module
  const LinkWay* back;
  LineLinks* requests;
  LineLinks* replies;
  std::uint64_t room;  // for replies that begin before and wait nowhere
  std::uint64_t* modules;
  const std::uint64_t* floor;
  std::array<std::uint64_t, 2>* sent;
  std::uint64_t queue, module_queue;
  std::uint64_t plane;  // as a part of an origin
  std::uint64_t waited = 0, waited_at_modules = 0;
  std::size_t grown;   // how often timetables had when this was made
  bool stale = false;  // they have since

  void look_for_growth(const LinkTimetable& requested, const LinkTimetable& replied) {
    stale = requested.times_grown() + replied.times_grown() != grown;
  }
};

template <class Layout>
inline SlotNetwork::Port<Layout> SlotNetwork::port_of(std::uint32_t backend, Layout layout) {
  Port<Layout> port;
  port.layout = layout;
  port.there = ways_.from(backend);
  port.back = ways_.to(backend);
  port.requests = requests_.view().taken;
  port.replies = replies_.view().taken;
  port.room = replies_.view().end;
  port.modules = modules_.words();
  port.floor = floor_.data();
  port.sent = &sent_[std::size_t{backend} * backends_];
  port.queue = queue_;
  port.module_queue = module_queue_;
  port.plane = turn_[backend] * layout.plane_step;
  port.grown = requests_.times_grown() + replies_.times_grown();
  return port;
}

template <class Layout>
void SlotNetwork::close_port(const Port<Layout>& port, std::uint32_t backend) {
  turn_[backend] = static_cast<std::uint32_t>(port.plane / port.layout.plane_step);
  waited_ += port.waited;
  waited_at_modules_ += port.waited_at_modules;
}

template <class Layout>
[[gnu::always_inline]] inline SlotNetwork::Times SlotNetwork::reserve_at(Port<Layout>& port,
                                                                         IssueItem item,
                                                                         std::uint64_t now) {
  const Layout& layout = port.layout;
  const std::uint32_t module = item & kModuleMask;
  const LinkWay& there = port.there[module];
  const std::uint64_t start = now + layout.hop;
  const std::uint64_t origin = (start << layout.diagonal_bits) + port.plane;
  LineLinks* const row = port.requests + ((origin + there.row.position) & layout.request_mask);
  LineLinks* const column =
      port.requests + ((origin + there.column.position) & layout.request_mask);
  const bool waits = ((*row & there.row.links) | (*column & there.column.links)) != 0;
  std::uint64_t arrival = start + there.cycles;
  std::uint64_t waited = 0;
  if (waits) {
    const std::uint64_t later = requests_.find(there, origin, start, port.queue);
    port.look_for_growth(requests_, replies_);
    if (later == LinkTimetable::kRefused) return {};
    waited = later - arrival;
    arrival = later;
  }
  const std::uint64_t time = std::max(arrival, port.floor[module]);
  std::uint64_t* const word =
      port.modules + ((time / 64 % ModuleTimetable::kWords) << layout.module_bits) + module;
  const std::uint64_t free = ~*word >> time % 64;
  const bool far = free == 0;  // the next free cycle is in another word
  const std::uint64_t served = far ? modules_.first_free(module, time)
                                   : time + static_cast<std::uint64_t>(std::countr_zero(free));
  if (served - time > port.module_queue) return {};
  if (waits) {
    requests_.take_found();
    port.waited += waited;
  } else {
    *row |= there.row.links;
    *column |= there.column.links;
  }
  if (far) {
    modules_.take(module, served);
  } else {
    *word |= std::uint64_t{1} << served % 64;
  }
  port.waited_at_modules += served - time;
  const std::uint64_t plane = port.plane;
  port.plane = plane + layout.plane_step == layout.planes ? 0 : plane + layout.plane_step;
  if ((item & kWantsReply) == 0) {
    ++port.sent[module][0];
    return {served, 0};
  }
  ++port.sent[module][1];
  const LinkWay& back = port.back[module];
  const std::uint64_t begin = served + layout.hop;
  const std::uint64_t origin_back = (begin << layout.diagonal_bits) + plane;
  if (begin < port.room) [[likely]] {
    LineLinks* const row_back =
        port.replies + ((origin_back + back.row.position) & layout.reply_mask);
    LineLinks* const column_back =
        port.replies + ((origin_back + back.column.position) & layout.reply_mask);
    if (((*row_back & back.row.links) | (*column_back & back.column.links)) == 0) [[likely]] {
      *row_back |= back.row.links;
      *column_back |= back.column.links;
      return {served, begin + back.cycles};
    }
  }
  const std::uint64_t end = replies_.find(back, origin_back, begin, LinkTimetable::kRefused);
  port.look_for_growth(requests_, replies_);
  replies_.take_found();
  port.waited += end - begin - back.cycles;
  return {served, end};
}

SlotNetwork::Times SlotNetwork::reserve(std::uint32_t backend, IssueItem item, std::uint64_t now) {
  Port<AnyLayout> port = port_of(backend, layout());
  const Times times = reserve_at(port, item, now);
  close_port(port, backend);
  return times;
}

// Timetables that have grown lie elsewhere, and are no default ones any more.
void SlotNetwork::issue_open(Issue& issue) {
  constexpr DefaultLayout kDefault;
  constexpr AnyLayout kKnown = {kDefault.request_mask, kDefault.reply_mask, kDefault.hop,
                                kDefault.planes,       kDefault.plane_step, kDefault.diagonal_bits,
                                kDefault.module_bits};
  while (issue.now < issue.end && !issue.items.empty()) {
    if (layout() == kKnown) {
      issue_with(issue, kDefault);
    } else {
      issue_with(issue, layout());
    }
  }
}

template <class Layout>
void SlotNetwork::issue_with(Issue& issue, Layout layout) {
  Port<Layout> port = port_of(issue.backend, layout);
  const IssueItem* next = issue.items.data();
  const IssueItem* const last = next + issue.items.size();
  std::uint64_t* const ring = issue.ring;
  const std::uint64_t mask = issue.ring_mask;
  const std::uint64_t segment = issue.segment;
  const std::uint64_t end = issue.end;
  std::uint64_t time = issue.time;
  std::uint64_t now = issue.now;
  std::uint64_t waited_reply = 0;
  std::uint64_t waited_network = 0;
  while (now < end && next != last && !port.stale) {
    const std::uint64_t due = ring[(time - segment) & mask];
    if (due > now) [[unlikely]] {
      const std::uint64_t until = std::min(due, end);
      waited_reply += until - now;
      now = until;
      continue;
    }
    const IssueItem item = *next;
    if (item != kNoReference) {
      const Times times = reserve_at(port, item, now);
      if (times.served == kRefused) {
        ++waited_network;
        ++now;
        continue;
      }
      ring[time & mask] = times.back;
    }
    ++next;
    ++time;
    ++now;
  }
  issue.items = {next, last};
  issue.issued += time - issue.time;
  issue.time = time;
  issue.now = now;
  issue.waited_reply += waited_reply;
  issue.waited_network += waited_network;
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

// What one execution of a data-driven program leaves behind: its threads in the order in which they
// ran, each with the lines of memory it touched and the time between them, and the graph that
// connects them. Simulated machines replay it under any configuration; nothing in it depends on
// host addresses. Plain arrays: a list that belongs to a thread is a range of one array of all.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

namespace raddle::ddm::recording {

inline constexpr std::uint32_t kTicksPerCycle = 6;  // halves and thirds of a cycle are whole
inline constexpr std::uint32_t kLineBytes = 32;

enum class Touch : std::uint8_t {
  kLoad,
  kStore,
  kFetch,  // of instructions
  kNone,   // time goes on
};

// After `ticks` of computation, the thread touches a line. Touches that hit the line that its set
// of a 4 KB direct-mapped cache touched last are left out: they hit in any larger LRU cache with as
// many sets or more, and change nothing there.
struct Event {
  static constexpr std::uint32_t kMaxTicks = (1u << 30) - 1;

  std::uint32_t line = 0;  // address / kLineBytes
  std::uint32_t ticks_and_touch = 0;

  static Event make(std::uint32_t line, std::uint32_t ticks, Touch touch) {
    return {line, ticks << 2 | static_cast<std::uint32_t>(touch)};
  }
  std::uint32_t ticks() const { return ticks_and_touch >> 2; }
  Touch touch() const { return static_cast<Touch>(ticks_and_touch & 3u); }
};

struct Region {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

// A thread reads what another one wrote; or, if `initial`, what was there before any thread ran and
// the other one touched first.
struct Flow {
  std::uint32_t producer = 0;
  std::uint32_t initial = 0;
  Region region;
};

struct Range {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

template <class T>
std::span<const T> part(const std::vector<T>& all, Range range) {
  return std::span(all).subspan(range.first, range.count);
}

// One execution of a thread of a code block.
struct Thread {
  std::uint32_t thread_template = 0;  // of Recording::templates
  std::uint32_t block = 0;            // of Recording::blocks
  std::uint64_t index = 0;            // iteration number
  std::uint64_t instructions = 0;
  std::uint64_t references = 0;  // loads and stores, also those that the events leave out
  std::uint64_t last_ticks = 0;  // computation after the last event
  Range events;                  // of Recording::events
  Range consumers;  // of Recording::consumers: threads whose ready count this one decrements
  Range inputs;     // of Recording::inputs: what it declared that it reads
  Range flows;      // of Recording::flows: what it read of others
};

enum class TemplateKind : std::uint32_t {
  kPlain,
  kInlet,
  kOutlet,
  kSwitch,
  kJoin,  // no code: all its producers come before all its consumers
};

struct Template {
  std::string name;
  TemplateKind kind = TemplateKind::kPlain;
};

// One invocation (context) of a code block.
struct Block {
  std::string name;
  std::uint32_t templates = 0;  // that its inlet thread loads
};

// Where each thread runs on a machine of so many nodes.
struct Placement {
  std::uint32_t nodes = 1;
  std::vector<std::uint32_t> node_of;  // by thread
};

struct Recording {
  std::string program;
  std::vector<Template> templates;
  std::vector<Block> blocks;
  std::vector<Thread> threads;
  std::vector<Event> events;
  std::vector<std::uint32_t> consumers;
  std::vector<Region> inputs;
  std::vector<Flow> flows;
  std::vector<Placement> placements;

  std::uint64_t instructions() const;
  std::uint64_t references() const;
  // Nothing: no such number of nodes was recorded.
  const Placement* placement(std::uint32_t nodes) const;
};

void write(std::ostream& out, const Recording& recording);
// Throws std::runtime_error where the bytes are no whole recording of this version.
Recording read(std::istream& in);

}  // namespace raddle::ddm::recording

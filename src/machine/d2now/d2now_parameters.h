// The Data-Driven Network of Workstations as numbers: machines/d2now.toml, checked. All times are
// in ticks, of which a cycle of the processor has kTicksPerCycle, so that units with other clocks
// need no fractions.
#pragma once

#include <cstdint>

#include "ddm/recording/recording.h"
#include "machine/parameters.h"

namespace raddle::machine::d2now {

using Ticks = std::uint64_t;
using ddm::recording::kTicksPerCycle;

inline constexpr Ticks kForever = ~Ticks{0};

constexpr Ticks cycles_to_ticks(std::uint64_t cycles) { return cycles * kTicksPerCycle; }

struct CacheShape {
  std::uint32_t bytes = 0;
  std::uint32_t ways = 0;
};

// The processor's side: caches, bus and memory.
struct MemoryParameters {
  bool perfect = false;  // every access hits
  CacheShape l1_data, l1_code, l2;
  Ticks l2_hit = 0;                // what an L1 miss that hits the L2 costs the processor
  Ticks miss = 0;                  // what an L2 miss costs it, on an idle bus
  Ticks bus_line = 0;              // the bus is taken by a line
  Ticks bus_word = 0;              // … by a single value
  Ticks bus_snoop = 0;             // … by the question whether a line is cached
  std::uint32_t fill_buffers = 0;  // stores that miss and do not stop the processor
};

// What the processor does itself to go from thread to thread.
struct SequencingParameters {
  Ticks fetch = 0;          // reads of the firing queue, and the jump
  Ticks acknowledge = 0;    // write to the acknowledgement queue
  Ticks send_value = 0;     // a single value handed to the TSU
  Ticks send_block = 0;     // a block's address and size handed to the NIU
  Ticks load_template = 0;  // an inlet thread loads one template
};

struct TsuParameters {
  Ticks acknowledge = 0;     // PPU: takes a completed thread from the AQ and looks up its consumers
  Ticks decrement = 0;       // PPU: one consumer's ready count
  Ticks issue = 0;           // TIU: a thread from the WQ to the FQ
  Ticks lookup_address = 0;  // TIU: one address of a thread's data
  Ticks packet = 0;          // NIU: a packet sent or received
  Ticks overflow = 0;        // an access to a count that did not fit and lies in memory
  std::uint32_t firing_queue = 0;
  std::uint32_t acknowledgement_queue = 0;
  std::uint32_t waiting_queue = 0;
  std::uint32_t temporary_buffer = 0;
  std::uint32_t graph_memory = 0;            // templates
  std::uint32_t synchronization_memory = 0;  // ready counts
};

enum class ShiftPolicy : std::uint8_t {
  kAtStart,       // a thread enters the firing queue when its prefetch begins
  kAtCompletion,  // … when its data is there
};

struct CacheFlowParameters {
  bool prefetch = false;
  ShiftPolicy shift = ShiftPolicy::kAtCompletion;
  bool avoid_conflicts = false;
  bool reorder = false;
  std::uint32_t prefetches_at_once = 0;  // lines on their way
};

struct NetworkParameters {
  bool blocks = false;        // medium-grain transfers
  bool ethernet = false;      // coarse-grain transfers
  bool send_initial = false;  // data that no thread made has to be sent
  std::uint32_t value_bytes = 0;
  std::uint32_t ethernet_threshold = 0;  // bytes; more than these go by Ethernet
  Ticks latency = 0;                     // of a packet, without those in front of it
  Ticks value_packet = 0;                // a link is taken by a packet with a value
  Ticks block_word = 0;                  // … by each value of a block
  Ticks block_setup = 0;                 // the NIU's processor prepares a block
  Ticks ethernet_latency = 0;
  double ethernet_byte = 0;  // ticks
};

struct D2nowParameters {
  explicit D2nowParameters(const ParameterTable& table);

  double clock_hz = 0;
  std::uint32_t nodes = 1;
  MemoryParameters memory;
  SequencingParameters sequencing;
  TsuParameters tsu;
  CacheFlowParameters cacheflow;
  NetworkParameters network;
};

}  // namespace raddle::machine::d2now

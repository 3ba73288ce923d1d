// The Data-Driven Network of Workstations as numbers: machines/d2now.toml, checked. All times are
// in ticks. Initial values are the defaults, in cycles of the processor.
#pragma once

#include <cstdint>

#include "machine/d2now/ticks.h"
#include "machine/parameter_binder.h"

namespace raddle::machine::d2now {

struct CacheShape {
  std::uint32_t bytes = 0;
  std::uint32_t ways = 0;
};

// The processor's side: caches, bus and memory.
struct MemoryParameters {
  bool perfect = false;  // every access hits
  CacheShape l1_data{16384, 4}, l1_code{16384, 4}, l2{262144, 4};
  Ticks l2_hit = 4 * kCycle;          // what an L1 miss that hits the L2 costs the processor
  Ticks miss = 60 * kCycle;           // what an L2 miss costs it, on an idle bus
  Ticks bus_line = 24 * kCycle;       // the bus is taken by a line
  Ticks bus_word = 6 * kCycle;        // … by a single value
  Ticks bus_snoop = 2 * kCycle;       // … by the question whether a line is cached
  std::uint32_t fill_buffers = 4;     // lines that the processor waits for at once
  std::uint32_t reorder_buffer = 40;  // instructions; loads among them miss together
  std::uint32_t kept_references = 0;  // that caches keep from thread to thread; 0: all
};

// What the processor does itself to go from thread to thread.
struct SequencingParameters {
  Ticks fetch = 18 * kCycle;         // reads of the firing queue, and the jump
  Ticks acknowledge = 4 * kCycle;    // write to the acknowledgement queue
  Ticks send_value = 6 * kCycle;     // a single value handed to the TSU
  Ticks send_block = 16 * kCycle;    // a block's address and size handed to the NIU
  Ticks load_template = 8 * kCycle;  // an inlet thread loads one template
};

struct TsuParameters {
  // PPU: takes a completed thread from the AQ and looks up its consumers
  Ticks acknowledge = 4 * kCycle;
  Ticks decrement = 4 * kCycle;   // PPU: one consumer's ready count
  Ticks issue = 4 * kCycle;       // TIU: a thread from the WQ to the FQ
  Ticks lookup_address = kCycle;  // TIU: one address of a thread's data
  Ticks packet = 4 * kCycle;      // NIU: a packet sent or received
  Ticks overflow = 40 * kCycle;   // an access to a count that did not fit and lies in memory
  std::uint32_t firing_queue = 16;
  std::uint32_t acknowledgement_queue = 16;
  std::uint32_t waiting_queue = 1024;
  std::uint32_t temporary_buffer = 16;
  std::uint32_t graph_memory = 1024;             // templates
  std::uint32_t synchronization_memory = 16384;  // ready counts
};

enum class ShiftPolicy : std::uint8_t {
  kAtStart,       // a thread enters the firing queue when its prefetch begins
  kAtCompletion,  // … when its data is there
};

struct CacheFlowParameters {
  bool prefetch = true;
  ShiftPolicy shift = ShiftPolicy::kAtCompletion;
  bool avoid_conflicts = true;
  bool reorder = true;
  std::uint32_t prefetches_at_once = 8;  // lines on their way
};

struct NetworkParameters {
  bool blocks = true;         // medium-grain transfers
  bool ethernet = true;       // coarse-grain transfers
  bool broadcast = true;      // Ethernet reaches all nodes with one transmission
  bool send_initial = false;  // data that no thread produced has to be sent
  ShortBytes value_bytes{8};
  ShortBytes ethernet_threshold{384};  // bytes; more than these go by Ethernet
  Ticks latency = 40 * kCycle;         // of a packet, without those in front of it
  Ticks value_packet = 24 * kCycle;    // a link is taken by a packet with a value
  Ticks block_word = 24 * kCycle;      // … by each value of a block
  Ticks block_setup = 40 * kCycle;     // the NIU's processor prepares a block
  Ticks ethernet_latency = 800 * kCycle;
  double ethernet_byte = 0;  // ticks
};

struct D2nowParameters {
  explicit D2nowParameters(const ParameterBinder& p);

  double clock_hz = 800e6;
  std::uint32_t nodes = 32;
  MemoryParameters memory;
  SequencingParameters sequencing;
  TsuParameters tsu;
  CacheFlowParameters cacheflow;
  NetworkParameters network;
};

}  // namespace raddle::machine::d2now

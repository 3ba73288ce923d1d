// The dataflow graph of a piece of a kernel, as the fabric executes it: one node for each operation
// that takes a unit of the grid, one edge for each value (or order) that goes from one to another.
// Every thread that runs the piece sends one token along every edge. Edges between threads go
// through elevator nodes, which give a token to a later thread. Threads are counted by their place
// in the order in which they are injected, their sequence number.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace raddle::machine::cgra {

// What the grid has units of (dmt-cgra, Table 2). kPort is not a unit of the grid: the place where
// threads are injected, and to which they report how they leave.
enum class UnitClass : std::uint8_t {
  kAlu,
  kFpu,
  kSpecial,
  kLoadStore,
  kSplitJoin,
  kControl,
  kPort
};
inline constexpr std::size_t kUnitClasses = 6;  // of the grid
std::string_view name_of(UnitClass unit);       // "ALU", "FPU" …

enum class NodeKind : std::uint8_t {
  kSource,       // injects threads: their coordinates, and the trigger of what has no other input
  kCompute,      // arithmetic, logic, comparisons, selections
  kMemory,       // a load, store or atomic of a thread
  kReceiveLoad,  // an eLDST: loads, or takes what another thread loaded
  kLiveIn,       // reads a value that an earlier piece left in the live-value cache
  kLiveOut,      // leaves one there
  kJoin,         // waits for the order tokens of several memory operations
  kElevator,     // gives a token to the thread `shift` places later; a shift of 0 only buffers
  kExit,         // tells the injector where the thread goes on
};
std::string_view name_of(NodeKind kind);

// The memory that a node of kind kMemory goes to.
enum class MemoryPort : std::uint8_t { kNone, kGlobal, kShared, kLocal, kConstant, kTexture };

struct Input {
  std::uint32_t from = 0;  // the node that sends the token
  // The order of two memory operations or a trigger: no value goes with it.
  bool control = false;
  // An elevator's data: the token of sequence number q is the operand of thread q + shift.
  std::int32_t shift = 0;
  bool operator==(const Input&) const = default;
};

// That go round together in a loop that stays on the grid: a warp.
inline constexpr std::uint32_t kTurnThreads = 32;

inline constexpr std::uint32_t kNoAccess = 0xffffffffu;

struct Node {
  NodeKind kind = NodeKind::kCompute;
  UnitClass unit = UnitClass::kAlu;
  Cycle latency{1};           // from firing to the token on the first link
  Cycle interval{1};          // from one firing to the next
  Cycle unit_cycles{1};       // of an operation, on all units that share it (joint_units.h)
  std::vector<Input> inputs;  // one token of each for a firing
  // kMemory and kReceiveLoad: which of the graph's accesses this is; kLiveIn and kLiveOut: the
  // number of the live value.
  std::uint32_t number = 0;
  // kLiveOut: which of the graph's accesses says whether a thread writes the value; kNoAccess: all.
  std::uint32_t guard_access = kNoAccess;
  std::uint32_t receive = 0;  // kElevator, kReceiveLoad, kLiveIn of a loop: which of the receives
  // kReceiveLoad: what thread q got goes to thread q + loop_shift. kLiveIn of a loop that stays:
  // the same, or, where it has a second input, what that brings.
  std::int32_t loop_shift = 0;
  MemoryPort port = MemoryPort::kNone;
  bool writes = false;     // kMemory: a store
  bool atomic = false;     // kMemory
  std::uint8_t bytes = 4;  // of a value, or of an access by one thread
  // kElevator: the last of a cascade. Its second input is the trigger of the receiving thread, and
  // threads that nobody sends to get the constant. Others only pass tokens on.
  bool delivers = true;
  std::uint32_t location = 0;  // Module::locations
  std::string label;           // "fma.f32", for people
  std::string channel = {};    // of a receive: what the program calls it, where it has a name
};

struct DataflowGraph {
  std::string name;         // "kernel, block 2", for people
  std::vector<Node> nodes;  // [0] is the source; inputs come from earlier nodes but for elevators'
                            // data and what closes a recurrence
  std::uint32_t accesses = 0;  // memory nodes, numbered from 0
  std::uint32_t receives = 0;  // receives from other threads, numbered from 0
  std::uint32_t live_ins = 0;
  std::uint32_t live_outs = 0;
  // Threads communicate: all threads of a block are injected one after the other into one replica.
  bool whole_blocks = false;
  std::uint32_t most_copies = ~0u;  // more would never have threads at the same time

  // A loop that stays on the grid (staying_loops.h): kTurnThreads go round one after the other,
  // each turn of a thread with a sequence number of its own.
  bool stays = false;
  // Which of the accesses says whether a turn is the thread's last.
  std::uint32_t last_turn_access = kNoAccess;

  // What the injector computes for all threads of a group before the first one enters.
  Cycle uniform_cycles{0};

  std::array<std::uint32_t, kUnitClasses> units_needed() const;
};

// Cycles from one thread to the next that its units need.
Cycle longest_interval(const DataflowGraph& graph);

}  // namespace raddle::machine::cgra

// What is said when the threads of a fabric wait for each other and nothing can move.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "machine/cgra/compile/dataflow_graph.h"

namespace raddle::machine::cgra {

// A thread that waits in a unit.
struct FabricWait {
  enum class For : std::uint8_t {
    kInput,  // its token of input `input` has not come
    kLoop,   // what thread `other` of a kReceiveLoad got has not come
    kRoom,   // the units behind take no token
  };
  std::uint32_t replica = 0;
  std::uint32_t node = 0;
  std::uint32_t thread = 0;  // its place in the order of injection
  For what = For::kInput;
  std::uint32_t input = 0;
  std::uint32_t other = 0;  // kInput, kLoop: the thread that sends it
};

// One sentence with the first few of them; "thread 3 waits at node 4 (add.f32) for input 1 …".
std::string describe(std::span<const FabricWait> waits, const DataflowGraph& graph);

}  // namespace raddle::machine::cgra

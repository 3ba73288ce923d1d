// A dataflow graph and its mapping as flat arrays of units, ports and edges for the cycle loop.
// Unit r · nodes + n carries out node n of replica r.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/cgra/fabric/fabric_parameters.h"
#include "machine/cgra/fabric/fabric_unit.h"
#include "machine/cgra/map/mapping.h"

namespace raddle::machine::cgra {

struct FabricLayout {
  FabricLayout(const DataflowGraph& graph, const Mapping& mapping,
               const FabricParameters& parameters);
  // Units, ports and edges point to each other.
  FabricLayout(const FabricLayout&) = delete;
  FabricLayout& operator=(const FabricLayout&) = delete;

  std::uint32_t slots;         // of a token buffer, a power of two
  std::uint32_t access_slots;  // of a load/store unit
  std::uint32_t nodes;
  std::uint32_t replicas;
  std::uint32_t uses_per_thread = 0;  // of its record
  Cycle longest_delay{1};             // of an edge or an interval
  std::vector<FabricUnit> units;
  std::vector<TokenPort> ports;
  std::vector<std::uint32_t> tags;  // of units that have some, by bit
  std::vector<TokenEdge> edges;
  std::vector<FabricToken> rings;

 private:
  void add_unit(const DataflowGraph& graph, std::uint32_t replica, std::uint32_t node);
  void connect_ports(const DataflowGraph& graph, const Mapping& mapping, Cycle hop_cycles);
  void place_tags();
  void connect_edges();
  void make_rings();
  void count_uses();
  void find_simple_units();
  void narrow_windows(const DataflowGraph& graph);
};

}  // namespace raddle::machine::cgra

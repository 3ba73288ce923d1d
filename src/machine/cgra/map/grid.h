// The grid of a fabric: tiles with one unit and one switch each, links between the switches of
// neighbouring tiles, and ports at the edge through which threads are injected and leave. A link
// has several tracks each way; a configured track carries the tokens of one net, and switches copy
// tokens to several links. Immutable; the same parameters always give the same grid.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "machine/cgra/compile/dataflow_graph.h"
#include "machine/cgra/map/unit_pattern.h"

namespace raddle::machine::cgra {

enum class Topology : std::uint8_t {
  kMesh,      // links to the four neighbours
  kTorus,     // a mesh whose rows and columns are rings
  kDiagonal,  // a mesh with links to the diagonal neighbours
  kExpress,   // a mesh with links to the tiles two away in the row and the column
};
std::string_view name_of(Topology topology);
std::optional<Topology> topology_of(std::string_view name);

struct GridParameters {
  UnitCounts units{32, 32, 12, 32, 16, 16};  // dmt-cgra, Table 2
  UnitModule module;                         // how they are laid out
  Topology topology = Topology::kExpress;
  std::uint32_t tracks = 4;  // of a link, each way
  // At the left and upper edge of a module, evenly; larger grids have more in the same distances.
  std::uint32_t ports = 8;
  Cycle hop_cycles{1};         // for a token over a link
  std::uint32_t replicas = 0;  // at most so many copies of a graph; 0: as many as fit
  std::uint64_t seed = 1;      // of the annealing
  std::uint32_t effort = 100;  // of the annealing, percent
};

struct Unit {
  UnitClass unit_class = UnitClass::kAlu;
  std::uint32_t tile = 0;
};

enum class Edge : std::uint8_t { kLeft, kUpper };

struct Port {
  Edge edge = Edge::kLeft;
  std::uint32_t tile = 0;  // whose switch it is connected to
};

// One way, between two vertices of the network.
struct Link {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

class Grid {
 public:
  // Throws Error for parameters that no grid can have.
  explicit Grid(const GridParameters& parameters);

  const GridParameters& parameters() const { return parameters_; }
  const UnitPattern& pattern() const { return pattern_; }
  std::uint32_t columns() const { return columns_; }
  std::uint32_t rows() const { return rows_; }
  std::uint32_t tiles() const { return columns_ * rows_; }  // numbered along the rows
  std::uint32_t column_of(std::uint32_t tile) const { return tile % columns_; }
  std::uint32_t row_of(std::uint32_t tile) const { return tile / columns_; }

  std::span<const Unit> units() const { return units_; }
  std::uint32_t unit_count(UnitClass unit) const {
    return parameters_.units[static_cast<std::size_t>(unit)];
  }
  std::span<const Port> ports() const { return ports_; }

  // The network: a vertex for every tile's switch, then one for every port.
  std::uint32_t vertices() const { return tiles() + static_cast<std::uint32_t>(ports_.size()); }
  bool is_port(std::uint32_t vertex) const { return vertex >= tiles(); }
  // Where tokens of a node enter and leave the network; `place` is a unit, or a port for kPort.
  std::uint32_t vertex_of(UnitClass unit, std::uint32_t place) const {
    return unit == UnitClass::kPort ? tiles() + place : units_[place].tile;
  }
  std::span<const Link> links() const { return links_; }
  // Those that leave a vertex are numbered from first_link(vertex) to before first_link(vertex +
  // 1).
  std::uint32_t first_link(std::uint32_t vertex) const { return first_link_[vertex]; }
  std::string describe_vertex(std::uint32_t vertex) const;  // "tile (3, 4)", "port 2"

 private:
  void make_units();
  void make_ports();
  void make_links();

  GridParameters parameters_;
  UnitPattern pattern_;
  std::uint32_t columns_ = 0;
  std::uint32_t rows_ = 0;
  std::vector<Unit> units_;
  std::vector<Port> ports_;
  std::vector<Link> links_;  // by the vertex they leave
  std::vector<std::uint32_t> first_link_;
};

}  // namespace raddle::machine::cgra

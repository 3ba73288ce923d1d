// Ways through meshes and tori.
#include "memory/mesh_topology.h"

#include <gtest/gtest.h>

namespace raddle::memory {
namespace {

TEST(MeshTopology, RoutesAlongTheRowFirst) {
  const MeshTopology mesh(4, 3, false);
  EXPECT_EQ(mesh.route(mesh.node(0, 0), mesh.node(2, 2)), MeshPort::kEast);
  EXPECT_EQ(mesh.route(mesh.node(2, 0), mesh.node(2, 2)), MeshPort::kSouth);
  EXPECT_EQ(mesh.route(mesh.node(2, 2), mesh.node(2, 2)), MeshPort::kLocal);
  EXPECT_EQ(mesh.route(mesh.node(3, 2), mesh.node(0, 0)), MeshPort::kWest);
  EXPECT_EQ(mesh.route(mesh.node(0, 2), mesh.node(0, 0)), MeshPort::kNorth);
  EXPECT_EQ(mesh.links(), 2U * (3 * 3 + 2 * 4));
}

TEST(MeshTopology, TakesTheShorterWayRoundATorus) {
  const MeshTopology torus(5, 4, true);
  EXPECT_EQ(torus.route(torus.node(0, 0), torus.node(3, 0)), MeshPort::kWest);
  EXPECT_EQ(torus.route(torus.node(0, 0), torus.node(2, 0)), MeshPort::kEast);
  EXPECT_EQ(torus.route(torus.node(0, 0), torus.node(0, 3)), MeshPort::kNorth);
  EXPECT_EQ(torus.route(torus.node(0, 0), torus.node(0, 2)), MeshPort::kSouth);  // as long
  EXPECT_EQ(torus.hops(torus.node(0, 0), torus.node(3, 3)), 2U + 1);
  EXPECT_EQ(torus.links(), 4U * 20);
}

TEST(MeshTopology, LeadsFromEverywhereToEverywhereInAsManyHopsAsItSays) {
  for (const bool is_torus : {false, true}) {
    const MeshTopology topology(5, 3, is_torus);
    for (std::uint32_t from = 0; from < topology.nodes(); ++from) {
      for (std::uint32_t to = 0; to < topology.nodes(); ++to) {
        std::uint32_t at = from;
        std::uint32_t hops = 0;
        while (at != to && hops < 100) {
          const MeshPort port = topology.route(at, to);
          const std::uint32_t next = topology.neighbour(at, port);
          EXPECT_EQ(topology.neighbour(next, opposite(port)), at);
          at = next;
          ++hops;
        }
        EXPECT_EQ(hops, topology.hops(from, to));
      }
    }
  }
}

}  // namespace
}  // namespace raddle::memory

// Latency, throughput, fairness and freedom from deadlock of the mesh and the torus.
#include "memory/mesh.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <string>

#include "base/error.h"
#include "memory/traffic.h"
#include "sim/engine.h"

namespace raddle::memory {
namespace {

using Packet = MeshPacket<std::uint64_t>;
using Taken = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // cycle, payload

MeshSpec grid(std::uint32_t width, std::uint32_t height, bool torus = false) {
  return {.width = width,
          .height = height,
          .torus = torus,
          .router_latency = Cycle(2),
          .link_latency = Cycle(3),
          .flit_bytes = 16,
          .most_packet_flits = 4,
          .buffer_flits = 12};
}

class TickedMesh : public Mesh<std::uint64_t> {
 public:
  using Mesh::Mesh;
  Cycle tick(Cycle now) override {
    ticks.push_back(now.count());
    return Mesh::tick(now);
  }
  std::vector<std::uint64_t> ticks;
};

class MeshRig {
 public:
  explicit MeshRig(const MeshSpec& spec, Cycle taker_interval = Cycle(0), std::size_t places = 1024)
      : clock_("clock", Hertz(1e9)), domain_(engine_.add_clock(clock_)) {
    std::vector<sim::Channel<Packet>*> in;
    std::vector<sim::Channel<std::uint64_t>*> out;
    for (std::uint32_t i = 0; i < spec.width * spec.height; ++i) {
      in.push_back(in_.emplace_back(std::make_unique<sim::Channel<Packet>>(places)).get());
      out.push_back(out_.emplace_back(std::make_unique<sim::Channel<std::uint64_t>>(places)).get());
    }
    mesh = std::make_unique<TickedMesh>("mesh", spec, in, out);
    engine_.add(*mesh, domain_);
    for (std::uint32_t i = 0; i < in.size(); ++i) {
      senders_.push_back(std::make_unique<Sender<Packet>>(*in[i]));
      takers_.push_back(std::make_unique<Taker<std::uint64_t>>(*out[i], taker_interval));
      engine_.add(*senders_.back(), domain_);
      engine_.add(*takers_.back(), domain_);
      in[i]->connect(*senders_.back(), *mesh);
      out[i]->connect(*mesh, *takers_.back());
    }
  }
  // The node's input sees the packet in this cycle.
  void see(std::uint64_t cycle, std::uint32_t from, std::uint32_t to, std::uint64_t payload,
           std::uint32_t flits = 1) {
    senders_[from]->at(Cycle(cycle - 1), {to, flits * 16, payload});
  }
  void run() {
    for (auto& sender : senders_) sender->wake(sender->first());
    engine_.run_until(sim::kEndOfTime);
  }
  // The cycles in which the mesh handed over, with the payloads.
  Taken handed_over(std::uint32_t node) const {
    Taken all = takers_[node]->taken;
    for (auto& [cycle, payload] : all) --cycle;
    return all;
  }

  std::unique_ptr<TickedMesh> mesh;

 private:
  std::vector<std::unique_ptr<sim::Channel<Packet>>> in_;
  std::vector<std::unique_ptr<sim::Channel<std::uint64_t>>> out_;
  std::vector<std::unique_ptr<Sender<Packet>>> senders_;
  std::vector<std::unique_ptr<Taker<std::uint64_t>>> takers_;
  sim::Clock clock_;
  sim::Engine engine_;
  sim::ClockDomain& domain_;
};

// --- Ways -----------------------------------------------------------------------------------------

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

// --- Latency --------------------------------------------------------------------------------------

TEST(Mesh, TakesRouterAndLinkForEveryHopAndACycleForEveryFurtherFlit) {
  for (const bool is_torus : {false, true}) {
    MeshRig rig(grid(4, 3, is_torus));
    std::map<std::uint32_t, Taken> expected;
    std::uint64_t cycle = 100;
    std::uint64_t flit_hops = 0;
    for (std::uint32_t from = 0; from < 12; ++from) {
      for (std::uint32_t to = 0; to < 12; ++to) {
        const std::uint32_t flits = 1 + (from + to) % 4;
        const std::uint32_t hops = rig.mesh->topology().hops(from, to);
        rig.see(cycle, from, to, cycle, flits);
        expected[to].emplace_back(cycle + hops * (2 + 3) + 2 + flits - 1, cycle);
        flit_hops += hops * flits;
        cycle += 100;
      }
    }
    rig.run();
    for (std::uint32_t to = 0; to < 12; ++to) EXPECT_EQ(rig.handed_over(to), expected[to]);
    EXPECT_EQ(rig.mesh->stats().packets, 144U);
    EXPECT_EQ(rig.mesh->stats().flit_hops, flit_hops);
    EXPECT_EQ(rig.mesh->stats().blocked_cycles, 0U);
  }
}

TEST(Mesh, SleepsBetweenEvents) {
  MeshRig rig(grid(4, 1));
  rig.see(100, 0, 3, 7, 4);
  rig.run();
  // The packet comes; it leaves each of four routers; its last flit has left.
  EXPECT_EQ(rig.mesh->ticks, (std::vector<std::uint64_t>{100, 102, 107, 112, 117, 120}));
}

TEST(Mesh, CountsWhatPassesEachLink) {
  MeshRig rig(grid(3, 2));
  rig.see(100, 0, 5, 7, 4);  // east, east, south
  rig.run();
  EXPECT_EQ(rig.mesh->link_flits(0, MeshPort::kEast), 4U);
  EXPECT_EQ(rig.mesh->link_flits(1, MeshPort::kEast), 4U);
  EXPECT_EQ(rig.mesh->link_flits(2, MeshPort::kSouth), 4U);
  EXPECT_EQ(rig.mesh->stats().flit_hops, 12U);
  EXPECT_EQ(rig.mesh->stats().average_latency(), 3 * 5 + 2 + 3);
  EXPECT_DOUBLE_EQ(rig.mesh->link_utilisation(Cycle(100)), 12.0 / (100 * 14));
}

// --- Throughput -----------------------------------------------------------------------------------

Taken every(std::uint64_t interval, std::uint64_t first, std::uint64_t count) {
  Taken all;
  for (std::uint64_t i = 0; i < count; ++i) all.emplace_back(first + interval * i, i);
  return all;
}

TEST(Mesh, PassesAFlitACycleOverALinkIfItsBuffersCoverTheWayAndBack) {
  MeshSpec spec = grid(4, 1);
  spec.buffer_flits = 2 + 2 * 3 + 1;  // router, link, credit back, a packet of one flit
  MeshRig rig(spec);
  for (std::uint64_t i = 0; i < 300; ++i) rig.see(100, 0, 3, i);
  rig.run();
  EXPECT_EQ(rig.handed_over(3), every(1, 100 + 3 * 5 + 2, 300));
}

TEST(Mesh, PassesABufferfulForEveryWayAndBackIfItsBuffersAreSmall) {
  MeshSpec spec = grid(2, 1);
  spec.buffer_flits = 4;
  MeshRig rig(spec);
  for (std::uint64_t i = 0; i < 100; ++i) rig.see(100, 0, 1, i, 4);
  rig.run();
  // A packet leaves at 0, may leave the next router at 5, has left it at 8, the credit is back
  // at 11.
  EXPECT_EQ(rig.handed_over(1), every(11, 100 + 5 + 2 + 3, 100));
}

TEST(Mesh, SharesALinkFairlyBetweenWhoPassesAndWhoJoins) {
  MeshRig rig(grid(4, 1));
  for (std::uint64_t i = 0; i < 400; ++i) {
    rig.see(100, 0, 3, i);
    rig.see(100, 1, 3, 1000 + i);
  }
  rig.run();
  const Taken taken = rig.handed_over(3);
  ASSERT_EQ(taken.size(), 800U);
  EXPECT_EQ(taken.back().first - taken.front().first, 799U);  // the link from 1 to 2 never rests
  int of_the_first = 0;
  for (std::size_t i = 100; i < 500; ++i) of_the_first += taken[i].second < 1000 ? 1 : 0;
  EXPECT_EQ(of_the_first, 200);
  EXPECT_GT(rig.mesh->stats().blocked_cycles, 0U);
}

TEST(Mesh, TakesOneFlitACycleFromEachBuffer) {
  MeshRig rig(grid(3, 1));
  rig.see(100, 1, 2, 7, 4);
  rig.see(100, 1, 0, 8, 4);  // another link, but the same buffer
  rig.run();
  EXPECT_EQ(rig.handed_over(2), (Taken{{100 + 5 + 2 + 3, 7}}));
  EXPECT_EQ(rig.handed_over(0), (Taken{{104 + 5 + 2 + 3, 8}}));
}

TEST(Mesh, EjectsOneFlitACycleWhereverItComesFrom) {
  MeshRig rig(grid(3, 3));
  for (std::uint32_t i = 0; i < 100; ++i)
    for (const std::uint32_t from : {1, 3, 5, 7}) rig.see(100, from, 4, from * 1000 + i, 2);
  rig.run();
  const Taken taken = rig.handed_over(4);
  ASSERT_EQ(taken.size(), 400U);
  EXPECT_EQ(taken.front().first, 100U + 5 + 2 + 1);
  EXPECT_EQ(taken.back().first - taken.front().first, 2U * 399);
}

TEST(Mesh, SaturatesAtItsBisectionWhenEveryoneSendsAcross) {
  // Rows of six: the three on the left send to those on the right, over one link a row.
  MeshRig rig(grid(6, 4));
  constexpr std::uint64_t kPackets = 200;
  for (std::uint32_t y = 0; y < 4; ++y)
    for (std::uint32_t x = 0; x < 3; ++x)
      for (std::uint64_t i = 0; i < kPackets; ++i) rig.see(100, y * 6 + x, y * 6 + x + 3, i, 4);
  rig.run();
  std::uint64_t last = 0;
  for (std::uint32_t y = 0; y < 4; ++y)
    for (std::uint32_t x = 3; x < 6; ++x) {
      EXPECT_EQ(rig.handed_over(y * 6 + x).size(), kPackets);
      last = std::max(last, rig.handed_over(y * 6 + x).back().first);
    }
  const std::uint64_t flits = 3 * kPackets * 4;  // over each of the four links
  EXPECT_EQ(rig.mesh->link_flits(2, MeshPort::kEast), flits);
  EXPECT_GE(last, 100 + flits);
  EXPECT_LE(last, 100 + flits + 40);
}

TEST(Mesh, HoldsBackItsSendersWhenAReceiverDoesNotTake) {
  MeshRig rig(grid(3, 1), Cycle(50), 1);
  for (std::uint64_t i = 0; i < 20; ++i) rig.see(100, 0, 2, i);
  rig.run();
  EXPECT_EQ(rig.handed_over(2), every(50, 100 + 2 * 5 + 2, 20));
  EXPECT_GT(rig.mesh->stats().output_stalls, 800U);
}

// --- Random traffic -------------------------------------------------------------------------------

// Every node sends to random others as fast as it can; nothing may be lost, doubled or overtaken
// within a pair, and the run must end.
void expect_all_arrive(MeshSpec spec, Cycle taker_interval, unsigned seed) {
  MeshRig rig(spec, taker_interval, 3);
  const std::uint64_t nodes = rig.mesh->topology().nodes();
  std::mt19937 random(seed);
  constexpr std::uint64_t kPackets = 150;
  std::uint64_t flits = 0;
  for (std::uint32_t from = 0; from < nodes; ++from) {
    for (std::uint64_t i = 0; i < kPackets; ++i) {
      const std::uint32_t to = random() % nodes;
      const std::uint32_t size = 1 + random() % spec.most_packet_flits;
      flits += size;
      rig.see(1, from, to, std::uint64_t{from} << 40 | std::uint64_t{to} << 20 | i, size);
    }
  }
  rig.run();
  EXPECT_EQ(rig.mesh->stats().packets, nodes * kPackets);
  EXPECT_EQ(rig.mesh->stats().flits, flits);
  std::uint64_t packets = 0;
  std::map<std::uint64_t, std::uint64_t> last;  // by pair
  for (std::uint32_t to = 0; to < nodes; ++to) {
    for (const auto& [cycle, payload] : rig.handed_over(to)) {
      EXPECT_EQ(payload >> 20 & 0xfffff, to);
      const std::uint64_t number = payload & 0xfffff;
      const auto [place, first] = last.try_emplace(payload >> 20, number);
      EXPECT_TRUE(first || std::exchange(place->second, number) < number);
      ++packets;
    }
  }
  EXPECT_EQ(packets, nodes * kPackets);
}

TEST(Mesh, LosesNothingKeepsPairsInOrderAndNeverLocksUp) {
  expect_all_arrive(grid(4, 4), Cycle(0), 1);
  expect_all_arrive(grid(5, 3), Cycle(9), 2);
  expect_all_arrive(grid(1, 6), Cycle(0), 3);
  MeshSpec tight = grid(4, 4);
  tight.buffer_flits = 4;
  expect_all_arrive(tight, Cycle(3), 4);
}

TEST(Torus, LosesNothingKeepsPairsInOrderAndNeverLocksUp) {
  MeshSpec tight = grid(4, 4, true);
  tight.buffer_flits = 8;
  for (unsigned seed = 1; seed <= 4; ++seed) expect_all_arrive(tight, Cycle(0), seed);
  tight.width = 5;
  tight.height = 3;
  expect_all_arrive(tight, Cycle(9), 5);
  tight.width = 2;
  tight.height = 2;
  expect_all_arrive(tight, Cycle(0), 6);
  tight.width = 8;
  tight.height = 1;
  expect_all_arrive(tight, Cycle(2), 7);
  expect_all_arrive(grid(6, 6, true), Cycle(0), 8);
}

TEST(Torus, NeverLocksUpWhenEveryoneGoesTheSameWayRound) {
  MeshSpec ring = grid(6, 1, true);
  ring.buffer_flits = 8;
  MeshRig rig(ring);
  for (std::uint32_t from = 0; from < 6; ++from)
    for (std::uint64_t i = 0; i < 500; ++i) rig.see(100, from, (from + 3) % 6, i, 4);
  rig.run();
  EXPECT_EQ(rig.mesh->stats().packets, 3000U);
}

// --- Faults ---------------------------------------------------------------------------------------

std::string fault(const MeshSpec& spec) {
  try {
    const MeshRig rig(spec);
  } catch (const Error& error) {
    return error.full_text();
  }
  return "none";
}

TEST(Mesh, SaysWhatNoMeshCanHave) {
  EXPECT_EQ(fault(grid(4, 4)), "none");
  EXPECT_EQ(fault(grid(4, 0)),
            "a mesh cannot be 4 × 0 nodes\nhint: give it at least one row and one column");
  MeshSpec spec = grid(4, 4);
  spec.link_latency = Cycle(0);
  EXPECT_EQ(fault(spec), "a mesh's links cannot take 0 cycles\nhint: give them at least one cycle");
  spec = grid(4, 4);
  spec.flit_bytes = 0;
  EXPECT_EQ(fault(spec),
            "a mesh's flits and packets cannot be empty\nhint: give each at least one byte");
  spec = grid(4, 4);
  spec.buffer_flits = 3;
  EXPECT_EQ(fault(spec),
            "a buffer of 3 flits is too small for a mesh with packets of up to 4\nhint: give it at "
            "least 4");
  spec = grid(4, 4, true);
  spec.buffer_flits = 7;
  EXPECT_EQ(
      fault(spec),
      "a buffer of 7 flits is too small for a torus with packets of up to 4\nhint: give it at "
      "least 8");
}

}  // namespace
}  // namespace raddle::memory

// The two models of the network, and the parts that only one of them has.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "base/atomic_file.h"
#include "base/resource_paths.h"
#include "machine/tpa/memory_modules.h"
#include "machine/tpa/slot_reservations.h"
#include "tpa_fixture.h"

namespace raddle::machine::tpa {
namespace {

Outcome run_listing(const std::string& name, const std::string& model, std::int64_t size) {
  TpaSetup setup;
  setup.assignments.push_back("network.model=" + model);
  if (name != "csort") setup.parameters["N"] = size;
  return run_text(read_file(resource_paths().benchmarks / "e" / (name + ".tpa")), setup);
}

TEST(NetworkModels, AgreeOnTheTimesOfListings) {
  for (const char* name : {"min-o2", "min-ml", "prefix-add-mmp", "csort"}) {
    const Outcome slots = run_listing(name, "timetable", 20000);
    const Outcome routers = run_listing(name, "routers", 20000);
    const auto expected = static_cast<double>(routers.cycles());
    EXPECT_NEAR(static_cast<double>(slots.cycles()), expected, 0.03 * expected) << name;
    EXPECT_EQ(slots.stat("network", "references"), routers.stat("network", "references"));
    EXPECT_EQ(slots.stat("network", "replies"), routers.stat("network", "replies"));
  }
}

TEST(NetworkModels, BothServeOneReferenceACycleAtAModule) {
  const std::string text =
      ".param N 1600\n.shared _x_\nOP0 _x_ OP1 N OP2 1 LWB33 O1 MADD0 O2,O0 STCF\n";
  for (const char* model : {"network.model=timetable", "network.model=routers"}) {
    TpaSetup once{"tpa", {model}, {}, {}};
    TpaSetup twice = once;
    twice.parameters["N"] = 3200;
    EXPECT_EQ(run_text(text, twice).cycles() - run_text(text, once).cycles(), 1600u) << model;
  }
}

// Some backends that issue what chance gives them, eight cycles in turns. Every now and then a wave
// goes through, which the backends send one after the other.
class RandomTraffic {
 public:
  RandomTraffic(std::unique_ptr<SlotReservations> network, std::uint32_t backends)
      : network_(std::move(network)), rings_(backends, std::vector<Cycle>(128)), issues_(backends) {
    std::mt19937 random(7);
    for (std::uint32_t b = 0; b < backends; ++b) {
      for (int i = 0; i < 600; ++i) {
        // Now and then all want the same module, or nobody wants any.
        const std::uint32_t module = i / 50 % 4 == 3 ? backends / 3 : random() % backends;
        // For a while all of them load, then all store.
        const int kind = i / 60 % 3;
        const bool reply = kind == 0 ? random() % 3 != 0 : kind == 1;
        items_.push_back(kind == 0 && random() % 8 == 0
                             ? kNoReference
                             : static_cast<IssueItem>(module | (reply ? kWantsReply : 0)));
      }
    }
    for (std::uint32_t b = 0; b < backends; ++b) {
      issues_[b].backend = b;
      issues_[b].items = std::span(items_).subspan(b * 600, 600);
      issues_[b].ring = rings_[b].data();
      issues_[b].ring_mask = 127;
      issues_[b].segment = issues_[b].time = Cycle(20);
    }
  }

  std::string run() {
    std::string told;
    for (Cycle now; now < Cycle(12000); now += kTurn) {
      if (now % Cycle(320) == Cycle(312)) {
        std::vector<Cycle> sent_at;
        for (std::uint32_t b = 0; b < issues_.size(); ++b)
          sent_at.push_back(now - kTurn + Cycle(b % 8));
        told += fmt::format("{}, ", network_->pass_wave(sent_at).count());
      }
      for (SlotIssue& issue : issues_) {
        issue.now = now;
        issue.end = now + kTurn;
        network_->issue(issue);
      }
      network_->forget(now + kTurn);
    }
    for (const std::vector<Cycle>& ring : rings_)
      for (const Cycle back : ring) told += fmt::format("{} ", back.count());
    for (const SlotIssue& i : issues_)
      told += fmt::format("{} {} {}, ", i.issued, i.waited_reply.count(), i.waited_network.count());
    const SlotNetworkStats s = network_->stats();
    return told + fmt::format("{} {} {} {} {}, {}", s.references, s.replies, s.hops,
                              s.waited.count(), s.at_modules.count(),
                              fmt::join(network_->served_by_module(), " "));
  }
  bool everything_went() const {
    return std::ranges::all_of(issues_, [](const SlotIssue& i) { return i.items.empty(); });
  }

 private:
  static constexpr Cycle kTurn{8};

  std::unique_ptr<SlotReservations> network_;
  std::vector<IssueItem> items_;
  std::vector<std::vector<Cycle>> rings_;
  std::vector<SlotIssue> issues_;
};

TEST(SlotReservations, GiveInSmallMeshesTheSlotsOfAnyMesh) {
  const std::vector<std::vector<std::string>> layouts = {
      {},
      {"network.planes=1"},
      {"network.hop_cycles=3"},
      {"network.queue=2", "network.module_queue=2"},
      {"backend.count=12"},
      {"network.module_queue=128"},
      {"backend.count=64", "network.width=8", "network.queue=2"},
      {"backend.count=36", "network.width=9"},
      {"backend.count=6", "network.width=2"},
      {"backend.count=1", "network.width=1"}};
  for (const std::vector<std::string>& layout : layouts) {
    ParameterTable table = load_parameters("tpa");
    for (const std::string& assignment : layout) table.set(assignment);
    const TpaParameters parameters(table);
    RandomTraffic small(SlotReservations::make(parameters), parameters.back.count);
    RandomTraffic any(SlotReservations::make_for_any_mesh(parameters), parameters.back.count);
    EXPECT_EQ(small.run(), any.run()) << fmt::format("{}", fmt::join(layout, " "));
    EXPECT_TRUE(small.everything_went()) << fmt::format("{}", fmt::join(layout, " "));
  }
}

TEST(SlotReservations, ServeWhatComesBehindAWaveBehindWhatCameBefore) {
  const TpaParameters parameters(load_parameters("tpa"));
  for (const bool small : {true, false}) {
    const auto network = small ? SlotReservations::make(parameters)
                               : SlotReservations::make_for_any_mesh(parameters);
    // Ten references wait for module 5; backend 3 has sent its wave later than all others.
    Cycle last;
    for (int i = 0; i < 10; ++i) last = std::max(last, network->reserve(9, 5, Cycle(100)).served);
    EXPECT_GE(last, Cycle(109));
    std::vector<Cycle> sent_at(16, Cycle(100));
    sent_at[3] = Cycle(140);
    const Cycle passed = network->pass_wave(sent_at);
    EXPECT_GE(passed, Cycle(140 + 6)) << "the furthest module is six links away from backend 3";
    EXPECT_LE(passed, Cycle(140 + 10));
    // Module 5 is two links away from backend 3, module 4 next to it, both after the wave.
    for (const IssueItem module : {IssueItem{5}, IssueItem{4}})
      EXPECT_GE(network->reserve(9, module, Cycle(110)).served,
                std::max(last + Cycle(1), Cycle(142)));
  }
}

// One plane of 2 x 2 routers.
class Plane : public testing::Test {
 protected:
  Plane() : plane_(2, 2, 4, 4, Cycle(1)) {}

  // Cycles until a packet comes out at a node.
  Cycle run_until_out(std::uint32_t node) {
    for (Cycle cycles; cycles < Cycle(100); ++cycles) {
      if (!plane_.output(node).empty()) return cycles;
      tick();
    }
    return Cycle(100);
  }
  void tick() {
    plane_.tick(now_);
    ++now_;
  }

  MeshPlane plane_;
  Cycle now_;
};

TEST_F(Plane, TakesAPacketAHopACycle) {
  plane_.inject(0, Packet::reference(0, 7, 3, true), now_);
  EXPECT_EQ(run_until_out(3), Cycle(4)) << "in, two links, out";
  const Packet packet = plane_.output(3).front();
  EXPECT_EQ(packet.source(), 0u);
  EXPECT_EQ(packet.slot(), 7u);
  EXPECT_TRUE(packet.wants_reply());
}

TEST_F(Plane, HoldsPacketsBehindAWaveUntilAllNodesHaveSentTheirs) {
  plane_.inject(0, Packet::wave(), now_);
  plane_.inject(0, Packet::reference(0, 1, 0, false), now_);
  for (int i = 0; i < 20; ++i) tick();
  EXPECT_TRUE(plane_.output(0).empty()) << "nodes 1, 2 and 3 are missing";
  for (std::uint32_t node = 1; node < 4; ++node) plane_.inject(node, Packet::wave(), now_);
  for (int i = 0; i < 20; ++i) tick();
  ASSERT_EQ(plane_.output(0).size(), 2u);
  EXPECT_TRUE(plane_.output(0).front().is_wave());
  for (std::uint32_t node = 1; node < 4; ++node) EXPECT_EQ(plane_.output(node).size(), 1u);
}

TEST_F(Plane, DoesNotLetALatePacketOfTheStepFallBehindTheWave) {
  for (std::uint32_t node = 0; node < 3; ++node) plane_.inject(node, Packet::wave(), now_);
  for (int i = 0; i < 5; ++i) tick();
  plane_.inject(3, Packet::reference(3, 1, 0, false), now_);
  plane_.inject(3, Packet::wave(), now_);
  for (int i = 0; i < 20; ++i) tick();
  ASSERT_EQ(plane_.output(0).size(), 2u);
  EXPECT_FALSE(plane_.output(0).front().is_wave());
}

TEST_F(Plane, IsFullWhenNobodyTakesWhatArrives) {
  std::uint64_t sent = 0;
  for (int i = 0; i < 100; ++i) {
    if (plane_.has_room(0)) {
      plane_.inject(0, Packet::reference(0, 1, 1, false), now_);
      ++sent;
    }
    tick();
  }
  EXPECT_EQ(sent, 4u + 4u + 4u) << "its own queue, the next router's and the output";
}

TEST(OrderingWaves, KeepBackendsInOrderWithManyTargetsToo) {
  // Prefixes over 300 targets whose order would be lost if any backend's references overtook.
  const std::string text =
      ".param N 4800\n.shared _s_ 300\n.shared _P_ N\nOP0 N LWB33 O0\n"
      "OP0 _s_ OP1 3 OP2 300 MOD0 FID,O2 SHL1 A0,O1 ADD2 O0,A1 BMPADD0 FID,A2 WB0 M0 WB1 A2 RT2 "
      "STCF\n"
      "OP0 _s_ RD0 OMPADD0 B0,O0 RT2 STCF\n"
      "OP0 _P_ OP1 3 RD0 RD1 SHL0 FID,O1 ADD1 O0,A0 MPSADD0 B0,B1,A1 RT2 STCF\n";
  for (const char* model : {"network.model=timetable", "network.model=routers"}) {
    const Outcome outcome = run_text(text, {"tpa", {model}, {}, {}});
    ASSERT_EQ(outcome.fault(), "none");
    const Words prefixes = outcome.words("_P_");
    Words running(300);
    for (Word i = 0; i < 4800; ++i) {
      EXPECT_EQ(prefixes[i], running[i % 300]);
      running[i % 300] += i;
    }
  }
}

}  // namespace
}  // namespace raddle::machine::tpa

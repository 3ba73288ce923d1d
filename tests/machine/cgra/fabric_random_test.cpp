// Graphs, threads and memories by chance: all threads get through, whatever the size of the token
// buffers, and every unit fires once for each of them. What they are made of can always be served:
// values go to later threads, no further than the buffer reaches.
#include <random>

#include "machine/cgra/fabric_stand.h"

namespace raddle::machine::cgra {
namespace {

class RandomGraph {
 public:
  RandomGraph(std::uint32_t seed, FabricStand& stand) : random_(seed), stand_(stand) {
    stand.parameters.token_buffer = 1u << below(5);
    stand.parameters.hop_cycles = Cycle(1 + below(2));
    stand.parameters.l1.bytes = Bytes(1024);
    stand.parameters.l1.mshrs = 1 + below(40);
    stand.parameters.l1.accesses_per_mshr = 1 + below(8);
    stand.parameters.l1_miss_queue = 1 + below(4);
    stand.parameters.l1_banks = 1u << below(6);
    stand.parameters.units.fill(256);
    stand.threads = 1 + below(500);
    stand.replicas = 1 + below(3);
    window_ = 1 + below(60);
    stand.group_threads = window_ * (1 + below(3));
    const Cycle slow(below(400));
    stand.latency_of = [slow](Address address) {
      return address / 128_B * 2654435761u % 7 == 0 ? 10_cycles + slow : 10_cycles;
    };
    const std::uint32_t nodes = 3 + below(25);
    for (std::uint32_t i = 0; i < nodes; ++i) add_node();
    // What nobody has used goes to the exit.
    std::vector<bool> is_used(stand.graph.nodes.size());
    for (const Node& node : stand.graph.nodes) {
      for (const Input& input : node.inputs) is_used[input.from] = true;
    }
    std::vector<std::uint32_t> ends;
    for (std::uint32_t n = 0; n < is_used.size(); ++n) {
      if (!is_used[n] && stand.graph.nodes[n].delivers && below(3) != 0) ends.push_back(n);
    }
    stand.exit(ends.empty() ? std::vector<std::uint32_t>{0} : ends);
    for (auto& inputs : stand.hops) {
      for (std::uint32_t& hops : inputs) hops = 1 + below(6);
    }
  }

 private:
  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }
  // One that sends a token for every thread.
  std::uint32_t any_node() {
    for (;;) {
      const std::uint32_t node = below(static_cast<std::uint32_t>(stand_.graph.nodes.size()));
      if (stand_.graph.nodes[node].delivers) return node;
    }
  }
  FabricStand::AddressOf any_address() {
    const std::uint64_t base = std::uint64_t{below(8)} * 4096;
    const std::uint32_t stride = 4u << below(6);
    const std::uint32_t active = 1 + below(3);
    return [=](std::uint32_t q) -> std::optional<std::uint64_t> {
      if (q % active != 0) return std::nullopt;
      return base + q * 37 * stride % 16384;
    };
  }

  void add_node() {
    const std::uint32_t slots = stand_.parameters.token_buffer;
    switch (below(9)) {
      case 0: stand_.load({any_node()}, any_address()); break;
      case 1: stand_.store({any_node(), any_node()}, any_address()); break;
      case 2: stand_.memory({any_node()}, MemoryPort::kShared, any_address()); break;
      case 3: {
        const auto shift = static_cast<std::int32_t>(1 + below(slots));
        stand_.elevator(any_node(), 0, shift, stand_.receive(shift, window_));
        break;
      }
      case 4: {  // a cascade
        const auto first = static_cast<std::int32_t>(1 + below(slots));
        const auto second = static_cast<std::int32_t>(1 + below(slots));
        const std::uint32_t receive = stand_.receive(first + second, window_);
        stand_.elevator(stand_.passing(any_node(), first, receive), 0, second, receive);
        break;
      }
      case 5: {  // a recurrence
        const auto shift = static_cast<std::int32_t>(1 + below(slots));
        const std::uint32_t receive = stand_.receive(shift, window_);
        const auto sum = static_cast<std::uint32_t>(stand_.graph.nodes.size() + 1);
        const std::uint32_t value = any_node();
        const std::uint32_t received = stand_.elevator(sum, 0, shift, receive);
        stand_.compute({received, value}, Cycle(1 + below(6)));
        break;
      }
      case 6: {
        const auto shift = static_cast<std::int32_t>(1 + below(slots));
        const std::uint32_t receive = stand_.receive(shift, window_);
        stand_.receive_load(any_node(), shift, receive,
                            [this, receive](std::uint32_t q) -> std::optional<std::uint64_t> {
                              if (stand_.has_producer[receive](q)) return std::nullopt;
                              return q * 64;
                            });
        break;
      }
      default: {
        const std::uint32_t node = stand_.compute({any_node(), any_node()}, Cycle(1 + below(20)));
        stand_.graph.nodes[node].interval = Cycle(1 + below(8) / 7 * 3);
      }
    }
  }

  std::mt19937 random_;
  FabricStand& stand_;
  std::uint32_t window_ = 1;
};

class FabricRandom : public testing::TestWithParam<std::uint32_t> {};

TEST_P(FabricRandom, GraphsGetAllThreadsThrough) {
  for (std::uint32_t seed = GetParam() * 50; seed < GetParam() * 50 + 50; ++seed) {
    SCOPED_TRACE(seed);
    FabricStand stand;
    const RandomGraph graph(seed, stand);
    const StandResult result = stand.run();
    EXPECT_EQ(result.counts.tokens.threads, stand.threads);
    for (std::size_t n = 0; n < stand.graph.nodes.size(); ++n) {
      const Node& node = stand.graph.nodes[n];
      const bool is_sparse = node.kind == NodeKind::kElevator && !node.delivers;
      EXPECT_TRUE(is_sparse || result.nodes.firings[n] == stand.threads) << n;
      EXPECT_EQ(result.nodes.cycles[n].sum(), result.cycles * stand.replicas) << n;
    }
    EXPECT_EQ(result.counts.tokens.buffer_reads, result.counts.tokens.buffer_writes);
    if (testing::Test::HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, FabricRandom, testing::Range(0u, 8u));
// Units that send to elevators could run so far ahead in these that nothing moved any more.
INSTANTIATE_TEST_SUITE_P(Elevators, FabricRandom, testing::Values(20, 30, 137, 160, 191, 215, 233));

}  // namespace
}  // namespace raddle::machine::cgra

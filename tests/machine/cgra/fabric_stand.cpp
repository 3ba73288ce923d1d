#include "machine/cgra/fabric_stand.h"

namespace raddle::machine::cgra {

Cycle FixedMemory::tick(Cycle now) {
  while (in_.ready(now)) {
    const memory::Access access = in_.pop(now).payload;
    seen.push_back(access);
    if (access.kind != memory::AccessKind::kWriteBack)
      answers_.push(access, now + latency(access.address));
  }
  while (answers_.ready(now) && out_.try_send(answers_.front(), now)) answers_.pop();
  const Cycle next = answers_.next_ready();
  return next <= now ? sim::kNever : std::min(next, in_.next_ready());
}

FabricStand::FabricStand() {
  parameters.l1.bytes = Bytes(4096);
  parameters.l1.hit_latency = 5_cycles;
  parameters.l1.accesses_per_mshr = 64;
  parameters.scratchpad.latency = 4_cycles;
  parameters.live_values.latency = 3_cycles;
  parameters.memory.request_network.inputs = 1;
  graph.name = "test";
  node(NodeKind::kSource, UnitClass::kPort, {});
}

FabricStand::~FabricStand() = default;

std::uint32_t FabricStand::node(NodeKind kind, UnitClass unit, const std::vector<Input>& inputs,
                                Cycle latency) {
  Node added;
  added.kind = kind;
  added.unit = unit;
  added.inputs = inputs;
  added.latency = latency;
  graph.nodes.push_back(added);
  hops.emplace_back(inputs.size(), 1);
  return static_cast<std::uint32_t>(graph.nodes.size() - 1);
}

std::vector<Input> FabricStand::from(const std::vector<std::uint32_t>& nodes) {
  std::vector<Input> inputs;
  for (const std::uint32_t sender : nodes) inputs.push_back({sender, false, 0});
  return inputs;
}

std::uint32_t FabricStand::memory(const std::vector<std::uint32_t>& senders, MemoryPort port,
                                  AddressOf address, bool writes) {
  const std::uint32_t added = node(NodeKind::kMemory, UnitClass::kLoadStore, from(senders));
  graph.nodes[added].port = port;
  graph.nodes[added].writes = writes;
  graph.nodes[added].number = graph.accesses++;
  addresses.push_back(std::move(address));
  return added;
}

std::uint32_t FabricStand::receive(std::int32_t shift, std::uint32_t window) {
  const auto in_window = [this, window](std::int64_t a, std::int64_t b) {
    return b >= 0 && b < static_cast<std::int64_t>(threads) && a / window == b / window;
  };
  has_producer.push_back([=](std::uint32_t q) { return in_window(q, std::int64_t{q} - shift); });
  is_consumed.push_back([=](std::uint32_t q) { return in_window(q, std::int64_t{q} + shift); });
  return graph.receives++;
}

std::uint32_t FabricStand::elevator(std::uint32_t data, std::uint32_t trigger, std::int32_t shift,
                                    std::uint32_t receive) {
  const std::uint32_t added =
      node(NodeKind::kElevator, UnitClass::kControl, {{data, false, shift}, {trigger, true, 0}});
  graph.nodes[added].receive = receive;
  return added;
}

std::uint32_t FabricStand::passing(std::uint32_t data, std::int32_t shift, std::uint32_t receive) {
  const std::uint32_t added =
      node(NodeKind::kElevator, UnitClass::kControl, {{data, false, shift}});
  graph.nodes[added].receive = receive;
  graph.nodes[added].delivers = false;
  return added;
}

std::uint32_t FabricStand::receive_load(std::uint32_t sender, std::int32_t shift,
                                        std::uint32_t receive, AddressOf address) {
  const std::uint32_t added = load({sender}, std::move(address));
  graph.nodes[added].kind = NodeKind::kReceiveLoad;
  graph.nodes[added].receive = receive;
  graph.nodes[added].loop_shift = shift;
  return added;
}

StandResult FabricStand::run() {
  make();
  core_->begin(*this, 0_cycles);
  const bool goes_on = engine_->run_until(clock_.time_of(10'000'000_cycles));
  if (core_->is_stuck()) core_->report_deadlock();
  EXPECT_FALSE(goes_on) << "does not come to an end";
  EXPECT_TRUE(core_->is_idle());
  result_.cycles = core_->idle_since() - begun_;
  result_.counts = core_->counts(core_->idle_since());
  return std::move(result_);
}

bool FabricStand::next_configuration(Configuration& configuration, Cycle cycle) {
  if (runs_done_++ == runs) return false;
  const bool is_loaded = stays_loaded && runs_done_ > 1;
  next_thread_ = 0;
  begun_ = cycle + (is_loaded ? 0_cycles : parameters.reconfigure_cycles);
  configuration = {&graph, &mapping_, this, is_loaded, &result_.nodes};
  return true;
}

FeedAnswer FabricStand::next(std::uint32_t replica, ThreadGroup& group) {
  if (next_thread_ == threads) return FeedAnswer::kEnd;
  const std::uint32_t first = next_thread_;
  next_thread_ = std::min(threads, first + group_threads);
  fill(group, first, next_thread_ - first);
  result_.asked[replica].push_back(first);
  return FeedAnswer::kGroup;
}

void FabricStand::left(std::uint32_t first) {
  for (std::uint32_t i = first; i < std::min(threads, first + group_threads); ++i)
    result_.left[i] = domain_->now() - begun_;
}

void FabricStand::fill(ThreadGroup& group, std::uint32_t first, std::uint32_t count) {
  group.id = group.first_slot = group.position = first;
  group.threads = count;
  group.addresses.assign(std::size_t{graph.accesses} * count, 0);
  group.active.assign(group.addresses.size(), 0);
  group.has_producer.assign(std::size_t{graph.receives} * count, 0);
  group.is_consumed.assign(group.has_producer.size(), 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint32_t a = 0; a < graph.accesses; ++a) {
      const std::optional<std::uint64_t> address = addresses[a](first + i);
      group.addresses[a * count + i] = address.value_or(0);
      group.active[a * count + i] = address.has_value();
    }
    for (std::uint32_t r = 0; r < graph.receives; ++r) {
      group.has_producer[r * count + i] = has_producer[r](first + i);
      group.is_consumed[r * count + i] = is_consumed[r](first + i);
    }
  }
}

void FabricStand::make() {
  result_ = {};
  result_.left.resize(threads);
  result_.asked.resize(replicas);
  runs_done_ = 0;
  mapping_.replicas.assign(replicas, {});
  for (Replica& replica : mapping_.replicas) replica.hops = hops;
  parameters.check();
  engine_ = std::make_unique<sim::Engine>();
  domain_ = &engine_->add_clock(clock_);
  requests_ = std::make_unique<memory::MemorySystem::RequestChannel>(2);
  replies_ = std::make_unique<memory::MemorySystem::ReplyChannel>(2);
  core_ = std::make_unique<FabricCore>("core", parameters, 0, memory::SliceMap{}, *requests_,
                                       *replies_);
  memory_ = std::make_unique<FixedMemory>(*requests_, *replies_);
  memory_->latency = [this](Address address) {
    return latency_of ? latency_of(address) : memory_latency;
  };
  engine_->add(*core_, *domain_);
  engine_->add(*memory_, *domain_);
  requests_->connect(*core_, *memory_);
  replies_->connect(*memory_, *core_);
}

}  // namespace raddle::machine::cgra

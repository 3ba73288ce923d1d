#include "machine/tpa/reference_network.h"

#include <algorithm>
#include <utility>

namespace raddle::machine::tpa {

ReferenceNetworkStats ReferenceNetwork::stats() const {
  ReferenceNetworkStats stats;
  if (routers_ == nullptr) {
    const SlotNetworkStats slots = slots_.stats();
    stats = {slots.references, slots.replies, slots.hops, slots.waited, slots.at_modules, 0};
    stats.most_served = std::ranges::max(slots_.served_by_module());
    return stats;
  }
  const MeshPlaneStats requests = routers_->request_stats();
  const MeshPlaneStats replies = routers_->reply_stats();
  stats.references = requests.packets;
  stats.replies = replies.packets;
  stats.hops = requests.hops + replies.hops;
  stats.blocked = requests.blocked + replies.blocked;
  for (const ModuleStats& module : routers_->stats()) {
    stats.waited += module.waited + module.held_by_replies;
    stats.most_served = std::max(stats.most_served, module.served);
  }
  return stats;
}

std::uint64_t ReferenceNetwork::most_served_since_wave() {
  std::vector<std::uint64_t> served = slots_.served_by_module();
  if (routers_ != nullptr) {
    std::ranges::transform(routers_->stats(), served.begin(), &ModuleStats::served);
  }
  served_before_wave_.resize(served.size());
  std::uint64_t most = 0;
  for (std::size_t module = 0; module < served.size(); ++module)
    most = std::max(most, served[module] - served_before_wave_[module]);
  served_before_wave_ = std::move(served);
  return most;
}

}  // namespace raddle::machine::tpa

#include "machine/simt/multiprocessor.h"

#include "base/error.h"

namespace raddle::machine::simt {

Multiprocessor::Multiprocessor(std::string name, const GpuParameters& gpu, std::uint32_t index,
                               const memory::SliceMap& map, LoadStoreUnit::RequestChannel& requests,
                               sim::Channel<memory::Access>& replies)
    : Component(std::move(name)),
      ports_{*this, index, map, requests, replies},
      core_(make_core(gpu, ports_, Cycle(0))) {}

void Multiprocessor::configure(const GpuParameters& gpu, Cycle now) {
  RADDLE_ASSERT(idle() && !has_ordered());
  const std::vector<memory::Access> unsent = core_->load_store().take_unsent();
  core_ = make_core(gpu, ports_, now);
  core_->trace_with(trace_);
  for (const memory::Access& access : unsent) core_->load_store().send_for(access);
  if (!unsent.empty()) wake(now);
}

void Multiprocessor::trace_with(CoreTrace* trace) {
  trace_ = trace;
  core_->trace_with(trace);
}

}  // namespace raddle::machine::simt

#include "machine/simt/kernel_run.h"

#include <algorithm>

namespace raddle::machine::simt {

BlockNeeds block_needs(const PreparedKernel& kernel, const Launch& launch,
                       const CoreParameters& core) {
  return block_needs(launch.block.count(), kernel.table->registers_per_thread(),
                     ShortBytes(kernel.decoded->static_shared_bytes + launch.dynamic_shared_bytes),
                     core);
}

KernelRun::KernelRun(kernel::Program& program, const kernel::TextureTable& textures,
                     const PreparedKernel& prepared, const Launch& launch,
                     const LaunchOptions& options, const GpuParameters& gpu, std::uint32_t number)
    : program_(program),
      textures_(textures),
      prepared_(prepared),
      launch_(launch),
      options_(options),
      gpu_(gpu),
      number_(number),
      needs_(block_needs(prepared, launch, gpu.core)),
      blocks_(launch.grid.count()),
      on_cores_(gpu.cores) {
  CoreParameters wide = gpu.core;
  wide.warp_lanes = 2 * kernel::exec::kLanes;
  wide_needs_ = block_needs(prepared, launch, wide);
}

KernelOnCore& KernelRun::on(std::uint32_t core) {
  std::unique_ptr<KernelOnCore>& place = on_cores_[core];
  if (place == nullptr) {
    place = std::make_unique<KernelOnCore>(
        program_, textures_, *prepared_.decoded, *prepared_.table, launch_,
        kernel::exec::GridOptions{.check = options_.check,
                                  .stack_bytes = gpu_.stack_bytes.count(),
                                  .multiprocessors = gpu_.cores,
                                  .multiprocessor = core,
                                  .print = options_.print});
    place->code_address = prepared_.code_address;
    place->kernel = number_;
    place->start = start_;
    place->grid.device.heap_used = &heap_used_;
    if (options_.lines) place->waits.resize(prepared_.table->size());
  }
  return *place;
}

void KernelRun::begin_block(Multiprocessor& core, Cycle cycle) {
  KernelOnCore& here = on(core.index());
  here.grid.device.stores = &core.stores();
  core.count_waits(options_.lines);
  core.begin_block(here, needs(core.parameters().core.warp_lanes), next_block_++, cycle);
}

void KernelRun::block_finished(Cycle cycle) {
  ++done_;
  end_ = std::max(end_, cycle + Cycle(1));
}

}  // namespace raddle::machine::simt

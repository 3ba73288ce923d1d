#include "machine/cgra/cgra_machine.h"

#include "machine/cgra/core_threads.h"
#include "machine/grid_result.h"
#include "machine/launch_check.h"
#include "machine/launch_watch.h"

namespace raddle::machine::cgra {

RADDLE_REGISTER_MACHINE("cgra", CgraMachine);

CgraMachine::CgraMachine(const ParameterTable& p) {
  description_.name = "mt-cgra";
  description_.memory_bytes = p.integer_in("memory_bytes", 4096, std::int64_t{1} << 40);
  options_.units = {32, 32, 12, 32, 16, 16};
}

const CompiledKernel& CgraMachine::compiled(const kernel::Program& program, const Launch& launch) {
  const std::pair version(program.identity(), program.module_count());
  if (version != compiled_version_) compiled_.clear();
  compiled_version_ = version;
  const std::array shape{launch.block.x, launch.block.y, launch.block.z};
  auto& entry = compiled_[{launch.kernel.module, launch.kernel.function, shape}];
  if (entry == nullptr) {
    options_.graph.block = shape;
    entry = std::make_unique<CompiledKernel>();
    entry->kernel = compile_for_fabric(program.function(launch.kernel),
                                       program.module(launch.kernel.module), options_);
    entry->decoded = kernel::exec::decode(program, launch.kernel, entry->kernel.function);
  }
  return *entry;
}

LaunchResult CgraMachine::launch(kernel::Program& program, const kernel::TextureTable& textures,
                                 const Launch& launch, const LaunchOptions& options) {
  program.link();
  const CompiledKernel& kernel = compiled(program, launch);
  check_launch(*kernel.decoded, launch, description_);
  kernel::exec::GridState state(
      program, textures, *kernel.decoded, launch,
      {.check = options.check, .stack_bytes = 65536, .multiprocessors = 1, .print = options.print});
  LaunchResult result = start_launch_result(state);
  PieceExecutor executor(state, kernel.kernel);
  std::uint64_t next = 0;
  const std::uint64_t total = launch.grid.count();
  try {
    CoreThreads threads(state, kernel.kernel, executor, {8, 65536 * 32}, 0x110000000000,
                        [&]() -> std::optional<std::uint64_t> {
                          if (next == total) return std::nullopt;
                          return next++;
                        });
    LaunchWatch watch(state, options, [&](std::vector<std::string>& l) { threads.describe(l); });
    ThreadGroup group;
    while (threads.choose_piece()) {
      while (threads.next(0, group) == FeedAnswer::kGroup) {
        ++result.cycles;
        watch.look(result.cycles, threads.blocks_done());
        threads.left(group.id);
      }
    }
  } catch (const kernel::exec::LaunchStopped&) {
    result.complete = false;
  }
  if (getenv("CGRA_PIECES")) {
    for (const Piece& piece : kernel.kernel.pieces) {
      auto needed = piece.graph.graph.units_needed();
      fprintf(stderr, "%s: nodes %zu units", piece.graph.graph.name.c_str(),
              piece.graph.graph.nodes.size());
      for (auto n : needed) fprintf(stderr, " %u", n);
      fprintf(stderr, " live in %u out %u exits", piece.graph.graph.live_ins,
              piece.graph.graph.live_outs);
      for (auto& e : piece.exits) fprintf(stderr, " %d", (int)e.piece);
      fprintf(stderr, "\n");
    }
  }
  result.memory = executor.traffic();
  take_faults(state, result);
  return result;
}

}  // namespace raddle::machine::cgra

// What threads compute in a piece: its code, carried out for 32 threads of a block together, or,
// where threads communicate, for the whole block. Leaves behind what the fabric wants to know of
// them. The order among threads is that of their injection; within a thread it is that of the
// program.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "kernel/exec/grid_state.h"
#include "kernel/exec/thread_block.h"
#include "machine/access_counters.h"
#include "machine/cgra/fabric_feed.h"
#include "machine/cgra/fabric_kernel.h"

namespace raddle::machine::cgra {

using kernel::exec::LaneMask;

class PieceExecutor {
 public:
  // `kernel` is decoded as the grid's kernel: grid.kernel.entry() is its function.
  PieceExecutor(kernel::exec::GridState& grid, const FabricKernel& kernel);

  // Before the first piece: what is the same for all threads.
  void start(kernel::exec::ThreadBlock& block);
  // What a piece's threads wait for is known before they have come together.
  void prepare_entry(kernel::exec::WarpState& warp, std::uint32_t piece, LaneMask lanes);
  // Carries out the piece for lanes of a warp and describes them in `group`, lowest lane first.
  // `base` is where local memory of the warp lies for the caches.
  void run(kernel::exec::WarpState& warp, std::uint32_t piece, LaneMask lanes,
           std::uint64_t local_base, ThreadGroup& group);
  // The same for all threads of a block; in descending pieces the last thread first.
  void run_block(kernel::exec::ThreadBlock& block, std::uint32_t piece, std::uint64_t local_base,
                 ThreadGroup& group);
  // Lanes for which a condition holds.
  LaneMask lanes_of(const kernel::exec::WarpState& warp, const kernel::Guard& condition) const;

  std::vector<MemoryTraffic> traffic() const { return accesses_.result(); }

 private:
  using Decoded = kernel::exec::DecodedInstruction;

  // One step of carrying a piece out for a whole block.
  struct Step {
    enum class Kind : std::uint8_t { kCode, kReceive, kReceiveLoad, kRecurrence } kind;
    std::vector<std::uint32_t> code;  // places in the piece's code
  };

  const kernel::exec::DecodedFunction& function() const { return grid_.kernel.entry(); }
  const Decoded& decoded(std::uint32_t piece, std::uint32_t place) const {
    return function().code[function().blocks[piece].first + place];
  }
  void enter(kernel::exec::WarpState& warp) const;
  // What is loaded once, as part of a configuration, is no access of a thread.
  enum class Counting : std::uint8_t { kAccesses, kNone };
  void execute(const Decoded& instruction, kernel::exec::WarpState& warp, LaneMask lanes,
               Counting counting = Counting::kAccesses);
  void record(const kernel::exec::WarpState& warp, std::uint32_t access, LaneMask lanes,
              std::uint64_t local_base, ThreadGroup& group, std::uint32_t first_thread) const;
  void plan_block_steps(std::uint32_t piece);
  void run_step(const Step& step, kernel::exec::ThreadBlock& block, std::uint32_t piece,
                std::uint64_t local_base, ThreadGroup& group);
  void find_senders(std::uint32_t piece);
  void receive(std::uint32_t piece, std::uint32_t place, kernel::exec::ThreadBlock& block,
               std::uint32_t thread);
  void receive_or_load(std::uint32_t piece, std::uint32_t place, kernel::exec::ThreadBlock& block,
                       std::uint64_t local_base, ThreadGroup& group);
  void describe_links(std::uint32_t piece, ThreadGroup& group) const;

  kernel::exec::GridState& grid_;
  const FabricKernel& kernel_;
  std::vector<std::vector<Step>> block_steps_;  // by piece
  // By piece and place in its code, for receives: who sends to each thread of a block.
  std::vector<std::map<std::uint32_t, std::vector<std::uint32_t>>> senders_;
  std::vector<std::vector<std::uint32_t>> access_of_code_;  // by piece and place; kNoCode: none
  AccessCounters accesses_;
};

}  // namespace raddle::machine::cgra

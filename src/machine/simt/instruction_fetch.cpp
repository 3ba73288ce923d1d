#include "machine/simt/instruction_fetch.h"

#include <algorithm>
#include <bit>

#include "machine/simt/memory_request.h"
#include "machine/simt/resident_block.h"

namespace raddle::machine::simt {

template <class Warps>
InstructionFetchFor<Warps>::InstructionFetchFor(const CoreParameters& parameters, Warps& warps)
    : parameters_(parameters),
      warps_(warps),
      cache_(parameters.instruction_cache),
      decoding_(parameters.fetch_to_issue.count() + 1) {}

template <class Warps>
void InstructionFetchFor<Warps>::fetch(Cycle now, std::vector<memory::Access>& misses) {
  const Slots candidates = wanting_ & ~refused_;
  if (candidates == 0) return;
  const Slots later = candidates & ~((bit_of<Slots>(last_) << 1) - 1);
  const auto warp = lowest_of(later != 0 ? later : candidates);
  last_ = warp;
  WarpContext& context = warps_[warp];
  const Address address =
      context.block->kernel->code_address + context.place * Bytes(parameters_.instruction_bytes);
  if (!cache_.load_if_hit(address, parameters_.instruction_bytes))
    return miss(warp, address, now, misses);
  wanting_ &= ~bit_of<Slots>(warp);
  // Not beyond the end of the line.
  const Bytes left = cache_.line_of(address) + cache_.parameters().line_bytes - address;
  context.buffered = parameters_.fetch_instructions;
  if (left < parameters_.fetch_instructions * parameters_.instruction_bytes)
    context.buffered = static_cast<std::uint32_t>(left / parameters_.instruction_bytes);
  context.fetching = true;
  decoding_.push({warp, now + parameters_.fetch_to_issue});
}

template <class Warps>
void InstructionFetchFor<Warps>::miss(std::uint32_t warp, Address address, Cycle now,
                                      std::vector<memory::Access>& misses) {
  const memory::Outcome outcome = cache_.access(
      {address, parameters_.instruction_bytes, memory::AccessKind::kLoad, 0, warp}, now);
  if (outcome.verdict == memory::Verdict::kRefused) {
    refused_ |= bit_of<Slots>(warp);
    return;
  }
  // Comes back to it when the line is there.
  wanting_ &= ~bit_of<Slots>(warp);
  for (memory::Access access : outcome.down) {
    access.token = request_token(RequestKind::kInstructionLine, 0);
    misses.push_back(access);
  }
}

template <class Warps>
auto InstructionFetchFor<Warps>::take_ready(Cycle now) -> Slots {
  Slots ready = 0;
  while (!decoding_.empty() && decoding_.front().ready <= now) {
    const std::uint32_t warp = decoding_.front().warp;
    warps_[warp].fetching = false;
    ready |= bit_of<Slots>(warp);
    decoding_.pop();
  }
  return ready;
}

template <class Warps>
void InstructionFetchFor<Warps>::line_has_come(Address line) {
  for (const memory::Access& access : cache_.fill(line).waiting)
    wanting_ |= bit_of<Slots>(static_cast<std::uint32_t>(access.token));
  refused_ = 0;
}

template <class Warps>
Cycle InstructionFetchFor<Warps>::next_work(Cycle now) const {
  if ((wanting_ & ~refused_) != 0) return now + Cycle(1);
  return decoding_.empty() ? sim::kNever : decoding_.front().ready;
}

template class InstructionFetchFor<WarpTable>;
template class InstructionFetchFor<LentWarpTable>;

}  // namespace raddle::machine::simt

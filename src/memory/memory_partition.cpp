#include "memory/memory_partition.h"

#include <algorithm>
#include <utility>

namespace raddle::memory {

MemoryPartition::MemoryPartition(std::string name, const MemoryPartitionSpec& spec,
                                 const SliceMap& map, const std::vector<SlicePorts>& slices,
                                 sim::Channel<Access>& to_dram, sim::Channel<Access>& from_dram)
    : Component(std::move(name)),
      spec_(spec),
      map_(map),
      to_dram_(to_dram),
      from_dram_(from_dram),
      down_(std::max<std::size_t>(spec.down_entries, Cache::kMaxDown)) {
  // A line that comes may answer all that wait for it at once.
  const std::uint32_t replies =
      std::max(spec.reply_entries, most_packets() * (spec.slice.accesses_per_mshr + 1));
  spec_.reply_entries = replies;
  for (const SlicePorts& ports : slices) slices_.emplace_back(spec.slice, replies, ports);
}

Cycle MemoryPartition::tick(Cycle now) {
  take_fills(now);
  for (Slice& slice : slices_) {
    send_replies(slice, now);
    take_access(slice, now);
  }
  send_down(now);

  Cycle next = from_dram_.next_ready();
  if (!down_.empty() && !to_dram_.full(now)) next = now + Cycle(1);
  for (const Slice& slice : slices_) {
    if (!slice.replies.empty()) next = std::min(next, slice.replies.front().ready);
    if (!slice.blocked)
      next = std::min(next, std::max(slice.free_at, slice.ports.requests->next_ready()));
  }
  return std::max(next, now + Cycle(1));
}

// Lines that have come from DRAM, one a cycle, as long as the reply queue has space.
void MemoryPartition::take_fills(Cycle now) {
  if (!from_dram_.ready(now)) return;
  const Address line = from_dram_.front().address;
  const std::uint32_t index = map_.slice_of(line) / map_.channels;
  Slice& slice = slices_[index];
  const std::uint32_t most_answers = most_packets() * spec_.slice.accesses_per_mshr;
  if (slice.reply_packets + most_answers > spec_.reply_entries || down_.room() == 0) return;
  from_dram_.pop(now);
  if (observer_ != nullptr) observer_->came_from_dram(line, now);
  const Fill fill = slice.cache.fill(line);
  for (const Access& access : fill.waiting) answer(slice, access, now);
  for (const Access& access : fill.down) down_.push(access);
  slice.blocked = false;
}

void MemoryPartition::answer(Slice& slice, const Access& access, Cycle ready) {
  if (access.kind == AccessKind::kWriteBack) return;
  slice.replies.push({access, ready});
  slice.reply_packets += sectors_of(access);
}

std::uint32_t MemoryPartition::most_packets() const {
  return spec_.sector_bytes == ShortBytes(0) ? 1 : spec_.slice.line_bytes / spec_.sector_bytes;
}

std::uint32_t MemoryPartition::sectors_of(const Access& access) const {
  if (spec_.sector_bytes == ShortBytes(0)) return 1;
  return std::max(1U, (access.bytes + spec_.sector_bytes - ShortBytes(1)) / spec_.sector_bytes);
}

// Each sector takes a cycle, and what is written back is read out through the same port.
std::uint32_t MemoryPartition::passes_of(const Access& access, const Outcome& outcome) const {
  std::uint32_t passes =
      std::max(sectors_of(access), static_cast<std::uint32_t>(access.token >> kPassShift));
  if (spec_.sector_bytes == ShortBytes(0)) return passes;
  for (const Access& down : outcome.down) {
    if (down.kind == AccessKind::kWriteBack) passes += down.bytes / spec_.sector_bytes;
  }
  return passes;
}

void MemoryPartition::send_replies(Slice& slice, Cycle now) {
  if (slice.replies.empty() || slice.replies.front().ready > now) return;
  const Access& access = slice.replies.front().access;
  const std::uint32_t packets = sectors_of(access);
  const ShortBytes data = is_read(access.kind) ? access.bytes / packets : ShortBytes(0);
  if (!slice.ports.replies->try_send({access.source, spec_.header_bytes + data, access, packets},
                                     now))
    return;
  slice.reply_packets -= packets;
  slice.replies.pop();
  slice.blocked = false;
}

void MemoryPartition::take_access(Slice& slice, Cycle now) {
  sim::Channel<Access>& requests = *slice.ports.requests;
  if (slice.blocked || slice.free_at > now || !requests.ready(now)) return;
  if (slice.reply_packets + sectors_of(requests.front()) > spec_.reply_entries) {
    ++stats_.stalled_reply;
    slice.blocked = true;
    return;
  }
  if (down_.room() < Cache::kMaxDown) {
    ++stats_.stalled_dram;
    slice.blocked = true;
    return;
  }
  const Access access = requests.front();
  const Outcome outcome = slice.cache.access(access, now);
  if (outcome.verdict == Verdict::kRefused) {
    ++stats_.stalled_mshr;
    slice.blocked = true;
    return;
  }
  requests.pop(now);
  for (const Access& down : outcome.down) down_.push(down);
  if (outcome.verdict == Verdict::kHit || outcome.verdict == Verdict::kValidated)
    answer(slice, access, outcome.ready);
  const std::uint32_t passes = passes_of(access, outcome);
  slice.free_at = now + Cycle(passes);
  if (observer_ != nullptr)
    observer_->accessed(static_cast<std::uint32_t>(&slice - slices_.data()), outcome.verdict, now,
                        passes);
  ++stats_.taken;
  stats_.busy_cycles += Cycle(passes);
}

void MemoryPartition::send_down(Cycle now) {
  if (down_.empty() || !to_dram_.try_send(down_.front(), now)) return;
  if (observer_ != nullptr) observer_->sent_to_dram(down_.front(), now);
  down_.pop();
  for (Slice& slice : slices_) slice.blocked = false;
}

CacheStats MemoryPartition::cache_stats() const {
  CacheStats all;
  for (const Slice& slice : slices_) all += slice.cache.stats();
  return all;
}

}  // namespace raddle::memory

#include "machine/simt/load_store_unit.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace raddle::machine::simt {

using memory::Access;
using memory::AccessKind;
using memory::Verdict;

LoadStoreUnit::LoadStoreUnit(const GpuParameters& gpu, std::uint32_t core,
                             const memory::SliceMap& map, RequestChannel& requests)
    : parameters_(gpu.core),
      core_(core),
      header_bytes_(gpu.memory.partition.header_bytes),
      map_(map),
      requests_(requests),
      splitter_(gpu, core),
      l1_(gpu.core.l1),
      lent_l1_(gpu.core.lent.l1_halves > 0 ? std::optional<memory::Cache>(gpu.core.lent.l1)
                                           : std::nullopt),
      constants_(gpu.core.constant_cache),
      textures_(gpu.core.texture_cache),
      queue_(gpu.core.memory_collectors + gpu.core.memory_stages),
      outgoing_(gpu.core.l1_latency.count() + gpu.core.l1_miss_queue + memory::Cache::kMaxDown) {}

std::uint32_t LoadStoreUnit::take_operation() {
  if (free_operations_.empty()) {
    operations_.emplace_back();
    return static_cast<std::uint32_t>(operations_.size() - 1);
  }
  const std::uint32_t number = free_operations_.back();
  free_operations_.pop_back();
  return number;
}

void LoadStoreUnit::push(const IssueInfo& info, std::uint32_t warp, const LaneAccess& access,
                         Cycle issued, Cycle ready) {
  Entry& entry = queue_[(first_ + queued_) % queue_.size()];
  ++queued_;
  entry.info = &info;
  entry.warp = warp;
  entry.ready = ready;
  entry.next = 0;
  entry.operation = take_operation();
  operations_[entry.operation] = {.info = &info, .warp = warp, .issued = issued, .at = ready};
  ++stats_.instructions;

  splitter_.split(info, warp, access, entry.pieces);
  entry.passes = entry.pieces.shared_passes;
  stats_.shared_passes += entry.pieces.shared_passes;
  stats_.shared_conflicts += entry.pieces.shared_conflicts;
  stats_.lent_passes += entry.pieces.lent_passes;
  operations_[entry.operation].shared_only = entry.pieces.count == 0;
  if (entry.pieces.shared_lanes != 0)
    count_shared(info, entry.pieces.shared_lanes, Bytes(access.bytes));
}

void LoadStoreUnit::count_shared(const IssueInfo& info, std::uint64_t lanes, Bytes bytes) {
  const auto threads = static_cast<std::uint64_t>(
      lanes == kernel::exec::kAllLanes ? int{kernel::exec::kLanes} : std::popcount(lanes));
  (info.is_atomic  ? stats_.shared_atomics
   : info.is_store ? stats_.shared_stores
                   : stats_.shared_loads) += threads;
  if (info.is_atomic || !info.is_store) stats_.shared_bytes_read += threads * bytes;
  if (info.is_atomic || info.is_store) stats_.shared_bytes_written += threads * bytes;
}

void LoadStoreUnit::queue(Access access, Cycle ready) {
  access.source = core_;
  outgoing_.push({access, ready});
}

bool LoadStoreUnit::through_cache(memory::Cache& cache, RequestKind kind, Cycle latency,
                                  const Entry& entry, const MemoryPiece& piece, Cycle now) {
  Operation& operation = operations_[entry.operation];
  if (cache.load_if_hit(piece.address, piece.bytes)) {
    operation.at = std::max(operation.at, now + latency);
    return true;
  }
  const memory::Outcome outcome =
      cache.access({piece.address, piece.bytes, AccessKind::kLoad, core_, entry.operation}, now);
  if (outcome.verdict == Verdict::kRefused) return false;
  ++operation.outstanding;
  for (Access access : outcome.down) {
    const bool fetches = access.kind == AccessKind::kLoad;
    if (fetches) access.token = request_token(kind, 0);
    queue(access, now + latency);
  }
  return true;
}

bool LoadStoreUnit::through_l1(const Entry& entry, const MemoryPiece& piece, Cycle now,
                               std::vector<std::uint32_t>& stores_sent) {
  if (!entry.info->is_store)
    return through_cache(l1_of(piece.address), RequestKind::kDataLine, parameters_.l1_latency,
                         entry, piece, now);
  const memory::Outcome outcome =
      l1_of(piece.address)
          .access({piece.address, piece.bytes, AccessKind::kStore, core_, entry.operation}, now,
                  piece.local ? parameters_.l1_local : parameters_.l1_global);
  if (outcome.verdict == Verdict::kRefused) return false;
  for (Access access : outcome.down) {
    if (access.kind == AccessKind::kStore) {
      access.token = request_token(RequestKind::kStore, entry.warp);
      stores_sent.push_back(entry.warp);
    } else if (access.kind == AccessKind::kLoad) {
      access.token = request_token(RequestKind::kDataLine, 0);
    }
    queue(access, now + parameters_.l1_latency);
  }
  // A store that waits for its line is answered with it.
  if (outcome.verdict == Verdict::kMiss || outcome.verdict == Verdict::kMerged)
    ++operations_[entry.operation].outstanding;
  return true;
}

bool LoadStoreUnit::past_l1(const Entry& entry, const MemoryPiece& piece, Cycle now) {
  const AccessKind kind = entry.info->is_atomic ? AccessKind::kAtomic : AccessKind::kLoad;
  queue(
      {piece.address, piece.bytes, kind, core_,
       memory::with_passes(request_token(RequestKind::kOperation, entry.operation), piece.passes)},
      now + parameters_.l1_latency);
  ++operations_[entry.operation].outstanding;
  return true;
}

bool LoadStoreUnit::make_access(Entry& entry, const MemoryPiece& piece, Cycle now,
                                std::vector<std::uint32_t>& stores_sent) {
  switch (entry.info->path) {
    case MemoryPath::kConstant:
      return through_cache(constants_, RequestKind::kConstantLine, parameters_.constant_latency,
                           entry, piece, now);
    case MemoryPath::kTexture:
      if (entry.info->is_store) break;
      return through_cache(textures_, RequestKind::kTextureLine, parameters_.texture_latency, entry,
                           piece, now);
    default: break;
  }
  // Stores go to the L2 in any case; the L1 only has to know.
  const bool direct = entry.info->is_atomic || (!entry.info->is_store && entry.info->past_l1) ||
                      (!entry.info->is_store && !piece.local && !parameters_.l1_caches_global);
  return direct ? past_l1(entry, piece, now) : through_l1(entry, piece, now, stores_sent);
}

void LoadStoreUnit::tick(Cycle now, std::vector<MemoryResult>& results,
                         std::vector<std::uint32_t>& stores_sent) {
  if (!has_work(now)) return;
  Entry& entry = queue_[first_];
  if (entry.ready > now) return;
  if (entry.passes > 0) {
    // All passes at once: nothing else gets in between.
    Operation& operation = operations_[entry.operation];
    const Cycle cycles = entry.passes * parameters_.load_store_interval;
    operation.at = std::max(
        operation.at, now + cycles - parameters_.load_store_interval + parameters_.shared_latency);
    free_at_ = now + cycles;
    stats_.busy_cycles += cycles;
    entry.passes = 0;
  } else if (entry.next < entry.pieces.count) {
    const bool room = outgoing_.room() >= memory::Cache::kMaxDown;
    if (!room || !make_access(entry, entry.pieces.pieces[entry.next], now, stores_sent)) {
      blocked_ = true;
      blocked_by_queue_ = !room;
      blocked_since_ = now;
      return;
    }
    ++entry.next;
    ++stats_.accesses;
    stats_.busy_cycles += parameters_.load_store_interval;
    free_at_ = now + parameters_.load_store_interval;
  }
  if (entry.next < entry.pieces.count) return;
  operations_[entry.operation].all_sent = true;
  const std::uint32_t operation = entry.operation;
  first_ = (first_ + 1) % static_cast<std::uint32_t>(queue_.size());
  --queued_;
  finish_if_due(operation, results);
}

void LoadStoreUnit::finish_if_due(std::uint32_t number, std::vector<MemoryResult>& results) {
  const Operation& operation = operations_[number];
  if (!operation.all_sent || operation.outstanding > 0) return;
  if (operation.info->write_count > 0) {
    ++stats_.loads;
    stats_.load_latency_sum += operation.at - operation.issued;
  }
  results.push_back({operation.info, operation.warp, operation.at, operation.shared_only});
  free_operations_.push_back(number);
}

void LoadStoreUnit::take_fill(memory::Cache& cache, Address line, Cycle now,
                              std::vector<MemoryResult>& results) {
  const memory::Fill fill = cache.fill(line);
  for (const Access& access : fill.down) queue(access, now);
  for (const Access& access : fill.waiting) {
    Operation& operation = operations_[access.token];
    --operation.outstanding;
    operation.at = std::max(operation.at, now);
    finish_if_due(static_cast<std::uint32_t>(access.token), results);
  }
}

void LoadStoreUnit::answer(const Access& access, Cycle now, std::vector<MemoryResult>& results) {
  if (blocked_) {
    (blocked_by_queue_ ? stats_.queue_full_cycles : stats_.refused_cycles) += now - blocked_since_;
    blocked_ = false;
  }
  switch (request_kind(access.token)) {
    case RequestKind::kDataLine:
      return take_fill(l1_of(access.address), access.address, now, results);
    case RequestKind::kConstantLine: return take_fill(constants_, access.address, now, results);
    case RequestKind::kTextureLine: return take_fill(textures_, access.address, now, results);
    default: {
      const std::uint32_t number = request_number(access.token);
      --operations_[number].outstanding;
      operations_[number].at = std::max(operations_[number].at, now);
      return finish_if_due(number, results);
    }
  }
}

bool LoadStoreUnit::try_send(const Access& access, Cycle now) {
  const ShortBytes data = is_write(access.kind) ? access.bytes : ShortBytes(0);
  return requests_.try_send({map_.slice_of(access.address), header_bytes_ + data, access}, now);
}

void LoadStoreUnit::send(Cycle now) {
  network_full_ = false;
  if (!direct_.empty()) {
    Access access = direct_.front();
    access.source = core_;
    if (!try_send(access, now)) {
      network_full_ = true;
      return;
    }
    if (trace_ != nullptr) trace_->request_sent(access, now, now);
    direct_.erase(direct_.begin());
    return;
  }
  if (outgoing_.empty() || outgoing_.front().ready > now) return;
  if (!try_send(outgoing_.front().access, now)) {
    network_full_ = true;
    return;
  }
  if (trace_ != nullptr)
    trace_->request_sent(outgoing_.front().access, outgoing_.front().ready, now);
  outgoing_.pop();
  if (blocked_ && blocked_by_queue_) {
    blocked_ = false;
    stats_.queue_full_cycles += now - blocked_since_;
  }
}

Cycle LoadStoreUnit::next_work(Cycle now) const {
  Cycle next = sim::kNever;
  if (queued_ > 0 && !blocked_) next = std::max(queue_[first_].ready, free_at_);
  if (!network_full_) {
    if (!direct_.empty()) return now + Cycle(1);
    if (!outgoing_.empty()) next = std::min(next, outgoing_.front().ready);
  }
  return std::max(next, now + Cycle(1));
}

// Sharing paper §V-B3: the tag and data arrays are cut in two banks by the highest bit of the set,
// and a neighbour's banks come after these: each has as many sets in a row.
bool LoadStoreUnit::is_lent(Address address) const {
  constexpr std::uint32_t kOwnHalves = 2;
  const std::uint64_t line = address / parameters_.l1.line_bytes;
  const std::uint64_t sets_of_half = std::max<std::uint64_t>(
      1, parameters_.l1.bytes / parameters_.l1.line_bytes / parameters_.l1.ways / kOwnHalves);
  return line / sets_of_half % (kOwnHalves + parameters_.lent.l1_halves) >= kOwnHalves;
}

std::vector<Access> LoadStoreUnit::take_unsent() {
  std::vector<Access> unsent = std::move(direct_);
  for (; !outgoing_.empty(); outgoing_.pop()) unsent.push_back(outgoing_.front().access);
  return unsent;
}

memory::CacheStats LoadStoreUnit::lent_l1_stats() const {
  return lent_l1_ ? lent_l1_->stats() : memory::CacheStats{};
}

memory::CacheStats LoadStoreUnit::l1_stats() const {
  memory::CacheStats all = l1_.stats();
  all += lent_l1_stats();
  return all;
}

void LoadStoreUnit::flush() {
  l1_.flush();
  if (lent_l1_) lent_l1_->flush();
  if (!parameters_.launches_flush_all) return;
  constants_.flush();
  textures_.flush();
}

}  // namespace raddle::machine::simt

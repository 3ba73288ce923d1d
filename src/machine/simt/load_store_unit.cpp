#include "machine/simt/load_store_unit.h"

#include <algorithm>
#include <bit>

#include "kernel/address_map.h"

namespace raddle::machine::simt {

using kernel::Space;
using kernel::exec::kLanes;
using kernel::exec::LaneMask;
using memory::Access;
using memory::AccessKind;
using memory::Verdict;

namespace {

constexpr std::uint32_t kWordBytes = 4;
constexpr std::uint32_t kSmallestSegment = 32;

// The part of a segment, 32, 64 … bytes, that its lanes touch.
struct Extent {
  std::uint64_t address;
  std::uint32_t bytes;
};
Extent trimmed(const memory::Segment& segment, std::uint32_t segment_bytes,
               const memory::LaneAddresses& lanes) {
  std::uint64_t first = segment.address + segment_bytes;
  std::uint64_t last = segment.address;
  for (std::uint64_t left = segment.lanes; left != 0; left &= left - 1) {
    const std::uint64_t a = lanes.address[static_cast<std::size_t>(std::countr_zero(left))];
    first = std::min(first, std::max(a, segment.address));
    last = std::max(last, std::min(a + lanes.bytes, segment.address + segment_bytes) - 1);
  }
  std::uint32_t bytes = kSmallestSegment;
  while (bytes < segment_bytes && first / bytes != last / bytes) bytes *= 2;
  return {first / bytes * bytes, bytes};
}

// The most lanes of the segment that go to one address: an atomic makes so many passes.
std::uint32_t most_at_one_address(const memory::Segment& segment,
                                  const memory::LaneAddresses& lanes) {
  std::uint32_t most = 1;
  std::uint64_t left = segment.lanes;
  while (left != 0) {
    const std::uint64_t address = lanes.address[static_cast<std::size_t>(std::countr_zero(left))];
    std::uint32_t same = 0;
    for (std::uint64_t others = left; others != 0; others &= others - 1) {
      if (lanes.address[static_cast<std::size_t>(std::countr_zero(others))] != address) continue;
      ++same;
      left &= ~(others & (~others + 1));
    }
    most = std::max(most, same);
  }
  return most;
}

}  // namespace

LoadStoreUnit::LoadStoreUnit(const GpuParameters& gpu, std::uint32_t core,
                             const memory::SliceMap& map, RequestChannel& requests)
    : parameters_(gpu.core),
      core_(core),
      header_bytes_(gpu.header_bytes),
      map_(map),
      requests_(requests),
      l1_(gpu.core.l1),
      constants_(gpu.core.constant_cache),
      textures_(gpu.core.texture_cache),
      queue_(gpu.core.memory_collectors + gpu.core.memory_stages),
      outgoing_(gpu.core.l1_latency + gpu.core.l1_miss_queue + memory::Cache::kMaxDown) {
  local_.warp_bytes = std::uint64_t{gpu.stack_bytes} * kLanes;
  local_.base = kernel::kLocalWindow + local_.warp_bytes * gpu.core.warps * core;
}

std::uint32_t LoadStoreUnit::take_operation() {
  if (free_operations_.empty()) {
    operations_.emplace_back();
    return static_cast<std::uint32_t>(operations_.size() - 1);
  }
  const std::uint32_t number = free_operations_.back();
  free_operations_.pop_back();
  return number;
}

void LoadStoreUnit::push(const IssueInfo& info, std::uint32_t warp,
                         const kernel::exec::MemoryAccess& access, std::uint64_t issued,
                         std::uint64_t ready) {
  Entry& entry = queue_[(first_ + queued_) % queue_.size()];
  ++queued_;
  entry.info = &info;
  entry.warp = warp;
  entry.ready = ready;
  entry.passes = entry.count = entry.next = 0;
  entry.operation = take_operation();
  operations_[entry.operation] = {.info = &info, .warp = warp, .issued = issued, .at = ready};
  ++stats_.instructions;

  const memory::LaneAddresses lanes{access.address, access.mask, access.bytes};
  switch (access.space) {
    case Space::kShared: add_shared(entry, lanes); break;
    case Space::kLocal: add_local(entry, access); break;
    case Space::kGeneric: split_generic(entry, access); break;
    case Space::kConst: add_constant(entry, lanes, constants_.parameters().line_bytes); break;
    case Space::kParam: {
      // Parameters of a kernel are the same for all lanes.
      const std::uint32_t line = constants_.parameters().line_bytes;
      const auto first = static_cast<std::size_t>(std::countr_zero(access.mask));
      entry.pieces[entry.count++] = {(kernel::kParamWindow + access.address[first]) / line * line,
                                     static_cast<std::uint16_t>(line), 1, false};
      break;
    }
    default: add_global(entry, lanes, false); break;
  }
  operations_[entry.operation].shared_only = entry.count == 0;
}

void LoadStoreUnit::add_shared(Entry& entry, const memory::LaneAddresses& lanes) {
  const memory::BankPasses passes = count_passes(parameters_.shared_shape, lanes);
  // Atomics on shared memory lock, update and unlock: lanes with one address follow each other.
  std::uint32_t conflicts = passes.conflicts();
  std::uint32_t total = std::max(1u, passes.passes);
  if (entry.info->is_atomic) {
    const memory::Segment all{0, lanes.mask};
    const std::uint32_t repeats = most_at_one_address(all, lanes);
    conflicts += (repeats - 1) * total;
    total *= repeats;
  }
  entry.passes += total;
  stats_.shared_passes += total;
  stats_.shared_conflicts += conflicts;
}

void LoadStoreUnit::add_global(Entry& entry, const memory::LaneAddresses& lanes, bool local) {
  const bool texture = entry.info->path == MemoryPath::kTexture;
  const std::uint32_t line =
      texture ? textures_.parameters().line_bytes : l1_.parameters().line_bytes;
  const bool whole_lines = !entry.info->is_store && !entry.info->past_l1 &&
                           (local || texture || parameters_.l1_caches_global);
  std::array<memory::Segment, 2 * kLanes> segments;
  const std::size_t count = memory::coalesce(lanes, line, segments);
  const bool consecutive = !whole_lines && lanes.is_consecutive();
  for (std::size_t i = 0; i < count && entry.count < entry.pieces.size(); ++i) {
    Piece& piece = entry.pieces[entry.count++];
    piece = {segments[i].address, static_cast<std::uint16_t>(line), 1, local};
    if (whole_lines) continue;
    // Lanes side by side that fill the line need no further look.
    const bool filled = consecutive && segments[i].lanes == lanes.mask;
    if (filled && lanes.bytes * kLanes == line && !entry.info->is_atomic) continue;
    const Extent extent = trimmed(segments[i], line, lanes);
    piece.address = extent.address;
    piece.bytes = static_cast<std::uint16_t>(extent.bytes);
    if (entry.info->is_atomic)
      piece.passes = static_cast<std::uint16_t>(most_at_one_address(segments[i], lanes));
  }
}

// Word w of all lanes lies side by side, so that lanes that use the same variable share lines.
void LoadStoreUnit::add_local(Entry& entry, const kernel::exec::MemoryAccess& access) {
  std::array<std::uint64_t, kLanes> address{};
  const std::uint64_t base = local_.base + local_.warp_bytes * entry.warp;
  const std::uint32_t words = std::max(1u, access.bytes / kWordBytes);
  for (std::uint32_t word = 0; word < words; ++word) {
    for (LaneMask left = access.mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      const std::uint64_t offset =
          access.address[lane] % kernel::kWindowBytes + std::uint64_t{word} * kWordBytes;
      address[lane] = base + offset / kWordBytes * (kLanes * kWordBytes) + lane * kWordBytes +
                      offset % kWordBytes;
    }
    add_global(entry, {address, access.mask, std::min(access.bytes, kWordBytes)}, true);
  }
}

void LoadStoreUnit::add_constant(Entry& entry, const memory::LaneAddresses& lanes,
                                 std::uint32_t line_bytes) {
  // A broadcast costs one access; different words follow each other.
  std::uint64_t left = lanes.mask;
  while (left != 0 && entry.count < entry.pieces.size()) {
    const std::uint64_t address = lanes.address[static_cast<std::size_t>(std::countr_zero(left))];
    for (std::uint64_t others = left; others != 0; others &= others - 1) {
      if (lanes.address[static_cast<std::size_t>(std::countr_zero(others))] == address)
        left &= ~(others & (~others + 1));
    }
    entry.pieces[entry.count++] = {address / line_bytes * line_bytes,
                                   static_cast<std::uint16_t>(line_bytes), 1, false};
  }
}

// Generic addresses whose lanes lie in different spaces.
void LoadStoreUnit::split_generic(Entry& entry, const kernel::exec::MemoryAccess& access) {
  LaneMask shared = 0, local = 0, global = 0;
  for (LaneMask left = access.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const std::uint64_t address = access.address[static_cast<std::size_t>(lane)];
    LaneMask& space = kernel::in_window(address, kernel::kSharedWindow)  ? shared
                      : kernel::in_window(address, kernel::kLocalWindow) ? local
                                                                         : global;
    space |= LaneMask{1} << lane;
  }
  if (shared != 0) add_shared(entry, {access.address, shared, access.bytes});
  if (global != 0) add_global(entry, {access.address, global, access.bytes}, false);
  if (local != 0) {
    kernel::exec::MemoryAccess part = access;
    part.mask = local;
    add_local(entry, part);
  }
}

void LoadStoreUnit::queue(Access access, std::uint64_t ready) {
  access.source = core_;
  outgoing_.push({access, ready});
}

bool LoadStoreUnit::through_cache(memory::Cache& cache, RequestKind kind, std::uint32_t latency,
                                  const Entry& entry, const Piece& piece, std::uint64_t now) {
  const memory::Outcome outcome = cache.access(
      {piece.address, piece.bytes, AccessKind::kLoad, core_, entry.operation}, Cycle(now));
  Operation& operation = operations_[entry.operation];
  switch (outcome.verdict) {
    case Verdict::kRefused: return false;
    case Verdict::kHit: operation.at = std::max(operation.at, now + latency); return true;
    default: ++operation.outstanding;
  }
  for (Access access : outcome.down) {
    const bool fetches = access.kind == AccessKind::kLoad;
    if (fetches) access.token = request_token(kind, 0);
    queue(access, now + latency);
  }
  return true;
}

bool LoadStoreUnit::through_l1(const Entry& entry, const Piece& piece, std::uint64_t now,
                               std::vector<std::uint32_t>& stores_sent) {
  if (!entry.info->is_store)
    return through_cache(l1_, RequestKind::kDataLine, parameters_.l1_latency, entry, piece, now);
  const memory::Outcome outcome =
      l1_.access({piece.address, piece.bytes, AccessKind::kStore, core_, entry.operation},
                 Cycle(now), piece.local ? parameters_.l1_local : parameters_.l1_global);
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

bool LoadStoreUnit::past_l1(const Entry& entry, const Piece& piece, std::uint64_t now) {
  const AccessKind kind = entry.info->is_atomic ? AccessKind::kAtomic : AccessKind::kLoad;
  queue(
      {piece.address, piece.bytes, kind, core_,
       memory::with_passes(request_token(RequestKind::kOperation, entry.operation), piece.passes)},
      now + parameters_.l1_latency);
  ++operations_[entry.operation].outstanding;
  return true;
}

bool LoadStoreUnit::make_access(Entry& entry, const Piece& piece, std::uint64_t now,
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

void LoadStoreUnit::tick(std::uint64_t now, std::vector<MemoryResult>& results,
                         std::vector<std::uint32_t>& stores_sent) {
  if (!has_work(now)) return;
  Entry& entry = queue_[first_];
  if (entry.ready > now) return;
  if (entry.passes > 0) {
    // All passes at once: nothing else gets in between.
    Operation& operation = operations_[entry.operation];
    const std::uint32_t cycles = entry.passes * parameters_.load_store_interval;
    operation.at = std::max(
        operation.at, now + cycles - parameters_.load_store_interval + parameters_.shared_latency);
    free_at_ = now + cycles;
    stats_.busy_cycles += cycles;
    entry.passes = 0;
  } else if (entry.next < entry.count) {
    const bool room = outgoing_.room() >= memory::Cache::kMaxDown;
    if (!room || !make_access(entry, entry.pieces[entry.next], now, stores_sent)) {
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
  if (entry.next < entry.count) return;
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

void LoadStoreUnit::take_fill(memory::Cache& cache, std::uint64_t line, std::uint64_t now,
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

void LoadStoreUnit::answer(const Access& access, std::uint64_t now,
                           std::vector<MemoryResult>& results) {
  if (blocked_) {
    (blocked_by_queue_ ? stats_.queue_full_cycles : stats_.refused_cycles) += now - blocked_since_;
    blocked_ = false;
  }
  switch (request_kind(access.token)) {
    case RequestKind::kDataLine: return take_fill(l1_, access.address, now, results);
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

bool LoadStoreUnit::try_send(const Access& access, std::uint64_t now) {
  const std::uint32_t data = is_write(access.kind) ? access.bytes : 0;
  return requests_.try_send({map_.slice_of(access.address), header_bytes_ + data, access},
                            Cycle(now));
}

void LoadStoreUnit::send(std::uint64_t now) {
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

std::uint64_t LoadStoreUnit::next_work(std::uint64_t now) const {
  std::uint64_t next = ~std::uint64_t{0};
  if (queued_ > 0 && !blocked_) next = std::max(queue_[first_].ready, free_at_);
  if (!network_full_) {
    if (!direct_.empty()) return now + 1;
    if (!outgoing_.empty()) next = std::min(next, outgoing_.front().ready);
  }
  return std::max(next, now + 1);
}

void LoadStoreUnit::flush() {
  l1_.flush();
  constants_.flush();
  textures_.flush();
}

}  // namespace raddle::machine::simt

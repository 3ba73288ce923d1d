#include "machine/cgra/fabric/data_cache.h"

#include <algorithm>

#include "machine/cgra/fabric/fabric_trace.h"

namespace raddle::machine::cgra {

using memory::Access;
using memory::AccessKind;
using memory::Verdict;

namespace {

constexpr std::uint32_t kNobody = ~0u;  // as a token: no thread waits

}  // namespace

DataCache::DataCache(const FabricParameters& parameters, std::uint32_t core,
                     const memory::SliceMap& map, memory::MemorySystem::RequestChannel& requests,
                     memory::MemorySystem::ReplyChannel& replies)
    : core_(core),
      hit_latency_(parameters.l1.hit_latency),
      header_bytes_(parameters.header_bytes),
      map_(map),
      requests_(requests),
      replies_(replies),
      banks_({parameters.l1_banks, parameters.l1_bank_bytes, hit_latency_}),
      cache_([&parameters] {
        memory::CacheParameters l1 = parameters.l1;
        l1.atomics = memory::AtomicPlace::kBelow;
        return l1;
      }()),
      // Fills may bring a write-back each.
      outgoing_(parameters.l1_miss_queue + memory::Cache::kMaxDown + parameters.l1.mshrs) {}

void DataCache::queue(Access access, Cycle ready) {
  access.source = core_;
  outgoing_.push({access, ready});
}

CacheTake DataCache::access(Address address, ShortBytes bytes, AccessKind kind, std::uint32_t token,
                            Cycle now) {
  const std::uint64_t banks = banks_.banks_of(address, bytes);
  if (!banks_.is_free(banks, now)) return CacheTake::kBankBusy;
  const std::size_t kept = cache_.parameters().mshrs;  // for write-backs of fills
  if (outgoing_.room() < kept + memory::Cache::kMaxDown) {
    ++refused_;
    return CacheTake::kRefused;
  }
  // What lies across the end of a line is not told from what lies before it.
  const Address line_end = cache_.line_of(address) + cache_.parameters().line_bytes;
  const ShortBytes within =
      line_end - address < bytes
          ? ShortBytes(static_cast<std::uint32_t>((line_end - address).count()))
          : bytes;
  const memory::Outcome outcome = cache_.access({address, within, kind, core_, token}, now);
  if (outcome.verdict == Verdict::kRefused) {
    ++refused_;
    return CacheTake::kRefused;
  }
  banks_.take(banks, bytes, memory::is_write(kind));
  for (const Access& down : outcome.down) queue(down, now + hit_latency_);
  if (kind == AccessKind::kStore) return CacheTake::kTaken;
  if (kind == AccessKind::kAtomic) ++atomics_;
  return outcome.verdict == Verdict::kHit ? CacheTake::kHit : CacheTake::kAnswered;
}

bool DataCache::may_prefetch() const {
  const std::size_t mshrs = cache_.parameters().mshrs;
  return 4 * cache_.mshrs().size() < 3 * mshrs &&
         outgoing_.room() >= mshrs + memory::Cache::kMaxDown;
}

bool DataCache::is_absent(Address address) const {
  return cache_.state(address) == memory::LineState::kInvalid;
}

bool DataCache::try_prefetch(Address line, Cycle now) {
  const std::uint64_t bank = banks_.banks_of(line, ShortBytes(1));
  if (!banks_.is_free(bank, now)) return false;
  const memory::Outcome outcome =
      cache_.access({line, ShortBytes(1), AccessKind::kLoad, core_, kNobody}, now);
  if (outcome.verdict == Verdict::kRefused) return false;
  ++prefetches_.lines;
  banks_.take(bank, ShortBytes(1), false);
  for (const Access& down : outcome.down) queue(down, now + hit_latency_);
  return true;
}

void DataCache::prefetch(Address address) {
  if (wanted_.size() == cache_.parameters().mshrs || !is_absent(address)) return;
  const Address line = cache_.line_of(address);
  if (std::ranges::find(wanted_, line) == wanted_.end()) wanted_.push_back(line);
}

// One a cycle.
void DataCache::prefetch_wanted(Cycle now) {
  while (!wanted_.empty() && !is_absent(wanted_.front())) wanted_.pop_front();
  if (wanted_.empty() || !may_prefetch()) return;
  if (try_prefetch(wanted_.front(), now)) wanted_.pop_front();
}

memory::CacheStats DataCache::stats() const {
  memory::CacheStats stats = cache_.stats();
  stats.loads -= prefetches_.lines;
  stats.misses -= prefetches_.lines;
  stats.bytes_read -= prefetches_.lines;  // of one byte each
  return stats;
}

const std::vector<std::uint32_t>& DataCache::answers(Cycle now) {
  answers_.clear();
  if (!replies_.ready(now)) return answers_;
  const Access reply = replies_.pop(now);
  if (trace_ != nullptr) trace_->reply(reply, now);
  switch (reply.kind) {
    case AccessKind::kLoad: {
      const memory::Fill fill = cache_.fill(reply.address);
      for (const Access& access : fill.waiting) {
        if (access.kind == AccessKind::kLoad && access.token != kNobody)
          answers_.push_back(static_cast<std::uint32_t>(access.token));
      }
      for (const Access& down : fill.down) queue(down, now);
      changed_ = true;
      break;
    }
    case AccessKind::kAtomic:
      --atomics_;
      answers_.push_back(static_cast<std::uint32_t>(reply.token));
      break;
    case AccessKind::kStore:
    case AccessKind::kWriteBack: break;
  }
  return answers_;
}

bool DataCache::try_send(const Access& access, Cycle now) {
  const ShortBytes data = memory::is_write(access.kind) ? access.bytes : ShortBytes(0);
  return requests_.try_send({map_.slice_of(access.address), header_bytes_ + data, access}, now);
}

void DataCache::send(Cycle now) {
  network_full_ = false;
  prefetch_wanted(now);
  const bool has_request = !outgoing_.empty() && outgoing_.front().ready <= now;
  if (!has_request && flushed_.empty()) return;
  if (!try_send(has_request ? outgoing_.front().access : flushed_.back(), now)) {
    network_full_ = true;
    return;
  }
  if (has_request) {
    if (trace_ != nullptr)
      trace_->request_sent(outgoing_.front().access, outgoing_.front().ready, now);
    outgoing_.pop();
    changed_ = true;
  } else {
    flushed_.pop_back();
  }
}

Cycle DataCache::next_work() const {
  const Cycle next = replies_.next_ready();
  if (!wanted_.empty() && may_prefetch()) return Cycle(0);
  if (network_full_) return next;
  if (!flushed_.empty()) return Cycle(0);
  return outgoing_.empty() ? next : std::min(next, outgoing_.front().ready);
}

void DataCache::flush() {
  flushed_ = cache_.flush();
  std::reverse(flushed_.begin(), flushed_.end());
  for (Access& access : flushed_) access.source = core_;
}

}  // namespace raddle::machine::cgra

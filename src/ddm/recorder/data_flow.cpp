#include "ddm/recorder/data_flow.h"

#include <algorithm>
#include <tuple>

namespace raddle::ddm {

using recording::Flow;

void DataFlow::begin(std::uint32_t thread) {
  thread_ = thread;
  flows_.clear();
}

DataFlow::Page& DataFlow::page(std::uint32_t number) {
  if (number >= pages_.size()) pages_.resize(number + 1);
  if (!pages_[number]) pages_[number] = std::make_unique<Page>();
  return *pages_[number];
}

void DataFlow::load(std::uint32_t number, std::uint64_t offset, std::uint64_t bytes) {
  Page& words = page(number);
  const std::uint64_t last = (offset + bytes - 1) / kWordBytes;
  for (std::uint64_t i = offset / kWordBytes; i <= last; ++i) {
    Word& word = words[i];
    if (word.known_to == thread_) continue;
    word.known_to = thread_;
    if (word.first == kNobody) word.first = thread_;
    const std::uint64_t address = number * kPageBytes + i * kWordBytes;
    if (word.writer != kNobody) {
      if (word.writer != thread_) add(word.writer, false, address);
    } else if (word.first != thread_) {
      add(word.first, true, address);
    }
  }
}

void DataFlow::store(std::uint32_t number, std::uint64_t offset, std::uint64_t bytes) {
  Page& words = page(number);
  const std::uint64_t last = (offset + bytes - 1) / kWordBytes;
  for (std::uint64_t i = offset / kWordBytes; i <= last; ++i) {
    words[i].writer = thread_;
    words[i].known_to = thread_;
    if (words[i].first == kNobody) words[i].first = thread_;
  }
}

void DataFlow::add(std::uint32_t producer, bool initial, std::uint64_t address) {
  const std::uint32_t is_initial = initial ? 1 : 0;
  if (!flows_.empty()) {
    Flow& last = flows_.back();
    if (last.producer == producer && last.initial == is_initial &&
        last.region.address + last.region.bytes == address) {
      last.region.bytes += kWordBytes;
      return;
    }
  }
  flows_.push_back({producer, is_initial, {address, kWordBytes}});
}

std::vector<Flow>& DataFlow::end() {
  std::ranges::sort(flows_, {}, [](const Flow& flow) {
    return std::tuple(flow.producer, flow.initial, flow.region.address);
  });
  std::size_t kept = 0;
  for (const Flow& flow : flows_) {
    if (kept > 0) {
      Flow& last = flows_[kept - 1];
      if (last.producer == flow.producer && last.initial == flow.initial &&
          last.region.address + last.region.bytes == flow.region.address) {
        last.region.bytes += flow.region.bytes;
        continue;
      }
    }
    flows_[kept++] = flow;
  }
  flows_.resize(kept);
  return flows_;
}

}  // namespace raddle::ddm

#include "ddm/recorder/stream_recorder.h"

#include <algorithm>
#include <utility>

#include "ddm/recorder/probe.h"

namespace raddle::ddm {

using recording::Event;
using recording::kLineBytes;
using recording::Touch;

void StreamRecorder::begin(std::uint32_t number) {
  number_ = number;
  ticks_ = 0;
  instructions_ = 0;
  references_ = 0;
  in_range_ = false;
  site_ = nullptr;
  data_filter_.clear();
  code_filter_.clear();
  flow_.begin(number);
  if (checker_ != nullptr) checker_->begin(number, recording_.threads[number].thread_template);
  recording_.threads[number].events.first = recording_.events.size();
  probe::start(*this);
}

void StreamRecorder::end() {
  probe::stop();
  recording::Thread& thread = recording_.threads[number_];
  thread.events.count = recording_.events.size() - thread.events.first;
  thread.last_ticks = ticks_;
  thread.instructions = instructions_;
  thread.references = references_;
  const std::vector<recording::Flow>& flows = flow_.end();
  thread.flows = {recording_.flows.size(), flows.size()};
  recording_.flows.insert(recording_.flows.end(), flows.begin(), flows.end());
}

void StreamRecorder::read(std::span<const std::uint64_t> words) {
  for (const std::uint64_t word : words) {
    if (in_range_) {
      in_range_ = false;
      access(probe::address_of(range_), word, probe::kind_of(range_) == probe::Kind::kStoreRange);
      continue;
    }
    switch (probe::kind_of(word)) {
      case probe::Kind::kLoad: access(probe::address_of(word), probe::bytes_of(word), false); break;
      case probe::Kind::kStore: access(probe::address_of(word), probe::bytes_of(word), true); break;
      case probe::Kind::kLoadRange:
      case probe::Kind::kStoreRange:
        range_ = word;
        in_range_ = true;
        break;
      case probe::Kind::kBlock: block(word); break;
      case probe::Kind::kSite:
        // NOLINTNEXTLINE(performance-no-int-to-ptr): the plug-in made a word of it
        site_ = reinterpret_cast<const probe::Site*>(probe::address_of(word));
        break;
    }
  }
}

void StreamRecorder::block(std::uint64_t word) {
  if (checker_ != nullptr) return;
  constexpr std::uint64_t kInstructionBytes = 4;
  const probe::BlockWord entered = probe::BlockWord::decode(word);
  const std::uint64_t first = kCodeAddress + entered.code_offset * kInstructionBytes;
  const std::uint64_t last =
      first + std::max<std::uint64_t>(entered.instructions * kInstructionBytes, 1) - 1;
  for (std::uint64_t line = first / kLineBytes; line <= last / kLineBytes; ++line) {
    const auto number = static_cast<std::uint32_t>(line);
    if (code_filter_.passes(number, false)) add_event(number, Touch::kFetch);
  }
  ticks_ += entered.ticks;
  instructions_ += entered.instructions;
}

void StreamRecorder::access(std::uint64_t host, std::uint64_t bytes, bool is_store) {
  // The simulated processor loads and stores eight bytes at most.
  constexpr std::uint64_t kMaxBytes = 8;
  if (bytes == 0) return;
  if (checker_ != nullptr) {
    check(host, bytes, is_store);
    return;
  }
  references_ += (bytes + kMaxBytes - 1) / kMaxBytes;
  if (stack_.is_own(host)) {
    touch(stack_.simulated(host), bytes, is_store);
    return;
  }
  host = stack_.steady(host);
  while (bytes > 0) {
    const std::uint64_t offset = host % kPageBytes;
    const std::uint64_t here = std::min(bytes, kPageBytes - offset);
    const std::uint32_t page = addresses_.page_of(host);
    if (is_store) {
      flow_.store(page, offset, here);
    } else {
      flow_.load(page, offset, here);
    }
    touch(page * kPageBytes + offset, here, is_store);
    host += here;
    bytes -= here;
  }
}

void StreamRecorder::check(std::uint64_t host, std::uint64_t bytes, bool is_store) {
  const probe::Site* site = std::exchange(site_, nullptr);
  if (stack_.is_own(host) || (site != nullptr && site->exempt != 0)) return;
  host = stack_.steady(host);
  while (bytes > 0) {
    const std::uint64_t here = std::min(bytes, kPageBytes - host % kPageBytes);
    checker_->access(addresses_.page_of(host), host, here, is_store, site);
    host += here;
    bytes -= here;
  }
}

void StreamRecorder::allocated(const void* memory, std::size_t bytes) {
  std::uint64_t host = stack_.steady(reinterpret_cast<std::uint64_t>(memory));
  while (bytes > 0) {
    const std::uint64_t here = std::min<std::uint64_t>(bytes, kPageBytes - host % kPageBytes);
    checker_->forget(addresses_.page_of(host), host % kPageBytes, here);
    host += here;
    bytes -= here;
  }
}

void StreamRecorder::touch(std::uint64_t address, std::uint64_t bytes, bool is_store) {
  const std::uint64_t last = (address + bytes - 1) / kLineBytes;
  for (std::uint64_t line = address / kLineBytes; line <= last; ++line) {
    const auto number = static_cast<std::uint32_t>(line);
    if (data_filter_.passes(number, is_store)) {
      add_event(number, is_store ? Touch::kStore : Touch::kLoad);
    }
  }
}

void StreamRecorder::add_event(std::uint32_t line, Touch touch) {
  while (ticks_ > Event::kMaxTicks) {
    recording_.events.push_back(Event::make(0, Event::kMaxTicks, Touch::kNone));
    ticks_ -= Event::kMaxTicks;
  }
  recording_.events.push_back(Event::make(line, static_cast<std::uint32_t>(ticks_), touch));
  ticks_ = 0;
}

void StreamRecorder::add_region(std::uint64_t host, std::uint64_t bytes,
                                std::vector<recording::Region>& to) {
  host = stack_.steady(host);
  while (bytes > 0) {
    const std::uint64_t here = std::min(bytes, kPageBytes - host % kPageBytes);
    to.push_back({addresses_.simulated(host), here});
    host += here;
    bytes -= here;
  }
}

}  // namespace raddle::ddm

// Turns the words of instrumented code into the stream of a thread: lines touched, ticks between
// them, and what was read of other threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ddm/recorder/address_space.h"
#include "ddm/recorder/data_flow.h"
#include "ddm/recorder/probe_reader.h"
#include "ddm/recorder/race_checker.h"
#include "ddm/recorder/touch_filter.h"
#include "ddm/recording/recording.h"

namespace raddle::ddm {

class StreamRecorder : public probe::Reader {
 public:
  explicit StreamRecorder(recording::Recording& recording) : recording_(recording) {}

  // A thread is about to run above this frame of the stack.
  void set_stack(const void* top) { stack_.thread_begins(reinterpret_cast<std::uint64_t>(top)); }
  // It is thread `number` of the recording.
  void begin(std::uint32_t number);
  void end();
  // Looks for races instead of recording what threads do.
  void set_checker(RaceChecker* checker) { checker_ = checker; }
  void allocated(const void* memory, std::size_t bytes) override;
  // What races call an address of the host.
  std::uint64_t steady_address(const void* host) const {
    return stack_.steady(reinterpret_cast<std::uint64_t>(host));
  }
  // Host memory as regions of simulated memory.
  void add_region(std::uint64_t host, std::uint64_t bytes, std::vector<recording::Region>& to);

 private:
  void read(std::span<const std::uint64_t> words) override;
  bool follows_allocations() const override { return checker_ != nullptr; }
  void block(std::uint64_t word);
  void check(std::uint64_t host, std::uint64_t bytes, bool is_store);
  void access(std::uint64_t host, std::uint64_t bytes, bool is_store);
  void touch(std::uint64_t address, std::uint64_t bytes, bool is_store);
  void add_event(std::uint32_t line, recording::Touch touch);

  recording::Recording& recording_;
  AddressSpace addresses_;
  DataFlow flow_;
  Stack stack_;
  TouchFilter data_filter_, code_filter_;
  std::uint32_t number_ = 0;
  std::uint64_t ticks_ = 0;  // since the last event
  std::uint64_t instructions_ = 0;
  std::uint64_t references_ = 0;
  std::uint64_t range_ = 0;  // the first word of an access whose length is still to come
  bool in_range_ = false;
  RaceChecker* checker_ = nullptr;
  const probe::Site* site_ = nullptr;  // of the next access
};

}  // namespace raddle::ddm

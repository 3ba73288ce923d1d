// The banks of one DRAM channel and the two buses that they share: which rows are open, and from
// which cycle on each command may be issued. It knows nothing of requests; whoever schedules asks
// for the earliest cycle and issues. No command is accepted before its time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "memory/dram_timing.h"

namespace raddle::memory {

enum class DramCommand : std::uint8_t {
  kActivate,
  kRead,
  kWrite,
  kPrecharge,
  kPrechargeAll,
  kRefresh
};

constexpr bool is_column(DramCommand command) {
  return command == DramCommand::kRead || command == DramCommand::kWrite;
}

class DramDevice {
 public:
  // Throws Error when no DRAM can have these parameters.
  explicit DramDevice(const DramTiming& timing);

  const DramTiming& timing() const { return timing_; }
  bool is_open(std::uint32_t bank) const { return banks_[bank].open; }
  // Meaningless for a bank that is closed.
  std::uint32_t open_row(std::uint32_t bank) const { return banks_[bank].row; }
  std::uint32_t open_banks() const { return open_banks_; }

  // The first cycle in which the command may be issued, given all that was issued so far. Whether
  // the bank is open as the command needs it is for the caller to know.
  Cycle earliest(DramCommand command, std::uint32_t bank = 0) const;
  // The three parts of that for activate, read, write and precharge, of which the latest counts:
  // what commands to this bank, to its group, and to all banks hold back.
  Cycle bank_bound(DramCommand command, std::uint32_t bank) const {
    return banks_[bank].bounds[static_cast<std::size_t>(command)];
  }
  Cycle group_bound(std::uint32_t place) const { return group_bounds_[place]; }
  Cycle shared_bound(DramCommand command) const {
    return bounds_[static_cast<std::size_t>(command)];
  }
  // Where the command's group bound stands; groups hold back column commands alone.
  std::uint32_t group_place(DramCommand command, std::uint32_t bank) const {
    return is_column(command) ? bank & (timing_.bank_groups - 1) : timing_.bank_groups;
  }

  void activate(std::uint32_t bank, std::uint32_t row, Cycle now);
  // Return the cycle after the last beat of data.
  Cycle read(std::uint32_t bank, Cycle now);
  Cycle write(std::uint32_t bank, Cycle now);
  void precharge(std::uint32_t bank, Cycle now);
  void precharge_all(Cycle now);
  // All banks must be closed.
  void refresh(Cycle now);
  // Has the bank close by itself as soon as it may: the "auto precharge" of the command that was
  // issued last.
  void precharge_when_possible(std::uint32_t bank);

 private:
  // By command, of the first four: from when on it may be issued.
  using Bounds = std::array<Cycle, 4>;
  struct Bank {
    Bounds bounds{};
    std::uint32_t row = 0;
    bool open = false;
  };

  void close(Bank& bank, Cycle now);

  DramTiming timing_;
  std::vector<Bank> banks_;
  std::vector<Cycle> group_bounds_;  // by group; the last one, of no group, is always zero
  Bounds bounds_{};
  std::array<Cycle, 4> last_activates_{};  // plus one, so that zero is none
  std::uint32_t oldest_activate_ = 0;
  std::uint32_t open_banks_ = 0;
};

}  // namespace raddle::memory

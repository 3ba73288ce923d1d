// A memory of a core in banks that units access on their own: each bank takes one access a cycle,
// an access of several words takes several banks. Used for the scratchpad, the live-value cache and
// in front of the L1.
#pragma once

#include <bit>
#include <cstdint>

#include "machine/cgra/fabric_counts.h"
#include "machine/cgra/fabric_parameters.h"

namespace raddle::machine::cgra {

class ScratchBanks {
 public:
  explicit ScratchBanks(const BankParameters& parameters)
      : latency_(parameters.latency),
        shift_(static_cast<std::uint32_t>(std::countr_zero(parameters.bank_bytes))),
        banks_(parameters.banks) {}

  // A bit for each bank that the access needs.
  std::uint64_t banks_of(std::uint64_t address, std::uint32_t bytes) const {
    const std::uint64_t first = address >> shift_;
    const std::uint64_t count = ((address + bytes - 1) >> shift_) - first + 1;
    const std::uint32_t bank = static_cast<std::uint32_t>(first) & (banks_ - 1);
    if (count == 1) return std::uint64_t{1} << bank;
    const std::uint64_t all = banks_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << banks_) - 1;
    if (count >= banks_) return all;
    const std::uint64_t mask = (std::uint64_t{1} << count) - 1;
    // Behind the last bank comes the first.
    const std::uint64_t wrapped = bank == 0 ? 0 : mask >> (banks_ - bank);
    return ((mask << bank) | wrapped) & all;
  }
  // Whether the banks are free in this cycle; counted as a conflict if not. Cycles never go back.
  bool is_free(std::uint64_t banks, std::uint64_t now) {
    if (now != cycle_) {
      cycle_ = now;
      busy_ = 0;
    }
    if ((busy_ & banks) == 0) return true;
    ++stats_.conflicts;
    return false;
  }
  // They must be free.
  void take(std::uint64_t banks, std::uint32_t bytes, bool writes) {
    busy_ |= banks;
    ++(writes ? stats_.writes : stats_.reads);
    stats_.bytes += bytes;
  }
  bool access(std::uint64_t address, std::uint32_t bytes, bool writes, std::uint64_t now) {
    const std::uint64_t banks = banks_of(address, bytes);
    if (!is_free(banks, now)) return false;
    take(banks, bytes, writes);
    return true;
  }

  std::uint32_t latency() const { return latency_; }
  const BankStats& stats() const { return stats_; }

 private:
  std::uint32_t latency_;
  std::uint32_t shift_;
  std::uint32_t banks_;
  std::uint64_t cycle_ = ~std::uint64_t{0};
  std::uint64_t busy_ = 0;
  BankStats stats_;
};

}  // namespace raddle::machine::cgra

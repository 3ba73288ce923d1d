// A memory of a core in banks that units access on their own: each bank takes one access a cycle,
// an access of several words takes several banks. Used for the scratchpad, the live-value cache and
// in front of the L1.
#pragma once

#include <bit>
#include <cstdint>

#include "machine/cgra/fabric/fabric_counts.h"
#include "machine/cgra/fabric/fabric_parameters.h"
#include "sim/clock.h"

namespace raddle::machine::cgra {

class ScratchBanks {
 public:
  explicit ScratchBanks(const BankParameters& parameters)
      : latency_(parameters.latency),
        shift_(static_cast<std::uint32_t>(std::countr_zero(parameters.bank_bytes.count()))),
        bank_bits_(static_cast<std::uint32_t>(std::countr_zero(parameters.banks))) {}

  // A bit for each bank that the access needs. Words that follow each other lie in different banks;
  // which ones depends on all bits of the address, so that threads in the same place of different
  // rows do not meet in a bank.
  std::uint64_t banks_of(Address address, ShortBytes bytes) const {
    std::uint64_t word = address.value() >> shift_;
    std::uint64_t banks = std::uint64_t{1} << bank_of(word);
    for (const std::uint64_t last = (address + bytes - Bytes(1)).value() >> shift_; word < last;)
      banks |= std::uint64_t{1} << bank_of(++word);
    return banks;
  }
  // Whether the banks are free in this cycle; counted as a conflict if not. Cycles never go back.
  bool is_free(std::uint64_t banks, Cycle now) {
    if (now != cycle_) {
      cycle_ = now;
      busy_ = 0;
    }
    if ((busy_ & banks) == 0) return true;
    ++stats_.conflicts;
    return false;
  }
  // They must be free.
  void take(std::uint64_t banks, ShortBytes bytes, bool writes) {
    busy_ |= banks;
    ++(writes ? stats_.writes : stats_.reads);
    stats_.bytes += bytes.count();
  }
  bool access(Address address, ShortBytes bytes, bool writes, Cycle now) {
    const std::uint64_t banks = banks_of(address, bytes);
    if (!is_free(banks, now)) return false;
    take(banks, bytes, writes);
    return true;
  }

  Cycle latency() const { return latency_; }
  const BankStats& stats() const { return stats_; }

 private:
  std::uint32_t bank_of(std::uint64_t word) const {
    if (bank_bits_ == 0) return 0;
    std::uint64_t folded = 0;
    for (; word != 0; word >>= bank_bits_) folded += word;
    return static_cast<std::uint32_t>(folded & ((std::uint64_t{1} << bank_bits_) - 1));
  }

  Cycle latency_;
  std::uint32_t shift_;
  std::uint32_t bank_bits_;  // log2 of their number
  Cycle cycle_ = sim::kNever;
  std::uint64_t busy_ = 0;
  BankStats stats_;
};

}  // namespace raddle::machine::cgra

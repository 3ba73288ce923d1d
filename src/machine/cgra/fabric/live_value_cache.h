// The live-value cache of a core: what threads keep from one configuration to a later one. A value
// of a thread has its fixed place; those of one thread lie in different banks, those of threads
// that follow each other, too.
#pragma once

#include <cstdint>

#include "machine/cgra/fabric/scratch_banks.h"

namespace raddle::machine::cgra {

class LiveValueCache {
 public:
  explicit LiveValueCache(const BankParameters& parameters)
      : banks_(parameters), bank_bytes_(parameters.bank_bytes) {}

  // False: the bank is in use.
  bool access(std::uint32_t thread, std::uint32_t value, ShortBytes bytes, bool writes, Cycle now) {
    return banks_.access(Address(0) + (std::uint64_t{thread} + value) * bank_bytes_, bytes, writes,
                         now);
  }

  Cycle latency() const { return banks_.latency(); }
  const BankStats& stats() const { return banks_.stats(); }

 private:
  ScratchBanks banks_;
  Bytes bank_bytes_;
};

}  // namespace raddle::machine::cgra

// The words of shared memory or of frontend memory, taken from the computer only as they are used,
// and the rule that spreads shared words over the memory modules.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "machine/tpa/isa.h"
#include "machine/tpa/issue_stream.h"
#include "machine/tpa/tpa_parameters.h"

namespace raddle::machine::tpa {

// Zeros, for std::free(): what is not used is not taken from the computer. Null: it has not so
// much.
void* zeroed_memory(std::uint64_t count, std::size_t size);

class WordMemory {
 public:
  // Throws Error if this computer has not so much.
  explicit WordMemory(std::uint64_t bytes);

  std::uint64_t words() const { return words_; }
  std::uint64_t bytes() const { return words_ * kWordBytes; }
  // Whether there is a whole word at the address.
  bool holds(Word address) const {
    return (address & (kWordBytes - 1)) == 0 && address / kWordBytes < words_;
  }
  Word& at(Word address) { return data_[address / kWordBytes]; }
  Word at(Word address) const { return data_[address / kWordBytes]; }

  // The kind of fault that an access to an address that it does not hold is.
  std::string fault_text(Word address, const char* memory) const;

 private:
  struct Free {
    void operator()(Word* data) const { std::free(data); }
  };
  std::uint64_t words_;
  std::unique_ptr<Word[], Free> data_;
};

// Which module a word lies in.
class ModuleMap {
 public:
  ModuleMap(ModuleHash hash, std::uint32_t modules);

  std::uint32_t module_of(Word address) const {
    IssueItem item = 0;
    place(&address, 1, 0, &item);
    return item;
  }
  // Items of references to so many addresses; up to kMostAddresses.
  static constexpr std::size_t kMostAddresses = 256;
  void place(const Word* addresses, std::size_t count, IssueItem flags, IssueItem* items) const;

 private:
  ModuleHash hash_;
  std::uint32_t modules_;
  std::uint32_t bits_;         // of a module number
  std::uint32_t first_shift_;  // the largest doubling of it below the width of a word
  std::uint32_t mask_ = 0;     // not 0: the number of modules is a power of two
};

}  // namespace raddle::machine::tpa

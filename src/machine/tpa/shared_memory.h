// The words of shared memory or of frontend memory, taken from the computer only as they are used,
// and the rule that spreads shared words over the memory modules.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "machine/tpa/isa.h"
#include "machine/tpa/tpa_parameters.h"

namespace raddle::machine::tpa {

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
    const Word word = address / kWordBytes;
    switch (hash_) {
      case ModuleHash::kModulo: return reduced(word);
      case ModuleHash::kXor: {
        // Every group of bits that makes a module number has its say, so that strides of any power
        // of two are spread evenly, and blocks of such strides onto different modules.
        Word folded = word;
        for (std::uint32_t shift = first_shift_; shift >= bits_; shift /= 2)
          folded ^= folded >> shift;
        return reduced(folded);
      }
      case ModuleHash::kRandom: return reduced((word * 0x9e3779b97f4a7c15U) >> 40);
    }
    return 0;
  }

 private:
  std::uint32_t reduced(Word word) const {
    return static_cast<std::uint32_t>(mask_ != 0 || modules_ == 1 ? word & mask_ : word % modules_);
  }

  ModuleHash hash_;
  std::uint32_t modules_;
  std::uint32_t bits_;         // of a module number
  std::uint32_t first_shift_;  // the largest doubling of it below the width of a word
  std::uint32_t mask_ = 0;     // not 0: the number of modules is a power of two
};

}  // namespace raddle::machine::tpa

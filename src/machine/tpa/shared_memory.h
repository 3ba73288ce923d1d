// The words of shared memory or of frontend memory, taken from the computer only as they are used,
// and the rule that spreads shared words over the memory modules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "machine/tpa/isa.h"
#include "machine/tpa/issue_stream.h"
#include "machine/tpa/tpa_parameters.h"

namespace raddle::machine::tpa {

// Zeros of the size that was asked for: what is not used is not taken from the computer.
struct ReleaseMemory {
  std::size_t mapped = 0;  // bytes; none: it comes from the heap

  void operator()(void* memory) const;
};
using ZeroedMemory = std::unique_ptr<void, ReleaseMemory>;
// Null: the computer has not so much.
ZeroedMemory zeroed_memory(std::uint64_t count, std::size_t size);

// Words that are 0 until they are written, and that can become more.
class ZeroedWords {
 public:
  std::size_t size() const { return size_; }
  Word& operator[](std::size_t i) { return static_cast<Word*>(memory_.get())[i]; }
  Word operator[](std::size_t i) const { return static_cast<const Word*>(memory_.get())[i]; }
  // To at least so many. False: this computer has not so much.
  [[nodiscard]] bool grow(std::size_t size);

 private:
  std::size_t size_ = 0;
  ZeroedMemory memory_;
};

class WordMemory {
 public:
  // Throws Error if this computer has not so much.
  explicit WordMemory(std::uint64_t bytes);

  std::uint64_t words() const { return words_.size(); }
  std::uint64_t bytes() const { return words() * kWordBytes; }
  // Whether there is a whole word at the address.
  bool holds(Word address) const {
    return (address & (kWordBytes - 1)) == 0 && address / kWordBytes < words();
  }
  Word& at(Word address) { return words_[address / kWordBytes]; }
  Word at(Word address) const { return words_[address / kWordBytes]; }

  // The kind of fault that an access to an address that it does not hold is.
  std::string fault_text(Word address, const char* memory) const;

 private:
  ZeroedWords words_;
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
  // Items of references to so many addresses; up to kMaxAddresses.
  static constexpr std::size_t kMaxAddresses = 256;
  void place(const Word* addresses, std::size_t count, IssueItem flags, IssueItem* items) const;

 private:
  ModuleHash hash_;
  std::uint32_t modules_;
  std::uint32_t bits_;         // of a module number
  std::uint32_t first_shift_;  // the largest doubling of it below the width of a word
  std::uint32_t mask_ = 0;     // not 0: the number of modules is a power of two
};

}  // namespace raddle::machine::tpa

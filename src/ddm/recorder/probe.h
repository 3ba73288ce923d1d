// What instrumented code and the recorder agree on. The plug-in (src/ddm/plugin) makes threads
// append one word for each basic block, load and store to a buffer; when it is nearly full they
// call raddle_ddm_probe_flush. Outside of threads the words are dropped.
#pragma once

#include <cstdint>

namespace raddle::ddm::probe {

// The upper bits of a word say what it is.
enum class Kind : std::uint64_t {
  kLoad,        // address in bits 0–47, bytes in 48–59
  kStore,       // the same
  kLoadRange,   // address; the number of bytes is the next word
  kStoreRange,  // the same
  kBlock,       // a basic block: see BlockWord
  kSite,        // where the Site of the next access lies; only in code with debug information
};

inline constexpr unsigned kKindShift = 60;
inline constexpr unsigned kBytesShift = 48;
inline constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << kBytesShift) - 1;
inline constexpr std::uint64_t kMaxBytes = 0xfff;

constexpr Kind kind_of(std::uint64_t word) { return static_cast<Kind>(word >> kKindShift); }
constexpr std::uint64_t address_of(std::uint64_t word) { return word & kAddressMask; }
constexpr std::uint64_t bytes_of(std::uint64_t word) { return word >> kBytesShift & kMaxBytes; }
// What is added to an address to make a word of it.
constexpr std::uint64_t tag(Kind kind, std::uint64_t bytes = 0) {
  return static_cast<std::uint64_t>(kind) << kKindShift | bytes << kBytesShift;
}

// Basic blocks are numbered by where their code would lie if every instruction had four bytes.
struct BlockWord {
  std::uint64_t ticks = 0;         // kTicksPerCycle to a cycle; 18 bits
  std::uint64_t instructions = 0;  // 10 bits
  std::uint64_t code_offset = 0;   // in instructions; 32 bits

  static constexpr std::uint64_t kMaxTicks = (1u << 18) - 1;
  static constexpr std::uint64_t kMaxInstructions = (1u << 10) - 1;

  constexpr std::uint64_t encode() const {
    return tag(Kind::kBlock) | ticks << 42 | instructions << 32 | code_offset;
  }
  static constexpr BlockWord decode(std::uint64_t word) {
    return {word >> 42 & kMaxTicks, word >> 32 & kMaxInstructions, word & 0xffffffff};
  }
};

// A place in the source that accesses memory; the plug-in puts these into the program.
struct Site {
  const char* file;      // null: not known
  const char* variable;  // a global one; null: not known
  std::uint32_t line;
  std::uint32_t exempt;  // atomic, or of memory that each worker has for itself
};

// Words that one stretch of code without calls may append before it looks at the limit.
inline constexpr std::uint32_t kSlackWords = 4096;

}  // namespace raddle::ddm::probe

extern "C" {
// Where the next word goes, and from where on the buffer must be emptied.
extern std::uint64_t* raddle_ddm_probe_cursor;
extern std::uint64_t* raddle_ddm_probe_limit;
void raddle_ddm_probe_flush();
}

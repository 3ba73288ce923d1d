// Every form of every PTX instruction that the reader knows, once: its name, the operation of the
// kernel IR it becomes, the types and modifiers it takes, and its operands. A new instruction is a
// new row.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/instruction.h"
#include "lang/ptx/modifiers.h"

namespace raddle::ptx {

using TypeSet = std::uint32_t;
constexpr TypeSet set_of(kernel::Type type) { return TypeSet{1} << static_cast<int>(type); }
constexpr bool contains(TypeSet types, kernel::Type type) { return (types & set_of(type)) != 0; }

// How the operands are written.
enum class Syntax : std::uint8_t {
  kPlain,  // as the pattern says
  kMove,   // mov: also packs, unpacks, takes addresses and reads special registers
  kBranch,
  kIndexedBranch,
  kCall,
  kReturn,
  kAsyncCopy,
  kTexture,  // {d…}, [texture, {coordinates}] and what may follow
  kTextureQuery,
  kSurfaceStore,
  kHalves,       // d, a, b on two 16-bit integers each: taken apart, the kernel IR has no such type
  kCachePolicy,  // becomes mov d, 0: caches have no policies of the program's own
  kMma,          // {d}, {a}, {b}, {c}; the words are its own
  kMatrixAccess,
  kMatrixMove,
  kTensorFloat,
  kMemoryBarrier,
  kNothing,  // no effect on what is computed: leaves no instruction
};

// The pattern is a letter for each operand; `?` in front of one that may be missing.
// Destinations:
//   d  of the type, or twice as wide with .wide
//   D  of the type; the register may be wider
//   v  of the type, or a vector {…}; registers may be wider
//   w  of 32 bits
//   p  a predicate
//   q  a predicate, or p|q
//   r  as d, or d|p
//   x  as w, or w|p
// Sources:
//   a  of the type
//   b  of the second type
//   e  of the second type; the register may be wider
//   c  as wide as d
//   u  of 32 bits
//   V  of the type, or a vector {…}; registers may be wider
//   P  a predicate, may be negated
//   A  an address in []
//   g  an address in a register, or a symbol
//   K  a constant integer
// There only if a modifier asks for them:
//   C  a predicate, with .and .or .xor
//   m  a member mask, with .sync
//   s  a second value, with .cas
//   k  a second half, with packed types
struct Form {
  std::string_view mnemonic;
  kernel::Opcode opcode;
  TypeSet types;
  TypeSet source_types;
  std::string_view operands;
  GroupSet required;  // a word of each of these groups
  GroupSet choice;    // a word of any of these groups
  GroupSet optional;
  Syntax syntax = Syntax::kPlain;
  kernel::Mode mode = kernel::Mode::kNone;
  bool carry_in = false;
};

// The rows of a mnemonic such as "add" or "bar.sync"; empty if there are none.
std::span<const Form> find_forms(std::string_view mnemonic);
// Every mnemonic of the table, for suggestions.
std::vector<std::string> all_mnemonics();
// Why an instruction that PTX has is not supported; `name` is the first one or two of its words
// ("mma", "fence.proxy").
std::optional<std::string_view> unsupported_instruction(std::string_view name);

}  // namespace raddle::ptx

// A module of the kernel IR: what one PTX file or one translation unit holds. Functions are lists
// of basic blocks over typed virtual registers; variables have explicit address spaces. A module is
// plain data; text_form.h prints and parses it, verifier.h says what makes it valid, and program.h
// links several of them into what machines execute.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/instruction.h"

namespace raddle::kernel {

struct SourceLocation {
  std::uint32_t file = 0;  // Module::files
  std::uint32_t line = 0;  // 0: unknown
  std::uint32_t column = 0;
  std::uint32_t inlined_at = kNoId;  // Module::locations of the call this was inlined from
  bool operator==(const SourceLocation&) const = default;
};

enum class Linkage : std::uint8_t { kInternal, kVisible, kWeak, kCommon, kExtern };
std::string_view name_of(Linkage linkage);

// In an initialiser: the address of a symbol (generic, or within its space), to be filled in when
// the module is loaded.
struct Relocation {
  std::uint64_t offset = 0;  // where in the initialiser
  std::uint8_t bytes = 8;
  std::string symbol;
  std::int64_t addend = 0;
  bool generic = false;
  std::uint8_t shift = 0;  // mask() initialisers: which byte of the address
  bool operator==(const Relocation&) const = default;
};

enum class VariableKind : std::uint8_t { kData, kTexture, kSampler, kSurface };

struct Variable {
  std::string name;
  Space space = Space::kGlobal;
  VariableKind kind = VariableKind::kData;
  Linkage linkage = Linkage::kInternal;
  std::uint32_t alignment = 1;
  std::uint64_t size = 0;  // 0 with kExtern shared: dynamic shared memory
  bool managed = false;
  std::vector<std::byte> initial;  // shorter than size: the rest is zero
  std::vector<Relocation> relocations;
  bool operator==(const Variable&) const = default;
};

struct Register {
  std::string name;  // without %
  Type type = Type::kB32;
  bool operator==(const Register&) const = default;
};

// A kernel parameter, function parameter, return value or call slot. `offset` is its place in the
// function's parameter frame: kernel parameters (or parameters and return values of a device
// function) first, call slots after them.
struct Slot {
  std::string name;
  std::uint32_t size = 0;
  std::uint32_t alignment = 1;
  std::uint32_t offset = 0;
  bool operator==(const Slot&) const = default;
};

struct LocalVariable {
  std::string name;
  std::uint32_t size = 0;
  std::uint32_t alignment = 1;
  std::uint32_t offset = 0;  // in the function's local frame
  bool operator==(const LocalVariable&) const = default;
};

struct Block {
  std::string label;
  std::vector<Instruction> instructions;
  bool operator==(const Block&) const = default;
};

struct Function {
  std::string name;
  bool is_entry = false;
  Linkage linkage = Linkage::kInternal;
  bool is_declaration = false;  // extern: no body
  bool no_return = false;
  std::vector<Slot> parameters;
  std::vector<Slot> return_values;
  std::vector<Slot> call_slots;
  std::vector<LocalVariable> locals;
  std::vector<std::string> channels;  // names of the first ones; others have none
  std::vector<Register> registers;
  std::vector<Block> blocks;                        // control falls from a block into the next
  std::array<std::uint32_t, 3> max_threads{};       // .maxntid, 0: not given
  std::array<std::uint32_t, 3> required_threads{};  // .reqntid
  std::uint32_t min_blocks = 0;                     // .minnctapersm
  std::uint32_t max_registers = 0;                  // .maxnreg
  std::uint32_t location = 0;                       // Module::locations

  std::uint32_t parameter_frame_bytes() const;  // parameters, return values and call slots
  std::uint32_t incoming_bytes() const;         // parameters alone
  std::uint32_t local_bytes() const;
  bool operator==(const Function&) const = default;
};

// The signature an indirect call is made with.
struct Prototype {
  std::string name;
  std::vector<Slot> parameters;
  std::vector<Slot> return_values;
  bool operator==(const Prototype&) const = default;
};

struct Module {
  std::string name;               // the user's source file, for messages
  std::uint32_t ptx_version = 0;  // major * 10 + minor
  std::uint32_t target = 0;       // 70 for sm_70
  std::vector<std::string> files{""};
  std::vector<SourceLocation> locations{SourceLocation{}};
  std::vector<Variable> variables;
  std::vector<Function> functions;
  std::vector<Prototype> prototypes;

  const Function* find_function(std::string_view name) const;
  const Variable* find_variable(std::string_view name) const;
  // "file.cu:12" or "" where the line is unknown.
  std::string describe_location(std::uint32_t location) const;
  bool operator==(const Module&) const = default;
};

// Lays out parameters, return values and call slots (and, apart, locals) one after the other by
// their alignment.
void assign_offsets(Function& function);

// Successors of block `index` in order: branch targets first, then the fall-through, without
// repetition.
std::vector<BlockId> successors(const Function& function, BlockId index);

}  // namespace raddle::kernel

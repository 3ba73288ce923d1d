// Matrices that are spread over the lanes of a warp: mma, ldmatrix, stmatrix, movmatrix, and the
// conversion of floats to tf32.
#include <array>
#include <optional>

#include "kernel/matrix_shape.h"
#include "lang/ptx/instruction_parser.h"

namespace raddle::ptx {
namespace {

using kernel::Instruction;
using kernel::MatrixElement;
using kernel::Mode;
using kernel::Opcode;
using kernel::Operand;
using kernel::Type;
using Kind = RawOperand::Kind;

std::optional<Mode> mma_shape(std::string_view word) {
  for (auto i = static_cast<int>(Mode::kM8N8K4); i <= static_cast<int>(Mode::kM16N8K256); ++i) {
    const auto mode = static_cast<Mode>(i);
    if (kernel::name_of(mode) == word) return mode;
  }
  return std::nullopt;
}

Type result_type(std::string_view word) {
  if (word == "f16") return Type::kF16x2;  // two to a register
  if (word == "f32") return Type::kF32;
  if (word == "f64") return Type::kF64;
  return word == "s32" ? Type::kS32 : Type::kNone;
}

// What .and.popc and .xor.popc say about matrices of bits.
MatrixElement bits_combined(MatrixElement element, bool by_and) {
  return element == MatrixElement::kB1Xor && by_and ? MatrixElement::kB1And : element;
}

std::optional<MatrixElement> element_of(std::string_view word) {
  if (word == "b1") return MatrixElement::kB1Xor;
  const auto element = kernel::matrix_element_from_name(word);
  const bool has_dot_form = element != MatrixElement::kB1Xor && element != MatrixElement::kB1And;
  return has_dot_form ? element : std::nullopt;
}

}  // namespace

// One register, or {several}.
std::span<const RawOperand> InstructionParser::fragment(const RawOperand& raw) const {
  return raw.kind == Kind::kVector ? operands_.parts(raw) : std::span<const RawOperand>(&raw, 1);
}

void InstructionParser::check_fragment(Reading& reading, char matrix, std::size_t given,
                                       std::size_t wanted) {
  if (given == wanted) return;
  reading.binder.fail(std::string("matrix ") + matrix + " of " + quoted(reading.binder.name()) +
                      " takes " + std::to_string(wanted) +
                      (wanted == 1 ? " register, " : " registers, ") + std::to_string(given) +
                      (given == 1 ? " is given" : " are given"));
}

// mma.sync.aligned.shape.row.col{.satfinite}.d.a.b.c{.xor.popc} {d}, {a}, {b}, {c}
void InstructionParser::parse_mma(Reading& reading) {
  Instruction& instruction = reading.instruction;
  std::array<std::string_view, 4> types;
  std::size_t count = 0;
  bool by_and = false;
  for (std::size_t i = 1; i < words_.size(); ++i) {
    const std::string_view word = words_[i].substr(1);
    if (word == "sync" || word == "aligned" || word == "row" || word == "col" || word == "popc" ||
        word == "xor" || word == "rn")
      continue;
    if (word == "satfinite") {
      instruction.saturate = true;
    } else if (word == "and") {
      by_and = true;
    } else if (const auto shape = mma_shape(word)) {
      instruction.mode = *shape;
    } else if (count < types.size() && (result_type(word) != Type::kNone || element_of(word))) {
      types[count++] = word;
    } else {
      reading.binder.fail("the word " + quoted(words_[i]) + " of " + quoted(reading.binder.name()) +
                          " is not supported (matrix units)");
    }
  }
  const auto a = element_of(types[1]);
  const auto b = element_of(types[2]);
  instruction.type = result_type(types[0]);
  if (count == 4 && a && b) {
    instruction.a_element = bits_combined(*a, by_and);
    instruction.b_element = bits_combined(*b, by_and);
  }
  if (count != 4 || types[0] != types[3] || instruction.mode == Mode::kNone ||
      !kernel::is_valid_mma(instruction)) {
    reading.binder.fail("this shape and types of " + quoted(reading.binder.name()) +
                        " are not supported (matrix units)");
  }
  instruction.synchronised = true;
  operands_.parse_list(reading.builder);
  const auto raw = operands_.operands();
  reading.binder.check_count(raw.size(), 4, 4);
  const kernel::MatrixRegisters registers = kernel::registers_of(instruction);
  const std::array<std::size_t, 4> wanted{registers.c, registers.a, registers.b, registers.c};
  for (std::size_t matrix = 0; matrix < raw.size(); ++matrix) {
    const auto parts = fragment(raw[matrix]);
    check_fragment(reading, "dabc"[matrix], parts.size(), wanted[matrix]);
    for (const RawOperand& part : parts) {
      if (matrix == 0) {
        instruction.destinations.push_back(reading.binder.destination(part, instruction.type));
      } else {
        instruction.sources.push_back(reading.binder.source(part, instruction.type));
      }
    }
  }
  finish(reading);
}

// ldmatrix.sync.aligned.m8n8.x4{.trans}{.shared}.b16 {d…}, [address]; stmatrix the other way round
void InstructionParser::parse_matrix_access(Reading& reading) {
  Instruction& instruction = reading.instruction;
  std::size_t wanted = 0;
  instruction.space = kernel::Space::kGeneric;
  for (std::size_t i = 1; i < words_.size(); ++i) {
    const std::string_view word = words_[i].substr(1);
    if (word == "sync" || word == "aligned" || word == "m8n8" || word == "b16") continue;
    if (word == "x1" || word == "x2" || word == "x4") {
      wanted = static_cast<std::size_t>(word[1] - '0');
    } else if (word == "trans") {
      instruction.mode = Mode::kTransposed;
    } else if (word == "shared" || word == "shared::cta") {
      instruction.space = kernel::Space::kShared;
    } else {
      reading.binder.fail("the word " + quoted(words_[i]) + " of " + quoted(reading.binder.name()) +
                          " is not supported (matrix units)");
    }
  }
  if (wanted == 0) reading.binder.fail(quoted(reading.binder.name()) + " needs .x1, .x2 or .x4");
  const bool loads = instruction.opcode == Opcode::kLdMatrix;
  operands_.parse_list(reading.builder);
  const auto raw = operands_.operands();
  reading.binder.check_count(raw.size(), 2, 2);
  const RawOperand& address = raw[loads ? 1 : 0];
  const auto parts = fragment(raw[loads ? 0 : 1]);
  check_fragment(reading, 'd', parts.size(), wanted);
  instruction.offset = address.offset;
  instruction.sources = {reading.binder.address_base(reading.binder.address_parts(address)[0])};
  for (const RawOperand& part : parts) {
    if (loads) {
      instruction.destinations.push_back(reading.binder.destination(part, Type::kB32));
    } else {
      instruction.sources.push_back(reading.binder.source(part, Type::kB32));
    }
  }
  finish(reading);
}

// movmatrix.sync.aligned.m8n8.trans.b16 d, a
void InstructionParser::parse_matrix_move(Reading& reading) {
  operands_.parse_list(reading.builder);
  const auto raw = operands_.operands();
  reading.binder.check_count(raw.size(), 2, 2);
  Instruction& instruction = reading.instruction;
  instruction.synchronised = true;
  instruction.destinations = {reading.binder.destination(raw[0], Type::kB32)};
  instruction.sources = {reading.binder.source(raw[1], Type::kB32)};
  finish(reading);
}

// cvt.rna.tf32.f32 d, a: to the nearest with 10 bits of fraction, ties away from zero.
void InstructionParser::parse_tensor_float(Reading& reading) {
  operands_.parse_list(reading.builder);
  const auto raw = operands_.operands();
  reading.binder.check_count(raw.size(), 2, 2);
  FunctionBuilder& builder = reading.builder;
  constexpr std::uint64_t kHalfStep = 0x1000;
  Instruction add = related(reading, Opcode::kAdd, Type::kU32);
  const Operand rounded = Operand::reg(builder.add_register("rounded", Type::kB32));
  add.destinations = {rounded};
  add.sources = {reading.binder.source(raw[1], Type::kF32), Operand::immediate(kHalfStep)};
  Instruction mask = related(reading, Opcode::kAnd, Type::kB32);
  mask.destinations = {reading.binder.destination(raw[0], Type::kB32)};
  mask.sources = {rounded, Operand::immediate(0xffffe000u)};
  builder.append(std::move(add), reading.line);
  builder.append(std::move(mask), reading.line);
}

}  // namespace raddle::ptx

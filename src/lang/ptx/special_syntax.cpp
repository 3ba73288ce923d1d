// The instructions whose operands follow no simple pattern: mov, branches, asynchronous copies,
// textures and surfaces.
#include "lang/ptx/instruction_parser.h"

namespace raddle::ptx {
namespace {

using kernel::Instruction;
using kernel::Mode;
using kernel::Opcode;
using kernel::Operand;
using kernel::SymbolKind;
using kernel::Type;
using Kind = RawOperand::Kind;

Type bits_of_size(int bytes) {
  switch (bytes) {
    case 1: return Type::kB8;
    case 2: return Type::kB16;
    case 4: return Type::kB32;
    default: return Type::kNone;
  }
}

struct Geometry {
  bool has_layer = false;
  int coordinates = 0;  // without the layer
};

Geometry geometry_of(Mode mode) {
  switch (mode) {
    case Mode::kTexture1D:
    case Mode::kTexture1DLevel: return {false, 1};
    case Mode::kTexture3D:
    case Mode::kTexture3DLevel:
    case Mode::kTextureCube: return {false, 3};
    case Mode::kTextureArray1D: return {true, 1};
    case Mode::kTextureArray2D: return {true, 2};
    default: return {false, 2};  // 2d, and tld4, whose mode is the component
  }
}

}  // namespace

void InstructionParser::parse_move(Reading& reading) {
  operands_.parse_list(reading.builder);
  const auto raw = operands_.operands();
  reading.binder.check_count(raw.size(), 2, 2);
  if (raw[0].kind == Kind::kVector) return parse_unpack(reading, raw[0], raw[1]);
  if (raw[1].kind == Kind::kVector) return parse_pack(reading, raw[0], raw[1]);
  Instruction& instruction = reading.instruction;
  instruction.destinations = {reading.binder.destination(raw[0], instruction.type)};
  const bool is_special = raw[1].kind == Kind::kSpecial && instruction.type != Type::kPred;
  const bool is_pointer = raw[1].kind == Kind::kSymbol && kernel::size_of(instruction.type) >= 4;
  instruction.sources = {
      is_special || is_pointer ? raw[1].value : reading.binder.source(raw[1], instruction.type)};
  finish(reading);
}

void InstructionParser::parse_pack(Reading& reading, const RawOperand& destination,
                                   const RawOperand& source) {
  Instruction& instruction = reading.instruction;
  const Type part =
      bits_of_size(kernel::size_of(instruction.type) / static_cast<int>(source.count));
  if (part == Type::kNone || (source.count != 2 && source.count != 4)) {
    reading.binder.fail(quoted(reading.binder.name()) + " cannot take " +
                        std::to_string(source.count) + " parts");
  }
  instruction.opcode = Opcode::kPack;
  instruction.destinations = {reading.binder.destination(destination, instruction.type)};
  for (const RawOperand& element : operands_.parts(source)) {
    instruction.sources.push_back(reading.binder.source(element, part));
  }
  finish(reading);
}

void InstructionParser::parse_unpack(Reading& reading, const RawOperand& destination,
                                     const RawOperand& source) {
  Instruction& instruction = reading.instruction;
  const Type part =
      bits_of_size(kernel::size_of(instruction.type) / static_cast<int>(destination.count));
  if (part == Type::kNone || (destination.count != 2 && destination.count != 4)) {
    reading.binder.fail(quoted(reading.binder.name()) + " cannot take " +
                        std::to_string(destination.count) + " parts");
  }
  instruction.opcode = Opcode::kUnpack;
  for (const RawOperand& element : operands_.parts(destination)) {
    instruction.destinations.push_back(reading.binder.destination(element, part));
  }
  instruction.sources = {reading.binder.source(source, instruction.type)};
  finish(reading);
}

void InstructionParser::parse_branch(Reading& reading) {
  const std::string_view label = context_.expect_word("a label");
  reading.instruction.targets = {reading.builder.use_label(label, reading.line)};
  context_.expect(';');
  finish(reading);
}

void InstructionParser::parse_indexed_branch(Reading& reading) {
  operands_.clear();
  const RawOperand index = operands_.parse(reading.builder);
  reading.instruction.sources = {reading.binder.source(index, Type::kU32)};
  context_.expect(',');
  const std::string_view table = context_.expect_word("the name of .branchtargets");
  context_.expect(';');
  reading.builder.use_branch_table(table, reading.line);
  finish(reading);
}

void InstructionParser::parse_return(Reading& reading) {
  operands_.parse_list(reading.builder);
  reading.binder.check_count(operands_.operands().size(), 0, 0);
  FunctionBuilder& builder = reading.builder;
  for (std::uint32_t i = 0; i < builder.return_registers.size(); ++i) {
    Instruction store = related(reading, Opcode::kSt, builder.type_of(builder.return_registers[i]));
    store.space = kernel::Space::kParam;
    store.sources = {Operand::symbol_address(SymbolKind::kReturnValue, i),
                     Operand::reg(builder.return_registers[i])};
    builder.append(std::move(store), reading.line);
  }
  finish(reading);
}

// cp.async [shared], [global], bytes{, bytes that are read}{, policy}
void InstructionParser::parse_async_copy(Reading& reading) {
  operands_.parse_list(reading.builder);
  const auto raw = operands_.operands();
  const std::size_t policy = reading.extra.cache_policy ? 1 : 0;
  OperandBinder& binder = reading.binder;
  binder.check_count(raw.size(), 3 + policy, 4 + policy);
  const std::span<const RawOperand> to = binder.address_parts(raw[0]);
  const std::span<const RawOperand> from = binder.address_parts(raw[1]);
  const std::uint64_t bytes = binder.constant(raw[2]);
  if (bytes != 4 && bytes != 8 && bytes != 16) {
    binder.fail(quoted(binder.name()) + " copies 4, 8 or 16 bytes, not " + std::to_string(bytes));
  }
  Operand source = binder.address_base(from[0]);
  const auto offset = static_cast<std::uint64_t>(raw[1].offset);
  if (!source.is_register()) {
    source.bits += offset;
  } else if (offset != 0) {
    // The instruction has one offset, and that is the destination's.
    const bool is_word = kernel::size_of(reading.builder.type_of(source.index)) == 4;
    Instruction add = related(reading, Opcode::kAdd, is_word ? Type::kU32 : Type::kU64);
    const Operand sum = Operand::reg(reading.builder.add_register("moved", add.type));
    add.destinations = {sum};
    add.sources = {source, Operand::immediate(is_word ? offset & 0xffffffffu : offset)};
    reading.builder.append(std::move(add), reading.line);
    source = sum;
  }
  Instruction& instruction = reading.instruction;
  instruction.space = kernel::Space::kShared;
  instruction.offset = raw[0].offset;
  instruction.sources = {binder.address_base(to[0]), source, Operand::immediate(bytes)};
  if (raw.size() - policy == 4) instruction.sources.push_back(binder.source(raw[3], Type::kU32));
  finish(reading);
}

Operand InstructionParser::texture_handle(Reading& reading, const RawOperand& raw) {
  if (raw.kind == Kind::kSymbol && raw.value.symbol != SymbolKind::kVariable) {
    reading.binder.fail("a texture must be a variable or a 64-bit register in " +
                        quoted(reading.binder.name()));
  }
  return raw.kind == Kind::kSymbol ? raw.value : reading.binder.source(raw, Type::kB64);
}

// [texture, {coordinates}] or [texture, sampler, {coordinates}]: the texture's descriptor says how
// it is sampled, so the sampler is left out. Coordinates that only fill a vector up are left out
// too; a layer comes first.
void InstructionParser::bind_texture_address(Reading& reading, const RawOperand& address) {
  OperandBinder& binder = reading.binder;
  Instruction& instruction = reading.instruction;
  const auto parts = binder.address_parts(address);
  if (parts.size() < 2 || parts.size() > 3) {
    binder.fail(quoted(binder.name()) +
                " needs [texture, {coordinates}] or [texture, sampler, {coordinates}]");
  }
  const RawOperand& last = parts.back();
  const std::span<const RawOperand> coordinates =
      last.kind == Kind::kVector ? operands_.parts(last) : std::span<const RawOperand>(&last, 1);
  const Geometry geometry = geometry_of(instruction.mode);
  const auto wanted = static_cast<std::size_t>(geometry.coordinates) + (geometry.has_layer ? 1 : 0);
  if (coordinates.size() < wanted || coordinates.size() > 4) {
    binder.fail(quoted(binder.name()) + " needs " + std::to_string(wanted) +
                (wanted == 1 ? " coordinate, " : " coordinates, ") +
                std::to_string(coordinates.size()) +
                (coordinates.size() == 1 ? " is given" : " are given"));
  }
  instruction.sources.push_back(texture_handle(reading, parts[0]));
  const Type type = instruction.source_type == Type::kNone ? Type::kS32 : instruction.source_type;
  for (std::size_t i = 0; i < wanted; ++i) {
    const bool is_layer = geometry.has_layer && i == 0;
    instruction.sources.push_back(binder.source(coordinates[i], is_layer ? Type::kU32 : type));
  }
}

void InstructionParser::parse_texture(Reading& reading) {
  operands_.parse_list(reading.builder);
  const auto raw = operands_.operands();
  Instruction& instruction = reading.instruction;
  const std::size_t wanted = reading.extra.level ? 3 : 2;
  reading.binder.check_count(raw.size(), wanted, wanted);
  if (reading.extra.level) {
    switch (instruction.mode) {
      case Mode::kTexture1D: instruction.mode = Mode::kTexture1DLevel; break;
      case Mode::kTexture2D: instruction.mode = Mode::kTexture2DLevel; break;
      case Mode::kTexture3D: instruction.mode = Mode::kTexture3DLevel; break;
      default:
        reading.binder.fail("levels of layered and cube textures are not supported in " +
                            quoted(reading.binder.name()));
    }
  }
  reading.binder.destinations(raw[0], instruction.type, reading.extra.vector, instruction);
  bind_texture_address(reading, raw[1]);
  if (reading.extra.level)
    instruction.sources.push_back(reading.binder.source(raw[2], instruction.source_type));
  finish(reading);
}

void InstructionParser::parse_texture_query(Reading& reading) {
  operands_.parse_list(reading.builder);
  const auto raw = operands_.operands();
  reading.binder.check_count(raw.size(), 2, 2);
  const auto parts = reading.binder.address_parts(raw[1]);
  reading.instruction.destinations = {reading.binder.destination(raw[0], Type::kU32)};
  reading.instruction.sources = {texture_handle(reading, parts[0])};
  finish(reading);
}

void InstructionParser::parse_surface_store(Reading& reading) {
  operands_.parse_list(reading.builder);
  const auto raw = operands_.operands();
  reading.binder.check_count(raw.size(), 2, 2);
  bind_texture_address(reading, raw[0]);
  reading.binder.sources(raw[1], reading.instruction.type, reading.extra.vector,
                         reading.instruction);
  finish(reading);
}

// Another instruction that the one at hand needs beside itself, under the same guard.
Instruction InstructionParser::related(const Reading& reading, Opcode opcode, Type type) const {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.type = type;
  instruction.guard = reading.instruction.guard;
  return instruction;
}

void InstructionParser::parse_halves(Reading& reading) {
  operands_.parse_list(reading.builder);
  const auto raw = operands_.operands();
  reading.binder.check_count(raw.size(), 3, 3);
  FunctionBuilder& builder = reading.builder;
  const Type half = words_[1] == ".s16x2" ? Type::kS16 : Type::kU16;
  const Operand destination = reading.binder.destination(raw[0], Type::kB32);
  std::array<std::array<Operand, 2>, 2> parts;
  for (std::size_t i = 0; i < 2; ++i) {
    Instruction unpack = related(reading, Opcode::kUnpack, Type::kB32);
    for (Operand& part : parts[i]) part = Operand::reg(builder.add_register("half", half));
    unpack.destinations = {parts[i][0], parts[i][1]};
    unpack.sources = {reading.binder.source(raw[i + 1], Type::kB32)};
    builder.append(std::move(unpack), reading.line);
  }
  Instruction pack = related(reading, Opcode::kPack, Type::kB32);
  pack.destinations = {destination};
  for (std::size_t i = 0; i < 2; ++i) {
    Instruction operation = related(reading, reading.instruction.opcode, half);
    const Operand result = Operand::reg(builder.add_register("half", half));
    operation.destinations = {result};
    operation.sources = {parts[0][i], parts[1][i]};
    builder.append(std::move(operation), reading.line);
    pack.sources.push_back(result);
  }
  builder.append(std::move(pack), reading.line);
}

void InstructionParser::parse_cache_policy(Reading& reading) {
  operands_.parse_list(reading.builder);
  const auto raw = operands_.operands();
  reading.binder.check_count(raw.size(), 1, 2);
  reading.instruction.destinations = {reading.binder.destination(raw[0], reading.instruction.type)};
  reading.instruction.sources = {Operand::immediate(0)};
  finish(reading);
}

}  // namespace raddle::ptx

#include "kernel/text_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "base/error.h"
#include "kernel/every_opcode.h"
#include "kernel/operand_rules.h"
#include "kernel/text/modifiers.h"
#include "kernel/verifier.h"

namespace raddle::kernel {
namespace {

using testing::HasSubstr;

Module parse(std::string_view text) { return parse_text(text, "test.rir"); }

std::string header(std::string_view body) {
  return "module \"t\" ptx 7.5 target 70\n" + std::string(body);
}

// A kernel with a few registers around the given instructions.
std::string kernel_with(std::string_view instructions) {
  return header(
      "kernel @k(n[4], a[8]) {\n  register pred p1\n  register b32 r1-r3\n  register f32 f1\n"
      "  register b64 rd1\nentry:\n" +
      std::string(instructions) + "\n  ret\n}\n");
}

Instruction only_instruction(std::string_view text) {
  return parse(kernel_with(text)).functions[0].blocks[0].instructions.at(0);
}

std::string error_of(std::string_view text) {
  try {
    parse(text);
  } catch (const Error& error) {
    return error.full_text();
  }
  return "no error";
}

TEST(TextForm, EveryOpcodeIsInTheModuleThatHoldsEveryOpcode) {
  const Module module = parse(kEveryOpcode);
  std::set<Opcode> seen;
  for (const Function& function : module.functions) {
    for (const Block& block : function.blocks) {
      for (const Instruction& instruction : block.instructions) seen.insert(instruction.opcode);
    }
  }
#define RADDLE_OPCODE(enumerator, text, group, sentence) \
  EXPECT_TRUE(seen.count(Opcode::enumerator)) << text;
#include "kernel/opcodes.def"
#undef RADDLE_OPCODE
}

TEST(TextForm, ModuleWithEveryOpcodePrintsAndParsesBackToItself) {
  const Module module = parse(kEveryOpcode);
  const std::string text = print(module);
  const Module again = parse(text);
  EXPECT_TRUE(again == module) << text;
  EXPECT_EQ(print(again), text);
}

TEST(TextForm, ModuleWithEveryOpcodeIsValid) {
  for (const VerifierMessage& message : verify(parse(kEveryOpcode))) ADD_FAILURE() << message.text;
}

TEST(TextForm, CanonicalTextPrintsUnchanged) {
  const std::string text = R"(module "saxpy.cu" ptx 7.5 target 70
file saxpy.cu "/home/user/saxpy.cu"

shared @tile[128] align 4

visible kernel @saxpy(n[4], a[4], x[8]) !loc saxpy.cu:1:0 {
  register pred p1
  register b32 r1-r3, other, r5
  register f32 f1

entry:
  %r1 = ld.param.u32 [n]                                        !loc saxpy.cu:2:7
  %r2 = mov.u32 %tid.x                                          !loc saxpy.cu:2:11
  %p1 = setp.ge.s32 %r2, %r1
  @%p1 bra done

body:
  %f1 = mov.f32 0.25
  st.shared.f32 [@tile+4], %f1

done:
  ret
}

locations {
  1 saxpy.cu:1:0
  2 saxpy.cu:2:7
  3 saxpy.cu:2:11
}
)";
  EXPECT_EQ(print(parse(text)), text);
}

TEST(TextForm, KeepsInitialisersRelocationsAndVariableAttributes) {
  const Module module = parse(kEveryOpcode);
  const Variable& table = module.variables[0];
  ASSERT_EQ(table.initial.size(), 49u);
  EXPECT_EQ(table.initial[0], std::byte{1});
  EXPECT_EQ(table.initial[7], std::byte{8});
  EXPECT_EQ(table.initial[47], std::byte{0});
  EXPECT_EQ(table.initial[48], std::byte{0xff});
  ASSERT_EQ(table.relocations.size(), 2u);
  EXPECT_EQ(table.relocations[0], (Relocation{48, 8, "table", 4, true, 0}));
  EXPECT_EQ(table.relocations[1], (Relocation{56, 1, "callee", -2, false, 8}));
  EXPECT_TRUE(module.variables[1].managed);
  EXPECT_EQ(module.variables[2].alignment, 16u);
  EXPECT_EQ(module.variables[3].alignment, 4u);
  EXPECT_EQ(module.variables[4].linkage, Linkage::kExtern);
  EXPECT_EQ(module.variables[5].kind, VariableKind::kTexture);
  EXPECT_EQ(module.variables[8].name, "odd name");
}

TEST(TextForm, LaysSlotsOutAndTakesGivenOffsets) {
  const Function function = parse(kEveryOpcode).functions[2];
  ASSERT_EQ(function.name, "every");
  EXPECT_EQ(function.parameters[0].offset, 0u);
  EXPECT_EQ(function.parameters[1].offset, 8u);
  EXPECT_EQ(function.parameters[2].offset, 32u);
  EXPECT_EQ(function.parameters[3].offset, 64u);
  EXPECT_EQ(function.call_slots[3].alignment, 16u);
  EXPECT_EQ(function.locals[0].size, 32u);
}

TEST(TextForm, LocationsNameTheCallsTheyWereInlinedFrom) {
  const Module module = parse(kEveryOpcode);
  const auto& code = module.functions[2].blocks[0].instructions;
  EXPECT_EQ(module.describe_location(code[0].location), "/home/user/every.cu:9");
  const SourceLocation& inner = module.locations[code[2].location];
  EXPECT_EQ(module.files[inner.file], "/opt/include/vars.h");
  EXPECT_EQ(inner.column, 1u);
  EXPECT_EQ(inner.inlined_at, code[1].location);
  EXPECT_EQ(module.locations[inner.inlined_at].inlined_at, code[0].location);
  EXPECT_EQ(code[3].location, 3u);
  EXPECT_EQ(code[4].location, 0u);
}

TEST(TextForm, EqualLocationsInTheTableStayApart) {
  Module module = parse(kernel_with("  %r1 = mov.u32 1"));
  module.files.push_back("a.cu");
  module.locations = {{}, {1, 5, 2, kNoId}, {1, 5, 2, kNoId}, {1, 6, 1, 2}, {1, 7, 1, 1}};
  auto& code = module.functions[0].blocks[0].instructions;
  code[0].location = 2;
  code[1].location = 3;
  module.functions[0].location = 4;
  const Module again = parse(print(module));
  EXPECT_TRUE(again == module) << print(module);
}

TEST(TextForm, NamesThatRepeatAreEmptyOrMeanSomethingElseComeBack) {
  Module module = parse(kernel_with("  %r1 = add.s32 %r2, %r3\n  @%p1 bra last\nlast:"));
  Function& function = module.functions[0];
  function.registers[1].name = "t";
  function.registers[2].name = "t";
  function.registers[3].name = "laneid";
  function.registers[0].name = "";
  function.registers[4].name = "with space, #3 and \"quotes\"\n";
  function.blocks[0].label = "";
  function.blocks[1].label = "_";
  function.parameters[0].name = "_";
  function.parameters[1].name = "";
  module.functions.push_back(function);
  module.name = "tab\there \xc3\xa4";
  const std::string text = print(module);
  EXPECT_TRUE(parse(text) == module) << text;
}

TEST(TextForm, WithoutLocationsThePrintedTextHasNone) {
  PrintOptions options;
  options.locations = false;
  const std::string text = print(parse(kEveryOpcode), options);
  EXPECT_EQ(text.find("!loc"), std::string::npos);
  EXPECT_EQ(text.find("locations"), std::string::npos);
  EXPECT_EQ(parse(text).locations.size(), 1u);
}

TEST(TextForm, PrintsOneFunctionAlone) {
  const Module module = parse(kEveryOpcode);
  const std::string text = print(module, module.functions[1]);
  EXPECT_EQ(text.find("function @callee(x[4], y[8]) -> (r[4]) noreturn !loc every.cu:3:0 {\n"), 0u)
      << text;
}

// --- immediates ------------------------------------------------------------------------------------------------------

TEST(TextForm, ImmediatesAreReadInTheTypeOfTheirOperand) {
  EXPECT_EQ(only_instruction("  %r1 = add.s32 %r2, -1").sources[1].bits, 0xffffffffu);
  EXPECT_EQ(only_instruction("  %rd1 = add.s64 %rd1, -1").sources[1].bits, ~std::uint64_t{0});
  EXPECT_EQ(only_instruction("  %f1 = mov.f32 1").sources[0].bits, 0x3f800000u);
  EXPECT_EQ(only_instruction("  %f1 = mov.f32 -0.0").sources[0].bits, 0x80000000u);
  EXPECT_EQ(only_instruction("  %rd1 = mov.f64 1e-300").sources[0].bits, 0x01a56e1fc2f8f359u);
  EXPECT_EQ(only_instruction("  %f1 = mov.f32 0x7f800000").sources[0].bits, 0x7f800000u);
}

TEST(TextForm, EveryBitPatternOfAnImmediateComesBack) {
  Module module = parse(kernel_with("  %r1 = mov.u32 0"));
  Instruction& mov = module.functions[0].blocks[0].instructions[0];
  std::mt19937_64 random(1);
  for (const Type type : {Type::kF32, Type::kF64, Type::kS32, Type::kU32, Type::kB64, Type::kS8,
                          Type::kF16, Type::kPred}) {
    mov.type = type;
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t value = random() >> (random() % 64);
      mov.sources[0].bits = i < 8 ? std::uint64_t{0} - static_cast<unsigned>(i % 3) : value;
      ASSERT_TRUE(parse(print(module)) == module) << print(module);
    }
  }
}

// --- any instruction -------------------------------------------------------------------------------------------------

class RandomInstruction {
 public:
  explicit RandomInstruction(std::uint32_t seed) : random_(seed) {}

  Instruction make() {
    Instruction instruction;
    instruction.opcode = static_cast<Opcode>(below(static_cast<int>(Opcode::kItReceiveLoad) + 1));
    for (int i = 0; i < kModifierFields; ++i) {
      const auto field = static_cast<ModifierField>(i);
      if (below(3) == 0)
        set_modifier(instruction, field, static_cast<std::uint8_t>(below(modifier_values(field))));
    }
    instruction.type = static_cast<Type>(below(20));
    instruction.source_type = below(3) == 0 ? static_cast<Type>(below(20)) : Type::kNone;
    if (below(3) == 0) instruction.guard = {static_cast<RegisterId>(below(5)), below(2) == 0};
    for (int i = below(3); i > 0; --i) {
      instruction.destinations.push_back(
          below(4) == 0 ? Operand::none() : Operand::reg(static_cast<RegisterId>(below(5))));
    }
    for (int i = below(5); i > 0; --i) instruction.sources.push_back(operand());
    if (below(2) == 0)
      instruction.offset =
          static_cast<std::int64_t>(random_() >> below(64)) * (below(2) == 0 ? 1 : -1);
    for (int i = below(3); i > 0; --i)
      instruction.targets.push_back(static_cast<BlockId>(below(3)));
    if (below(4) == 0)
      instruction.inter_thread = {
          static_cast<std::uint32_t>(below(9)), {below(5) - 2, below(5) - 2, -7}, 3};
    if (instruction.opcode == Opcode::kBra) instruction.sources.clear();
    if (instruction.opcode == Opcode::kCall) {
      instruction.targets.clear();
      instruction.sources.assign(1, Operand::reg(3));
      instruction.call = {{0, 1}, {1}, 0};
    }
    return instruction;
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }

  Operand operand() {
    switch (below(6)) {
      case 0: return Operand::immediate(random_() >> below(64));
      case 1:
        return Operand::symbol_address(SymbolKind::kVariable, 0,
                                       static_cast<std::uint64_t>(below(9) - 4));
      case 2:
        return Operand::symbol_address(SymbolKind::kParameter, static_cast<std::uint32_t>(below(2)),
                                       random_());
      case 3: return Operand::special_register(static_cast<SpecialRegister>(below(33)));
      case 4: return Operand::none();
      default: return Operand::reg(static_cast<RegisterId>(below(5)), below(3) == 0);
    }
  }

  std::mt19937_64 random_;
};

TEST(TextForm, AnyCombinationOfFieldsComesBack) {
  Module module = parse(header(
      "global @v[8]\nprototype p()\nkernel @k(n[4], a[8]) {\n  call_slot s[4]\n  call_slot t[4]\n"
      "  register pred p1\n  register b32 r1-r4\nx:\ny:\nz:\n  ret\n}\n"));
  RandomInstruction random(7);
  for (int i = 0; i < 3000; ++i) {
    auto& code = module.functions[0].blocks[1].instructions;
    code.assign(1, random.make());
    const std::string text = print(module);
    ASSERT_NO_THROW(ASSERT_TRUE(parse(text) == module) << text) << text;
  }
}

TEST(TextForm, EveryModifierThatAnOpcodeCallsPlainIsReadBackAsItself) {
  for (int i = 0; i <= static_cast<int>(Opcode::kItReceiveLoad); ++i) {
    const auto opcode = static_cast<Opcode>(i);
    for (int j = 0; j < kModifierFields; ++j) {
      const auto field = static_cast<ModifierField>(j);
      for (std::uint8_t value = 1; value < modifier_values(field); ++value) {
        if (!is_plain_modifier(field, value, opcode)) continue;
        const auto found = find_modifier(opcode, modifier_text(field, value));
        ASSERT_TRUE(found.has_value());
        EXPECT_TRUE(found->field == field && found->value == value)
            << name_of(opcode) << "." << modifier_text(field, value);
      }
    }
  }
}

// --- errors ----------------------------------------------------------------------------------------------------------

struct ErrorCase {
  std::string text;
  std::string expected;
};

void PrintTo(const ErrorCase& error, std::ostream* out) { *out << error.text; }

class TextFormErrors : public testing::TestWithParam<ErrorCase> {};

TEST_P(TextFormErrors, SayWhatIsWrongAndWhere) {
  EXPECT_EQ(error_of(GetParam().text), GetParam().expected);
}

// Line 7 is the first instruction of kernel_with().
INSTANTIATE_TEST_SUITE_P(
    All, TextFormErrors,
    testing::Values(
        ErrorCase{"", "test.rir:1:1: expected 'module' but found the end of the file"},
        ErrorCase{"module t", "test.rir:1:8: expected the module's name in quotes but found 't'"},
        ErrorCase{"module \"t", "test.rir:1:8: string without closing quote"},
        ErrorCase{"module \"\\q\"",
                  "test.rir:1:8: unknown escape in string; known: \\\", \\\\ and \\xHH"},
        ErrorCase{"module \"t\" ptx seven",
                  "test.rir:1:16: expected a PTX version but found 'seven'"},
        ErrorCase{"module \"t\" ptx 7.5 target 70 ?", "test.rir:1:30: unexpected character '?'"},
        ErrorCase{"module \"t\" ptx 7.5 target 70 \x01", "test.rir:1:30: unexpected byte 0x01"},
        ErrorCase{header("nonsense @f()"), "test.rir:2:1: 'nonsense' declares nothing"},
        ErrorCase{header("file a \"x\"\nfile a \"y\"\n"), "test.rir:3:6: file a is declared twice"},
        ErrorCase{header("global @g[4]\nglobal @g[8]\n"), "test.rir:3:9: @g is declared twice"},
        ErrorCase{header("global @g[4] {\n  bytes \"0102030405\"\n}\n"),
                  "test.rir:3:3: the initialiser of @g is longer than its 4 bytes"},
        ErrorCase{header("global @g[4] {\n  bytes \"012\"\n}\n"),
                  "test.rir:3:3: bytes are pairs of hexadecimal digits"},
        ErrorCase{header("global @g[4] {\n  words 1\n}\n"),
                  "test.rir:3:3: expected 'bytes', 'zero' or 'address' but found 'words'"},
        ErrorCase{header("global @g[4] at 8\n"), "test.rir:2:9: a variable has no offset"},
        ErrorCase{header("prototype p()\nprototype p()\n"),
                  "test.rir:3:11: prototype p is declared twice"},
        ErrorCase{header("locations {\n  2 #0:1:1\n}\n"),
                  "test.rir:3:3: locations are numbered in order; this is number 1"},
        ErrorCase{header("kernel @k() {\nx:\n  ret\n"), "test.rir:2:13: '{' without '}'"},
        ErrorCase{header("kernel @k(a[4], a[4])\n"), "test.rir:2:17: a is declared twice"},
        ErrorCase{header("kernel @k() {\n  ret\n}\n"),
                  "test.rir:3:3: 'ret' is not a declaration; instructions follow a label"},
        ErrorCase{header("kernel @k() {\n  register b33 r1\n}\n"),
                  "test.rir:3:12: unknown type 'b33'"},
        ErrorCase{header("kernel @k() {\n  register b32 r1, r1\n}\n"),
                  "test.rir:3:20: register %r1 is declared twice"},
        ErrorCase{header("kernel @k() {\n  register b32 r5-r2\n}\n"),
                  "test.rir:3:16: r5-r2 is not a range of registers"},
        ErrorCase{header("kernel @k() {\n  register b32 r1-q2\n}\n"),
                  "test.rir:3:16: r1-q2 is not a range of registers"},
        ErrorCase{header("kernel @k() {\n  register b32 r1-r9000000\n}\n"),
                  "test.rir:3:16: more than 1000000 registers"},
        ErrorCase{header("kernel @k() {\na:\na:\n}\n"), "test.rir:4:1: label a is used twice"},
        ErrorCase{kernel_with("  bra nowhere"), "test.rir:8:7: unknown label nowhere"},
        ErrorCase{kernel_with("  frobnicate %r1"),
                  "test.rir:8:3: unknown instruction 'frobnicate'"},
        ErrorCase{kernel_with("  %r1 = add.hello.s32 %r1, %r2"),
                  "test.rir:8:9: add has no modifier '.hello'"},
        ErrorCase{kernel_with("  %r1 = add.rn.rz.f32 %r1, %r2"),
                  "test.rir:8:9: '.rz' conflicts with another rounding modifier"},
        ErrorCase{kernel_with("  %r1 = cvt.s32.f32.u32 %r1"),
                  "test.rir:8:9: '.u32' is a third type"},
        ErrorCase{kernel_with("  %r1 = add.s32 %r9, %r2"),
                  "test.rir:8:18: register %r9 is not declared"},
        ErrorCase{kernel_with("  %r1 = mov.u32 @nothing"),
                  "test.rir:8:17: @nothing is not declared"},
        ErrorCase{kernel_with("  %r1 = ld.param.u32 [m]"), "test.rir:8:23: m is not declared"},
        ErrorCase{kernel_with("  %r1 = add.s32 [%r1], %r2"),
                  "test.rir:8:17: operand 1 of add is not an address"},
        ErrorCase{kernel_with("  %r1 = add.s32 %r1,"),
                  "test.rir:8:21: expected an operand but found the end of the line"},
        ErrorCase{kernel_with("  %r1 = add.s32 %r1, -%r2"),
                  "test.rir:8:23: expected a number but found '%'"},
        ErrorCase{kernel_with("  %r1 = add.s32 %r1, 1.5"),
                  "test.rir:8:22: '1.5' is not a number of type s32"},
        ErrorCase{kernel_with("  %r1 = add.s32 %r1, %r2 %r3"),
                  "test.rir:8:26: expected the end of the line but found '%'"},
        ErrorCase{kernel_with("  %r1 add.s32 %r1"),
                  "test.rir:8:7: expected '=' but found 'add.s32'"},
        ErrorCase{kernel_with("  @%tid.x ret"), "test.rir:8:4: a guard must be a register"},
        ErrorCase{kernel_with("  call @k(n)"), "test.rir:8:11: n is not a call slot"},
        ErrorCase{kernel_with("  call @k() prototype p"),
                  "test.rir:8:23: prototype p is not declared"},
        ErrorCase{kernel_with("  ret {colour=1}"), "test.rir:8:8: ret has no property 'colour'"},
        ErrorCase{kernel_with("  ret {part=9}"), "test.rir:8:13: a value must be at most 3"},
        ErrorCase{kernel_with("  ret !loc a.cu:1:1"), "test.rir:8:12: file a.cu is not declared"},
        ErrorCase{kernel_with("  ret !loc #7"), "test.rir:8:12: unknown location #7"}));

TEST(TextForm, CallsMayNameFunctionsFurtherDown) {
  const Module module =
      parse(header("function @a() {\nx:\n  call @b()\n  ret\n}\nfunction @b() {\nx:\n  ret\n}\n"));
  EXPECT_EQ(module.functions[0].blocks[0].instructions[0].sources[0].index, 1u);
}

TEST(TextForm, DamagedTextsAreRefusedOrRead) {
  // Whatever happens to a text, the parser either reads it or raises an Error; what it reads can be
  // printed and read again.
  std::mt19937 random(3);
  int accepted = 0;
  for (int i = 0; i < 400; ++i) {
    std::string text(kEveryOpcode);
    for (int n = 1 + static_cast<int>(random() % 3); n > 0; --n) {
      const std::size_t place = random() % text.size();
      switch (random() % 3) {
        case 0: text.erase(place, random() % 8); break;
        case 1: text.insert(place, text.substr(random() % text.size(), random() % 12)); break;
        default: text[place] = "%@#[]{}()=,.:+-0xa\n\" "[random() % 21]; break;
      }
    }
    try {
      const Module module = parse(text);
      ++accepted;
      EXPECT_TRUE(parse(print(module)) == module);
    } catch (const Error& error) {
      EXPECT_THAT(error.where(), HasSubstr("test.rir:"));
    }
  }
  EXPECT_GT(accepted, 0);
}

}  // namespace
}  // namespace raddle::kernel

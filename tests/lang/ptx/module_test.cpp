// Directives outside functions: versions, variables and their initial values, declarations and
// aliases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "lang/ptx/reader.h"
#include "lang/ptx/reading.h"

namespace raddle::ptx::testing {
namespace {

using kernel::Linkage;
using kernel::Module;
using kernel::Space;
using kernel::Variable;
using kernel::VariableKind;
using ::testing::ElementsAre;

std::string bytes_of(const Variable& variable) {
  std::string text;
  for (const std::byte byte : variable.initial) {
    constexpr std::string_view kHex = "0123456789abcdef";
    text += kHex[std::to_integer<unsigned>(byte) >> 4];
    text += kHex[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

TEST(PtxModule, KeepsVersionTargetAndName) {
  const Module module =
      read_ptx(".version 8.0\n.target sm_90a, debug\n.address_size 64\n", "a.ptx");
  EXPECT_EQ(module.ptx_version, 80u);
  EXPECT_EQ(module.target, 90u);
  EXPECT_EQ(module.name, "a.ptx");
}

TEST(PtxModule, ReadsVariablesOfEverySpaceAndLinkage) {
  const Module module = read(R"(
    .visible .global .align 16 .b8 a[24];
    .extern .const .u64 b;
    .weak .global .v4 .f32 c[2];
    .common .global .s16 d;
    .shared .f64 e[2][3];
    .extern .shared .align 8 .b8 f[];
    .global .attribute(.managed) .align 4 .u32 g;
    .global .texref h; .global .samplerref i; .global .surfref j;
  )");
  const std::vector<Variable>& v = module.variables;
  ASSERT_EQ(v.size(), 10u);
  const auto is = [&](std::size_t index, Space space, Linkage linkage, std::uint64_t size,
                      std::uint32_t alignment) {
    return v[index].space == space && v[index].linkage == linkage && v[index].size == size &&
           v[index].alignment == alignment;
  };
  EXPECT_TRUE(is(0, Space::kGlobal, Linkage::kVisible, 24, 16));
  EXPECT_TRUE(is(1, Space::kConst, Linkage::kExtern, 8, 8));
  EXPECT_TRUE(is(2, Space::kGlobal, Linkage::kWeak, 32, 16));
  EXPECT_TRUE(is(3, Space::kGlobal, Linkage::kCommon, 2, 2));
  EXPECT_TRUE(is(4, Space::kShared, Linkage::kInternal, 48, 8));
  EXPECT_TRUE(is(5, Space::kShared, Linkage::kExtern, 0, 8));
  EXPECT_TRUE(v[6].managed);
  EXPECT_EQ(v[7].kind, VariableKind::kTexture);
  EXPECT_EQ(v[8].kind, VariableKind::kSampler);
  EXPECT_EQ(v[9].kind, VariableKind::kSurface);
  EXPECT_EQ(v[9].size, 8u);
}

TEST(PtxModule, ReadsInitialValues) {
  const Module module = read(R"(
    .global .b8 bytes[4] = {1, 0x2, 0377, -1};
    .global .u32 word = 0xdeadbeefU;
    .global .f32 single = 0f3F800000;
    .global .f64 twice = 0d3FF8000000000000, plain = -1.5;
    .global .f32 narrowed = 0.5;
    .global .u16 rows[2][2] = {{1}, {2, 3}};
    .global .v2 .u16 pairs[2] = {{1, 2}, {3, 4}};
    .global .u32 open[] = {1, 2, 3};
    .global .u64 short_list[4] = {7};
    .global .b32 braced = {5};
  )");
  EXPECT_EQ(bytes_of(*module.find_variable("bytes")), "0102ffff");
  EXPECT_EQ(bytes_of(*module.find_variable("word")), "efbeadde");
  EXPECT_EQ(bytes_of(*module.find_variable("single")), "0000803f");
  EXPECT_EQ(bytes_of(*module.find_variable("twice")), "000000000000f83f");
  EXPECT_EQ(bytes_of(*module.find_variable("plain")), "000000000000f8bf");
  EXPECT_EQ(bytes_of(*module.find_variable("narrowed")), "0000003f");
  EXPECT_EQ(bytes_of(*module.find_variable("rows")), "0100000002000300");
  EXPECT_EQ(bytes_of(*module.find_variable("pairs")), "0100020003000400");
  EXPECT_EQ(module.find_variable("open")->size, 12u);
  EXPECT_EQ(module.find_variable("short_list")->size, 32u);
  EXPECT_EQ(bytes_of(*module.find_variable("short_list")), "0700000000000000");
  EXPECT_EQ(bytes_of(*module.find_variable("braced")), "05000000");
}

TEST(PtxModule, ReadsAddressesInInitialValues) {
  const Module module = read(R"(
    .global .u32 target[8];
    .func f();
    .global .u64 plain = target;
    .global .u64 both[3] = {generic(target)+4, target-8, f};
    .global .b8 packed[10] = {1, 0xFF(generic(target)), 0xFF00(generic(target)), 0xFF0000(target+4), 9};
    .global .u64 forward = later;
    .global .u32 later;
  )");
  const Variable& plain = *module.find_variable("plain");
  EXPECT_THAT(plain.relocations, ElementsAre(kernel::Relocation{0, 8, "target", 0, false, 0}));
  const Variable& both = *module.find_variable("both");
  EXPECT_THAT(both.relocations, ElementsAre(kernel::Relocation{0, 8, "target", 4, true, 0},
                                            kernel::Relocation{8, 8, "target", -8, false, 0},
                                            kernel::Relocation{16, 8, "f", 0, false, 0}));
  const Variable& packed = *module.find_variable("packed");
  EXPECT_THAT(packed.relocations, ElementsAre(kernel::Relocation{1, 1, "target", 0, true, 0},
                                              kernel::Relocation{2, 1, "target", 0, true, 1},
                                              kernel::Relocation{3, 1, "target", 4, false, 2}));
  EXPECT_EQ(bytes_of(packed), "0100000009");
  EXPECT_EQ(module.find_variable("forward")->relocations[0].symbol, "later");
}

TEST(PtxModule, MergesDeclarationsWithTheirDefinitions) {
  const Module module = read(R"(
    .extern .global .u32 v;
    .visible .global .u32 v = 5;
    .extern .func (.param .b32 r) f(.param .b32 a);
    .visible .func (.param .b32 r) f(.param .b32 a) { ret; }
    .extern .func (.param .b32 r) f(.param .b32 a);
  )");
  ASSERT_EQ(module.variables.size(), 1u);
  EXPECT_EQ(module.variables[0].linkage, Linkage::kVisible);
  ASSERT_EQ(module.functions.size(), 1u);
  EXPECT_FALSE(module.functions[0].is_declaration);
  EXPECT_EQ(module.functions[0].linkage, Linkage::kVisible);
}

TEST(PtxModule, GivesAnAliasTheOtherFunctionsBody) {
  const Module module = read(R"(
    .visible .func f(.param .b32 a) { trap; }
    .visible .func g(.param .b32 a);
    .alias g, f;
  )");
  const kernel::Function& g = *module.find_function("g");
  EXPECT_FALSE(g.is_declaration);
  EXPECT_EQ(code_of(module, "g"), code_of(module, "f"));
}

TEST(PtxModule, SaysWhatIsWrongOutsideFunctions) {
  struct Row {
    std::string_view text;
    std::string_view message;
  };
  constexpr Row kRows[] = {
      {".frob", "unknown directive '.frob'"},
      {"hello", "expected a directive, found 'hello'"},
      {".visible 5", "expected a function or a variable, found '5'"},
      {".global .u32 5;", "expected a name, found '5'"},
      {".global .u32 a", "expected ';', found the end of the file"},
      {".global .frob a;", "unknown type '.frob'"},
      {".global .b128 a;", "the type '.b128' is not supported"},
      {".global .align 3 .u32 a;", "the alignment 3 is not a power of two up to 65536"},
      {".global .attribute(.unified) .u32 a;", "the attribute '.unified' is not supported"},
      {".global .u32 a[4][];", "only the first bound of an array may be left out"},
      {".global .u32 a[99999999999999][99999999999999];", "'a' is too large"},
      {".global .u32 a[2] = {1, 2, 3};", "'a' has more initial values than elements"},
      {".global .u32 a[2] = {{1}};", "braces of 'a' are nested too deeply"},
      {".global .u32 a = 1.5;", "a floating-point number cannot be a value of 'a'"},
      {".global .u64 a = nobody;", "unknown name 'nobody'"},
      {".global .u16 a; .global .u16 b = a;", "an address cannot be a value of 'b'"},
      {".global .b8 a; .global .b8 b[2] = {0xFFF(a)};",
       "the mask of an address must pick one byte"},
      {".global .b8 a; .global .u32 b = 0xFF(a);", "a byte of an address cannot be a value of 'b'"},
      {".shared .u32 a = 1;", "a variable in shared memory has no initial value"},
      {".local .u32 a;", "a .local variable outside a function is not supported"},
      {".global .samplerref a = { addr_mode_0 = wrap };",
       "initial values of textures, samplers and surfaces are not supported"},
      {".global .u32 a; .global .u32 a;", "'a' is declared twice"},
      {".func f(){ret;} .global .u32 f;", "'f' is declared twice"},
      {".func f(){ret;} .func f(){ret;}", "the function 'f' is defined twice"},
      {".func f(); .entry f(){ret;}", "'f' is declared as another kind of function"},
      {".entry k(.param .u32 a", "expected ')', found the end of the file"},
      {".entry k(.u32 a) {}", "expected '.param', found '.u32'"},
      {".entry k() .frob {}", "unknown directive '.frob'"},
      {".entry k() .explicitcluster {}",
       "the directive '.explicitcluster' is not supported (thread-block clusters)"},
      {".entry k() .reqnctapercluster 2 {}",
       "the directive '.reqnctapercluster' is not supported (thread-block clusters)"},
      {".entry k(.param .b8 a[2000000]) {}", "'a' is too large for a parameter"},
      {".func (.reg .pred p) f() {}", "a parameter cannot be of type '.pred'"},
      {".func (.reg .u32 r, .param .u32 s) f() {}",
       "return values in registers and in .param variables cannot be mixed"},
      {".alias f, g;", "unknown function 'f'"},
      {".func f(); .alias f, g;", "unknown function 'g'"},
      {".func f(); .func g(); .alias f, g;", "the function 'g' has no body to be an alias of"},
      {".func f(){ret;} .func g(){ret;} .alias f, g;", "the function 'f' is defined twice"},
      {".address_size 32", "only addresses of 64 bits are supported"},
      {".target compute_70", "unknown target 'compute_70'"},
      {".target sm_13, map_f64_to_f32", "the target option 'map_f64_to_f32' is not supported"},
      {".file x", "expected the number of a file, found 'x'"},
      {".section .debug_str { 5 }", "expected the data of a section, found '5'"},
      {"/* no end", "unterminated comment"},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(error_of(row.text), "test.ptx:4: " + std::string(row.message)) << "of " << row.text;
  }
}

TEST(PtxModule, WantsAVersionFirst) {
  const auto message = [](std::string_view text) {
    try {
      read_ptx(text, "x.ptx");
    } catch (const Error& error) {
      return error.full_text();
    }
    return std::string();
  };
  EXPECT_EQ(message(""), "x.ptx:1: this is not PTX: it does not begin with .version");
  EXPECT_EQ(message("\nint main() {}"),
            "x.ptx:2: this is not PTX: it does not begin with .version");
  EXPECT_EQ(message(".version 7"), "x.ptx:1: expected a version such as 7.5, found '7'");
  EXPECT_EQ(message(".version 0.5"), "x.ptx:1: the PTX version is out of range");
}

}  // namespace
}  // namespace raddle::ptx::testing

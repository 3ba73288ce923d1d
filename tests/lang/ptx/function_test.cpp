// Functions: parameters, scopes, labels and blocks, calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lang/ptx/reading.h"

namespace raddle::ptx::testing {
namespace {

using kernel::Function;
using kernel::Module;
using ::testing::ElementsAre;

TEST(PtxFunction, LaysOutParametersAndReadsLaunchBounds) {
  const Module module = read(R"(
    .visible .entry k(.param .u8 a, .param .u64 .ptr .global .align 16 b, .param .align 8 .b8 c[12], .param .f32 d)
      .maxntid 128, 2 .minnctapersm 3 .maxnreg 40 .reqntid 64 .maxclusterrank 4 .noreturn
    { ret; }
  )");
  const Function& k = *module.find_function("k");
  EXPECT_TRUE(k.is_entry);
  EXPECT_TRUE(k.no_return);
  EXPECT_THAT(k.parameters, ElementsAre(kernel::Slot{"a", 1, 1, 0}, kernel::Slot{"b", 8, 8, 8},
                                        kernel::Slot{"c", 12, 8, 16}, kernel::Slot{"d", 4, 4, 28}));
  EXPECT_THAT(k.max_threads, ElementsAre(128, 2, 1));
  EXPECT_THAT(k.required_threads, ElementsAre(64, 1, 1));
  EXPECT_EQ(k.min_blocks, 3u);
  EXPECT_EQ(k.max_registers, 40u);
}

TEST(PtxFunction, HasSeveralReturnValues) {
  const Module module = read(R"(
    .func (.param .b32 first, .param .b64 second) f(.param .b32 a) .noreturn
    { .reg .b32 %r<3>; ld.param.b32 %r1, [a]; st.param.b32 [first], %r1; st.param.b64 [second+0], 1; ret; }
  )");
  const Function& f = *module.find_function("f");
  EXPECT_TRUE(f.no_return);
  EXPECT_THAT(f.return_values,
              ElementsAre(kernel::Slot{"first", 4, 4, 4}, kernel::Slot{"second", 8, 8, 8}));
  EXPECT_EQ(code_of(module, "f"),
            "entry:\n"
            "  %r1 = ld.param.b32 [a]\n"
            "  st.param.b32 [first], %r1\n"
            "  st.param.b64 [second], 1\n"
            "  ret\n");
}

TEST(PtxFunction, CutsBlocksAtTargetsAndBehindBranchesOnly) {
  const Module module = read_kernel(R"(
    $L__func_begin0:
      mov.u32 %r1, 0;
    $L__tmp1:
      setp.eq.s32 %p1, %r1, 0;
      @%p1 bra $L__BB0_2;
      add.s32 %r1, %r1, 1;
    unused:
      add.s32 %r1, %r1, 2;
    $L__BB0_2:
    $L__tmp2:
      @!%p1 ret;
      mov.u32 %r2, 1;
      bra.uni $L__BB0_2;
    after:
      trap;
    $L__func_end0:
  )");
  EXPECT_EQ(code_of(module, "k"),
            "entry:\n"
            "  %r1 = mov.u32 0\n"
            "  %p1 = setp.eq.s32 %r1, 0\n"
            "  @%p1 bra $L__BB0_2\n"
            "bb1:\n"
            "  %r1 = add.s32 %r1, 1\n"
            "  %r1 = add.s32 %r1, 2\n"
            "$L__BB0_2:\n"
            "  @!%p1 ret\n"
            "bb3:\n"
            "  %r2 = mov.u32 1\n"
            "  bra.uni $L__BB0_2\n"
            "after:\n"
            "  trap\n");
}

TEST(PtxFunction, ReturnsWhereControlFallsOffTheEnd) {
  EXPECT_EQ(code_of(read_kernel(""), "k"), "entry:\n  ret\n");
  EXPECT_EQ(code_of(read_kernel("mov.u32 %r1, 0;"), "k"), "entry:\n  %r1 = mov.u32 0\n  ret\n");
  EXPECT_EQ(code_of(read_kernel("@%p1 ret;"), "k"), "entry:\n  @%p1 ret\nbb1:\n  ret\n");
  EXPECT_EQ(code_of(read_kernel("@%p1 bra end; trap; end:"), "k"),
            "entry:\n  @%p1 bra end\nbb1:\n  trap\nend:\n  ret\n");
}

TEST(PtxFunction, BranchesThroughATable) {
  const Module module = read_kernel(R"(
    table_0: .branchtargets a, b, a;
      brx.idx %r1, table_0;
    a: exit;
    b: ret;
  )");
  const Function& k = *module.find_function("k");
  EXPECT_THAT(k.blocks[0].instructions.back().targets, ElementsAre(1, 2, 1));
  // The table may also come later.
  const Module later = read_kernel("brx.idx.uni %r1, t; a: exit; t: .branchtargets a;");
  EXPECT_THAT(later.find_function("k")->blocks[0].instructions.back().targets, ElementsAre(1));
}

TEST(PtxFunction, HidesOuterNamesInInnerScopes) {
  EXPECT_EQ(code_of(read_kernel(R"(
    mov.u32 %r1, 1;
    {
      .reg .b64 %r1;
      .reg .pred p, q;
      mov.u64 %r1, 2;
      setp.eq.s64 p, %r1, 0;
      { .reg .b16 %r<2>; mov.u16 %r1, 3; }
      mov.u64 %r1, 4;
    }
    mov.u32 %r1, 5;
    {
      .reg .b64 %r1;
      mov.u64 %r1, 6;
    }
  )"),
                    "k"),
            "entry:\n"
            "  %r1#0 = mov.u32 1\n"
            "  %r1#1 = mov.u64 2\n"
            "  %p = setp.eq.s64 %r1#1, 0\n"
            "  %r1#4 = mov.u16 3\n"
            "  %r1#1 = mov.u64 4\n"
            "  %r1#0 = mov.u32 5\n"
            "  %r1#5 = mov.u64 6\n"
            "  ret\n");
}

TEST(PtxFunction, KeepsLabelsOfScopesApart) {
  const Module module = read_kernel(R"(
    { again: @%p1 bra again; bra done; done: }
    { again: @%p1 bra again; bra done; done: }
    bra out;
    { { bra out; } }
    out: ret;
  )");
  const Function& k = *module.find_function("k");
  std::vector<std::vector<kernel::BlockId>> targets;
  for (const kernel::Block& block : k.blocks) targets.push_back(block.instructions.back().targets);
  using T = std::vector<kernel::BlockId>;
  EXPECT_THAT(targets, ElementsAre(T{0}, T{2}, T{2}, T{4}, T{6}, T{6}, T{}));
  EXPECT_EQ(kernel_error_of("{ inner: } bra inner;"), "test.ptx:13: unknown label 'inner'");
}

TEST(PtxFunction, MovesSharedVariablesToTheModuleAndKeepsLocalOnes) {
  const Module module = read(R"(
    .entry a() { .shared .align 4 .b8 tile[16]; .local .align 8 .b8 depot[24]; .local .u32 x, y;
                 .reg .b64 %rd<3>; mov.u64 %rd1, tile; mov.u64 %rd2, y; ret; }
    .entry b() { .shared .align 8 .b8 tile[32]; .reg .b64 %rd<2>; mov.u64 %rd1, tile; ret; }
  )");
  ASSERT_EQ(module.variables.size(), 2u);
  EXPECT_EQ(module.variables[0].name, "tile");
  EXPECT_EQ(module.variables[1].name, "b$tile");
  EXPECT_EQ(module.variables[1].size, 32u);
  EXPECT_THAT(
      module.find_function("a")->locals,
      ElementsAre(kernel::LocalVariable{"depot", 24, 8, 0}, kernel::LocalVariable{"x", 4, 4, 24},
                  kernel::LocalVariable{"y", 4, 4, 28}));
  EXPECT_EQ(code_of(module, "a"), "entry:\n  %rd1 = mov.u64 @tile\n  %rd2 = mov.u64 y\n  ret\n");
  EXPECT_EQ(code_of(module, "b"), "entry:\n  %rd1 = mov.u64 @b$tile\n  ret\n");
}

TEST(PtxFunction, MakesOnlyTheRegistersThatAreUsed) {
  const Module module = read_kernel(".reg .b32 %many<1000000000>; mov.u32 %many999999999, 1;");
  EXPECT_THAT(module.find_function("k")->registers,
              ElementsAre(kernel::Register{"many999999999", kernel::Type::kB32}));
}

constexpr std::string_view kCallees =
    ".func (.param .b32 r) f(.param .b32 a, .param .b64 b);\n"
    ".func g();\n"
    ".func (.reg .f32 %result) old(.reg .f32 %x, .reg .u32 %n) { cvt.rn.f32.u32 %result, %n; "
    "mul.f32 %result, %result, %x; ret; }\n";

Module read_with_callees(std::string_view body) {
  return read(std::string(kCallees) + kernel_with(body));
}

TEST(PtxCalls, ShareSlotsBetweenCallSequences) {
  const Module module = read_with_callees(R"(
    { .param .b32 param0; st.param.b32 [param0+0], %r1; .param .b64 param1; st.param.b64 [param1], 7; .param .b32 retval0;
      call.uni (retval0), f, (param0, param1); ld.param.b32 %r2, [retval0+0]; }
    call g;
    { .param .b32 param0; st.param.b32 [param0+0], %r2; .param .b64 param1; st.param.b64 [param1], 8; .param .b32 retval0;
      call.uni (retval0), f, (param0, param1); ld.param.b32 %r3, [retval0+0]; }
    { .param .align 8 .b8 param0[16]; st.param.b64 [param0+8], 1; }
  )");
  const Function& k = *module.find_function("k");
  ASSERT_EQ(k.call_slots.size(), 4u);
  EXPECT_EQ(k.call_slots[0].offset, 12u);  // after the kernel's own parameters
  EXPECT_EQ(k.call_slots[3].size, 16u);
  EXPECT_EQ(code_of(module, "k"),
            "entry:\n"
            "  st.param.b32 [param0#2], %r1\n"
            "  st.param.b64 [param1], 7\n"
            "  call.uni @f(param0#2, param1) -> (retval0)\n"
            "  %r2 = ld.param.b32 [retval0]\n"
            "  call @g()\n"
            "  st.param.b32 [param0#2], %r2\n"
            "  st.param.b64 [param1], 8\n"
            "  call.uni @f(param0#2, param1) -> (retval0)\n"
            "  %r3 = ld.param.b32 [retval0]\n"
            "  st.param.b64 [param0#5+8], 1\n"
            "  ret\n");
}

TEST(PtxCalls, PassRegistersAndNumbersThroughSlotsOfTheirOwn) {
  const Module module = read_with_callees("@%p1 call (%f1), old, (%f2, 3);");
  EXPECT_EQ(code_of(module, "k"),
            "entry:\n"
            "  @%p1 st.param.b32 [argument#2], %f2\n"
            "  @%p1 st.param.b32 [argument#3], 3\n"
            "  @%p1 call @old(argument#2, argument#3) -> (result)\n"
            "  @%p1 %f1 = ld.param.b32 [result]\n"
            "  ret\n");
  EXPECT_EQ(code_of(module, "old"),
            "entry:\n"
            "  %x = ld.param.f32 [x]\n"
            "  %n = ld.param.u32 [n]\n"
            "  %result = cvt.rn.f32.u32 %n\n"
            "  %result = mul.f32 %result, %x\n"
            "  st.param.f32 [result], %result\n"
            "  ret\n");
}

TEST(PtxCalls, ReachFunctionsThroughPrototypesAndTargets) {
  const Module module = read_with_callees(R"(
    mov.u64 %rd1, f;
    {
      .param .b32 param0; .param .b64 param1; .param .b32 retval0;
      prototype_0 : .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);
      call (retval0), %rd1, (param0, param1), prototype_0;
      targets: .calltargets f;
      call (retval0), %rd1, (param0, param1), targets;
      nothing: .callprototype _ ();
      call %rd1, nothing;
    }
  )");
  ASSERT_EQ(module.prototypes.size(), 3u);
  EXPECT_EQ(module.prototypes[0].parameters.size(), 2u);
  EXPECT_EQ(module.prototypes[0].parameters[1].size, 8u);
  EXPECT_EQ(module.prototypes[1].return_values.size(), 1u);
  EXPECT_EQ(code_of(module, "k"),
            "entry:\n"
            "  %rd1 = mov.u64 @f\n"
            "  call %rd1(param0, param1) -> (retval0) prototype prototype_0\n"
            "  call %rd1(param0, param1) -> (retval0) prototype targets\n"
            "  call %rd1() prototype nothing\n"
            "  ret\n");
}

TEST(PtxCalls, AllowRecursion) {
  const Module module =
      read(".func f(.param .b32 a) { .param .b32 p; st.param.b32 [p], 1; call f, (p); ret; }");
  EXPECT_EQ(module.find_function("f")->blocks[0].instructions[1].sources[0].index, 0u);
}

TEST(PtxCalls, SayWhatDoesNotFit) {
  struct Row {
    std::string_view body;
    std::string_view message;
  };
  constexpr Row kRows[] = {
      {"call f, (%r1);", "'f' takes 2 arguments, 1 is given"},
      {"call (%r1), g;", "'g' returns 0 values, 1 is taken"},
      {"call f, (%r1, %rd1);", "'f' returns 1 value, 0 are taken"},
      {"call (%r1), f, (%r1, pointer);",
       "an argument of a call must be a .param variable of this scope, a register or a number"},
      {"call (%rd1), f, (%rd1, %p1);",
       "'%p1' of type .pred cannot be used where 'call' expects .b64"},
      {"call g, 5;", "expected '(' and the arguments of the call, found '5'"},
      {"call 5;", "expected a function, found '5'"},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(error_of(std::string(kCallees) + kernel_with(row.body)),
              "test.ptx:16: " + std::string(row.message))
        << "of " << row.body;
  }
}

}  // namespace
}  // namespace raddle::ptx::testing

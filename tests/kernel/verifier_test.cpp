#include "kernel/verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "kernel/text_form.h"

namespace raddle::kernel {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Module parse(std::string_view text) {
  return parse_text("module \"t\" ptx 7.5 target 70\n" + std::string(text), "test.rir");
}

// A module with a kernel of one block, callees and variables around it, so that instructions can be
// tried one by one.
Module module_with(std::string_view instructions, std::string_view more_blocks = "") {
  return parse(
      "const @table[16]\nshared @tile[64] align 4\nglobal @data[64] align 8\nglobal texture "
      "@image[8]\n"
      "prototype proto(a[4]) -> (r[4])\n"
      "extern function @callee(a[4], b[8]) -> (r[4])\nextern function @stop() noreturn\n"
      "function @returns(a[4]) -> (r[4]) {\n  register b32 r1\nx:\n  st.param.b32 [r], %r1\n  "
      "ret\n}\n"
      "kernel @k(n[4], p[8], s[24] align 8) {\n  call_slot c4[4]\n  call_slot c8[8]\n  call_slot "
      "r4[4]\n"
      "  local depot[16] align 8\n"
      "  register pred p1-p2\n  register b8 c1\n  register b16 h1-h2\n  register b32 r1-r4\n  "
      "register f32 f1-f4\n"
      "  register b64 rd1-rd2\n  register f64 d1-d2\nentry:\n" +
      std::string(instructions) + "\n  ret\n" + std::string(more_blocks) + "}\n");
}

std::vector<std::string> faults_of(const Module& module) {
  std::vector<std::string> texts;
  for (const VerifierMessage& message : verify(module)) texts.push_back(message.text);
  return texts;
}

// The faults of one instruction, without the words that say where it stands.
std::vector<std::string> faults_in(std::string_view instructions) {
  std::vector<std::string> texts;
  for (const std::string& text : faults_of(module_with(instructions))) {
    const std::size_t end = text.find("': ");
    texts.push_back(end == std::string::npos ? text : text.substr(end + 3));
  }
  return texts;
}

TEST(Verifier, NamesFunctionBlockInstructionAndSourceLine) {
  const Module module = parse(
      "file a.cu \"dir/a.cu\"\nkernel @k() {\n  register b32 r1\nentry:\n  %r1 = add.s32 %r1 !loc "
      "a.cu:12:3\n  ret\n}\n");
  EXPECT_THAT(
      verify(module),
      ElementsAre(VerifierMessage{
          "@k, block entry, '%r1 = add.s32 %r1': add takes 2 to 3 sources, not 1", "dir/a.cu:12"}));
  try {
    require_valid(module);
    FAIL() << "an invalid module passed";
  } catch (const Error& error) {
    EXPECT_EQ(error.full_text(),
              "dir/a.cu:12: @k, block entry, '%r1 = add.s32 %r1': add takes 2 to 3 sources, not 1");
  }
}

struct Fault {
  std::string instruction;
  std::string message;  // empty: valid
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.instruction; }

class VerifierFaults : public testing::TestWithParam<Fault> {};

TEST_P(VerifierFaults, AreSaidInExactWords) {
  const Fault& fault = GetParam();
  if (fault.message.empty()) {
    EXPECT_THAT(faults_in(fault.instruction), IsEmpty()) << fault.instruction;
  } else {
    EXPECT_THAT(faults_in(fault.instruction), ElementsAre(fault.message)) << fault.instruction;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Operands, VerifierFaults,
    testing::Values(
        Fault{"  %r1 = add.s32 %r2, %r3, %p1", "add has a source 3 without carry_in"},
        Fault{"  %r1 = add.s32 %r2, %r3, %p1, %r4", "add takes 2 to 3 sources, not 4"},
        Fault{"  add.s32 %r2, %r3", "add takes 1 to 2 destinations, not 0"},
        Fault{"  %r1, %r2 = not.b32 %r3", "not takes 1 destination, not 2"},
        Fault{"  %f1 = ld.global.f32", "ld takes 1 source, not 0"},
        Fault{"  ld.global.f32 [%rd1]", "ld takes at least 1 destination, not 0"},
        Fault{"  %r1 = add.s64 %rd1, %rd2", "destination 1 must have 64 bits; %r1 is b32"},
        Fault{"  %r1 = add.s32 %rd1, %r2", "source 1 must have 32 bits; %rd1 is b64"},
        Fault{"  %p1 = add.s32 %r1, %r2", "destination 1 must be s32; %p1 is pred"},
        Fault{"  %r1 = setp.eq.s32 %r1, %r2", "destination 1 must be pred; %r1 is b32"},
        Fault{"  %r1 = selp.b32 %r1, %r2, %r3", "source 3 must be pred; %r3 is b32"},
        Fault{"  %rd1 = mul.lo.s32 %r1, %r2", "destination 1 must have 32 bits; %rd1 is b64"},
        Fault{"  %r1 = mul.wide.s32 %r1, %r2", "destination 1 must have 64 bits; %r1 is b32"},
        Fault{"  %h1 = ld.global.u32 [%rd1]",
              "destination 1 must have at least 32 bits; %h1 is b16"},
        Fault{"  %r1 = cvt.u32.u64 %r2", "source 1 must have at least 64 bits; %r2 is b32"},
        Fault{"  %r1 = ld.global.u32 [%h1]", "source 1 must have 32 or 64 bits; %h1 is b16"},
        Fault{"  %rd1 = shl.b64 %rd1, %rd2", "source 2 must have 32 bits; %rd2 is b64"},
        Fault{"  %r1 = lop3.b32 %r1, %r2, %r3, %r4", "source 4 must be a constant; %r4 is b32"},
        Fault{"  %f1, %f2, %f3, %f4 = tex.2d.f32.f32 @image, %p1, %f1",
              "source 2 must be a number; %p1 is pred"},
        Fault{"  %r1 = add.s32 _, %r2", "source 1 is missing"},
        Fault{"  %r1 = add.s32 !%r1, %r2", "source 1 is negated but is not a predicate"},
        Fault{"  %r1 = add.s32 @data, %r2", "source 1 cannot be the address of @data"},
        Fault{"  %h1 = mov.u16 @data", "an address does not fit u16"},
        Fault{"  %r1 = ld.global.u32 [@callee]", "the function @callee is not memory"},
        Fault{"  %r1 = txq.width.b32 7", "source 1 cannot be a number"},
        Fault{"  %r1 = selp.b32 %r1, %r2, %tid.x", "source 3 cannot be a special register"},
        Fault{"  %p1 = or.pred %p1, 2", "source 2 must be 0 or 1"},
        Fault{"  %h1 = add.s16 %h1, 0x10000", "source 2, 0x10000, does not fit s16"},
        Fault{"  %r1 = shl.b32 %r1, 0x100000000", "source 2, 0x100000000, does not fit u32"},
        Fault{"  @%r1 bar.sync 0", "the guard %r1 is not a predicate"}));

INSTANTIATE_TEST_SUITE_P(
    Modifiers, VerifierFaults,
    testing::Values(
        Fault{"  %r1 = add %r1, %r2", "add needs a type"},
        Fault{"  %r1 = cvt.u32 %r2", "cvt needs a second type"},
        Fault{"  %p1 = add.pred %p1, %p2", "add works on a number, not on pred"},
        Fault{"  %r1 = fma.rn.s32 %r1, %r2, %r3", "fma works on floating point, not on s32"},
        Fault{"  %f1 = shl.f32 %f1, 1", "shl works on an integer, not on f32"},
        Fault{"  %f1 = and.f32 %f1, %f2", "and works on an integer or a predicate, not on f32"},
        Fault{"  %p1 = setp.s32 %r1, %r2", "setp needs a comparison"},
        Fault{"  %r1 = mul.s32 %r1, %r2", "mul of integers needs .lo, .hi or .wide"},
        Fault{"  %rd1 = mul.wide.s64 %rd1, %rd2", "mul.wide takes 16 or 32 bits, not s64"},
        Fault{"  %r1 = atom.global.u32 [%rd1], %r2", "atom needs an operation"},
        Fault{"  %rd1 = cvta.u64 %rd1", "cvta needs an address space"},
        Fault{"  bar 0", "bar needs a mode"},
        Fault{"  %r1 = shfl.sync.b32 %r1, 1, 31, -1", "shfl needs a mode"},
        Fault{"  %r1 = add.s32 %r1, %r2 {mode=9}", "add has no mode 'sync'"},
        Fault{"  %r1 = add.cin.s32 %r1, %r2", "carry_in needs source 3"},
        Fault{"  %r1 = add.cout.s32 %r1, %r2", "carry_out needs destination 2"},
        Fault{"  %r1, %p1 = add.s32 %r1, %r2", "add has a destination 2 without carry_out"},
        Fault{"  %p1 = setp.eq.and.s32 %r1, %r2", "a combination needs source 3"},
        Fault{"  %r1 = shfl.idx.b32 %r1, 1, 31, -1", "shfl has a source 4 without .sync"},
        Fault{"  %r1 = vote.sync.ballot.b32 %p1", ".sync needs source 2"},
        Fault{"  %r1 = atom.global.cas.b32 [%rd1], %r1", ".cas needs source 3"},
        Fault{"  %r1 = atom.global.add.u32 [%rd1], %r1, %r2", "atom has a source 3 without .cas"},
        Fault{"  %rd1 = pack.b64 %r1, %r2, %r3", "b64 cannot be split into 3 equal parts"}));

INSTANTIATE_TEST_SUITE_P(
    MemoryAndControl, VerifierFaults,
    testing::Values(
        Fault{"  %r1 = ld.u32 [%rd1]", "ld needs an address space"},
        Fault{"  st.const.u32 [@table], %r1", "st cannot write constant memory"},
        Fault{"  %r1 = atom.local.add.u32 [%rd1], %r1", "atom does not work on local memory"},
        Fault{"  %f1, %f2, %f3 = ld.global.f32 [%rd1]", "ld moves 1, 2, 4 or 8 values, not 3"},
        Fault{"  %r1 = ld.global.u32 [@tile]", "@tile lies in shared memory"},
        Fault{"  %r1 = ld.shared.u32 [depot]", "depot lies in local memory"},
        Fault{"  st.param.u32 [n], %r1", "st cannot write the parameter n"},
        Fault{"  %r1 = ld.param.u32 [n+4]", "4 bytes at offset 4 lie outside of n, which has 4"},
        Fault{"  %r1 = ld.param.u32 [n-4]", "4 bytes at offset -4 lie outside of n, which has 4"},
        Fault{"  %rd1, %rd2 = ld.param.u64 [s+16]",
              "16 bytes at offset 16 lie outside of s, which has 24"},
        Fault{"  %r1 = mov.u32 0 {channel=1}", "mov does not communicate between threads"},
        Fault{"  bar.sync 16", "barrier 16 does not exist; a block has 16"},
        Fault{"  bar.sync 0, 48", "a barrier of 48 threads is not a whole number of warps"},
        Fault{"  bar.arrive 0", "bar.arrive needs a number of threads"},
        Fault{"  %r1 = bar.red.popc.u32 0", "bar.red needs a predicate"},
        Fault{"  bar.red.popc.u32 0, _, %p1", "bar.red needs a destination"},
        Fault{"  bar.sync 0, _, %p1", "only bar.red takes a predicate"},
        Fault{"  %p1 = bar.sync 0", "only bar.red has a destination"},
        Fault{"  bar.sync 0 -> entry", "bar takes no targets"},
        Fault{"  it.tag.f32 %f1 {channel=1, delta=(1, 0, 0)}",
              "it.tag has neither distance nor window: receivers have them"},
        Fault{"  %f1 = it.recv.load.f32 [%rd1], %p1 {channel=1}",
              "a thread cannot receive from itself: the distance is 0"},
        Fault{"  %f1 = it.recv.load.f32 [%rd1], %p1 {delta=(-4, 0, 0), window=4}",
              "a distance of -4 reaches beyond the window of 4 threads"}));

INSTANTIATE_TEST_SUITE_P(
    Calls, VerifierFaults,
    testing::Values(
        Fault{"  call @callee(c4, c8) -> (r4)", ""},
        Fault{"  call @callee(c4) -> (r4)", "@callee takes 2 arguments, not 1"},
        Fault{"  call @returns(c4)", "@returns takes 1 return value, not 0"},
        Fault{"  call @callee(c8, c8) -> (r4)", "argument 1 of @callee has 4 bytes, not 8"},
        Fault{"  call @callee(c4, c8) -> (c8)", "return value 1 of @callee has 4 bytes, not 8"},
        Fault{"  call @k(c4, c8, c8)", "@k is a kernel and cannot be called"},
        Fault{"  call @data()", "@data is not a function"},
        Fault{"  call 7()", "source 1 cannot be a number"},
        Fault{"  call %rd1(c4)", "a call through a register needs a prototype"},
        Fault{"  call %rd1(c4) prototype proto", "prototype proto takes 1 return value, not 0"},
        Fault{"  call %rd1(c4) -> (r4) prototype proto", ""}));

// What compilers write and a stricter verifier would refuse.
INSTANTIATE_TEST_SUITE_P(
    Accepted, VerifierFaults,
    testing::Values(
        Fault{"  %h1 = ld.global.u8 [%rd1]", ""}, Fault{"  %r1 = ld.global.s8 [%rd1]", ""},
        Fault{"  %r1 = ld.shared.f32 [%r2]", ""}, Fault{"  st.global.b8 [%rd1], %r1", ""},
        Fault{"  st.param.b8 [c4], %h1", ""}, Fault{"  %r1 = cvt.u8.u32 %r2", ""},
        Fault{"  %h1 = cvt.u8.u32 %r2", ""}, Fault{"  %r1 = cvt.s32.s8 %r2", ""},
        Fault{"  %h1 = cvt.rn.f16.f32 %f1", ""}, Fault{"  %rd1 = mov.b64 p", ""},
        Fault{"  %rd1 = mov.u64 depot", ""}, Fault{"  %rd1 = mov.u64 @callee", ""},
        Fault{"  %r1 = mov.b32 %f1", ""}, Fault{"  %f1 = mov.b32 %r1", ""},
        Fault{"  %r1 = add.s32 %tid.x, 1", ""}, Fault{"  _, %r1 = unpack.b64 %rd1", ""},
        Fault{"  %r1 = or.b32 %r1, -1", ""}, Fault{"  %h1 = add.s16 %h1, 0xffffffffffffffff", ""},
        Fault{"  %r1 = ld.param.u32 [%rd1+8]", ""}, Fault{"  %p1, %p2 = setp.lt.f32 %f1, %f2", ""},
        Fault{"  _, %p1 = shfl.sync.up.b32 %r1, 1, 0, -1", ""}, Fault{"  bar.sync %r1, %r2", ""},
        Fault{"  %p1 = bar.red.and.pred 0, 64, !%p2", ""},
        Fault{"  %r1 = ld.generic.u32 [@tile]", ""}, Fault{"  %rd1 = cvta.param.u64 p", ""},
        Fault{"  %p1 = selp.pred %p1, %p2, %p1", ""},
        Fault{"  it.tag.f32 %f1 {channel=1}\n  %f2 = it.recv.const.f32 0.0 {channel=1, delta=(0, "
              "-40, 0), window=32}",
              ""}));

TEST(Verifier, RegistersSymbolsTargetsAndSlotsMustExist) {
  Module module = module_with(
      "  %r1 = add.s32 %r2, %r3\n  %r1 = ld.global.u32 [@data]\n  call @callee(c4, c8) -> (r4)");
  Function& function = module.functions[3];
  auto& code = function.blocks[0].instructions;
  code[0].destinations[0].index = 90;
  code[0].sources[1].index = 91;
  code[0].guard.predicate = 92;
  code[1].sources[0].index = 93;
  code[2].call.arguments[0] = 94;
  code[2].call.prototype = 95;
  code[3].location = 96;
  EXPECT_THAT(
      faults_of(module),
      ElementsAre(
          "@k, block entry, '@%?92 %?90 = add.s32 %r2, %?91': the guard, register 92, does not "
          "exist",
          "@k, block entry, '@%?92 %?90 = add.s32 %r2, %?91': destination 1, register 90, does not "
          "exist",
          "@k, block entry, '@%?92 %?90 = add.s32 %r2, %?91': source 2, register 91, does not "
          "exist",
          "@k, block entry, '%r1 = ld.global.u32 [@?93]': source 1, symbol 93, does not exist",
          "@k, block entry, 'call @callee(?94, c8) -> (r4) prototype ?95': call slot 94 does not "
          "exist",
          "@k, block entry, 'call @callee(?94, c8) -> (r4) prototype ?95': prototype 95 does not "
          "exist",
          "@k, block entry, 'ret': location 96 does not exist"));
}

TEST(Verifier, BranchesNeedTheirTargets) {
  Module module = module_with("  bra entry");
  auto& code = module.functions[3].blocks[0].instructions;
  code.pop_back();
  code[0].targets = {7};
  EXPECT_THAT(faults_of(module),
              ElementsAre("@k, block entry, 'bra ?7': target block 7 does not exist"));
  code[0].targets.clear();
  EXPECT_THAT(faults_of(module), ElementsAre("@k, block entry, 'bra': bra takes 1 target, not 0"));
  code[0].opcode = Opcode::kBrx;
  code[0].sources = {Operand::reg(5)};
  EXPECT_THAT(
      faults_of(module),
      ElementsAre("@k, block entry, 'brx.idx %r1': brx.idx takes at least 1 target, not 0"));
}

TEST(Verifier, TerminatorsStandAtTheEndOfTheirBlock) {
  EXPECT_THAT(faults_in("  @%p1 bra entry"), ElementsAre("bra must be the last of its block"));
  EXPECT_THAT(faults_in("  @%p1 exit"), ElementsAre("exit must be the last of its block"));
}

TEST(Verifier, ControlDoesNotRunOffTheEnd) {
  EXPECT_THAT(faults_of(module_with("", "last:\n  bar.sync 0\n")),
              IsEmpty());  // nothing leads to it
  EXPECT_THAT(faults_of(parse("kernel @k() {\n  register pred p\nx:\n  @%p ret\n}\n")),
              ElementsAre("@k, block x: control runs off the end of the function"));
  EXPECT_THAT(faults_of(parse("kernel @k() {\nx:\n}\n")),
              ElementsAre("@k, block x: control runs off the end of the function"));
  EXPECT_THAT(
      faults_of(parse("extern function @stop() noreturn\nkernel @k() {\nx:\n  call @stop()\n}\n")),
      IsEmpty());
  EXPECT_THAT(faults_of(parse("kernel @k() {\nx:\n  bra x\n}\n")), IsEmpty());
}

TEST(Verifier, FunctionsAreWellFormed) {
  EXPECT_THAT(faults_of(parse("kernel @k() {\n}\n")), ElementsAre("@k: has no blocks"));
  EXPECT_THAT(faults_of(parse("kernel @k() -> (r[4])\n")),
              ElementsAre("@k: a kernel returns nothing"));
  EXPECT_THAT(faults_of(parse("function @f(a[4] align 3)\n")),
              ElementsAre("@f: parameter a: the alignment 3 is not a power of two"));
  EXPECT_THAT(faults_of(parse("function @f(a[4], b[4] at 6)\n")),
              ElementsAre("@f: parameter b: the offset 6 is not aligned to 4"));
  EXPECT_THAT(faults_of(parse("function @f(a[8], b[4] at 4)\n")),
              ElementsAre("@f: parameter b overlaps a"));
  EXPECT_THAT(
      faults_of(parse("function @f#1() {\nx:\n  ret\n}\nfunction @f#2() {\nx:\n  ret\n}\n")),
      ElementsAre("@f: is defined twice"));
  EXPECT_THAT(faults_of(parse("function @f() {\n  register none r\nx:\n  ret\n}\n")),
              ElementsAre("@f: register %r has no type"));
  Module module = parse("function @f() {\nx:\n  ret\n}\n");
  module.functions[0].is_declaration = true;
  module.functions[0].location = 5;
  EXPECT_THAT(faults_of(module),
              ElementsAre("@f: location 5 does not exist", "@f: a declaration has no body"));
}

TEST(Verifier, VariablesAreWellFormed) {
  EXPECT_THAT(faults_of(parse("local @v[4]\n")),
              ElementsAre("@v: a variable of a module lies in global, const or shared memory"));
  EXPECT_THAT(faults_of(parse("global @v[4] align 3\n")),
              ElementsAre("@v: the alignment 3 is not a power of two"));
  EXPECT_THAT(faults_of(parse("shared @v[4] {\n  zero 4\n}\n")),
              ElementsAre("@v: shared memory cannot be initialised"));
  EXPECT_THAT(faults_of(parse("extern global @v[4] {\n  zero 4\n}\n")),
              ElementsAre("@v: an extern variable cannot be initialised"));
  EXPECT_THAT(faults_of(parse("global @v[8] {\n  address 8 at 4 = @v\n}\n")),
              ElementsAre("@v: the address at offset 4 reaches beyond the variable's 8 bytes"));
  Module module = parse("global @v[4]\n");
  module.variables[0].initial.resize(5);
  EXPECT_THAT(faults_of(module),
              ElementsAre("@v: the initialiser of 5 bytes is longer than the variable's 4"));
}

TEST(Verifier, TablesBeginWithTheUnknown) {
  Module module;
  module.files = {"a.cu"};
  module.locations = {{0, 1, 1, kNoId}, {7, 1, 1, 9}};
  EXPECT_THAT(
      faults_of(module),
      ElementsAre("file 0 stands for an unknown file and must be empty",
                  "location 0 stands for an unknown place and must be empty",
                  "location 1: file 7 does not exist", "location 1: location 9 does not exist"));
}

TEST(Verifier, ChannelsHaveASenderOfTheSameSize) {
  EXPECT_THAT(faults_of(module_with("  %f1 = it.recv.const.f32 0.0 {channel=5, delta=(1, 0, 0)}")),
              ElementsAre("@k: channel 5 is received from but nothing is tagged on it"));
  EXPECT_THAT(faults_of(module_with("  it.tag.f64 %d1 {channel=5}\n"
                                    "  %f1 = it.recv.const.f32 0.0 {channel=5, delta=(1, 0, 0)}")),
              ElementsAre("@k: channel 5 carries f64 but is received as f32"));
}

TEST(Verifier, OnlyCallsPassCallSlots) {
  Module module = module_with("  brkpt");
  module.functions[3].blocks[0].instructions[0].call.arguments = {0};
  EXPECT_THAT(faults_of(module),
              ElementsAre("@k, block entry, 'brkpt': brkpt passes no call slots"));
}

TEST(Verifier, DestinationsAreRegisters) {
  Module module = module_with("  %r1 = mov.u32 1");
  module.functions[3].blocks[0].instructions[0].destinations[0] = Operand::immediate(4);
  EXPECT_THAT(faults_of(module),
              ElementsAre("@k, block entry, '4 = mov.u32 1': destination 1 is not a register"));
}

// --- SSA -------------------------------------------------------------------------------------------------------------

Module ssa_module(std::string_view body) {
  return parse("function @f() {\n  register b32 a, b, c\n  register pred p\n" + std::string(body) +
               "}\n");
}

TEST(Verifier, SsaFormIsAccepted) {
  EXPECT_THAT(faults_of(ssa_module("x:\n  %a = mov.b32 1\n  @%p bra z\ny:\n  %b = mov.b32 2\nz:\n"
                                   "  %c = phi.b32 %a, %b\n  ret\n")),
              IsEmpty());
}

TEST(Verifier, SsaRegistersAreWrittenOnce) {
  EXPECT_THAT(faults_of(ssa_module(
                  "x:\n  %a = mov.b32 1\ny:\n  %b = phi.b32 %a\n  %a = mov.b32 2\n  ret\n")),
              ElementsAre("@f, block y, '%a = mov.b32 2': %a is written a second time"));
}

TEST(Verifier, PhisStandFirstUnguardedAndHaveASourceForEachPredecessor) {
  EXPECT_THAT(faults_of(ssa_module(
                  "x:\n  %a = mov.b32 1\ny:\n  %c = mov.b32 %a\n  %b = phi.b32 %a\n  ret\n")),
              ElementsAre("@f, block y, '%b = phi.b32 %a': a phi follows other instructions"));
  EXPECT_THAT(faults_of(ssa_module("x:\n  %a = mov.b32 1\ny:\n  @%p %b = phi.b32 %a, %a\n  ret\n")),
              ElementsAre("@f, block y, '@%p %b = phi.b32 %a, %a': the phi has 2 sources, but its "
                          "block has 1 predecessors",
                          "@f, block y, '@%p %b = phi.b32 %a, %a': a phi cannot be guarded"));
}

TEST(Verifier, SsaDefinitionsDominateTheirUses) {
  EXPECT_THAT(
      faults_of(ssa_module("x:\n  @%p bra z\ny:\n  %a = mov.b32 1\nz:\n  %b = phi.b32 %a, %a\n"
                           "  %c = mov.b32 %a\n  ret\n")),
      ElementsAre(
          "@f, block z, '%b = phi.b32 %a, %a': %a may not have been written at the end of block x",
          "@f, block z, '%c = mov.b32 %a': %a is read where it may not have been written"));
  EXPECT_THAT(
      faults_of(
          ssa_module("x:\n  %b = mov.b32 %a\n  %a = mov.b32 1\ny:\n  %c = phi.b32 %a\n  ret\n")),
      ElementsAre("@f, block x, '%b = mov.b32 %a': %a is read where it may not have been written"));
}

}  // namespace
}  // namespace raddle::kernel

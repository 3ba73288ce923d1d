// Lowered code and the choice of techniques, by their text.
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "lang/e/e_program.h"
#include "lang/tpa/assembler.h"

namespace raddle::e::test {
namespace {

CompiledProgram compiled(const std::string& text, const std::vector<std::string>& arguments = {}) {
  CompileOptions options;
  const Arguments parsed = parse_arguments(arguments, options);
  CompiledProgram program = compile(text, "t.e", ".", parsed, options);
  EXPECT_NO_THROW(raddle::tpa::assemble(program.assembly, "t.tpa")) << program.assembly;
  return program;
}

std::string refusal_of(const std::string& text, const std::vector<std::string>& arguments = {}) {
  try {
    compiled(text, arguments);
  } catch (const Error& error) {
    return error.full_text();
  }
  return {};
}

std::string first_note(const std::string& text, const std::vector<std::string>& arguments = {}) {
  const CompiledProgram program = compiled(text, arguments);
  return program.notes.empty() ? "" : program.notes[0];
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

constexpr const char* kMemory = "int A_[65536], x_[2048], P_[65536]; int s_;\n#65536: ";

TEST(ETechniques, ChoosesByWhereOperandsLive) {
  EXPECT_TRUE(has(first_note(std::string(kMemory) + "multi(ADD, s_, A_[$]);"), "multi by ML"));
  EXPECT_TRUE(has(first_note(std::string(kMemory) + "multi(ADD, s_, $ & 7);"), "multi by O2"));
  EXPECT_TRUE(
      has(first_note(std::string(kMemory) + "prefix(P_[$], ADD, s_, A_[$]);"), "prefix by MMP"));
  EXPECT_TRUE(
      has(first_note(std::string(kMemory) + "prefix(P_[$], ADD, s_, $);"), "prefix by MPS"));
  EXPECT_TRUE(has(first_note(std::string(kMemory) + "{ int p$; prefix(p$, ADD, s_, A_[$]); }"),
                  "prefix by MPL"));
  EXPECT_TRUE(has(first_note(std::string(kMemory) + "{ int p$; prefix(p$, ADD, s_, $); }"),
                  "prefix by 3MP"));
}

TEST(ETechniques, TakesTheFastOneWhereTargetsMayNotFit) {
  EXPECT_EQ(first_note("int A_[65536], x_[4096];\n#65536: multi(ADD, x_[$ & 4095], A_[$]);"),
            "t.e:2: multi by FS (Mop): 4096 targets may exceed the 1024 lines of the step cache");
  EXPECT_TRUE(has(first_note("int n, A_[65536], x_[4096]; n = 5;\n#n: multi(ADD, x_[A_[$]], 1);"),
                  "multi by FS (Mop): at most 4096 targets may exceed"));
}

TEST(ETechniques, SaysWhatEachWouldCost) {
  EXPECT_EQ(
      first_note(std::string(kMemory) + "multi(MIN, s_, A_[$]);"),
      "t.e:2: multi by ML (MLop-EMop): one target, the operand is in memory; expected cycles: "
      "ML 4212, O2 8196, FS 69634, S2 12291, BF 8276");
}

TEST(ETechniques, LetsTheUserForceOneInTheSourceOrOnTheCommandLine) {
  const std::string text = std::string(kMemory) + "multi.S2(ADD, s_, A_[$]);\n";
  EXPECT_TRUE(has(first_note(text), "multi by S2 (BMop-EMop): it was asked for"));
  const std::string open = std::string(kMemory) + "multi(ADD, s_, A_[$]);\n";
  EXPECT_TRUE(has(first_note(open, {"--technique=O2"}), "multi by O2"));
  EXPECT_TRUE(has(first_note(open, {"--technique=O2@2"}), "multi by O2"));
  EXPECT_TRUE(has(first_note(open, {"--technique=O2@3"}), "multi by ML"));
  EXPECT_TRUE(has(first_note(open, {"--technique=3MP"}), "multi by ML"));
  EXPECT_TRUE(has(first_note(text, {"--technique=O2"}), "multi by S2"));
}

TEST(ETechniques, RefusesWhatWouldOverflow) {
  EXPECT_EQ(refusal_of("int A_[65536], x_[2048], P_[65536];\n"
                       "#65536: prefix(P_[$], ADD, x_[$ & 2047], A_[$]);"),
            "t.e:2:9: an ordered multiprefix holds at most 1024 targets per backend, not 2048\n"
            "  #65536: prefix(P_[$], ADD, x_[$ & 2047], A_[$]);\n"
            "          ^~~~~~\n"
            "  hint: write fast_prefix where the order does not matter");
  EXPECT_EQ(refusal_of("int A_[65536], x_[2048];\n#65536: multi.O2(ADD, x_[$ & 2047], A_[$]);"),
            "t.e:2:15: O2 holds at most 1024 targets per backend, not 2048\n"
            "  #65536: multi.O2(ADD, x_[$ & 2047], A_[$]);\n"
            "                ^~\n"
            "  hint: use FS, which needs no scratchpad");
}

TEST(ETechniques, RefusesPrefixesInTheWrongOrder) {
  EXPECT_EQ(
      refusal_of(std::string(kMemory) + "prefix.FMP(P_[$], ADD, s_, A_[$]);"),
      "t.e:2:16: FMP gives prefixes in order of arrival: the fibers of a target lie on several "
      "backends\n"
      "  #65536: prefix.FMP(P_[$], ADD, s_, A_[$]);\n"
      "                 ^~~\n"
      "  hint: write fast_prefix where the order does not matter");
  // All fibers of a target on one backend: 4096 a backend, 256 a target.
  EXPECT_TRUE(has(first_note(std::string(kMemory) + "prefix.FMP(P_[$], ADD, x_[$ >> 8], A_[$]);"),
                  "prefix by FMP"));
}

TEST(ETechniques, RefusesOperandsInTheWrongPlace) {
  EXPECT_TRUE(has(refusal_of(std::string(kMemory) + "multi.ML(ADD, s_, $);"),
                  "ML loads its operands from shared memory, this one is computed"));
  EXPECT_TRUE(has(refusal_of(std::string(kMemory) + "{ int p$; prefix.MPS(p$, ADD, s_, $); }"),
                  "MPS stores prefixes to shared memory, this one is a fiber variable"));
  EXPECT_TRUE(has(refusal_of(std::string(kMemory) + "multi.BF(ADD, x_[$ & 1], $);"),
                  "BF reduces to one target, not 2 targets"));
}

TEST(ETechniques, WarnsWhereDataDecide) {
  const CompiledProgram program =
      compiled("int A_[65536], x_[2048], P_[65536];\n#65536: prefix(P_[$], ADD, x_[A_[$]], 1);");
  EXPECT_TRUE(has(program.warnings,
                  "t.e:2:9: warning: at most 2048 targets may be more than the 1024 that the step "
                  "cache holds: the machine would stop"))
      << program.warnings;
}

TEST(ETechniques, WarnsOfATechniqueThatNothingTakes) {
  const std::string text = std::string(kMemory) + "prefix(P_[$], ADD, s_, A_[$]);";
  EXPECT_EQ(compiled(text, {"--technique=MMP"}).warnings, "");
  EXPECT_TRUE(has(compiled(text, {"--technique=O2"}).warnings,
                  "--technique=O2 has no effect: the program has no multioperation without a "
                  "technique of its own"));
  EXPECT_TRUE(
      has(compiled(std::string(kMemory) + "prefix.MMP(P_[$], ADD, s_, A_[$]);", {"--technique=MPL"})
              .warnings,
          "--technique=MPL has no effect: the program has no multiprefix without a technique of "
          "its own"));
  EXPECT_TRUE(has(compiled(text, {"--technique=3MP@77"}).warnings,
                  "t.e:77:1: warning: --technique=3MP has no effect: the line has no multiprefix"))
      << compiled(text, {"--technique=3MP@77"}).warnings;
}

TEST(ETechniques, OrdersBackendsAsAsked) {
  const std::string text = std::string(kMemory) + "prefix(P_[$], ADD, s_, A_[$]);";
  EXPECT_TRUE(has(compiled(text).assembly, "OMPADD0"));
  EXPECT_TRUE(has(compiled(text, {"--omp=balanced"}).assembly, "OMBADD0"));
  EXPECT_TRUE(has(compiled(text, {"--omp=logarithmic"}).assembly, "OMLADD0"));
  EXPECT_TRUE(has(compiled(text, {"--technique=O3M"}).assembly, "OMLADD0"));
}

TEST(EArguments, SayWhatIsWrong) {
  EXPECT_EQ(refusal_of("", {"N"}),
            "an e program cannot take the argument 'N'\n"
            "hint: give N=4096 for a parameter, A_=FILE for a shared array, --technique=O2, "
            "--omp=balanced");
  EXPECT_EQ(refusal_of("", {"N=x"}),
            "'N' expects a number, got 'x'\nhint: parameters are given as NAME=NUMBER");
  EXPECT_EQ(refusal_of("", {"--techniqe=O2"}),
            "unknown option '--techniqe' of an e program\nhint: did you mean '--technique'?");
  EXPECT_EQ(refusal_of("", {"--fast"}),
            "unknown option '--fast' of an e program\n"
            "hint: its options are --technique=O2 and --omp=balanced");
  EXPECT_EQ(
      refusal_of("", {"--technique=XX"}),
      "unknown technique 'XX'\n"
      "hint: multioperations: FS, S2, BF, O2, ML; multiprefixes: FMP, 3MP, O3M, MPL, MPS, MMP");
  EXPECT_EQ(refusal_of("", {"--omp=fast"}),
            "unknown ordering 'fast'\nhint: the orderings are standard, balanced and logarithmic");
}

TEST(ELowering, LetsTheFrontendStoreWhatOneFiberWouldStore) {
  EXPECT_TRUE(has(compiled("int x_; x_ = 5;").assembly, "OP0 5 OP1 _x_ LSTS0 O0,O1 STCF"));
}

TEST(ELowering, LoadsAWordOnceForAStatement) {
  const std::string text = compiled("int A_[8]; #8: A_[$] = A_[$] * A_[$];").assembly;
  EXPECT_EQ(text.find("LDD0"), text.rfind("LDD0")) << text;
}

TEST(ELowering, SendsFibersThatTakeNoPartToTheSink) {
  EXPECT_TRUE(has(compiled("int A_[8]; #8: if ($ > 3) A_[$] = 1;").assembly,
                  "SGT2 FID,O1 AND3 A1,A2 STD0 O0,A3"));
}

TEST(ELowering, RefusesMoreVariablesThanTheFrontendHasRegisters) {
  std::string text;
  for (int i = 0; i < 23; ++i) text += "int v" + std::to_string(i) + " = 1;\n";
  EXPECT_TRUE(has(refusal_of(text), "t.e:23:5: more than 22 flow variables are live here"));
}

TEST(ELines, ReadWhatWasMovedFromAUnitOnlyBehindThatUnit) {
  // The received value is made by L1 and moved to c; what compares c cannot stand in L0.
  const CompiledProgram program = compiled(
      "int S_[9]; int a = 3, c;\n#7: { int v$ = $; c = reduce(OR, $); v$ += c;\n"
      "split ($ < (c == a)) S_[$$] = v$; else S_[$$] = -v$; }");
  EXPECT_FALSE(has(program.assembly, "LSEQ0 L1"));
}

}  // namespace
}  // namespace raddle::e::test

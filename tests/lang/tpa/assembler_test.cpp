#include "lang/tpa/assembler.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace raddle::tpa {
namespace {

using namespace machine::tpa;

std::string fault_of(std::string_view text, const ParameterValues& values = {}) {
  try {
    assemble(text, "x.tpa", values);
  } catch (const Error& error) {
    return error.full_text();
  }
  return "no fault";
}

TEST(Assembler, ReadsALineOfThePaper) {
  const Program program = assemble(
      ".shared _A_ 16\n"
      "OP0 _A_ OP1 3 OP2 4*4 LWB33 O2 SHL0 FID,O1 ADD1 O0,A0 LDD0 A1 WB0 M0 RT1 STCF\n",
      "min.tpa");
  ASSERT_EQ(program.lines.size(), 1u);
  const std::vector<Subinstruction>& parts = program.lines[0].parts;
  ASSERT_EQ(parts.size(), 10u);
  EXPECT_EQ(parts[0].operands[0].constant, static_cast<std::int64_t>(kFirstAddress));
  EXPECT_EQ(parts[2].operands[0].constant, 16);
  EXPECT_EQ(parts[3].number, kThicknessRegister);
  EXPECT_EQ(parts[4].operands[0].source, Source::kFiberId);
  EXPECT_EQ(parts[5].operands[1], (Operand{Source::kAlu, 0}));
  EXPECT_EQ(parts[6].unit, Unit::kMemory);
  EXPECT_EQ(parts[7].operands[0].source, Source::kMemory);
  EXPECT_EQ(program.where(program.lines[0].place), "min.tpa:2");
}

TEST(Assembler, PutsSubinstructionsIntoTheOrderOfTheChain) {
  const Program program = assemble("STCF WB0 A5 ADD5 M0,A0 LDD0 A0 SHL0 FID,O0 OP0 3\n", "x.tpa");
  std::vector<Unit> units;
  for (const Subinstruction& part : program.lines[0].parts) units.push_back(part.unit);
  EXPECT_THAT(units, testing::ElementsAre(Unit::kSlot, Unit::kAlu, Unit::kMemory, Unit::kAlu,
                                          Unit::kWrite, Unit::kSwitch));
}

TEST(Assembler, LetsParametersBeReplaced) {
  const std::string_view text = ".param N 8\n.param M N*2\n.shared _A_ M\nOP0 N-1\n";
  EXPECT_EQ(assemble(text, "x.tpa").symbols[0].words, 16u);
  const Program larger = assemble(text, "x.tpa", {{"N", 100}});
  EXPECT_EQ(larger.symbols[0].words, 200u);
  EXPECT_EQ(larger.lines[0].parts[0].operands[0].constant, 99);
}

TEST(Assembler, KnowsLabelsBeforeTheyCome) {
  const Program program = assemble("JMP end\nOP0 1\nend: OP0 2\n", "x.tpa");
  EXPECT_EQ(program.lines[0].parts[0].operands[0].constant, 2);
}

TEST(Assembler, FillsArraysAndListsTheirWords) {
  const Program program = assemble(
      ".shared _A_ 4 = 1, -2, 0x10\n.shared _B_ 3\n.fill _B_ iota:5:2\n.local s 2\n", "x.tpa");
  EXPECT_THAT(program.symbols[0].initial, testing::ElementsAre(1u, ~Word{0} - 1, 16u));
  EXPECT_THAT(program.symbols[1].initial, testing::ElementsAre(5u, 7u, 9u));
  EXPECT_EQ(program.symbols[1].address, kFirstAddress + 32);
  EXPECT_EQ(program.symbols[2].address, kFirstAddress);
}

TEST(Assembler, TakesPlacesFromItsDirective) {
  const Program program = assemble(".loc \"sum.e\" 7\nOP0 1\nOP0 2\n", "sum.tpa");
  EXPECT_EQ(program.where(program.lines[1].place), "sum.e:7");
}

struct Refusal {
  const char* name;
  const char* text;
  const char* message;
};
class AssemblerRefuses : public testing::TestWithParam<Refusal> {};

TEST_P(AssemblerRefuses, WithLineColumnCaretAndHint) {
  EXPECT_EQ(fault_of(GetParam().text), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Assembler, AssemblerRefuses,
    testing::Values(
        Refusal{"unknown", "OP0 1\nADE0 FID,O0\n",
                "x.tpa:2:1: unknown subinstruction 'ADE'\n  ADE0 FID,O0\n  ^\nhint: did you "
                "mean 'ADD'?"},
        Refusal{"unknown_unit", "OP0 1 ADD8 FID,O0 STCF\n",
                "x.tpa:1:7: ADD has no ALU 8\n  OP0 1 ADD8 FID,O0 STCF\n        "
                "^\nhint: numbers go from 0 to 7"},
        Refusal{"no_unit", "OP0 1 ADD FID,O0 STCF\n",
                "x.tpa:1:7: ADD lacks the number of its ALU\n  OP0 1 ADD FID,O0 STCF\n        "
                "^\nhint: for example ADD0"},
        Refusal{"later_unit", "OP0 1 ADD0 FID,A1 ADD1 FID,O0 STCF\n",
                "x.tpa:1:16: ADD0 cannot read A1, which comes later in the chain\n  OP0 1 ADD0 "
                "FID,A1 ADD1 FID,O0 STCF\n                 ^\nhint: the chain is A0…A4, M0, A5…A7"},
        Refusal{"memory_too_early", "OP0 8 LDD0 O0 ADD4 M0,O0 STCF\n",
                "x.tpa:1:20: ADD4 cannot read M0, which comes later in the chain\n  OP0 8 LDD0 O0 "
                "ADD4 M0,O0 STCF\n                     ^\nhint: the chain is A0…A4, M0, A5…A7"},
        Refusal{"later_front_unit", "OP0 8 LLDD0 L1 LADD1 R0,O0\n",
                "x.tpa:1:13: LLDD0 cannot read L1, which comes later in the chain\n  OP0 8 LLDD0 "
                "L1 LADD1 R0,O0\n              ^\nhint: the chain is L0, N0, L1, L2"},
        Refusal{"two_memory", "OP0 8 LDD0 O0 STD0 O0,O0 STCF\n",
                "x.tpa:1:15: two memory subinstructions on one line: LDD0 and STD0\n  OP0 8 LDD0 "
                "O0 STD0 O0,O0 STCF\n                ^\nhint: a fiber refers to memory once in a "
                "step; write two lines"},
        Refusal{"unit_twice", "OP0 8 ADD0 FID,O0 SUB0 FID,O0 STCF\n",
                "x.tpa:1:19: ALU 0 has a command already: ADD0\n  OP0 8 ADD0 FID,O0 SUB0 FID,O0 "
                "STCF\n                    ^\nhint: use another ALU of the chain"},
        Refusal{"zero_for_o", "OP0 8 ADD0 FID,00 STCF\n",
                "x.tpa:1:16: expected an operand, found '00'\n  OP0 8 ADD0 FID,00 STCF\n"
                "                 ^\nhint: did you mean 'O0', the letter O?"},
        Refusal{"empty_slot", "ADD0 FID,O0 STCF\n",
                "x.tpa:1:10: O0 is read, but nothing on this line produces it\n  ADD0 FID,O0 STCF\n"
                "           ^\nhint: OP0 gives it a value"},
        Refusal{"unread_register", "ADD0 FID,B2 STCF\n",
                "x.tpa:1:10: B2 is read, but nothing on this line produces it\n  ADD0 FID,B2 STCF\n"
                "           ^\nhint: RD2 reads the register"},
        Refusal{"no_result", "OP0 8 STD0 FID,O0 WB0 M0 STCF\n",
                "x.tpa:1:23: STD0 does not produce M0\n  OP0 8 STD0 FID,O0 WB0 M0 STCF\n"
                "                        ^"},
        Refusal{"front_in_backend", "ADD0 FID,R3 STCF\n",
                "x.tpa:1:10: ADD0 cannot read R3, which is on the frontend side\n  ADD0 FID,R3 "
                "STCF\n           ^\nhint: send it in a slot: OP0 R3 … O0"},
        Refusal{"backend_in_front", "RD0 LWB1 B0 STCF\n",
                "x.tpa:1:10: LWB1 cannot read B0, which is on the backend side\n  RD0 LWB1 B0 "
                "STCF\n           ^\nhint: RPL sends a fiber's value to the frontend, LRCV0 "
                "receives it"},
        Refusal{"late_slot", "OP0 L0 LADD0 R1,R2 LWB3 O0\n",
                "x.tpa:1:25: O0 carries L0, which only the backend part can read from a slot\n  "
                "OP0 L0 LADD0 R1,R2 LWB3 O0\n                          ^\nhint: read L0 itself"},
        Refusal{"no_switch", "OP0 8 LDD0 O0 WB0 M0\n",
                "x.tpa:1:15: a line with a backend part lacks STCF\n  OP0 8 LDD0 O0 WB0 M0\n"
                "                ^\nhint: a flow executes one backend instruction in a step; STCF "
                "ends its part of the step"},
        Refusal{"entries_write", "OP0 8 RD0 EMADD0 B0,O0 WB0 B0 STCF\n",
                "x.tpa:1:24: WB0 cannot be combined with EMADD0: it sends entries of the "
                "scratchpad, not "
                "fibers\n  OP0 8 RD0 EMADD0 B0,O0 WB0 B0 STCF\n                         "
                "^\nhint: write it on a line of its own"},
        Refusal{
            "flow_number", "OP0 8 LWB32 O0\n",
            "x.tpa:1:7: R32, the flow's number, cannot be written\n  OP0 8 LWB32 O0\n        ^"},
        Refusal{"undeclared", ".shared _min_\nOP0 _mni_\n",
                "x.tpa:2:5: '_mni_' is not declared\n  OP0 _mni_\n      ^\nhint: did you mean "
                "'_min_'?"},
        Refusal{"twice_declared", ".param N 1\n.param N 2\n",
                "x.tpa:2:8: 'N' is already declared\n  .param N 2\n         ^"},
        Refusal{"reserved", ".param R3 1\n",
                "x.tpa:1:8: 'R3' is a word of the assembler\n  .param R3 1\n         ^\nhint: "
                "choose another name"},
        Refusal{"directive", ".shraed A 1\n",
                "x.tpa:1:2: unknown directive '.shraed'\n  .shraed A 1\n   ^\nhint: did you "
                "mean 'shared'?"},
        Refusal{"division", "OP0 1/0\n", "x.tpa:1:6: division by zero\n  OP0 1/0\n       ^"},
        Refusal{"expectation", ".shared A 4\n.expect A wordz(A)\n",
                "x.tpa:2:11: 'wordz(A)': unknown check function 'wordz'\n  .expect A wordz(A)\n"
                "            ^\nhint: did you mean 'words'?"},
        Refusal{"expected_array", ".shared A 4\n.expect A words(B)\n",
                "x.tpa:2:11: 'B' is not an array of the program\n  .expect A words(B)\n"
                "            ^"},
        Refusal{"operand_count", "OP0 1 SEL0 FID,O0 STCF\n",
                "x.tpa:1:19: expected ',', found 'STCF'\n  OP0 1 SEL0 FID,O0 STCF\n"
                "                    ^"},
        Refusal{"two_faults", "OP0 1/0\nFOO\n",
                "x.tpa:1:6: division by zero\n  OP0 1/0\n       ^\nx.tpa:2:1: unknown "
                "subinstruction 'FOO'\n  FOO\n  ^\nhint: raddle asm --isa lists them"},
        Refusal{"undeclared_array", "OP0 _x_ STCF\n",
                "x.tpa:1:5: '_x_' is not declared\n  OP0 _x_ STCF\n      ^\nhint: .shared _x_ "
                "WORDS and "
                ".local _x_ WORDS declare arrays, .param _x_ VALUE a number, _x_: before a line a "
                "label"}),
    [](const auto& refusal) { return std::string(refusal.param.name); });

TEST(Assembler, NamesAParameterThatTheProgramDoesNotHave) {
  EXPECT_EQ(fault_of(".param N 8\n", {{"M", 3}}),
            "x.tpa: the program has no parameter 'M'\nhint: its parameters: N");
}

TEST(Assembler, RefusesAnArrayThatMemoryCannotHoldBeforeItIsFilled) {
  try {
    assemble(".shared A 8\n.shared B 1<<31\n.fill B fill:1\n", "x.tpa", {}, {4096, 4096});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.full_text(),
              "x.tpa:2:11: 'B' ends at byte 17179869312, but shared memory has 4096 bytes\n"
              "  .shared B 1<<31\n            ^\nhint: raise it with --set memory.bytes=…");
  }
  EXPECT_NO_THROW(assemble(".shared A 496\n.local B 504\n", "x.tpa", {}, {4096, 4096}));
  EXPECT_THROW(assemble(".local B 505\n", "x.tpa", {}, {4096, 4096}), Error);
}

TEST(Assembler, LeavesConstantsAsTheyAre) {
  const std::string text = ".param L 3\n.const N 1<<L\n.shared A N\n";
  EXPECT_EQ(assemble(text, "x.tpa", {{"L", 5}}).find_symbol("A")->words, 32u);
  EXPECT_EQ(fault_of(text, {{"N", 3}}),
            "x.tpa: 'N' is a constant of the program\n"
            "hint: only what .param declares can be given another value");
  EXPECT_EQ(fault_of(".const N 1\n.const N 2\n", {}),
            "x.tpa:2:8: 'N' is already declared\n  .const N 2\n         ^");
}

}  // namespace
}  // namespace raddle::tpa

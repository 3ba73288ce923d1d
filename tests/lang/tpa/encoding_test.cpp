#include "lang/tpa/encoding.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <random>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/resource_paths.h"
#include "lang/tpa/assembler.h"
#include "lang/tpa/disassembler.h"

namespace raddle::tpa {
namespace {

using namespace machine::tpa;

// The bundled listings, and a line for every mnemonic.
std::vector<Program> programs() {
  std::vector<Program> all;
  for (const auto& entry : std::filesystem::directory_iterator(resource_paths().benchmarks / "e")) {
    if (entry.path().extension() == ".tpa")
      all.push_back(assemble(read_file(entry.path()), entry.path().filename().string()));
  }
  std::string text = ".shared _x_ 3 = -1, 5\n.local s 2\n.expect _x_ words(_x_)\n";
  for (const Mnemonic& mnemonic : mnemonics()) {
    const bool front = mnemonic.unit == Unit::kFrontAlu || mnemonic.unit == Unit::kFrontMemory ||
                       mnemonic.unit == Unit::kFrontWrite || mnemonic.unit == Unit::kControl;
    text += "OP0 -9223372036854775808 ";
    text += mnemonic.text;
    if (mnemonic.unit == Unit::kSlot) {
      text += "1 R3\n";
      continue;
    }
    if (!mnemonic.numbered.empty()) text += mnemonic.unit == Unit::kLayout ? "64" : "0";
    for (std::size_t i = 0; i < mnemonic.operands.size(); ++i) {
      text += i == 0 ? " " : ",";
      text += mnemonic.operands[i] == 'l' ? "here" : front ? "R34" : "FID";
    }
    text += mnemonic.unit == Unit::kSwitch ? "\n" : " STCF\n";
  }
  all.push_back(assemble("here: " + std::string("OP1 _x_\n") + text, "all.tpa"));
  return all;
}

TEST(Encoding, ReadingWhatWasWrittenGivesTheSameProgram) {
  const std::vector<Program> all = programs();
  ASSERT_GE(all.size(), 8u);
  for (const Program& program : all) EXPECT_EQ(decode(encode(program), "x.tpo"), program);
}

TEST(Disassembler, ItsTextAssemblesToTheSameProgram) {
  for (const Program& program : programs()) {
    const std::string text = disassemble(program);
    EXPECT_EQ(assemble(text, program.files[0]), program) << text;
  }
}

TEST(Disassembler, ItsTextAssemblesToTheSameBinaryWhateverItsFileIsCalled) {
  for (const Program& program : programs()) {
    const std::string binary = encode(program);
    const std::string text = disassemble(decode(binary, "x.tpo"));
    EXPECT_EQ(encode(assemble(text, "again.tpa")), binary) << text;
  }
}

TEST(Disassembler, ShowsNamesOfSymbolsAndLabels) {
  const Program program =
      assemble(".shared _A_ 4\nloop: OP0 _A_ OP1 1 LADD0 R1,O1 LWB1 L0 BNZ L0,loop\n", "x.tpa");
  EXPECT_EQ(disassemble(program),
            ".shared _A_ 4\nloop:\n.loc \"x.tpa\" 2\nOP0 _A_ OP1 1 LADD0 R1,O1 LWB1 L0 BNZ "
            "L0,loop\n");
}

TEST(Encoding, RefusesWhatIsNoBinary) {
  try {
    decode("ELF", "x.tpo");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.full_text(),
              "x.tpo: this is not a TPA binary\nhint: raddle asm X.tpa -o X.tpo makes one");
  }
}

TEST(Encoding, RefusesEveryTruncationAndNeverCrashesOnDamage) {
  const std::string whole = encode(programs().back());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW(decode(whole.substr(0, size), "x.tpo"), Error) << size;
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = whole;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    try {
      const Program program = decode(damaged, "x.tpo");
      EXPECT_EQ(decode(encode(program), "x.tpo"), program);
    } catch (const Error&) {
    }
  }
}

}  // namespace
}  // namespace raddle::tpa

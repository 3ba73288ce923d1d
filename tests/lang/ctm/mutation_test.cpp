// Damaged programs are refused with an Error or assembled, never anything else; and what is
// assembled comes back from its disassembly. A short share of what the fuzz target does for longer.
#include <gtest/gtest.h>

#include <random>

#include "base/atomic_file.h"
#include "base/error.h"
#include "lang/ctm/assembler.h"
#include "lang/ctm/disassembler.h"
#include "test_paths.h"

namespace raddle::ctm {
namespace {

TEST(DamagedPrograms, AreRefusedOrAssembled) {
  const std::string whole =
      read_file(test_root() + "/benchmarks/cg/blur5.ctm") +
      "(p.r) MAD_x2_sat o0.rg+r[aL+1].b -|r1.bbb| (1-2*r1) #2.5 [STAT_WE=3]\nMAD _ r1 1 -c0 "
      "pred.rb>=0 result.r!=0\n"
      "IF !p.a\nLOOP i3\nBRK result\nENDLOOP\nELSE\nENDIF\nCALL f\nf:\nRET\n.int i3 4 0 -1\n";
  static constexpr std::string_view kLetters = "rgbac0159.-+|()[]=@#_<>! \n\tMADTEXosipL";
  std::mt19937 random(17);
  unsigned assembled = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = whole;
    const unsigned changes = 1 + random() % 3;
    for (unsigned c = 0; c < changes; ++c) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0: text[at] = kLetters[random() % kLetters.size()]; break;
        case 1: text.erase(at, 1 + random() % 5); break;
        default: text.insert(at, 1, kLetters[random() % kLetters.size()]);
      }
    }
    machine::overlay::Shader shader;
    try {
      shader = assemble(text, "t.ctm");
    } catch (const Error&) {
      continue;
    }
    ++assembled;
    if (assembled % 20 == 0) {
      EXPECT_EQ(assemble(disassemble(shader), "again.ctm").code.size(), shader.code.size());
    }
  }
  EXPECT_GT(assembled, 100U);
}

}  // namespace
}  // namespace raddle::ctm

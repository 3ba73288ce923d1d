// Random programs: the front end takes them, the interpreter runs them, the assembler takes what
// they are lowered to.
#include "random_program.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/error.h"
#include "lang/e/e_program.h"
#include "lang/e/interpreter.h"
#include "lang/tpa/assembler.h"

namespace raddle::e::test {
namespace {

TEST(ERandomPrograms, AreTakenByInterpreterAndAssembler) {
  for (std::uint64_t seed = 1001; seed <= 1060; ++seed) {
    const std::string text = random_program(seed);
    try {
      const CompiledProgram program = compile(text, "r.e", ".", {}, {});
      SharedData memory = program.initial;
      interpret(program.program, memory);
      raddle::tpa::assemble(whole_assembly(program), "r.tpa");
    } catch (const Error& error) {
      FAIL() << "seed " << seed << ": " << error.full_text() << "\n" << text;
    }
  }
}

// A program with pieces taken out, doubled or exchanged, the same for the same seed.
std::string damaged(std::string text, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::size_t changes = 1 + random() % 6;
  for (std::size_t i = 0; i < changes && text.size() > 8; ++i) {
    const std::size_t at = random() % (text.size() - 4);
    const std::size_t length = 1 + random() % 4;
    switch (random() % 4) {
      case 0: text.erase(at, length); break;
      case 1: text.insert(at, text.substr(random() % (text.size() - 4), length)); break;
      case 2: text[at] = static_cast<char>(random() % 256); break;
      default: text.resize(at + length);
    }
  }
  return text;
}

TEST(EDamagedPrograms, AreTakenOrRefusedWithAnError) {
  std::size_t refused = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    const std::string text = damaged(random_program(seed % 40 + 1), seed);
    try {
      compile(text, "d.e", ".", {}, {});
    } catch (const Error& error) {
      ++refused;
      ASSERT_NE(error.full_text(), "");
    }
  }
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace raddle::e::test

// Random programs: the front end takes them, the interpreter runs them, the assembler takes what
// they are lowered to.
#include "random_program.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "lang/e/e_program.h"
#include "lang/e/interpreter.h"
#include "lang/tpa/assembler.h"

namespace raddle::e::test {
namespace {

TEST(ERandomPrograms, AreTakenByInterpreterAndAssembler) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
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

}  // namespace
}  // namespace raddle::e::test

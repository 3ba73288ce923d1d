// Programs with random damage: the compiler says what is wrong or makes a shader, nothing else.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/error.h"
#include "lang/cg/compiler.h"
#include "lang/cg/random_program.h"

namespace raddle::cg::testing {
namespace {

std::string damaged(std::string text, std::mt19937& engine) {
  constexpr std::string_view kPieces[] = {
      "(",  ")",      "{",     "}",     ";", ",",        ".x",       "float4", "return ",
      "if", " for(;", "break", "[3]",   "=", "#if 1",    "\n#endif", "\\",     "\"",
      "/*", "1e99",   "0x",    ".xyzw", "-", "while(1)", "uniform ", "out ",   "p"};
  const unsigned count = 1 + engine() % 3;
  for (unsigned i = 0; i < count && !text.empty(); ++i) {
    const std::size_t at = engine() % text.size();
    switch (engine() % 4) {
      case 0: text.erase(at, 1 + engine() % 8); break;
      case 1: text.insert(at, kPieces[engine() % std::size(kPieces)]); break;
      case 2: text[at] = static_cast<char>(engine() % 256); break;
      default: text.insert(at, text.substr(engine() % text.size(), engine() % 40)); break;
    }
  }
  return text;
}

TEST(CgMutations, NeverLeadToAFaultOfTheCompiler) {
  std::mt19937 engine(5);
  unsigned compiled = 0;
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    const std::string text = damaged(random_program(500 + seed % 40), engine);
    Options options;
    options.level = static_cast<int>(seed % 2);
    try {
      compile(text, "damaged.cg", options);
      ++compiled;
    } catch (const Error& error) {
      EXPECT_FALSE(std::string(error.what()).empty());
    } catch (const InternalError& error) {
      FAIL() << error.what() << "\n" << text;
    }
  }
  EXPECT_GT(compiled, 0u);
}

}  // namespace
}  // namespace raddle::cg::testing

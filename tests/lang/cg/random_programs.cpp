#include "lang/cg/random_programs.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "lang/cg/random_program.h"

namespace raddle::cg::testing {

void expect_random_programs_agree(std::uint32_t first_seed, std::uint32_t count) {
  std::uint32_t compared = 0;
  for (std::uint32_t seed = first_seed; seed < first_seed + count; ++seed) {
    const std::string text = random_program(seed);
    Uniforms uniforms = random_uniforms(seed);
    std::erase_if(uniforms, [&](const auto& entry) {
      return text.find(entry.first, text.find('\n', text.find('\n') + 1)) == std::string::npos;
    });
    try {
      const std::string found = difference(text, uniforms);
      EXPECT_EQ(found, "") << "seed " << seed << "\n" << text;
      if (!found.empty()) return;
      ++compared;
    } catch (const Error& error) {
      const std::string what = error.what();
      const auto says = [&](const char* words) { return what.find(words) != std::string::npos; };
      const bool is_too_large =
          says("the program has") || says("the program needs") || says("nested more than");
      ASSERT_TRUE(is_too_large) << "seed " << seed << ": " << error.full_text() << "\n" << text;
    } catch (const InternalError& error) {
      FAIL() << "seed " << seed << ": " << error.what() << "\n" << text;
    }
  }
  EXPECT_GE(compared, count / 2);
}

}  // namespace raddle::cg::testing

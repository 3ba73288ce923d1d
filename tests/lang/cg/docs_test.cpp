// docs/cg.md: its program compiles to the words that it shows, and its tables name every function.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "lang/cg/compiler.h"
#include "lang/cg/syntax/intrinsics.h"
#include "lang/cg/syntax/library.h"
#include "lang/ctm/disassembler.h"
#include "test_paths.h"

namespace raddle::cg {
namespace {

std::string page() {
  std::ifstream file(test_root() + "/docs/cg.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string between(const std::string& text, const std::string& start, const std::string& end) {
  const std::size_t first = text.find(start);
  const std::size_t last = text.find(end, first + start.size());
  return text.substr(first + start.size(), last - first - start.size());
}

TEST(CgPage, ShowsTheWordsOfItsExample) {
  const std::string source = between(page(), "```c\n", "```");
  const std::string made = ctm::disassemble(compile(source, "edges.cg").shader);
  const std::string words = between(made, "main:\n", "    END");
  std::stringstream lines(words);
  std::string shown;
  for (std::string line; std::getline(lines, line);) shown += "  " + line + "\n";
  EXPECT_THAT(page(), ::testing::HasSubstr("    main:\n" + shown + "\n"));
}

TEST(CgPage, NamesEveryFunction) {
  const std::string text = page();
  for (const IntrinsicInfo& info : all_intrinsics())
    EXPECT_THAT(text, ::testing::HasSubstr("`" + std::string(info.name) + "(")) << info.name;
  for (const char* name :
       {"exp", "log", "log10", "tan", "asin", "acos", "atan", "atan2", "fmod", "smoothstep",
        "radians", "degrees", "distance", "reflect", "refract", "faceforward", "determinant"}) {
    EXPECT_THAT(std::string(library_text()), ::testing::HasSubstr(" " + std::string(name) + "("));
    EXPECT_THAT(text, ::testing::HasSubstr("`" + std::string(name) + "`"));
  }
}

}  // namespace
}  // namespace raddle::cg

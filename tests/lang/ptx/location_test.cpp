// Source lines: .loc and .file, inlining from .loc and from debug information, and lines in
// messages.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lang/ptx/reader.h"
#include "lang/ptx/reading.h"

namespace raddle::ptx::testing {
namespace {

using kernel::Module;

// "a.cu:3:4 in b.cu:5:6"
std::string describe(const Module& module, std::uint32_t index) {
  const kernel::SourceLocation& location = module.locations[index];
  if (location.line == 0) return "nowhere";
  std::string text = module.files[location.file] + ":" + std::to_string(location.line) + ":" +
                     std::to_string(location.column);
  if (location.inlined_at != kernel::kNoId) text += " in " + describe(module, location.inlined_at);
  return text;
}

std::vector<std::string> locations_of(const Module& module, std::string_view function) {
  std::vector<std::string> texts;
  for (const kernel::Block& block : module.find_function(function)->blocks) {
    for (const kernel::Instruction& instruction : block.instructions)
      texts.push_back(describe(module, instruction.location));
  }
  return texts;
}

using Texts = std::vector<std::string>;

TEST(PtxLocations, ComeFromLocAndKeepTheLastLineWhereItIsZero) {
  const Module module = read(R"(
    .entry k() {
      .reg .b32 %r<9>;
      mov.u32 %r1, 1;
      .loc 1 3 0
      mov.u32 %r2, 2;
      .loc 2 7 5
      mov.u32 %r3, 3;
      .loc 1 0 9
      mov.u32 %r4, 4;
      ret;
    }
    .entry second() { .loc 1 0 0
      ret; }
    .file 1 "/src/./a.cu"
    .file 2 "./b.h", 1234, 99
  )");
  EXPECT_EQ(locations_of(module, "k"),
            (Texts{"/src/a.cu:3:0", "/src/a.cu:3:0", "b.h:7:5", "b.h:7:5", "b.h:7:5"}));
  EXPECT_EQ(describe(module, module.find_function("k")->location), "/src/a.cu:3:0");
  EXPECT_EQ(locations_of(module, "second"), (Texts{"nowhere"}));
}

TEST(PtxLocations, OfTheSamePlaceAreShared) {
  const Module module =
      read_kernel(".loc 1 3 4\nmov.u32 %r1, 0;\n.loc 1 5 6\nmov.u32 %r1, 0;\n.loc 1 3 4\nret;");
  EXPECT_EQ(module.locations.size(), 3u);
  EXPECT_EQ(module.files.back(), "file 1");
}

TEST(PtxLocations, ChainThroughInlinedAt) {
  const Module module = read(R"(
    .file 1 "a.cu"
    .entry k() {
      .loc 1 20 1
      .loc 1 10 2, function_name $L__info_string0, inlined_at 1 20 1
      .reg .b32 %r<4>;
      mov.u32 %r1, 1;
      .loc 1 5 3, function_name $L__info_string0+5, inlined_at 1 10 2
      mov.u32 %r2, 2;
      .loc 1 21 1
      ret;
    }
  )");
  EXPECT_EQ(locations_of(module, "k"),
            (Texts{"a.cu:10:2 in a.cu:20:1", "a.cu:5:3 in a.cu:10:2 in a.cu:20:1", "a.cu:21:1"}));
}

TEST(PtxLocations, ChainThroughDebugInformation) {
  const Module module = read_ptx(sample("clang_inlining_sm_70"), "inlining.ptx");
  const Texts texts = locations_of(module, "_Z4kernPfi");
  const auto count = [&](const std::string& text) {
    return std::count(texts.begin(), texts.end(), text);
  };
  EXPECT_EQ(count("__clang_cuda_builtin_vars.h:53:3 in inlining.cu:4:11"), 1);
  EXPECT_EQ(count("helper.h:2:16 in helper.h:5:13 in inlining.cu:6:12"), 1);
  EXPECT_EQ(count("helper.h:5:23 in inlining.cu:6:12"), 1);
  // Unrolled: one range of debug information, with the caller's own lines in between.
  EXPECT_EQ(count("helper.h:2:16 in inlining.cu:8:13"), 3);
  for (const std::string& text : texts) {
    const bool is_inlined = text.find(" in inlining.cu") != std::string::npos;
    EXPECT_EQ(is_inlined, !text.starts_with("inlining.cu")) << text;
  }
}

TEST(PtxLocations, SurviveDebugInformationThatMakesNoSense) {
  std::string text = sample("clang_inlining_sm_70");
  const std::size_t section = text.find(".section\t.debug_info");
  ASSERT_NE(section, std::string::npos);
  // Every number of the section in turn becomes another one; lines stay what .loc says.
  int changed = 0;
  for (std::size_t at = text.find(".b8 ", section); at != std::string::npos;
       at = text.find(".b8 ", at + 1)) {
    if (++changed % 7 != 0) continue;
    std::string broken = text;
    broken.replace(at + 4, 1, "25");
    const Module module = read_ptx(broken, "broken.ptx");
    EXPECT_EQ(locations_of(module, "_Z4kernPfi").size(), 53u);
  }
  EXPECT_GT(changed, 100);
}

TEST(PtxLocations, NameTheUsersLineInMessages) {
  EXPECT_EQ(kernel_error_of(".loc 1 42 7\nfrob.f32 %f1;\n}\n.file 1 \"kernel.cu\"\n{"),
            "test.ptx:14: unknown instruction 'frob.f32' (from kernel.cu:42)");
  EXPECT_EQ(kernel_error_of(".loc 1 42 7\n.loc 1 0 0\nbra nowhere;\n.loc 1 50 1\nret;\n}\n.file 1 "
                            "\"kernel.cu\"\n.entry e(){"),
            "test.ptx:15: unknown label 'nowhere' (from kernel.cu:42)");
  EXPECT_EQ(kernel_error_of(".loc 3 42 7\nfrob.f32 %f1;"),
            "test.ptx:14: unknown instruction 'frob.f32' (from file 3:42)");
  // The line of one function is not that of the next.
  EXPECT_EQ(kernel_error_of(".loc 1 42 7\nret;\n}\n.entry e(){ frob.f32 x;"),
            "test.ptx:16: unknown instruction 'frob.f32'");
}

}  // namespace
}  // namespace raddle::ptx::testing

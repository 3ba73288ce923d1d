#include "lang/cuda/asm_syntax.h"

#include <gtest/gtest.h>

namespace raddle::cuda {
namespace {

std::string doubled(const std::string& source) {
  return double_register_percents(source).value_or("(unchanged)");
}

TEST(AsmSyntax, DoublesThePercentSignOfARegister) {
  EXPECT_EQ(doubled(R"(asm volatile("mov.u32 %0,%smid;" : "=r"(r));)"),
            R"(asm volatile("mov.u32 %0,%%smid;" : "=r"(r));)");
  EXPECT_EQ(doubled(R"(__asm__("{ add.u32 %0,%tid.x,\t%lanemask_lt; }" : "=r"(r));)"),
            R"(__asm__("{ add.u32 %0,%%tid.x,\t%%lanemask_lt; }" : "=r"(r));)");
}

TEST(AsmSyntax, KeepsColumnsWhereABlankMakesRoom) {
  EXPECT_EQ(doubled(R"(asm("mov.u32 %0, %smid;" : "=r"(r)); k();)"),
            R"(asm("mov.u32 %0,%%smid;" : "=r"(r)); k();)");
}

TEST(AsmSyntax, LeavesOperandsAndDoubledSignsAlone) {
  EXPECT_EQ(doubled(R"(asm("add.u32 %0, %1, %2; // 5%" : "=r"(r) : "%r"(a), "r"(b));)"),
            "(unchanged)");
  EXPECT_EQ(doubled(R"(asm("mov.u32 %[out], %%smid;" : [out] "=r"(r));)"), "(unchanged)");
  EXPECT_EQ(doubled(R"(asm("mov.u32 %c0, %%%%smid;" : "=r"(r));)"), "(unchanged)");
}

TEST(AsmSyntax, LeavesTextWithoutOperandsAlone) {
  EXPECT_EQ(doubled(R"(asm("mov.u32 t, %smid;"); x ? a : b;)"), "(unchanged)");
}

TEST(AsmSyntax, LeavesOtherStringsAlone) {
  EXPECT_EQ(doubled(R"(printf("%lld" "asm(%smid" : "=r");)"), "(unchanged)");
  EXPECT_EQ(doubled("// asm(\"%smid\" : )\nint n_asm = f(\"%smid\", a ? b : c);"), "(unchanged)");
}

TEST(AsmSyntax, ReadsTextOfManyPiecesAndLines) {
  EXPECT_EQ(
      doubled("#define ID(r) \\\n  asm(\"{\\n\\t\" \\\n  \"mov.u32 %0, %warpid;\" /* %a */ \\\n"
              "  R\"(mov.u32 %1, %ctaid.x;)\" : \"=r\"(r) : \"r\"(f(\"%ab\")))"),
      "#define ID(r) \\\n  asm(\"{\\n\\t\" \\\n  \"mov.u32 %0,%%warpid;\" /* %a */ \\\n"
      "  R\"(mov.u32 %1,%%ctaid.x;)\" : \"=r\"(r) : \"r\"(f(\"%ab\")))");
}

}  // namespace
}  // namespace raddle::cuda

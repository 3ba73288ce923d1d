#include "lang/cuda/ptx_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace raddle::cuda {
namespace {

constexpr const char* kPtx =
    ".version 7.5\n"
    ".visible .global .align 4 .u32 counter = 3;\n"
    ".visible .global .align 4 .u32 _ZL4priv = 4;\n"
    ".visible .const .align 16 .b8 table[16];\n"
    ".global .align 4 .u32 hidden;\n"
    ".visible .global .align 8 .u64 _ZN12_GLOBAL__N_15innerE;\n"
    ".visible .entry first(\n"
    "\t.param .u64 first_param_0\n"
    ")\n"
    "{\n"
    "\tret;\n"
    "}\n"
    ".weak .entry second(\n"
    ")\n"
    ".maxnreg 8\n"
    "{\n"
    "\tret;\n"
    "}\n"
    ".visible .func helper()\n"
    "{\n"
    "\tret;\n"
    "}\n";

TEST(PtxText, FindsKernels) {
  EXPECT_TRUE(has_kernel(kPtx));
  EXPECT_FALSE(has_kernel(".version 7.5\n.visible .func helper()\n{\n}\n"));
}

TEST(PtxText, LimitsRegistersOfKernelsThatDoNotSaySoThemselves) {
  const std::string limited = limit_registers(kPtx, 32);
  EXPECT_THAT(limited, testing::HasSubstr(")\n.maxnreg 32\n{\n\tret;\n}\n.weak .entry second("));
  EXPECT_THAT(limited, testing::HasSubstr(")\n.maxnreg 8\n{\n"));
  EXPECT_THAT(limited, testing::HasSubstr(".visible .func helper()\n{\n"));
}

TEST(PtxText, ListsVariablesThatOtherFilesCanName) {
  EXPECT_THAT(shared_variables(kPtx).variables, testing::ElementsAre("counter", "table"));
  EXPECT_THAT(shared_variables(".weak .global .align 4 .u32 inline_one = 3;\n").weak_variables,
              testing::ElementsAre("inline_one"));
}

TEST(PtxText, GivesPrivateSymbolsTheNamesThatTheHostRegisters) {
  EXPECT_EQ(
      with_registered_names(".visible .global .align 4 .u32 _ZL6hidden__static__39c680565df18b4e;\n"
                            ".weak .entry _ZL4kernPi__intern__fe93105a7282580b(\n"
                            "\tld.global.u32 %r1, [my__static__variable];\n",
                            true),
      ".visible .global .align 4 .u32 _ZL6hidden;\n"
      ".weak .entry _ZL4kernPi(\n"
      "\tld.global.u32 %r1, [my__static__variable];\n");
}

TEST(PtxText, KeepsInlineVariablesToTheirFileUnlessItIsRelocatable) {
  const std::string ptx = ".weak .global .align 4 .u32 v = 3;\n.weak .func f()\n";
  EXPECT_EQ(with_registered_names(ptx, false),
            ".visible .global .align 4 .u32 v = 3;\n.weak .func f()\n");
  EXPECT_EQ(with_registered_names(ptx, true), ptx);
}

TEST(PtxText, ListsFunctionsThatOtherFilesCanCallAndWhatIsWantedOfThem) {
  const DeviceSymbols symbols = device_symbols(
      ".extern .func  (.param .b32 func_retval0) _Z3getRK1S\n(\n\t.param .b64 "
      "_Z3getRK1S_param_0\n)\n;\n"
      ".extern .func  (.param .b32 func_retval0) vprintf\n(\n)\n;\n"
      ".extern .const .align 4 .b8 table[16];\n"
      ".extern .global .align 4 .u32 counter;\n"
      ".visible .func  (.param .b32 func_retval0) _Z4halfi\n(\n)\n;\n"
      ".visible .func  (.param .b32 func_retval0) _Z4halfi(\n{\n}\n"
      ".visible .func _ZL6hiddenv()\n{\n}\n"
      ".func privately()\n{\n}\n"
      ".weak .func _Z5twiceIiEvT_(\n{\n}\n"
      ".visible .entry kernel(\n{\n}\n");
  EXPECT_THAT(symbols.functions, testing::ElementsAre("_Z4halfi", "kernel"));
  EXPECT_THAT(symbols.weak_functions, testing::ElementsAre("_Z5twiceIiEvT_"));
  EXPECT_THAT(symbols.wanted_functions, testing::ElementsAre("_Z3getRK1S"));
  EXPECT_THAT(symbols.wanted_variables, testing::ElementsAre("table", "counter"));
}

}  // namespace
}  // namespace raddle::cuda

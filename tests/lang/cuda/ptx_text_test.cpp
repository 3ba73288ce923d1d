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
  EXPECT_THAT(shared_variables(kPtx), testing::ElementsAre("counter", "table"));
}

}  // namespace
}  // namespace raddle::cuda

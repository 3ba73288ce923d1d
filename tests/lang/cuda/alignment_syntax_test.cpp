#include "lang/cuda/alignment_syntax.h"

#include <gtest/gtest.h>

namespace raddle::cuda {
namespace {

TEST(AlignmentSyntax, ExchangesTheWordAfterWhereAVariableLives) {
  EXPECT_EQ(exchange_alignments("__shared__ alignas(alignof(float4)) float a[4];\n"),
            "__shared__ _Alignas(alignof(float4)) float a[4];\n");
  EXPECT_EQ(exchange_alignments(
                "extern __shared__\n  alignas(16) char a[]; __constant__ alignas(8) int b;"),
            "extern __shared__\n  _Alignas(16) char a[]; __constant__ _Alignas(8) int b;");
}

TEST(AlignmentSyntax, LeavesAllElse) {
  EXPECT_FALSE(exchange_alignments("struct alignas(16) S {};"));
  EXPECT_FALSE(exchange_alignments("alignas(16) __shared__ int a;"));
  EXPECT_FALSE(exchange_alignments("// __shared__ alignas(16)\n\"__shared__ alignas(16)\""));
}

}  // namespace
}  // namespace raddle::cuda

// How addresses depend on the thread, as read from the code.
#include "machine/simt/thread_strides.h"

#include <gtest/gtest.h>

#include "lang/ptx/reader.h"

namespace raddle::machine::simt {
namespace {

// The stride of the address of the last load of a kernel with this body; %r1 is tid.x, %r2 tid.y,
// %rd1 a parameter.
ThreadStride stride_of(const std::string& body) {
  const kernel::Module module = ptx::read_ptx(R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .b32 %r<20>;
  .reg .b64 %rd<20>;
  .reg .pred %p<4>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %tid.y;
)" + body + "  ret;\n}\n",
                                              "k.ptx");
  const kernel::Function& function = module.functions.front();
  const ThreadStrides strides(function);
  ThreadStride last;
  for (const kernel::Block& block : function.blocks) {
    for (const kernel::Instruction& instruction : block.instructions) {
      if (instruction.opcode == kernel::Opcode::kLd && instruction.space == kernel::Space::kGlobal)
        last = strides.of(instruction.sources[0]);
    }
  }
  return last;
}

TEST(ThreadStrides, FollowTheThreadThroughAdditionsAndProducts) {
  const ThreadStride words = stride_of(R"(
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r5, [%rd3];
)");
  EXPECT_EQ(words, (ThreadStride{ThreadStride::Kind::kKnown, 4, false}));
  const ThreadStride rows = stride_of(R"(
  mov.u32 %r3, %nctaid.x;
  mad.lo.s32 %r4, %r2, %r3, %r1;
  mul.wide.s32 %rd2, %r4, 8;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r5, [%rd3];
)");
  EXPECT_EQ(rows, (ThreadStride{ThreadStride::Kind::kKnown, 8, true}));
}

TEST(ThreadStrides, AreUnknownForWhatWasLoadedOrMultipliedByAParameter) {
  EXPECT_EQ(stride_of(R"(
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r5, [%rd3];
  mul.wide.u32 %rd4, %r5, 4;
  add.s64 %rd5, %rd1, %rd4;
  ld.global.u32 %r6, [%rd5];
)")
                .kind,
            ThreadStride::Kind::kUnknown);
  EXPECT_EQ(stride_of(R"(
  mov.u32 %r3, %nctaid.x;
  mul.lo.s32 %r4, %r1, %r3;
  mul.wide.s32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r5, [%rd3];
)")
                .kind,
            ThreadStride::Kind::kUnknown);
}

TEST(ThreadStrides, StayInLoopsThatMoveAllThreadsAlike) {
  EXPECT_EQ(stride_of(R"(
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  mov.u32 %r7, 0;
again:
  ld.global.u32 %r5, [%rd3];
  add.s64 %rd3, %rd3, 128;
  add.u32 %r7, %r7, 1;
  setp.lt.u32 %p1, %r7, 9;
  @%p1 bra again;
)"),
            (ThreadStride{ThreadStride::Kind::kKnown, 4, false}));
}

}  // namespace
}  // namespace raddle::machine::simt

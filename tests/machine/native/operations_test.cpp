#include <array>
#include <string_view>

#include "machine/native/kernels.h"

namespace raddle::machine::native {
namespace {

// Operands a, b, c and the predicate %p1 are the thread's; the result goes to what `result` names.
std::string kernel_with(const std::string& code, const std::string& store) {
  return kernel_of(R"(
  ld.global.u64 %l1, [%in]; ld.global.u64 %l2, [%in+512]; ld.global.u64 %l3, [%in+1024];
  cvt.u32.u64 %r1, %l1; cvt.u32.u64 %r2, %l2; cvt.u32.u64 %r3, %l3;
  cvt.u16.u64 %h1, %l1; cvt.u16.u64 %h2, %l2;
  mov.b32 %f1, %r1; mov.b32 %f2, %r2; mov.b32 %f3, %r3;
  mov.b64 %d1, %l1; mov.b64 %d2, %l2; mov.b64 %d3, %l3;
  setp.lt.u32 %p1, %r1, %r2;
  mov.u64 %l9, 7; mov.u32 %r9, 7; mov.u16 %h9, 7; mov.f32 %f9, 0f40e00000; mov.f64 %d9, 0d401c000000000000;
  setp.eq.u32 %p0, %r1, %r1;
)" + code + "\n" + store);
}

struct Group {
  const char* store;
  std::vector<const char*> operations;
};

const std::vector<Group>& groups() {
  static const std::vector<Group> kGroups{
      {"st.global.u32 [%out], %r9;",
       {"add.s32 %r9, %r1, %r2;",
        "sub.u32 %r9, %r1, %r2;",
        "mul.lo.s32 %r9, %r1, %r2;",
        "mul.hi.s32 %r9, %r1, %r2;",
        "mul.hi.u32 %r9, %r1, %r2;",
        "mad.lo.s32 %r9, %r1, %r2, %r3;",
        "div.s32 %r9, %r1, %r2;",
        "div.u32 %r9, %r1, %r2;",
        "rem.s32 %r9, %r1, %r2;",
        "rem.u32 %r9, %r1, %r2;",
        "min.s32 %r9, %r1, %r2;",
        "min.u32 %r9, %r1, %r2;",
        "max.s32 %r9, %r1, %r2;",
        "max.u32 %r9, %r1, %r2;",
        "abs.s32 %r9, %r1;",
        "neg.s32 %r9, %r1;",
        "and.b32 %r9, %r1, %r2;",
        "or.b32 %r9, %r1, %r2;",
        "xor.b32 %r9, %r1, %r2;",
        "not.b32 %r9, %r1;",
        "shl.b32 %r9, %r1, %r2;",
        "shr.u32 %r9, %r1, %r2;",
        "shr.s32 %r9, %r1, %r2;",
        "shl.b32 %r9, %r1, 33;",
        "popc.b32 %r9, %r1;",
        "clz.b32 %r9, %r1;",
        "brev.b32 %r9, %r1;",
        "lop3.b32 %r9, %r1, %r2, %r3, 0xca;",
        "selp.b32 %r9, %r1, %r2, %p1;",
        "popc.b64 %r9, %l1;",
        "clz.b64 %r9, %l1;",
        "cvt.u32.u16 %r9, %h1;",
        "cvt.s32.s16 %r9, %h1;",
        "cvt.s32.s8 %r9, %r1;",
        "cvt.u32.u64 %r9, %l1;",
        "cvt.rzi.s32.f32 %r9, %f1;",
        "cvt.rzi.u32.f32 %r9, %f1;",
        "cvt.rzi.s32.f64 %r9, %d1;",
        "cvt.rzi.u32.f64 %r9, %d1;",
        "@%p1 add.s32 %r9, %r1, 3;",
        "@!%p1 mov.u32 %r9, %r2;",
        "mov.b64 {%r8, %r9}, %l1;"}},
      {"st.global.u64 [%out], %l9;",
       {"add.s64 %l9, %l1, %l2;",
        "sub.s64 %l9, %l1, %l2;",
        "mul.lo.s64 %l9, %l1, %l2;",
        "mad.lo.s64 %l9, %l1, %l2, %l3;",
        "mul.wide.s32 %l9, %r1, %r2;",
        "mul.wide.u32 %l9, %r1, %r2;",
        "mad.wide.s32 %l9, %r1, %r2, %l3;",
        "min.s64 %l9, %l1, %l2;",
        "max.u64 %l9, %l1, %l2;",
        "shl.b64 %l9, %l1, %r2;",
        "shr.s64 %l9, %l1, %r2;",
        "shr.u64 %l9, %l1, %r2;",
        "cvt.s64.s32 %l9, %r1;",
        "cvt.u64.u32 %l9, %r1;",
        "cvt.rzi.s64.f32 %l9, %f1;",
        "cvt.rzi.u64.f64 %l9, %d1;",
        "selp.b64 %l9, %l1, %l2, %p1;",
        "mov.b64 %l9, {%r1, %r2};",
        "not.b64 %l9, %l1;",
        "brev.b64 %l9, %l1;",
        "@%p1 add.s64 %l9, %l1, %l2;",
        "cvta.shared.u64 %l9, %l1;"}},
      // Which of two NaNs comes out is the compiler's choice.
      {"setp.nan.f32 %p3, %f9, %f9; @%p3 mov.f32 %f9, 0f7fc00000; st.global.f32 [%out], %f9;",
       {"add.f32 %f9, %f1, %f2;",
        "sub.f32 %f9, %f1, %f2;",
        "mul.f32 %f9, %f1, %f2;",
        "div.rn.f32 %f9, %f1, %f2;",
        "fma.rn.f32 %f9, %f1, %f2, %f3;",
        "abs.f32 %f9, %f1;",
        "neg.f32 %f9, %f1;",
        "min.f32 %f9, %f1, %f2;",
        "max.f32 %f9, %f1, %f2;",
        "min.NaN.f32 %f9, %f1, %f2;",
        "max.NaN.f32 %f9, %f1, %f2;",
        "rcp.rn.f32 %f9, %f1;",
        "sqrt.rn.f32 %f9, %f1;",
        "rsqrt.approx.f32 %f9, %f1;",
        "cvt.rn.f32.s32 %f9, %r1;",
        "cvt.rn.f32.u32 %f9, %r1;",
        "cvt.rn.f32.s64 %f9, %l1;",
        "cvt.rn.f32.u64 %f9, %l1;",
        "cvt.rn.f32.f64 %f9, %d1;",
        "cvt.rmi.f32.f32 %f9, %f1;",
        "cvt.rpi.f32.f32 %f9, %f1;",
        "cvt.rzi.f32.f32 %f9, %f1;",
        "cvt.rni.f32.f32 %f9, %f1;",
        "@%p1 mul.f32 %f9, %f1, %f2;"}},
      {"setp.nan.f64 %p3, %d9, %d9; @%p3 mov.f64 %d9, 0d7ff8000000000000; st.global.f64 [%out], "
       "%d9;",
       {"add.f64 %d9, %d1, %d2;", "mul.f64 %d9, %d1, %d2;", "div.rn.f64 %d9, %d1, %d2;",
        "fma.rn.f64 %d9, %d1, %d2, %d3;", "min.f64 %d9, %d1, %d2;", "max.f64 %d9, %d1, %d2;",
        "sqrt.rn.f64 %d9, %d1;", "rcp.rn.f64 %d9, %d1;", "cvt.f64.f32 %d9, %f1;",
        "cvt.rn.f64.s32 %d9, %r1;", "cvt.rn.f64.u64 %d9, %l1;", "neg.f64 %d9, %d1;"}},
      {"st.global.u16 [%out], %h9;",
       {"add.s16 %h9, %h1, %h2;", "mul.lo.u16 %h9, %h1, %h2;", "min.s16 %h9, %h1, %h2;",
        "shl.b16 %h9, %h1, %r2;", "shr.s16 %h9, %h1, %r2;", "cvt.u16.u32 %h9, %r1;"}},
      {"selp.u32 %r9, 1, 0, %p0; st.global.u32 [%out], %r9;",
       {"setp.eq.s32 %p0, %r1, %r2;",
        "setp.ne.u32 %p0, %r1, %r2;",
        "setp.lt.s32 %p0, %r1, %r2;",
        "setp.ge.u64 %p0, %l1, %l2;",
        "setp.gt.s64 %p0, %l1, %l2;",
        "setp.le.s16 %p0, %h1, %h2;",
        "setp.eq.f32 %p0, %f1, %f2;",
        "setp.ne.f32 %p0, %f1, %f2;",
        "setp.lt.f32 %p0, %f1, %f2;",
        "setp.neu.f32 %p0, %f1, %f2;",
        "setp.equ.f32 %p0, %f1, %f2;",
        "setp.ltu.f32 %p0, %f1, %f2;",
        "setp.leu.f64 %p0, %d1, %d2;",
        "setp.gtu.f64 %p0, %d1, %d2;",
        "setp.geu.f32 %p0, %f1, %f2;",
        "setp.num.f32 %p0, %f1, %f2;",
        "setp.nan.f32 %p0, %f1, %f2;",
        "setp.lt.and.s32 %p0, %r1, %r2, %p1;",
        "setp.lt.or.s32 %p0, %r1, %r2, !%p1;",
        "setp.lt.xor.s32 %p2|%p0, %r1, %r2, %p1;",
        "and.pred %p0, %p0, %p1;",
        "not.pred %p0, %p1;",
        "@%p1 setp.lt.u32 %p0, %r2, %r3;"}},
  };
  return kGroups;
}

// Each operation of a group with its own store, so that one compiled kernel has them all.
std::string all_of(const Group& group) {
  std::string code;
  for (const char* operation : group.operations) {
    code += fmt::format("  {}\n  {}\n  add.u64 %out, %out, 2048;\n", operation, group.store);
  }
  return kernel_with(code, "");
}

constexpr std::size_t kWords = 50 * 256;

TEST(NativeOperations, GiveTheBitsOfTheInterpreterInWholeAndInPartialWarps) {
  const std::vector<std::uint64_t> input = telling_words(kWords);
  for (const Group& group : groups()) {
    expect_same(all_of(group), input, {.blocks = 2, .threads = 64});
    expect_same(all_of(group), input, {.blocks = 3, .threads = 45});
  }
}

TEST(NativeOperations, AreTranslatedAndNotLeftToTheInterpreter) {
  for (const Group& group : groups()) EXPECT_EQ(carried_out(all_of(group)), 0u) << group.store;
}

TEST(NativeOperations, OfValuesThatAllLanesShareAreTheSame) {
  const std::vector<std::uint64_t> input = telling_words(256);
  const std::string ptx = kernel_of(R"(
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, %n;
  div.u32 %r4, %r3, %n; rem.s32 %r5, %r3, 7; cvt.rn.f32.u32 %f1, %r3; sqrt.rn.f32 %f2, %f1;
  add.u32 %r6, %r4, %r5; mov.b32 %r7, %f2; xor.b32 %r8, %r6, %r7; setp.gt.u32 %p1, %r3, 60;
  @%p1 add.u32 %r8, %r8, 1; add.u32 %r8, %r8, %t; st.global.u32 [%out], %r8;
)");
  expect_same(ptx, input);
  expect_same(ptx, input, {.blocks = 3, .threads = 33});
}

TEST(NativeOperations, ThatAreNotTranslatedAreTheInterpreters) {
  const std::string ptx = kernel_with(R"(
  sin.approx.f32 %f9, %f1; add.f32 %f8, %f9, %f2; ex2.approx.ftz.f32 %f7, %f8;
  add.rz.f32 %f6, %f7, %f3; prmt.b32 %r8, %r1, %r2, %r3; bfe.s32 %r7, %r8, 3, 9; mov.b32 %r6, %f6;
  @%p1 mul.hi.u64 %l9, %l1, %l2; cvt.u32.u64 %r5, %l9; add.u32 %r6, %r6, %r7; add.u32 %r9, %r6, %r5;
)",
                                      "st.global.u32 [%out], %r9;");
  EXPECT_EQ(carried_out(ptx), 6u * 2);  // in both forms of the code
  const std::vector<std::uint64_t> input = telling_words(kWords);
  expect_same(ptx, input);
  expect_same(ptx, input, {.blocks = 3, .threads = 45});
}

}  // namespace
}  // namespace raddle::machine::native

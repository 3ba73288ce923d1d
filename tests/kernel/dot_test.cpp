#include "kernel/dot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/every_opcode.h"
#include "kernel/text_form.h"

namespace raddle::kernel {
namespace {

using testing::HasSubstr;
using testing::Not;

Module loop_module() {
  return parse_text(
      "module \"m\" ptx 7.5 target 70\nkernel @k() {\n  register pred p\n  register b32 "
      "a\nentry:\n  @%p bra done\n"
      "loop:\n  %a = add.s32 %a, 1\n  @!%p bra loop\ndone:\n  ret\ndead:\n  ret\n}\nextern "
      "function @g()\n",
      "test.rir");
}

TEST(Dot, DrawsBlocksBranchesLoopsAndMeetingPoints) {
  const Module module = loop_module();
  EXPECT_EQ(print_dot(module, module.functions[0]), R"(digraph "k" {
  node [shape=record, fontname=monospace, fontsize=10];
  b0 [label="{entry|@%p bra done\l}"];
  b1 [label="{loop|%a = add.s32 %a, 1\l@!%p bra loop\l}"];
  b2 [label="{done|ret\l}"];
  b3 [label="{dead|ret\l}", style=dashed, color=gray];
  b0 -> b2 [label="%p"];
  b0 -> b1 [label="!%p"];
  b0 -> b2 [style=dotted, color=gray, constraint=false, label="meet"];
  b1 -> b1 [label="!%p", color=blue, style=bold];
  b1 -> b2 [label="%p"];
  b1 -> b2 [style=dotted, color=gray, constraint=false, label="meet"];
}
)");
}

TEST(Dot, CanLeaveInstructionsAndMeetingPointsOut) {
  const Module module = loop_module();
  DotOptions options;
  options.instructions = false;
  options.reconvergence = false;
  const std::string text = print_dot(module, module.functions[0], options);
  EXPECT_THAT(text, HasSubstr("b1 [label=\"{loop|2 instructions}\"];"));
  EXPECT_THAT(text, HasSubstr("b2 [label=\"{done|1 instruction}\"];"));
  EXPECT_THAT(text, Not(HasSubstr("meet")));
}

TEST(Dot, DrawsEveryFunctionWithABodyOfAModule) {
  const std::string text = print_dot(loop_module());
  EXPECT_THAT(text, HasSubstr("subgraph cluster_0 {\n  label=\"k\";\n  f0b0 ["));
  EXPECT_THAT(text, Not(HasSubstr("cluster_1")));
}

TEST(Dot, EscapesWhatRecordsGiveAMeaning) {
  const Module module = parse_text(kEveryOpcode, "test.rir");
  const std::string text = print_dot(module, module.functions[2]);
  EXPECT_THAT(text, HasSubstr("it.tag.f32 %f1 \\{channel=3\\}\\l"));
  EXPECT_THAT(text, HasSubstr("-\\> (retval0)"));
  EXPECT_THAT(text, HasSubstr("label=\"0\""));  // a case of brx.idx
  EXPECT_THAT(text, HasSubstr("[label=\"{\\\"a label\\\"|"));
}

}  // namespace
}  // namespace raddle::kernel

#include "lang/cuda/shadow_variables.h"

#include <gtest/gtest.h>

namespace raddle::cuda {
namespace {

TEST(ShadowVariables, BecomeDefinitionsThatOtherFilesSee) {
  EXPECT_EQ(make_shadows_shared("\t.type\tv,@object                      # @v\n"
                                "\t.local\tv\n"
                                "\t.comm\tv,16,8\n",
                                {{"v"}, {}}),
            "\t.globl\tv\n"
            "\t.hidden\tv\n"
            "\t.type\tv,@object                      # @v\n"
            "\t.pushsection\t.bss\n"
            "\t.balign\t8\n"
            "v:\n"
            "\t.zero\t16\n"
            "\t.popsection\n");
}

TEST(ShadowVariables, InASectionOfTheirOwnKeepTheirPlace) {
  EXPECT_EQ(make_shadows_shared("\t.type\tm,@object\n"
                                "\t.section\traddle_managed,\"aw\",@progbits\n"
                                "m:\n"
                                "\t.zero\t4\n",
                                {{"m"}, {}}),
            "\t.globl\tm\n"
            "\t.hidden\tm\n"
            "\t.type\tm,@object\n"
            "\t.section\traddle_managed,\"aw\",@progbits\n"
            "m:\n"
            "\t.zero\t4\n");
}

TEST(ShadowVariables, OfInlineVariablesMayHaveManyDefinitions) {
  EXPECT_EQ(make_shadows_shared("\t.type\tw,@object\n"
                                "\t.section\t.bss.w,\"awG\",@nobits,w,comdat\n"
                                "w:\n"
                                "\t.zero\t4\n",
                                {{}, {"w"}}),
            "\t.weak\tw\n"
            "\t.hidden\tw\n"
            "\t.type\tw,@object\n"
            "\t.section\t.bss.w,\"awG\",@nobits,w,comdat\n"
            "w:\n"
            "\t.zero\t4\n");
}

TEST(ShadowVariables, OfOneFileAloneStayPrivate) {
  const std::string assembly =
      "\t.type\t_ZL1v,@object\n"
      "\t.local\t_ZL1v\n"
      "\t.comm\t_ZL1v,4,4\n"
      "\tleaq\tv(%rip), %rsi\n";
  EXPECT_EQ(make_shadows_shared(assembly, {{"v"}, {}}), assembly);
}

}  // namespace
}  // namespace raddle::cuda

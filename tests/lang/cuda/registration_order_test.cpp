#include "lang/cuda/registration_order.h"

#include <gtest/gtest.h>

namespace raddle::cuda {
namespace {

TEST(RegistrationOrder, PutsRegistrationBeforeEveryConstructor) {
  EXPECT_EQ(register_before_constructors("\t.section\t.init_array,\"aw\",@init_array\n"
                                         "\t.p2align\t3, 0x0\n"
                                         "\t.quad\t_GLOBAL__sub_I_a.cu\n"
                                         "\t.quad\t__cuda_module_ctor\n"
                                         "\t.section\t.rest\n"),
            "\t.section\t.init_array,\"aw\",@init_array\n"
            "\t.p2align\t3, 0x0\n"
            "\t.quad\t_GLOBAL__sub_I_a.cu\n"
            "\t.pushsection\t.init_array.00101,\"aw\",@init_array\n"
            "\t.p2align\t3, 0x0\n"
            "\t.quad\t__cuda_module_ctor\n"
            "\t.popsection\n"
            "\t.section\t.rest\n");
}

TEST(RegistrationOrder, LeavesFilesWithoutDeviceCodeAlone) {
  const std::string assembly =
      "\t.section\t.init_array,\"aw\",@init_array\n\t.quad\t_GLOBAL__sub_I_a.cu\n";
  EXPECT_EQ(register_before_constructors(assembly), assembly);
}

}  // namespace
}  // namespace raddle::cuda

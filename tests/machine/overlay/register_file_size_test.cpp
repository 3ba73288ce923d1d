// The central register file in block RAMs, whole and cut to what a program uses (Sections 5.2 and
// 7.1 of the paper).
#include "machine/overlay/register_file_size.h"

#include <gtest/gtest.h>

namespace raddle::machine::overlay {
namespace {

TEST(RegisterFileSize, IsThatOfThePaperWithAllRegisters) {
  EXPECT_EQ(register_file_size(1, 128).bytes, 8U * 1024);
  EXPECT_EQ(register_file_size(32, 128).bytes, 256U * 1024);
  EXPECT_EQ(register_file_size(32, 128).m_rams, 4U);
  EXPECT_EQ(register_file_size(64, 128).m_rams, 8U);
  EXPECT_EQ(register_file_size(32, 128).reduction, 1);
}

TEST(RegisterFileSize, ShrinksToTheNextPowerOfTwo) {
  struct Row {
    unsigned used;
    std::uint64_t registers;
    double reduction;
    std::uint64_t bytes;
  };
  // Photon, Matmatmult and Sgemm of Section 7.1, and the edges.
  for (const Row row :
       {Row{4, 4, 32, 8 * 1024}, Row{15, 16, 8, 32 * 1024}, Row{21, 32, 4, 64 * 1024},
        Row{1, 1, 128, 2 * 1024}, Row{65, 128, 1, 256 * 1024}}) {
    const RegisterFileSize size = register_file_size(32, row.used);
    EXPECT_EQ(size.registers, row.registers) << row.used;
    EXPECT_EQ(size.reduction, row.reduction) << row.used;
    EXPECT_EQ(size.bytes, row.bytes) << row.used;
  }
}

TEST(RegisterFileSize, CountsWholeBlocks) {
  EXPECT_EQ(register_file_size(32, 4).m4ks, 16U);  // the paper's 16 for Photon
  EXPECT_EQ(register_file_size(32, 4).m_rams, 1U);
  EXPECT_EQ(register_file_size(1, 1).m4ks, 1U);  // 512 bits of 4096
  EXPECT_EQ(instruction_store_m4ks(512), 24U);
  EXPECT_EQ(instruction_store_m4ks(1), 1U);
}

}  // namespace
}  // namespace raddle::machine::overlay

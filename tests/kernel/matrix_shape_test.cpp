// The tables of the PTX manual for fragments of mma, spelled out for some lanes; every element has
// one place.
#include "kernel/matrix_shape.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace raddle::kernel {
namespace {

Instruction mma(Mode mode, MatrixElement element, Type type) {
  Instruction instruction;
  instruction.opcode = Opcode::kMma;
  instruction.mode = mode;
  instruction.type = type;
  instruction.a_element = instruction.b_element = element;
  return instruction;
}

TEST(MatrixShape, CountsRegistersOfALane) {
  const struct {
    Instruction instruction;
    std::size_t a, b, c;
  } rows[] = {
      {mma(Mode::kM16N8K16, MatrixElement::kF16, Type::kF32), 4, 2, 4},
      {mma(Mode::kM16N8K16, MatrixElement::kF16, Type::kF16x2), 4, 2, 2},
      {mma(Mode::kM16N8K8, MatrixElement::kTF32, Type::kF32), 4, 2, 4},
      {mma(Mode::kM8N8K4, MatrixElement::kF64, Type::kF64), 1, 1, 2},
      {mma(Mode::kM16N8K32, MatrixElement::kS8, Type::kS32), 4, 2, 4},
      {mma(Mode::kM8N8K128, MatrixElement::kB1And, Type::kS32), 1, 1, 2},
  };
  for (const auto& row : rows) {
    EXPECT_TRUE(is_valid_mma(row.instruction)) << name_of(row.instruction.mode);
    const MatrixRegisters registers = registers_of(row.instruction);
    EXPECT_EQ(registers.a, row.a);
    EXPECT_EQ(registers.b, row.b);
    EXPECT_EQ(registers.c, row.c);
  }
}

TEST(MatrixShape, RefusesWhatPtxDoesNotHave) {
  EXPECT_FALSE(is_valid_mma(mma(Mode::kM8N8K4, MatrixElement::kF16, Type::kF32)));
  EXPECT_FALSE(is_valid_mma(mma(Mode::kM16N8K16, MatrixElement::kBF16, Type::kF16x2)));
  Instruction mixed = mma(Mode::kM16N8K32, MatrixElement::kS8, Type::kS32);
  mixed.b_element = MatrixElement::kU8;
  EXPECT_TRUE(is_valid_mma(mixed));
  mixed.b_element = MatrixElement::kS4;
  EXPECT_FALSE(is_valid_mma(mixed));
}

TEST(MatrixShape, PlacesElementsAsTheManualDoes) {
  // PTX ISA, mma.m16n8k16 of halves, lane 13: row 3 and 11, columns 2, 3 and 10, 11.
  const MatrixPlace third = place_in_a(16, 2, 13, 3, 1);
  EXPECT_EQ(third.row, 11);
  EXPECT_EQ(third.column, 11);
  const MatrixPlace c = place_in_c(1, 13, 2, 0);
  EXPECT_EQ(c.row, 11);
  EXPECT_EQ(c.column, 2);
}

TEST(MatrixShape, GivesEveryElementOnePlace) {
  for (const int parts : {1, 2, 4, 8}) {
    std::set<std::pair<int, int>> places;
    for (int lane = 0; lane < 32; ++lane) {
      for (int index = 0; index < 4; ++index) {
        for (int part = 0; part < parts; ++part) {
          const MatrixPlace place = place_in_a(16, parts, lane, index, part);
          EXPECT_LT(place.row, 16);
          EXPECT_LT(place.column, 8 * parts);
          places.emplace(place.row, place.column);
        }
      }
    }
    EXPECT_EQ(places.size(), static_cast<std::size_t>(16 * 8 * parts));
  }
}

}  // namespace
}  // namespace raddle::kernel

// The matrices of an mma: their shapes, what they are made of, and how PTX spreads them over the
// lanes of a warp (PTX ISA, "Matrix Fragments for mma"). One rule covers all shapes: lane i stands
// in row i/4 of eight, and its registers hold neighbours along k, four lanes to a row.
#pragma once

#include <optional>
#include <string_view>

#include "kernel/instruction.h"

namespace raddle::kernel {

struct MatrixShape {
  int m = 0;
  int n = 0;
  int k = 0;
};
MatrixShape shape_of(Mode mode);  // of the modes of mma

int bits_of(MatrixElement element);
bool is_float(MatrixElement element);
std::optional<MatrixElement> matrix_element_from_name(
    std::string_view name);  // "f16", "s8" …; b1 has two

// Registers of a lane that hold A, B, and C or D.
struct MatrixRegisters {
  std::size_t a = 0;
  std::size_t b = 0;
  std::size_t c = 0;
};
MatrixRegisters registers_of(const Instruction& mma);

// Whether there is such an instruction: this shape, elements, and type of C and D.
bool is_valid_mma(const Instruction& mma);

struct MatrixPlace {
  int row = 0;
  int column = 0;
};
// Where element `part` of register `index` of a lane belongs in A (m rows), and in C and D. B is
// laid out as an A of eight rows, transposed.
MatrixPlace place_in_a(int m, int elements_per_register, int lane, int index, int part);
MatrixPlace place_in_c(int elements_per_register, int lane, int index, int part);

}  // namespace raddle::kernel

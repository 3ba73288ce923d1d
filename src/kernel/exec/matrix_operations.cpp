// What all lanes of a warp do with matrices that are spread over them: multiply and add, load and
// store 8x8 matrices, and transpose one. Products and sums of floats are kept in double and rounded
// once into the result, as PTX allows: it asks for single precision at least, in any order.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernel/exec/access.h"
#include "kernel/exec/half_precision.h"
#include "kernel/exec/memory_operations.h"
#include "kernel/exec/warp.h"
#include "kernel/matrix_shape.h"

namespace raddle::kernel::exec {
namespace {

constexpr int kMaxM = 16;
constexpr int kN = 8;
constexpr int kMaxFloatK = 32;
constexpr int kMaxIntegerK = 256;

// e4m3 has no infinities and one NaN (all ones); e5m2 is the upper half of an IEEE half.
double value_of_e4m3(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 3 & 15);
  const int fraction = static_cast<int>(bits & 7);
  if ((bits & 0x7f) == 0x7f) return std::numeric_limits<double>::quiet_NaN();
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -9) : std::ldexp(8 + fraction, exponent - 10);
  return (bits & 0x80) != 0 ? -magnitude : magnitude;
}

double float_value(MatrixElement element, std::uint64_t bits) {
  const auto low = static_cast<std::uint16_t>(bits);
  switch (element) {
    case MatrixElement::kF64: return std::bit_cast<double>(bits);
    case MatrixElement::kTF32:  // the unit reads the upper 19 bits of a float
      return static_cast<double>(
          std::bit_cast<float>(static_cast<std::uint32_t>(bits) & 0xffffe000u));
    case MatrixElement::kF16: return static_cast<double>(half_to_float(low));
    case MatrixElement::kBF16: return static_cast<double>(bfloat_to_float(low));
    case MatrixElement::kE5M2:
      return static_cast<double>(half_to_float(static_cast<std::uint16_t>(low << 8)));
    default: return value_of_e4m3(low & 0xffu);
  }
}

std::int32_t integer_value(MatrixElement element, std::uint32_t bits) {
  switch (element) {
    case MatrixElement::kS8: return static_cast<std::int8_t>(bits);
    case MatrixElement::kU8: return static_cast<std::uint8_t>(bits);
    case MatrixElement::kS4: return static_cast<std::int32_t>(bits << 28) >> 28;
    case MatrixElement::kU4: return static_cast<std::int32_t>(bits & 15);
    default: return static_cast<std::int32_t>(bits & 1);
  }
}

std::uint64_t register_bits(const Warp& warp, std::uint32_t slot, int lane, bool wide) {
  return wide ? warp.lanes<std::uint64_t>(slot)[lane] : warp.lanes<std::uint32_t>(slot)[lane];
}

// Reads A (`rows` is m) or B (8 rows: its columns) as rows along k.
template <class T, class Value>
void gather(const DecodedInstruction& d, const Warp& warp, std::size_t first, std::size_t count,
            int rows, int bits, int stride, T* out, Value value) {
  const int parts = std::max(1, 32 / bits);
  for (std::size_t index = 0; index < count; ++index) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const std::uint64_t word = register_bits(warp, d.source[first + index], lane, bits == 64);
      for (int part = 0; part < parts; ++part) {
        const MatrixPlace place = place_in_a(rows, parts, lane, static_cast<int>(index), part);
        out[place.row * stride + place.column] = value(word >> (part * bits));
      }
    }
  }
}

// D from C, register by register. A register of D may lie where one of C was: all are read first.
template <class Result>
void write_results(const DecodedInstruction& d, Warp& warp, LaneMask mask,
                   const MatrixRegisters& registers, Result result) {
  const bool wide = d.ir->type == Type::kF64;
  const std::size_t c = registers.a + registers.b;
  std::array<std::array<std::uint64_t, kLanes>, 4> results;
  for (std::size_t index = 0; index < registers.c; ++index) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const std::uint64_t word = register_bits(warp, d.source[c + index], lane, wide);
      results[index][static_cast<std::size_t>(lane)] = result(word, lane, static_cast<int>(index));
    }
  }
  for (std::size_t index = 0; index < registers.c; ++index) {
    if (d.destination[index] == kNoSlot) continue;
    for (LaneMask left = mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      if (wide) {
        warp.lanes<std::uint64_t>(d.destination[index])[lane] = results[index][lane];
      } else {
        warp.lanes<std::uint32_t>(d.destination[index])[lane] =
            static_cast<std::uint32_t>(results[index][lane]);
      }
    }
  }
}

void multiply_floats(const DecodedInstruction& d, Warp& warp, LaneMask mask) {
  const Instruction& i = *d.ir;
  const MatrixShape shape = shape_of(i.mode);
  const MatrixRegisters registers = registers_of(i);
  const int bits = bits_of(i.a_element);
  std::array<double, kMaxM * kMaxFloatK> a;
  std::array<double, kN * kMaxFloatK> b;
  gather(d, warp, 0, registers.a, shape.m, bits, shape.k, a.data(),
         [&](std::uint64_t word) { return float_value(i.a_element, word); });
  gather(d, warp, registers.a, registers.b, kN, bits, shape.k, b.data(),
         [&](std::uint64_t word) { return float_value(i.b_element, word); });
  const auto sum = [&](double start, MatrixPlace place) {
    for (int k = 0; k < shape.k; ++k) {
      const int of_row = place.row * shape.k + k, of_column = place.column * shape.k + k;
      start = std::fma(a[static_cast<std::size_t>(of_row)], b[static_cast<std::size_t>(of_column)],
                       start);
    }
    return start;
  };
  write_results(
      d, warp, mask, registers, [&](std::uint64_t c, int lane, int index) -> std::uint64_t {
        if (i.type == Type::kF64)
          return std::bit_cast<std::uint64_t>(
              sum(std::bit_cast<double>(c), place_in_c(1, lane, index, 0)));
        if (i.type == Type::kF32) {
          const auto start =
              static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(c)));
          return std::bit_cast<std::uint32_t>(
              static_cast<float>(sum(start, place_in_c(1, lane, index, 0))));
        }
        std::uint32_t pair = 0;
        for (int part = 0; part < 2; ++part) {
          const auto start =
              static_cast<double>(half_to_float(static_cast<std::uint16_t>(c >> (16 * part))));
          const std::uint32_t half = double_to_half(sum(start, place_in_c(2, lane, index, part)));
          pair |= half << (16 * part);
        }
        return pair;
      });
}

void multiply_integers(const DecodedInstruction& d, Warp& warp, LaneMask mask) {
  const Instruction& i = *d.ir;
  const MatrixShape shape = shape_of(i.mode);
  const MatrixRegisters registers = registers_of(i);
  const int bits = bits_of(i.a_element);
  std::array<std::int32_t, kMaxM * kMaxIntegerK> a;
  std::array<std::int32_t, kN * kMaxIntegerK> b;
  gather(d, warp, 0, registers.a, shape.m, bits, shape.k, a.data(), [&](std::uint64_t word) {
    return integer_value(i.a_element, static_cast<std::uint32_t>(word));
  });
  gather(d, warp, registers.a, registers.b, kN, bits, shape.k, b.data(), [&](std::uint64_t word) {
    return integer_value(i.b_element, static_cast<std::uint32_t>(word));
  });
  const bool differ = i.a_element == MatrixElement::kB1Xor;
  write_results(d, warp, mask, registers,
                [&](std::uint64_t c, int lane, int index) -> std::uint64_t {
                  const MatrixPlace place = place_in_c(1, lane, index, 0);
                  const std::int32_t* row = a.data() + place.row * shape.k;
                  const std::int32_t* column = b.data() + place.column * shape.k;
                  std::int64_t sum = static_cast<std::int32_t>(c);
                  for (int k = 0; k < shape.k; ++k)
                    sum += differ ? row[k] ^ column[k] : row[k] * column[k];
                  if (i.saturate) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
                  return static_cast<std::uint32_t>(sum);
                });
}

// --- 8x8 matrices of 16-bit elements -------------------------------------------------------------------------------

using Rows = std::array<std::array<std::uint16_t, 8>, 8>;

std::uint32_t pair_of(const Rows& rows, std::size_t lane, bool transposed) {
  const std::size_t row = lane / 4;
  const std::size_t column = lane % 4 * 2;
  const std::uint32_t low = transposed ? rows[column][row] : rows[row][column];
  const std::uint32_t high = transposed ? rows[column + 1][row] : rows[row][column + 1];
  return high << 16 | low;
}

void put_pair(Rows& rows, std::size_t lane, bool transposed, std::uint32_t pair) {
  const std::size_t row = lane / 4;
  const std::size_t column = lane % 4 * 2;
  (transposed ? rows[column][row] : rows[row][column]) = static_cast<std::uint16_t>(pair);
  (transposed ? rows[column + 1][row] : rows[row][column + 1]) =
      static_cast<std::uint16_t>(pair >> 16);
}

constexpr std::uint32_t kRowBytes = sizeof(Rows::value_type);

// The lanes whose addresses count: eight for each matrix.
LaneMask row_lanes(std::size_t matrices, LaneMask mask) {
  return matrices >= 4 ? mask : mask & ((LaneMask{1} << (8 * matrices)) - 1);
}

void load_matrices(const DecodedInstruction& d, Warp& warp, LaneMask mask) {
  ResolvedAccess where;
  resolve_access(d, warp, row_lanes(d.destination_count, mask), kRowBytes, AccessKind::kLoad,
                 where);
  const bool transposed = d.ir->mode == Mode::kTransposed;
  for (std::size_t matrix = 0; matrix < d.destination_count; ++matrix) {
    Rows rows{};
    for (std::size_t row = 0; row < 8; ++row) {
      const std::size_t lane = matrix * 8 + row;
      if ((where.valid >> lane & 1) != 0)
        std::memcpy(rows[row].data(), where.place(warp, lane, kRowBytes), kRowBytes);
    }
    if (d.destination[matrix] == kNoSlot) continue;
    std::uint32_t* out = warp.lanes<std::uint32_t>(d.destination[matrix]);
    for (LaneMask left = mask; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      out[lane] = pair_of(rows, lane, transposed);
    }
  }
}

void store_matrices(const DecodedInstruction& d, Warp& warp, LaneMask mask) {
  const std::size_t matrices = d.source_count - 1u;
  ResolvedAccess where;
  resolve_access(d, warp, row_lanes(matrices, mask), kRowBytes, AccessKind::kStore, where);
  for (std::size_t matrix = 0; matrix < matrices; ++matrix) {
    Rows rows{};
    const std::uint32_t* in = warp.lanes<std::uint32_t>(d.source[matrix + 1]);
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      put_pair(rows, lane, d.ir->mode == Mode::kTransposed, in[lane]);
    for (std::size_t row = 0; row < 8; ++row) {
      const std::size_t lane = matrix * 8 + row;
      if ((where.valid >> lane & 1) != 0)
        std::memcpy(where.place(warp, lane, kRowBytes), rows[row].data(), kRowBytes);
    }
  }
}

void transpose(const DecodedInstruction& d, Warp& warp, LaneMask mask) {
  Rows rows{};
  const std::uint32_t* in = warp.lanes<std::uint32_t>(d.source[0]);
  for (std::size_t lane = 0; lane < kLanes; ++lane) put_pair(rows, lane, false, in[lane]);
  std::uint32_t* out = warp.lanes<std::uint32_t>(d.destination[0]);
  for (LaneMask left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    out[lane] = pair_of(rows, lane, true);
  }
}

}  // namespace

WarpFunction select_matrix_function(const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kMma:
      return is_float(instruction.a_element) ? &multiply_floats : &multiply_integers;
    case Opcode::kLdMatrix: return &load_matrices;
    case Opcode::kStMatrix: return &store_matrices;
    case Opcode::kMovMatrix: return &transpose;
    default: return nullptr;
  }
}

}  // namespace raddle::kernel::exec

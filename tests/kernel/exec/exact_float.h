// A slow, exact oracle for floating-point arithmetic. A result is known as the nearest 113-bit
// number and the sign of what is left over; from these it is rounded once, in any direction, to any
// format. Nothing here sets the host's rounding mode, which is how the code under test does it.
#pragma once

#include <cstdint>

#include "kernel/instruction.h"

namespace raddle::kernel::exec {

__extension__ typedef __float128 Quad;

// A real number: value plus an amount of sign `rest`, smaller than value's last bit.
struct Exact {
  Quad value = 0;
  int rest = 0;
};

// The number that a pattern of a float type (f16, bf16, f32, f64) stands for.
Quad quad_of(Type type, std::uint64_t bits);

Exact exact_sum(Quad a, Quad b);
inline Exact exact_product(Quad a, Quad b) {
  return {a * b, 0};
}  // of operands with at most 53 bits
Exact exact_fma(Quad a, Quad b, Quad c);
Exact exact_quotient(Quad a, Quad b);
Exact exact_root(Quad a);

// Rounds to the type. NaN gives some NaN; an exact zero has the sign IEEE 754 asks for if value has
// it for nearest.
std::uint64_t round_exact(Type type, const Exact& exact, Rounding rounding);

// Rounds to a whole number as rni, rzi, rmi, rpi say.
Quad round_to_whole(Quad value, Rounding rounding);

// Zero with the same sign where the pattern is subnormal.
std::uint64_t flushed_bits(Type type, std::uint64_t bits);

}  // namespace raddle::kernel::exec

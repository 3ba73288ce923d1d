#include "kernel/exec/scalar_operations.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernel/exec/half_precision.h"

namespace raddle::kernel::exec {
namespace {

// Sets the host's rounding direction for as long as it lives. Operands pass through volatile
// variables so that the compiler cannot move the arithmetic out of its scope.
class RoundingScope {
 public:
  explicit RoundingScope(Rounding rounding) : saved_(std::fegetround()) {
    switch (rounding) {
      case Rounding::kZero: std::fesetround(FE_TOWARDZERO); break;
      case Rounding::kDown: std::fesetround(FE_DOWNWARD); break;
      case Rounding::kUp: std::fesetround(FE_UPWARD); break;
      default: break;
    }
  }
  ~RoundingScope() { std::fesetround(saved_); }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  int saved_;
};

template <class T>
T flush(T value, bool enabled) {
  return enabled && std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(T{0}, value) : value;
}

template <class T>
T clamp_unit(T value, bool enabled) {
  if (!enabled) return value;
  return value > 0 ? (value < 1 ? value : T{1}) : T{0};
}

double load_float(Type type, std::uint64_t bits) {
  switch (type) {
    case Type::kF16: return static_cast<double>(half_to_float(static_cast<std::uint16_t>(bits)));
    case Type::kBF16: return static_cast<double>(bfloat_to_float(static_cast<std::uint16_t>(bits)));
    case Type::kF32:
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    default: return std::bit_cast<double>(bits);
  }
}

// Rounds to one of the 16-bit formats in any direction: nearest, then one step where that went the
// wrong way.
template <class Store, class Load>
std::uint16_t round_to_16(double value, Rounding rounding, Store store, Load load) {
  std::uint16_t bits = store(value);
  const double nearest = static_cast<double>(load(bits));
  if (rounding == Rounding::kNone || rounding == Rounding::kNearestEven || nearest == value ||
      value != value) {
    return bits;
  }
  const bool want_smaller =
      rounding == Rounding::kDown || (rounding == Rounding::kZero && value > 0);
  if (want_smaller == (nearest < value)) return bits;
  const bool negative = (bits & 0x8000u) != 0;
  const bool magnitude_up = want_smaller == negative;
  if (!magnitude_up && (bits & 0x7fffu) == 0) return static_cast<std::uint16_t>(bits ^ 0x8001u);
  return static_cast<std::uint16_t>(magnitude_up ? bits + 1 : bits - 1);
}

std::uint64_t store_float(Type type, double value, Rounding rounding) {
  switch (type) {
    case Type::kF16: return round_to_16(value, rounding, double_to_half, half_to_float);
    case Type::kBF16:
      return round_to_16(
          value, rounding,
          [](double v) {
            // Through float with a sticky last bit, so that rounding happens once.
            const RoundingScope scope(Rounding::kZero);
            volatile double exact = v;
            volatile float cut = static_cast<float>(exact);
            std::uint32_t bits = std::bit_cast<std::uint32_t>(static_cast<float>(cut));
            if (static_cast<double>(cut) != v && v == v) bits |= 1u;
            return float_to_bfloat(std::bit_cast<float>(bits));
          },
          bfloat_to_float);
    case Type::kF32: {
      const RoundingScope scope(rounding);
      volatile double exact = value;
      volatile float rounded = static_cast<float>(exact);
      return std::bit_cast<std::uint32_t>(static_cast<float>(rounded));
    }
    default: return std::bit_cast<std::uint64_t>(value);
  }
}

double round_to_integer(double value, Rounding rounding) {
  switch (rounding) {
    case Rounding::kNearestInt: return std::nearbyint(value);
    case Rounding::kDownInt: return std::floor(value);
    case Rounding::kUpInt: return std::ceil(value);
    case Rounding::kNearestAway: return std::round(value);
    default: return std::trunc(value);
  }
}

std::int64_t sign_extend(std::uint64_t bits, int bytes) {
  const int shift = 64 - bytes * 8;
  return static_cast<std::int64_t>(bits << shift) >> shift;
}

std::uint64_t zero_extend(std::uint64_t bits, int bytes) {
  return bytes >= 8 ? bits : bits & ((std::uint64_t{1} << bytes * 8) - 1);
}

// Saturates to the range of the integer type. NaN gives 0, or the lone top bit if either side is 64
// bits wide (PTX manual).
std::uint64_t float_to_integer(double value, Type from, Type type) {
  const int bits = size_of(type) * 8;
  if (value != value) return from == Type::kF64 || bits == 64 ? std::uint64_t{1} << (bits - 1) : 0;
  if (is_signed(type)) {
    const double limit = std::ldexp(1.0, bits - 1);
    if (value >= limit) return (std::uint64_t{1} << (bits - 1)) - 1;
    if (value <= -limit) return ~std::uint64_t{0} << (bits - 1);
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  }
  if (value <= 0) return 0;
  if (value >= std::ldexp(1.0, bits)) return zero_extend(~std::uint64_t{0}, bits / 8);
  return static_cast<std::uint64_t>(value);
}

std::uint64_t integer_to_float(std::uint64_t bits, bool negative_possible, Type type,
                               Rounding rounding) {
  const RoundingScope scope(rounding);
  if (type == Type::kF64) {
    volatile double value = negative_possible ? static_cast<double>(static_cast<std::int64_t>(bits))
                                              : static_cast<double>(bits);
    return std::bit_cast<std::uint64_t>(static_cast<double>(value));
  }
  volatile float value = negative_possible ? static_cast<float>(static_cast<std::int64_t>(bits))
                                           : static_cast<float>(bits);
  const auto single = static_cast<float>(value);
  if (type == Type::kF32) return std::bit_cast<std::uint32_t>(single);
  // f16: a float holds every integer that it can tell apart below overflow. bf16 reaches further:
  // what does not fit into a double's lower bits is kept as a sticky one, so that rounding happens
  // once.
  if (type == Type::kF16) return store_float(type, static_cast<double>(single), rounding);
  const bool negative = negative_possible && static_cast<std::int64_t>(bits) < 0;
  const std::uint64_t magnitude = negative ? std::uint64_t{0} - bits : bits;
  const std::uint64_t sticky =
      (magnitude & 0xfffffu) != 0 && magnitude >> 40 != 0 ? std::uint64_t{1} << 20 : 0;
  const auto exact = static_cast<double>(
      magnitude >> 40 != 0 ? (magnitude & ~std::uint64_t{0xfffff}) | sticky : magnitude);
  return store_float(type, negative ? -exact : exact, rounding);
}

std::uint64_t integer_to_integer(const Instruction& instruction, std::uint64_t bits) {
  const Type from = instruction.source_type;
  const Type to = instruction.type;
  const std::int64_t value = is_signed(from) ? sign_extend(bits, size_of(from)) : 0;
  const std::uint64_t plain = zero_extend(bits, size_of(from));
  std::uint64_t result = is_signed(from) ? static_cast<std::uint64_t>(value) : plain;
  if (instruction.saturate) {
    const int width = size_of(to) * 8;
    const bool negative = is_signed(from) && value < 0;
    if (is_signed(to)) {
      const std::uint64_t top = (std::uint64_t{1} << (width - 1)) - 1;
      if (!negative && result > top) result = top;
      if (negative && value < -static_cast<std::int64_t>(top) - 1) result = ~top;
    } else if (negative) {
      result = 0;
    } else if (width < 64 && result > zero_extend(~std::uint64_t{0}, width / 8)) {
      result = zero_extend(~std::uint64_t{0}, width / 8);
    }
  }
  // A destination register wider than the type is extended by the type's sign.
  return is_signed(to) ? static_cast<std::uint64_t>(sign_extend(result, size_of(to)))
                       : zero_extend(result, size_of(to));
}

template <class T, class Bits>
std::uint64_t directed(const Instruction& instruction,
                       const std::array<std::uint64_t, 4>& operands) {
  auto operand = [&](int i) {
    return flush(std::bit_cast<T>(static_cast<Bits>(operands[static_cast<std::size_t>(i)])),
                 instruction.flush_to_zero);
  };
  const RoundingScope scope(instruction.rounding);
  volatile T a = operand(0);
  volatile T b = operand(1);
  volatile T c = operand(2);
  volatile T result = 0;
  switch (instruction.opcode) {
    case Opcode::kAdd: result = a + b; break;
    case Opcode::kSub: result = a - b; break;
    case Opcode::kMul: result = a * b; break;
    case Opcode::kFma:
    case Opcode::kMad:
      result = std::fma(static_cast<T>(a), static_cast<T>(b), static_cast<T>(c));
      break;
    case Opcode::kDiv: result = a / b; break;
    case Opcode::kRcp: result = T{1} / a; break;
    case Opcode::kSqrt: result = std::sqrt(static_cast<T>(a)); break;
    default: break;
  }
  const T final_value =
      clamp_unit(flush(static_cast<T>(result), instruction.flush_to_zero), instruction.saturate);
  return std::bit_cast<Bits>(final_value);
}

}  // namespace

std::uint64_t load_bits(const std::byte* frame, std::uint32_t slot, int bytes, int lane) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, frame + slot + static_cast<std::size_t>(lane * bytes),
              static_cast<std::size_t>(bytes));
  return bits;
}

void store_bits(std::byte* frame, std::uint32_t slot, int bytes, int lane, std::uint64_t bits) {
  std::memcpy(frame + slot + static_cast<std::size_t>(lane * bytes), &bits,
              static_cast<std::size_t>(bytes));
}

std::uint64_t convert_scalar(const Instruction& instruction, std::uint64_t bits) {
  const Type from = instruction.source_type;
  const Type to = instruction.type;
  if (!is_float(from) && !is_float(to)) return integer_to_integer(instruction, bits);
  if (!is_float(from)) {
    const std::uint64_t value = is_signed(from)
                                    ? static_cast<std::uint64_t>(sign_extend(bits, size_of(from)))
                                    : zero_extend(bits, size_of(from));
    if (instruction.saturate) {  // whole numbers within 0 and 1
      const bool positive = is_signed(from) ? static_cast<std::int64_t>(value) > 0 : value != 0;
      return integer_to_float(positive ? 1 : 0, false, to, instruction.rounding);
    }
    return integer_to_float(value, is_signed(from), to, instruction.rounding);
  }
  double value = load_float(from, bits);
  if (instruction.flush_to_zero && from == Type::kF32) {
    value = static_cast<double>(flush(static_cast<float>(value), true));
  }
  if (!is_float(to)) {
    const std::uint64_t result =
        float_to_integer(round_to_integer(value, instruction.rounding), from, to);
    return is_signed(to) ? static_cast<std::uint64_t>(sign_extend(result, size_of(to))) : result;
  }
  const Rounding rounding = instruction.rounding;
  if (rounding == Rounding::kNearestInt || rounding == Rounding::kZeroInt ||
      rounding == Rounding::kDownInt || rounding == Rounding::kUpInt) {
    value = round_to_integer(value, rounding);
  }
  value = clamp_unit(value, instruction.saturate);
  if (instruction.relu && !(value > 0) && value == value) value = 0;
  std::uint64_t result = store_float(to, value, rounding);
  if (instruction.flush_to_zero && to == Type::kF32) {
    result = std::bit_cast<std::uint32_t>(
        flush(std::bit_cast<float>(static_cast<std::uint32_t>(result)), true));
  }
  return result;
}

std::uint64_t convert_pair(const Instruction& instruction, std::uint64_t upper,
                           std::uint64_t lower) {
  Instruction half = instruction;
  half.type = instruction.type == Type::kBF16x2 ? Type::kBF16 : Type::kF16;
  return convert_scalar(half, upper) << 16 | convert_scalar(half, lower);
}

bool rounds_directed(const Instruction& instruction) {
  if (instruction.type != Type::kF32 && instruction.type != Type::kF64) return false;
  return instruction.rounding == Rounding::kZero || instruction.rounding == Rounding::kDown ||
         instruction.rounding == Rounding::kUp;
}

std::uint64_t directed_operation(const Instruction& instruction,
                                 const std::array<std::uint64_t, 4>& operands) {
  if (instruction.type == Type::kF32) return directed<float, std::uint32_t>(instruction, operands);
  return directed<double, std::uint64_t>(instruction, operands);
}

}  // namespace raddle::kernel::exec

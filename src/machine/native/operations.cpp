#include "machine/native/operations.h"

#include <algorithm>
#include <array>

#include "kernel/exec/scalar_operations.h"
#include "kernel/special_registers.h"

namespace raddle::machine::native {

using kernel::Combine;
using kernel::Compare;
using kernel::MultiplyPart;
using kernel::Opcode;
using kernel::Operand;
using kernel::Rounding;
using kernel::Type;
using kernel::exec::DecodedInstruction;

namespace {

int bits_of(Type type) { return kernel::size_of(type) * 8; }

bool is_plain_float(Type type) { return type == Type::kF32 || type == Type::kF64; }

bool same_in_all_lanes(kernel::SpecialRegister special) {
  using kernel::SpecialRegister;
  switch (special) {
    case SpecialRegister::kCtaidX:
    case SpecialRegister::kCtaidY:
    case SpecialRegister::kCtaidZ:
    case SpecialRegister::kWarpId:
    case SpecialRegister::kSmId: return true;
    default: return kernel::is_launch_constant(special);
  }
}

// Integer types that a register holds without rest.
void require_whole_integer(Type type) {
  if (kernel::is_float(type) || kernel::size_of(type) < 2) throw Operations::NotTranslated{};
}

void require(bool condition) {
  if (!condition) throw Operations::NotTranslated{};
}

}  // namespace

bool Operations::translate(const DecodedInstruction& d) {
  if (d.ir->destinations.empty()) return false;
  try {
    switch (d.ir->opcode) {
      case Opcode::kSetp: set_predicate(d); break;
      case Opcode::kUnpack: unpack(d); break;
      default: finish(d, 0, result_of(d));
    }
    return true;
  } catch (const NotTranslated&) {
    return false;
  }
}

Value Operations::result_of(const DecodedInstruction& d) {
  const Type type = d.ir->type;
  switch (d.ir->opcode) {
    case Opcode::kMov: return move(d);
    case Opcode::kCvta: {
      const Value in = source(d, 0, d.element_bytes * 8);
      require(d.element_bytes == d.register_bytes);
      return integer("add", in, literal(d.offset, in));
    }
    case Opcode::kCvt: return convert(d);
    case Opcode::kSelp: return select(d);
    case Opcode::kPack: return pack(d);
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kAbs:
    case Opcode::kNeg:
    case Opcode::kMin:
    case Opcode::kMax: return kernel::is_float(type) ? float_arithmetic(d) : integer_arithmetic(d);
    case Opcode::kMul:
    case Opcode::kMad:
    case Opcode::kFma: return kernel::is_float(type) ? float_arithmetic(d) : multiply(d);
    case Opcode::kDiv: return kernel::is_float(type) ? float_arithmetic(d) : divide(d);
    case Opcode::kRem: return divide(d);
    case Opcode::kRcp:
    case Opcode::kSqrt:
    case Opcode::kRsqrt: return reciprocal(d);
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kNot: return logic(d);
    case Opcode::kLop3: return lop3(d);
    case Opcode::kShl:
    case Opcode::kShr: return shift(d);
    case Opcode::kPopc:
    case Opcode::kClz:
    case Opcode::kBrev: return count(d);
    default: throw NotTranslated{};
  }
}

// --- operands and results

Value Operations::source(const DecodedInstruction& d, std::size_t n, int bits) {
  const Operand& operand = d.ir->sources[n];
  switch (operand.kind) {
    case Operand::Kind::kRegister: {
      require(registers_.bits_of(operand.index) == bits);
      Value value = registers_.read(operand.index);
      if (!operand.negated) return value;
      return integer("xor", value, IrText::constant(1, 1));
    }
    case Operand::Kind::kImmediate: return IrText::constant(operand.bits, bits);
    case Operand::Kind::kSpecial:
      require(d.ir->opcode == Opcode::kMov && !kernel::is_clock(operand.special));
      return registers_.from_slot(d.source[n], bits, same_in_all_lanes(operand.special));
    case Operand::Kind::kSymbol:
      require(d.ir->opcode == Opcode::kMov || n == 0);
      require(bits == 64 || d.ir->opcode == Opcode::kMov);
      return registers_.from_slot(d.source[n], bits, true);
    default: throw NotTranslated{};
  }
}

Value Operations::guard(const DecodedInstruction& d) {
  const Value value = registers_.read(d.ir->guard.predicate);
  return d.guard_negated ? integer("xor", value, IrText::constant(1, 1)) : value;
}

void Operations::finish(const DecodedInstruction& d, std::size_t n, const Value& value) {
  const Operand& destination = d.ir->destinations[n];
  if (!destination.is_register()) return;
  require(registers_.bits_of(destination.index) == value.bits);
  if (!d.guarded) {
    registers_.write(destination.index, value);
    return;
  }
  const Value kept = registers_.read(destination.index);
  registers_.write(destination.index, chosen(guard(d), value, kept));
}

// --- values of any shape

Value Operations::literal(std::int64_t value, const Value& like) {
  return {IrText::literal(value, like.bits, like.uniform), like.bits, like.uniform};
}

Value Operations::integer(const char* operation, const Value& a, const Value& b) {
  const bool uniform = a.uniform && b.uniform;
  const Value x = text_.as_uniform(a, uniform);
  const Value y = text_.as_uniform(b, uniform);
  return {text_.op("{} {} {}, {}", operation, IrText::type_of(x), x.text, y.text), a.bits, uniform};
}

std::string Operations::as_float(const Value& value) {
  return text_.op("bitcast {} {} to {}", IrText::type_of(value), value.text,
                  IrText::floating(value.bits, value.uniform));
}

Value Operations::from_float(const std::string& name, int bits, bool uniform) {
  return {text_.op("bitcast {} {} to {}", IrText::floating(bits, uniform), name,
                   IrText::integer(bits, uniform)),
          bits, uniform};
}

Value Operations::floating(const char* operation, const Value& a, const Value& b) {
  const bool uniform = a.uniform && b.uniform;
  const std::string x = as_float(text_.as_uniform(a, uniform));
  const std::string y = as_float(text_.as_uniform(b, uniform));
  return from_float(text_.op("{} {} {}, {}", operation, IrText::floating(a.bits, uniform), x, y),
                    a.bits, uniform);
}

// A float function of one operand: "sqrt".
Value Operations::intrinsic(const char* name, const Value& a) {
  const std::string type = IrText::floating(a.bits, a.uniform);
  const std::string suffix = fmt::format("{}f{}", a.uniform ? "" : "v32", a.bits);
  const std::string in = as_float(a);
  return from_float(text_.call(type, fmt::format("{}.{}", name, suffix), type, type + " " + in),
                    a.bits, a.uniform);
}

Value Operations::resized(const char* operation, const Value& value, int bits) {
  if (value.bits == bits) return value;
  return {text_.op("{} {} {} to {}", operation, IrText::type_of(value), value.text,
                   IrText::integer(bits, value.uniform)),
          bits, value.uniform};
}

Value Operations::chosen(const Value& condition, const Value& yes, const Value& no) {
  const bool uniform = condition.uniform && yes.uniform && no.uniform;
  const Value a = text_.as_uniform(yes, uniform);
  const Value b = text_.as_uniform(no, uniform);
  return {text_.op("select {} {}, {} {}, {} {}", IrText::type_of(condition), condition.text,
                   IrText::type_of(a), a.text, IrText::type_of(b), b.text),
          yes.bits, uniform};
}

// icmp …, of integers.
Value Operations::test(const char* comparison, const Value& a, const Value& b) {
  Value result = integer(comparison, a, b);
  result.bits = 1;
  return result;
}

// --- moves

Value Operations::move(const DecodedInstruction& d) {
  require(d.ir->destinations[0].is_register());
  const int to = registers_.bits_of(d.ir->destinations[0].index);
  const Operand& in = d.ir->sources[0];
  int from = to;
  if (in.is_register()) from = registers_.bits_of(in.index);
  Value value = source(d, 0, from);
  if (from == to) return value;
  require(from >= 32 && to >= 32);
  if (from > to) return resized("trunc", value, to);
  require(!kernel::is_float(d.ir->type));
  return resized("zext", value, to);
}

Value Operations::select(const DecodedInstruction& d) {
  const int bits = registers_.bits_of(d.ir->destinations[0].index);
  require(bits == 1 || bits == bits_of(d.ir->type));
  const Value yes = source(d, 0, bits);
  const Value no = source(d, 1, bits);
  return chosen(source(d, 2, 1), yes, no);
}

Value Operations::pack(const DecodedInstruction& d) {
  const int whole = bits_of(d.ir->type);
  const int part = whole / static_cast<int>(d.ir->sources.size());
  require(part >= 16);
  Value result;
  for (std::size_t n = 0; n < d.ir->sources.size(); ++n) {
    Value wide = resized("zext", source(d, n, part), whole);
    if (n > 0) {
      wide = integer("shl", wide, literal(static_cast<std::int64_t>(n) * part, wide));
      wide = integer("or", result, wide);
    }
    result = wide;
  }
  return result;
}

void Operations::unpack(const DecodedInstruction& d) {
  const int whole = bits_of(d.ir->type);
  const int part = whole / static_cast<int>(d.ir->destinations.size());
  require(part >= 16);
  for (const Operand& destination : d.ir->destinations)
    require(!destination.is_register() || registers_.bits_of(destination.index) == part);
  const Value value = source(d, 0, whole);
  for (std::size_t n = 0; n < d.ir->destinations.size(); ++n) {
    const Value moved = integer("lshr", value, literal(static_cast<std::int64_t>(n) * part, value));
    finish(d, n, resized("trunc", moved, part));
  }
}

// --- conversions

// The forms that kernel/exec has loops for, too.
Value Operations::convert(const DecodedInstruction& d) {
  const kernel::Instruction& i = *d.ir;
  require(!i.saturate && !i.relu && !i.flush_to_zero && i.destinations[0].is_register());
  const int to = registers_.bits_of(i.destinations[0].index);
  require(to == bits_of(i.type));
  require(i.source_type != Type::kF16 && i.source_type != Type::kBF16 && i.type != Type::kF16 &&
          i.type != Type::kBF16 && i.type != Type::kF16x2 && i.type != Type::kBF16x2);
  require(i.sources.size() == 1);
  if (kernel::is_float(i.source_type)) return convert_float(d, to);

  const int stored = i.sources[0].is_register() ? registers_.bits_of(i.sources[0].index)
                                                : std::max(16, bits_of(i.source_type));
  const int from = bits_of(i.source_type);
  require(stored >= from && (stored == from || from == 8));
  const Value value = resized("trunc", source(d, 0, stored), from);
  const bool is_signed = kernel::is_signed(i.source_type);
  if (kernel::is_float(i.type)) {
    require(i.rounding == Rounding::kNearestEven);
    return from_float(
        text_.op("{} {} {} to {}", is_signed ? "sitofp" : "uitofp", IrText::type_of(value),
                 value.text, IrText::floating(to, value.uniform)),
        to, value.uniform);
  }
  if (to <= from) return resized("trunc", value, to);
  return resized(is_signed ? "sext" : "zext", value, to);
}

Value Operations::convert_float(const DecodedInstruction& d, int to) {
  const kernel::Instruction& i = *d.ir;
  const int from = bits_of(i.source_type);
  const Value value = source(d, 0, from);
  if (!kernel::is_float(i.type)) {
    require(i.rounding == Rounding::kZeroInt);
    return float_to_integer(value, from, i.type);
  }
  if (from == to) {
    switch (i.rounding) {
      case Rounding::kNearestInt: return intrinsic("rint", value);
      case Rounding::kZeroInt: return intrinsic("trunc", value);
      case Rounding::kDownInt: return intrinsic("floor", value);
      case Rounding::kUpInt: return intrinsic("ceil", value);
      default: throw NotTranslated{};
    }
  }
  require(i.rounding == Rounding::kNone || i.rounding == Rounding::kNearestEven);
  const std::string in = as_float(value);
  return from_float(
      text_.op("{} {} {} to {}", from < to ? "fpext" : "fptrunc",
               IrText::floating(from, value.uniform), in, IrText::floating(to, value.uniform)),
      to, value.uniform);
}

// Towards zero, saturating; NaN gives 0, or the lone top bit if either side has 64 bits.
Value Operations::float_to_integer(const Value& value, int from, Type to) {
  const int bits = bits_of(to);
  require(bits >= 32);
  const std::string in = as_float(value);
  const std::string type = IrText::floating(from, value.uniform);
  const std::string result = IrText::integer(bits, value.uniform);
  const char shape = kernel::is_signed(to) ? 's' : 'u';
  const std::string suffix =
      value.uniform ? fmt::format("i{}.f{}", bits, from) : fmt::format("v32i{}.v32f{}", bits, from);
  Value cut{text_.call(result, fmt::format("fpto{}i.sat.{}", shape, suffix), type, type + " " + in),
            bits, value.uniform};
  if (from != 64 && bits != 64) return cut;
  const Value is_nan{text_.op("fcmp uno {} {}, {}", type, in, in), 1, value.uniform};
  const auto top = static_cast<std::int64_t>(std::uint64_t{1} << (bits - 1));
  const std::int64_t lone = bits == 32 ? static_cast<std::int32_t>(top) : top;
  return chosen(is_nan, literal(lone, cut), cut);
}

// --- integers

Value Operations::integer_arithmetic(const DecodedInstruction& d) {
  const kernel::Instruction& i = *d.ir;
  require_whole_integer(i.type);
  require(!i.saturate && !i.carry_in && !i.carry_out);
  const int bits = bits_of(i.type);
  const bool is_signed = kernel::is_signed(i.type);
  const Value a = source(d, 0, bits);
  switch (i.opcode) {
    case Opcode::kAdd: return integer("add", a, source(d, 1, bits));
    case Opcode::kSub: return integer("sub", a, source(d, 1, bits));
    case Opcode::kNeg: return integer("sub", literal(0, a), a);
    case Opcode::kAbs:
      return chosen(test("icmp slt", a, literal(0, a)), integer("sub", literal(0, a), a), a);
    default: break;
  }
  const Value b = source(d, 1, bits);
  const Value less = test(is_signed ? "icmp slt" : "icmp ult", a, b);
  return i.opcode == Opcode::kMin ? chosen(less, a, b) : chosen(less, b, a);
}

Value Operations::multiply(const DecodedInstruction& d) {
  const kernel::Instruction& i = *d.ir;
  require_whole_integer(i.type);
  require(!i.saturate && !i.carry_in && !i.carry_out);
  const int bits = bits_of(i.type);
  const bool mad = i.opcode == Opcode::kMad;
  Value a = source(d, 0, bits);
  Value b = source(d, 1, bits);
  Value product;
  if (i.part == MultiplyPart::kLow || i.part == MultiplyPart::kNone) {
    product = integer("mul", a, b);
  } else {
    require(bits <= 32);
    const char* extend = kernel::is_signed(i.type) ? "sext" : "zext";
    product = integer("mul", resized(extend, a, 2 * bits), resized(extend, b, 2 * bits));
    if (i.part == MultiplyPart::kHigh)
      product = resized("trunc", integer("lshr", product, literal(bits, product)), bits);
  }
  return mad ? integer("add", product, source(d, 2, product.bits)) : product;
}

// 32 bits through double, whose quotient of two such integers lies on the right side of every
// integer.
Value Operations::divide(const DecodedInstruction& d) {
  const kernel::Instruction& i = *d.ir;
  require_whole_integer(i.type);
  const int bits = bits_of(i.type);
  require(bits == 32);
  const bool is_signed = kernel::is_signed(i.type);
  const bool remainder = i.opcode == Opcode::kRem;
  const Value a = source(d, 0, bits);
  const Value b = source(d, 1, bits);
  const bool uniform = a.uniform && b.uniform;
  const Value zero = literal(0, b);
  const Value by_zero = test("icmp eq", b, zero);
  const Value safe = chosen(by_zero, literal(1, b), b);
  const std::string wide = IrText::floating(64, uniform);
  const auto to_double = [&](const Value& value) {
    const Value shaped = text_.as_uniform(value, uniform);
    return text_.op("{} {} {} to {}", is_signed ? "sitofp" : "uitofp", IrText::type_of(shaped),
                    shaped.text, wide);
  };
  const std::string x = to_double(a);
  const std::string y = to_double(safe);
  const std::string quotient = text_.op("fdiv {} {}, {}", wide, x, y);
  // The least signed number by -1 is one beyond the largest: 64 bits hold it.
  const Value whole{text_.op("fptosi {} {} to {}", wide, quotient, IrText::integer(64, uniform)),
                    64, uniform};
  const Value cut = resized("trunc", whole, 32);
  if (!remainder) return chosen(by_zero, literal(-1, cut), cut);
  const Value rest = integer("sub", a, integer("mul", cut, safe));
  return chosen(by_zero, a, rest);
}

Value Operations::logic(const DecodedInstruction& d) {
  const kernel::Instruction& i = *d.ir;
  const int bits = i.type == Type::kPred ? 1 : bits_of(i.type);
  require(bits == 1 || bits >= 16);
  const Value a = source(d, 0, bits);
  if (i.opcode == Opcode::kNot)
    return integer("xor", a, bits == 1 ? IrText::constant(1, 1) : literal(-1, a));
  const char* operation = i.opcode == Opcode::kAnd ? "and" : i.opcode == Opcode::kOr ? "or" : "xor";
  return integer(operation, a, source(d, 1, bits));
}

Value Operations::lop3(const DecodedInstruction& d) {
  require(d.ir->sources[3].kind == Operand::Kind::kImmediate);
  const std::array<Value, 3> in{source(d, 0, 32), source(d, 1, 32), source(d, 2, 32)};
  Value result = IrText::constant(0, 32);
  for (unsigned row = 0; row < 8; ++row) {
    if ((d.ir->sources[3].bits >> row & 1) == 0) continue;
    Value term = IrText::constant(~std::uint64_t{0}, 32);
    for (unsigned n = 0; n < 3; ++n) {
      const bool straight = (row >> (2 - n) & 1) != 0;
      const Value& a = in[n];
      term = integer("and", term, straight ? a : integer("xor", a, literal(-1, a)));
    }
    result = integer("or", result, term);
  }
  return result;
}

// Amounts beyond the width give 0, or copies of the sign.
Value Operations::shift(const DecodedInstruction& d) {
  const kernel::Instruction& i = *d.ir;
  require_whole_integer(i.type);
  const int bits = bits_of(i.type);
  const Value a = source(d, 0, bits);
  const Value amount = source(d, 1, 32);
  const bool arithmetic = i.opcode == Opcode::kShr && kernel::is_signed(i.type);
  const Value last = literal(bits - 1, amount);
  const Value beyond = test("icmp ugt", amount, last);
  const Value safe = chosen(beyond, last, amount);
  const Value fitted = resized(bits < 32 ? "trunc" : "zext", safe, bits);
  if (arithmetic) return integer("ashr", a, fitted);
  const Value shifted = integer(i.opcode == Opcode::kShl ? "shl" : "lshr", a, fitted);
  return chosen(beyond, literal(0, shifted), shifted);
}

Value Operations::count(const DecodedInstruction& d) {
  const kernel::Instruction& i = *d.ir;
  const int bits = bits_of(i.type);
  require(bits == 32 || bits == 64);
  const Value a = source(d, 0, bits);
  const std::string type = IrText::type_of(a);
  const std::string suffix = fmt::format("{}i{}", a.uniform ? "" : "v32", bits);
  const char* name = i.opcode == Opcode::kPopc  ? "ctpop"
                     : i.opcode == Opcode::kClz ? "ctlz"
                                                : "bitreverse";
  const bool zeros = i.opcode == Opcode::kClz;
  const Value result{
      text_.call(type, fmt::format("{}.{}", name, suffix), type + (zeros ? ", i1" : ""),
                 fmt::format("{} {}{}", type, a.text, zeros ? ", i1 false" : "")),
      bits, a.uniform};
  return i.opcode == Opcode::kBrev ? result : resized("trunc", result, 32);
}

// --- floating point

Value Operations::float_arithmetic(const DecodedInstruction& d) {
  const kernel::Instruction& i = *d.ir;
  require(is_plain_float(i.type) && !i.flush_to_zero && !i.saturate && !i.relu &&
          !kernel::exec::rounds_directed(i));
  const int bits = bits_of(i.type);
  const Value a = source(d, 0, bits);
  const auto sign = static_cast<std::int64_t>(std::uint64_t{1} << (bits - 1));
  const std::int64_t top = bits == 32 ? static_cast<std::int32_t>(sign) : sign;
  switch (i.opcode) {
    case Opcode::kAdd: return floating("fadd", a, source(d, 1, bits));
    case Opcode::kSub: return floating("fsub", a, source(d, 1, bits));
    case Opcode::kMul: return floating("fmul", a, source(d, 1, bits));
    case Opcode::kDiv: return floating("fdiv", a, source(d, 1, bits));
    case Opcode::kAbs: return integer("and", a, literal(~top, a));
    case Opcode::kNeg: return integer("xor", a, literal(top, a));
    case Opcode::kMin: return float_minimum(d, false);
    case Opcode::kMax: return float_minimum(d, true);
    default: break;
  }
  const Value b = source(d, 1, bits);
  const Value c = source(d, 2, bits);
  const bool uniform = a.uniform && b.uniform && c.uniform;
  const std::string x = as_float(text_.as_uniform(a, uniform));
  const std::string y = as_float(text_.as_uniform(b, uniform));
  const std::string z = as_float(text_.as_uniform(c, uniform));
  const std::string type = IrText::floating(bits, uniform);
  return from_float(text_.call(type, fmt::format("fma.{}f{}", uniform ? "" : "v32", bits),
                               fmt::format("{0}, {0}, {0}", type),
                               fmt::format("{0} {1}, {0} {2}, {0} {3}", type, x, y, z)),
                    bits, uniform);
}

// -0 is less than +0, and a NaN loses against a number unless .NaN is given.
Value Operations::float_minimum(const DecodedInstruction& d, bool maximum) {
  const int bits = bits_of(d.ir->type);
  Value a = source(d, 0, bits);
  Value b = source(d, 1, bits);
  const bool uniform = a.uniform && b.uniform;
  a = text_.as_uniform(a, uniform);
  b = text_.as_uniform(b, uniform);
  const std::string type = IrText::floating(bits, uniform);
  const std::string x = as_float(a);
  const std::string y = as_float(b);
  const auto holds = [&](const char* comparison, const std::string& left,
                         const std::string& right) {
    return Value{text_.op("fcmp {} {} {}, {}", comparison, type, left, right), 1, uniform};
  };
  const Value beyond = holds(maximum ? "ogt" : "olt", x, y);
  const Value signed_side = test(maximum ? "icmp sge" : "icmp slt", a, literal(0, a));
  const Value tie = integer("and", holds("oeq", x, y), signed_side);
  const Value picked = chosen(integer("or", beyond, tie), a, b);
  const Value b_is_nan = holds("uno", y, y);
  if (!d.ir->propagate_nan) return chosen(b_is_nan, a, picked);
  return chosen(holds("uno", x, x), a, chosen(b_is_nan, b, picked));
}

Value Operations::reciprocal(const DecodedInstruction& d) {
  const kernel::Instruction& i = *d.ir;
  require(is_plain_float(i.type) && !i.flush_to_zero && !i.saturate &&
          !kernel::exec::rounds_directed(i));
  const int bits = bits_of(i.type);
  const Value a = source(d, 0, bits);
  if (i.opcode == Opcode::kSqrt) return intrinsic("sqrt", a);
  const auto one_by = [&](const Value& value) {
    const std::int64_t one = value.bits == 64 ? 0x3ff0000000000000 : 0x3f800000;
    return floating("fdiv", literal(one, value), value);
  };
  if (i.opcode == Opcode::kRcp) return one_by(a);
  if (bits == 64) return one_by(intrinsic("sqrt", a));
  // In double precision, rounded once more at the end.
  const std::string in = as_float(a);
  const Value wide = from_float(text_.op("fpext {} {} to {}", IrText::floating(32, a.uniform), in,
                                         IrText::floating(64, a.uniform)),
                                64, a.uniform);
  const std::string result = as_float(one_by(intrinsic("sqrt", wide)));
  return from_float(text_.op("fptrunc {} {} to {}", IrText::floating(64, a.uniform), result,
                             IrText::floating(32, a.uniform)),
                    32, a.uniform);
}

// --- comparisons

Value Operations::compare(const DecodedInstruction& d) {
  const kernel::Instruction& i = *d.ir;
  const bool floats = kernel::is_float(i.type);
  require(!floats || (is_plain_float(i.type) && !i.flush_to_zero));
  if (!floats) require_whole_integer(i.type);
  const int bits = bits_of(i.type);
  const Value a = source(d, 0, bits);
  const Value b = source(d, 1, bits);
  const bool is_signed = kernel::is_signed(i.type);
  const auto pick = [&](const char* floating_form, const char* signed_form,
                        const char* unsigned_form) {
    const char* word = floats ? floating_form : is_signed ? signed_form : unsigned_form;
    require(word != nullptr);
    if (!floats) return test(fmt::format("icmp {}", word).c_str(), a, b);
    const bool uniform = a.uniform && b.uniform;
    const std::string x = as_float(text_.as_uniform(a, uniform));
    const std::string y = as_float(text_.as_uniform(b, uniform));
    return Value{text_.op("fcmp {} {} {}, {}", word, IrText::floating(bits, uniform), x, y), 1,
                 uniform};
  };
  switch (i.compare) {
    case Compare::kEq: return pick("oeq", "eq", "eq");
    case Compare::kNe: return pick("one", "ne", "ne");
    case Compare::kLt:
    case Compare::kLo: return pick("olt", "slt", "ult");
    case Compare::kLe:
    case Compare::kLs: return pick("ole", "sle", "ule");
    case Compare::kGt:
    case Compare::kHi: return pick("ogt", "sgt", "ugt");
    case Compare::kGe:
    case Compare::kHs: return pick("oge", "sge", "uge");
    case Compare::kEqu: return pick("ueq", nullptr, nullptr);
    case Compare::kNeu: return pick("une", nullptr, nullptr);
    case Compare::kLtu: return pick("ult", nullptr, nullptr);
    case Compare::kLeu: return pick("ule", nullptr, nullptr);
    case Compare::kGtu: return pick("ugt", nullptr, nullptr);
    case Compare::kGeu: return pick("uge", nullptr, nullptr);
    case Compare::kNum: return pick("ord", nullptr, nullptr);
    case Compare::kNan: return pick("uno", nullptr, nullptr);
    default: throw NotTranslated{};
  }
}

void Operations::set_predicate(const DecodedInstruction& d) {
  const kernel::Instruction& i = *d.ir;
  require(!d.guarded || i.destinations.size() == 1);  // the first may be the guard
  Value result = compare(d);
  Value inverse = integer("xor", result, IrText::constant(1, 1));
  if (i.combine != Combine::kNone) {
    const Value other = source(d, 2, 1);
    const char* operation = i.combine == Combine::kAnd  ? "and"
                            : i.combine == Combine::kOr ? "or"
                                                        : "xor";
    result = integer(operation, result, other);
    inverse = integer(operation, inverse, other);
  }
  finish(d, 0, result);
  if (i.destinations.size() > 1) finish(d, 1, inverse);
}

}  // namespace raddle::machine::native

#include "expressions.h"

#include <fmt/format.h>

namespace raddle::random_kernels {

const char* name_of(ValueType type) {
  constexpr std::array<const char*, 10> kNames{"i8",  "u8",  "i16", "u16", "i32",
                                               "u32", "i64", "u64", "f32", "f64"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string ExpressionWriter::literal(ValueType type) {
  constexpr std::array<const char*, 9> kReals{"0.0",   "1.0",  "-1.0",  "0.5", "3.25",
                                              "-2.75", "1e10", "1e-12", "0.1"};
  constexpr std::array<const char*, 10> kIntegers{"0",  "1",   "2",    "-1",         "7",
                                                  "31", "127", "-128", "0x7fffffff", "0x5a5a5a5a"};
  if (is_float(type)) return fmt::format("(({}){})", name_of(type), random_.pick(kReals));
  if (random_.chance(60)) return fmt::format("(({}){})", name_of(type), random_.pick(kIntegers));
  return fmt::format("(({}){}ull)", name_of(type), random_.bits() >> random_.below(60));
}

// Something read from memory, if there is memory of this type that the phase may read.
std::string ExpressionWriter::memory(ValueType type) {
  const std::string at = index(1);
  switch (type) {
    case ValueType::kI8: return fmt::format("((const i8*)c.b.in)[{} & 1023]", at);
    case ValueType::kU8:
      if (random_.chance(50)) return fmt::format("c.b.own8[c.global * kOwn + ({} & 3)]", at);
      return fmt::format("((const u8*)c.b.in)[{} & 1023]", at);
    case ValueType::kI16: return fmt::format("((const i16*)c.b.in)[{} & 511]", at);
    case ValueType::kU16:
      if (random_.chance(50)) return fmt::format("c.b.own16[c.global * kOwn + ({} & 3)]", at);
      return fmt::format("((const u16*)c.b.in)[{} & 511]", at);
    case ValueType::kU32:
      switch (random_.below(8)) {
        case 0: return fmt::format("c.b.own32[c.global * kOwn + ({} & 3)]", at);
        case 1: return fmt::format("s.local[{} & 7]", at);
        case 2: return fmt::format("mixed(((const uint4*)c.b.in)[{} & 63])", at);
        case 3: return fmt::format("mixed(((const uint2*)c.b.in)[{} & 127])", at);
        case 4: return fmt::format("table({})", at);
        case 5:
          return shared.words_any ? fmt::format("c.shared->words[{} % {}u]", at, threads)
                                  : "c.shared->words[c.thread]";
        case 6:
          if (shared.counters_read) return fmt::format("c.shared->counters[{} & 15]", at);
          // A generic pointer, which may point to either space in each lane.
          if (shared.words_any)
            return fmt::format("({} ? (const u32*)c.shared->words : c.b.in)[{} % {}u]",
                               condition(0), at, threads);
          return fmt::format("c.b.in[{} & 255]", at);
        default: return fmt::format("c.b.in[{} & 255]", at);
      }
    case ValueType::kI32: return fmt::format("((const i32*)c.b.in)[{} & 255]", at);
    case ValueType::kU64:
      if (random_.chance(30)) return fmt::format("c.b.own64[c.global * kOwn + ({} & 3)]", at);
      if (random_.chance(30))
        return shared.longs_any ? fmt::format("c.shared->longs[{} % {}u]", at, threads)
                                : "c.shared->longs[c.thread]";
      return fmt::format("((const u64*)c.b.in)[{} & 127]", at);
    case ValueType::kI64: return fmt::format("((const i64*)c.b.in)[{} & 127]", at);
    case ValueType::kF32:
      switch (random_.below(4)) {
        case 0:
          return shared.floats_any ? fmt::format("c.shared->floats[{} % {}u]", at, threads)
                                   : "c.shared->floats[c.thread]";
        case 1: return fmt::format("mixed(((const float4*)c.b.in_floats)[{} & 63])", at);
        case 2: return fmt::format("mixed(((const float2*)c.b.in_floats)[{} & 127])", at);
        default: return fmt::format("c.b.in_floats[{} & 255]", at);
      }
    case ValueType::kF64: return fmt::format("((f64)c.b.in_floats[{} & 255] * 1.1)", at);
  }
  return {};
}

std::string ExpressionWriter::leaf(ValueType type) {
  std::vector<const ScopedName*> fitting;
  for (const ScopedName& name : names) {
    if (name.type == type) fitting.push_back(&name);
  }
  if (!fitting.empty() && random_.chance(75))
    return fitting[static_cast<std::size_t>(random_.below(static_cast<int>(fitting.size())))]->text;
  if (in_phase && type == ValueType::kU32 && random_.chance(40)) {
    constexpr std::array<const char*, 6> kContext{"c.thread", "c.block", "c.global",
                                                  "c.scalar", "c.x",     "c.y"};
    return random_.pick(kContext);
  }
  if (fitting.empty() && !names.empty() && random_.chance(60)) return converted(type, 0);
  return literal(type);
}

std::string ExpressionWriter::converted(ValueType type, int depth) {
  std::string text;
  ValueType from = random_.pick(kValueTypes);
  if (depth <= 0 && !names.empty()) {
    const ScopedName& name =
        names[static_cast<std::size_t>(random_.below(static_cast<int>(names.size())))];
    text = name.text;
    from = name.type;
  } else {
    text = value(from, depth - 1);
  }
  if (is_float(from) && !is_float(type))
    return fmt::format("to_integer<{}>({})", name_of(type), text);
  return fmt::format("(({}){})", name_of(type), text);
}

std::string ExpressionWriter::word(int depth) {
  const std::string a = value(ValueType::kU32, depth - 1);
  switch (random_.below(9)) {
    case 0: return fmt::format("count_bits({})", a);
    case 1: return fmt::format("leading_zeros({})", a);
    case 2: return fmt::format("reversed({})", a);
    case 3: return fmt::format("high_product({}, {})", a, value(ValueType::kU32, depth - 1));
    case 4:
      return fmt::format("permuted({}, {}, {})", a, value(ValueType::kU32, depth - 1),
                         value(ValueType::kU32, 0));
    case 5:
      return fmt::format("funnel({}, {}, {})", a, value(ValueType::kU32, depth - 1),
                         value(ValueType::kU32, 0));
    case 6:
      return fmt::format("difference({}, {}, {})", a, value(ValueType::kU32, depth - 1),
                         value(ValueType::kU32, 0));
    case 7: return fmt::format("bits_of({})", value(ValueType::kF32, depth - 1));
    default:
      if (helpers.empty()) return a;
      return fmt::format(
          "{}({}, {}, {})",
          helpers[static_cast<std::size_t>(random_.below(static_cast<int>(helpers.size())))].text,
          a, value(ValueType::kU32, depth - 1), value(ValueType::kF32, depth - 1));
  }
}

std::string ExpressionWriter::integer(ValueType type, int depth) {
  if (type == ValueType::kU32 && random_.chance(25)) return word(depth);
  const std::string t = name_of(type);
  const std::string a = value(type, depth - 1);
  const std::string b = value(type, depth - 1);
  constexpr std::array<const char*, 9> kFunctions{"add",      "sub",          "mul",   "add", "mul",
                                                  "quotient", "remainder_of", "least", "most"};
  switch (random_.below(8)) {
    case 0: return fmt::format("(({})({} & {}))", t, a, b);
    case 1: return fmt::format("(({})({} | {}))", t, a, b);
    case 2: return fmt::format("(({})({} ^ {}))", t, a, b);
    case 3:
      return fmt::format("{}<{}>({}, {})", random_.chance(50) ? "shl" : "shr", t, a,
                         index(depth - 1));
    case 4: return fmt::format("({} ? {} : {})", condition(depth - 1), a, b);
    case 5: return fmt::format("(({})~{})", t, a);
    default: return fmt::format("{}<{}>({}, {})", random_.pick(kFunctions), t, a, b);
  }
}

std::string ExpressionWriter::real(ValueType type, int depth) {
  const std::string a = value(type, depth - 1);
  constexpr std::array<const char*, 5> kUnary{"down", "up", "cut", "even", "size"};
  switch (random_.below(12)) {
    case 0: return fmt::format("root(size({}))", a);
    case 1: return fmt::format("{}({})", random_.pick(kUnary), a);
    case 2: return fmt::format("signed_like({}, {})", a, value(type, depth - 1));
    case 3: return fmt::format("({} / {})", a, value(type, depth - 1));
    case 4: return fmt::format("({} ? {} : {})", condition(depth - 1), a, value(type, depth - 1));
    case 5: return fmt::format("(-{})", a);
    case 6:
      if (type == ValueType::kF32 && random_.chance(30))
        return fmt::format("float_of({})", value(ValueType::kU32, depth - 1));
      return fmt::format("(({} * {}) + {})", a, value(type, depth - 1), value(type, depth - 1));
    case 7:
    case 8:
      if (fused_)
        return fmt::format("fused({}, {}, {})", a, value(type, depth - 1), value(type, depth - 1));
      return fmt::format("(({} * {}) - {})", a, value(type, depth - 1), value(type, depth - 1));
    default: {
      constexpr std::array<const char*, 3> kOperators{"+", "-", "*"};
      return fmt::format("({} {} {})", a, random_.pick(kOperators), value(type, depth - 1));
    }
  }
}

std::string ExpressionWriter::value(ValueType type, int depth) {
  if (depth <= 0) return leaf(type);
  if (in_phase && random_.chance(20)) return memory(type);
  if (random_.chance(20)) return converted(type, depth);
  if (random_.chance(15)) return leaf(type);
  return is_float(type) ? real(type, depth) : integer(type, depth);
}

std::string ExpressionWriter::condition(int depth) {
  constexpr std::array<const char*, 6> kComparisons{"<", "<=", ">", ">=", "==", "!="};
  if (depth > 0 && random_.chance(25)) {
    return fmt::format("({} {} {})", condition(depth - 1), random_.chance(50) ? "&&" : "||",
                       condition(depth - 1));
  }
  if (random_.chance(25))
    return fmt::format("(({} & {}u) != 0)", value(ValueType::kU32, depth), 1 << random_.below(6));
  const ValueType type = random_.pick(kValueTypes);
  return fmt::format("({} {} {})", value(type, depth), random_.pick(kComparisons),
                     value(type, depth));
}

}  // namespace raddle::random_kernels

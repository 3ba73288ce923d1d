// Text of LLVM IR in the making: instructions with fresh names, labels, and the types that lanes
// have. A value is either one a lane (a vector of 32) or one for all lanes (a scalar); where both
// meet, the scalar is spread.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace raddle::machine::native {

// `bits` is 1 for predicates, else 8 to 64. Registers hold integers; floats are bit patterns.
struct Value {
  std::string text;
  int bits = 0;
  bool uniform = false;  // one for all lanes

  bool known() const { return !text.empty(); }
};

class IrText {
 public:
  std::string fresh() { return fmt::format("%v{}", next_++); }
  std::string fresh_label(std::string_view hint) { return fmt::format("{}{}", hint, next_++); }

  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    text_ += "  ";
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
  }
  // An instruction that has a result; returns the result's name.
  template <class... Arguments>
  std::string op(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    std::string name = fresh();
    text_ += "  " + name + " = ";
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
    return name;
  }
  void label(std::string_view name) {
    text_ += name;
    text_ += ":\n";
    block_ = name;
  }
  // A call of an LLVM intrinsic; it is declared as well. `arguments` has the types.
  std::string call(const std::string& result, const std::string& name, const std::string& types,
                   const std::string& arguments) {
    declarations_.insert(fmt::format("declare {} @llvm.{}({})\n", result, name, types));
    const std::string text = fmt::format("call {} @llvm.{}({})", result, name, arguments);
    if (result != "void") return op("{}", text);
    line("{}", text);
    return {};
  }
  const std::set<std::string>& declarations() const { return declarations_; }
  // The block that is being written, for phis.
  const std::string& block() const { return block_; }
  const std::string& text() const { return text_; }

  static std::string integer(int bits, bool uniform) {
    return uniform ? fmt::format("i{}", bits) : fmt::format("<32 x i{}>", bits);
  }
  static std::string floating(int bits, bool uniform) {
    const char* scalar = bits == 64 ? "double" : "float";
    return uniform ? std::string(scalar) : fmt::format("<32 x {}>", scalar);
  }
  static std::string type_of(const Value& value) { return integer(value.bits, value.uniform); }

  // A constant for all lanes.
  static Value constant(std::uint64_t bits_of_value, int bits) {
    const int shift = 64 - bits;
    const auto value = static_cast<std::int64_t>(bits_of_value << shift) >> shift;
    if (bits == 1) return {(bits_of_value & 1) != 0 ? "true" : "false", 1, true};
    return {fmt::format("{}", value), bits, true};
  }
  // The same constant as an operand of a scalar or of a vector.
  static std::string literal(std::int64_t value, int bits, bool uniform) {
    return uniform ? fmt::format("{}", value) : fmt::format("splat (i{} {})", bits, value);
  }

  // One value a lane.
  Value spread(const Value& value) {
    if (!value.uniform) return value;
    const std::string type = integer(value.bits, false);
    const std::string first =
        op("insertelement {} poison, i{} {}, i32 0", type, value.bits, value.text);
    return {op("shufflevector {} {}, {} poison, <32 x i32> zeroinitializer", type, first, type),
            value.bits, false};
  }
  Value as_uniform(const Value& value, bool uniform) { return uniform ? value : spread(value); }

 private:
  std::string text_;
  std::string block_;
  std::set<std::string> declarations_;
  int next_ = 0;
};

}  // namespace raddle::machine::native

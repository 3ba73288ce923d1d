#include "lang/ctm/operands.h"

#include <fmt/format.h>

#include <bit>
#include <string>
#include <string_view>

#include "machine/overlay/isa.h"

namespace raddle::ctm {

using overlay::Presubtract;
using overlay::SourceAddress;
using overlay::SourceModifier;
using overlay::Swizzle;

std::optional<std::uint8_t> channel_of(char letter) {
  static constexpr std::string_view kColours = "rgba";
  static constexpr std::string_view kAxes = "xyzw";
  std::size_t place = kColours.find(letter);
  if (place == std::string_view::npos) place = kAxes.find(letter);
  if (place == std::string_view::npos) return std::nullopt;
  return static_cast<std::uint8_t>(place);
}

namespace {

std::optional<Swizzle> swizzle_of(char letter) {
  if (const auto channel = channel_of(letter)) return static_cast<Swizzle>(*channel);
  switch (letter) {
    case '0': return Swizzle::kZero;
    case 'h': return Swizzle::kHalf;
    case '1': return Swizzle::kOne;
    case '_': return Swizzle::kUnused;
    default: return std::nullopt;
  }
}

std::array<Swizzle, 3> default_swizzle(Half half) {
  if (half == Half::kScalar) return {Swizzle::kAlpha, Swizzle::kAlpha, Swizzle::kAlpha};
  return {Swizzle::kRed, Swizzle::kGreen, Swizzle::kBlue};
}

// After a point: one letter for all channels, or for the vector half one for each of three.
std::array<Swizzle, 3> read_swizzle(LineCursor& cursor, Half half) {
  if (!cursor.accept_here('.')) return default_swizzle(half);
  const std::size_t start = cursor.position();
  const std::string_view letters = cursor.word_here();
  std::array<Swizzle, 3> swizzle{};
  const bool is_length_right =
      letters.size() == 1 || (half == Half::kVector && letters.size() == 3);
  if (!is_length_right) {
    cursor.fail(start,
                half == Half::kVector ? "a vector operand has one channel or three"
                                      : "a scalar operand has one channel",
                half == Half::kVector
                    ? "the scalar half on the next line, in lower case, takes the "
                      "fourth channel"
                    : "");
  }
  for (std::size_t i = 0; i < swizzle.size(); ++i) {
    const char letter = letters[letters.size() == 1 ? 0 : i];
    const auto code = swizzle_of(letter);
    if (!code) {
      cursor.fail(start, fmt::format("unknown channel '{}'", letter),
                  "channels are r g b a (or x y z w), and the constants 0, h (one half) and 1");
    }
    swizzle[i] = *code;
  }
  return swizzle;
}

// The offset of "[aL+N]" or "[aL]", after the letter.
unsigned read_relative(LineCursor& cursor, std::string_view what, unsigned count) {
  cursor.expect('[', "");
  if (!cursor.accept_word("aL"))
    cursor.fail_here("expected aL", "addresses are relative to aL only");
  unsigned offset = 0;
  if (cursor.accept('+')) offset = cursor.number(what, count - 1);
  cursor.expect(']', "after the offset");
  return offset;
}

std::uint8_t number_behind_letter(LineCursor& cursor, std::size_t start, std::string_view what,
                                  unsigned count) {
  const std::string_view digits = cursor.word_here();
  unsigned number = 0;
  bool is_good = !digits.empty() && digits.size() <= 4;
  for (const char c : digits) {
    is_good = is_good && c >= '0' && c <= '9';
    number = number * 10 + static_cast<unsigned>(c - '0');
  }
  if (!is_good) cursor.fail(start, fmt::format("expected {}", what));
  if (number >= count) {
    cursor.fail(start, fmt::format("only {} {} exist, 0 to {}", count, what, count - 1));
  }
  return static_cast<std::uint8_t>(number);
}

// rN, cN, r[aL+N], c[aL+N].
SourceAddress read_register(LineCursor& cursor) {
  cursor.peek();
  const std::size_t start = cursor.position();
  const bool is_constant = cursor.peek_here() == 'c';
  if (!is_constant && cursor.peek_here() != 'r') {
    cursor.fail_here("expected a register",
                     "sources are r0 to r127, c0 to c255, numbers, or (1-r0) and its like");
  }
  cursor.accept_here(is_constant ? 'c' : 'r');
  const unsigned count = is_constant ? overlay::kConstants : overlay::kTemporaries;
  const std::string_view what = is_constant ? "constants" : "temporaries";
  const bool relative = cursor.peek_here() == '[';
  const auto number =
      static_cast<std::uint8_t>(relative ? read_relative(cursor, what, count)
                                         : number_behind_letter(cursor, start, what, count));
  return is_constant ? SourceAddress::constant(number, relative)
                     : SourceAddress::temporary(number, relative);
}

SourceAddress read_inline(LineCursor& cursor, std::size_t start, float value) {
  const auto address = overlay::inline_address(value);
  if (!address) {
    cursor.fail(start, fmt::format("{} is not an inline float", value),
                "inline floats are (8 to 15) * 2^e/8 with e from -6 to 8, and multiples of 2^-9 "
                "below; put others into a constant with .const");
  }
  return SourceAddress::inline_float(*address & 0x7F);
}

// After '(': 1-2*s0, 1-s0, s1-s0 or s1+s0.
void read_presubtract(LineCursor& cursor, SourceOperand& operand) {
  operand.is_presubtract = true;
  if (cursor.accept('1')) {
    cursor.expect('-', "after the 1 of a presubtraction");
    const bool is_twice = cursor.accept('2');
    if (is_twice) cursor.expect('*', "after the 2 of a presubtraction");
    operand.presubtract =
        is_twice ? Presubtract::kOneMinusTwiceSource0 : Presubtract::kOneMinusSource0;
    operand.presubtract0 = read_register(cursor);
  } else {
    operand.presubtract1 = read_register(cursor);
    const bool is_sum = cursor.accept('+');
    if (!is_sum) cursor.expect('-', "or '+' in a presubtraction");
    operand.presubtract =
        is_sum ? Presubtract::kSource1PlusSource0 : Presubtract::kSource1MinusSource0;
    operand.presubtract0 = read_register(cursor);
  }
  cursor.expect(')', "after the presubtraction");
}

// A number: of the swizzle for 0, 0.5 and 1, else inline.
void read_number(LineCursor& cursor, SourceOperand& operand, Half half) {
  const std::size_t start = cursor.position();
  const float value = cursor.real("a number");
  const auto fill = [&](Swizzle constant) { operand.swizzle = {constant, constant, constant}; };
  if (value == 0) return fill(Swizzle::kZero);
  if (value == 0.5F) return fill(Swizzle::kHalf);
  if (value == 1) return fill(Swizzle::kOne);
  operand.address = read_inline(cursor, start, value);
  operand.swizzle = default_swizzle(half);
}

void read_core(LineCursor& cursor, SourceOperand& operand, Half half) {
  if (cursor.at_number()) return read_number(cursor, operand, half);
  const std::size_t start = cursor.position();
  if (cursor.accept('(')) {
    read_presubtract(cursor, operand);
  } else if (cursor.accept('#')) {
    operand.address = read_inline(cursor, start, cursor.real("a number"));
  } else {
    operand.address = read_register(cursor);
  }
  if (!operand.is_presubtract && cursor.accept_here('@')) {
    const char digit = cursor.peek_here();
    if (digit < '0' || digit > '2') cursor.fail_here("expected a source, 0 to 2");
    cursor.accept_here(digit);
    operand.slot = static_cast<unsigned>(digit - '0');
  }
  operand.swizzle = read_swizzle(cursor, half);
}

}  // namespace

SourceOperand read_source(LineCursor& cursor, Half half) {
  SourceOperand operand;
  cursor.peek();
  operand.start = cursor.position();
  const bool is_negative = cursor.accept('-');
  const bool is_absolute = cursor.accept('|');
  read_core(cursor, operand, half);
  if (is_absolute) cursor.expect('|', "after the operand");
  operand.modifier = static_cast<SourceModifier>((is_negative ? 1 : 0) + (is_absolute ? 2 : 0));
  operand.stop = cursor.position();
  return operand;
}

overlay::ChannelMask read_mask(LineCursor& cursor, overlay::ChannelMask all) {
  if (!cursor.accept_here('.')) return all;
  const std::size_t start = cursor.position();
  const std::string_view letters = cursor.word_here();
  overlay::ChannelMask mask = 0;
  for (const char letter : letters) {
    const auto channel = channel_of(letter);
    const auto bit = static_cast<overlay::ChannelMask>(channel ? 1U << *channel : 0U);
    if ((bit & all) == 0) {
      cursor.fail(start, fmt::format("'{}' cannot be written here", letter),
                  all == overlay::kRgbMask
                      ? "the vector half writes r, g and b; the scalar half, in "
                        "lower case on the next line, writes a"
                      : "");
    }
    if ((mask & bit) != 0) cursor.fail(start, fmt::format("'{}' appears twice in a mask", letter));
    if (std::bit_width(bit) < std::bit_width(mask)) {
      cursor.fail(start, "channels of a mask are written in order");
    }
    mask |= bit;
  }
  if (mask == 0) cursor.fail(start, "expected the channels of a mask");
  return mask;
}

RegisterReference read_temporary(LineCursor& cursor, std::string_view what) {
  cursor.peek();
  const std::size_t start = cursor.position();
  if (cursor.peek_here() != 'r') cursor.fail_here(fmt::format("expected {}", what));
  const SourceAddress address = read_register(cursor);
  if (!address.is_temporary()) cursor.fail(start, fmt::format("expected {}", what));
  return {address.address, address.relative};
}

std::uint8_t read_numbered(LineCursor& cursor, char letter, std::string_view what, unsigned count) {
  cursor.peek();
  const std::size_t start = cursor.position();
  if (!cursor.accept(letter)) cursor.fail_here(fmt::format("expected {}", what));
  return number_behind_letter(cursor, start, what, count);
}

Destination read_destination(LineCursor& cursor, Half half) {
  Destination destination;
  if (cursor.peek() == '_') {
    cursor.accept('_');
    return destination;
  }
  const overlay::ChannelMask all = half == Half::kVector ? overlay::kRgbMask : 8;
  do {
    if (cursor.peek() == 'o') {
      destination.output = read_numbered(cursor, 'o', "outputs", overlay::kOutputs);
      destination.output_mask = read_mask(cursor, all);
    } else {
      const RegisterReference reference =
          read_temporary(cursor, "a destination: r0 to r127, o0 to o3, or _ for none");
      destination.temporary = reference.number;
      destination.relative = reference.relative;
      destination.temporary_mask = read_mask(cursor, all);
    }
  } while (cursor.accept_here('+'));
  return destination;
}

}  // namespace raddle::ctm

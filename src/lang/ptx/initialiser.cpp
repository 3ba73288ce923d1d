#include "lang/ptx/initialiser.h"

#include <bit>

#include "base/stop_token.h"
#include "lang/ptx/constant_expression.h"

namespace raddle::ptx {
namespace {

using kernel::Relocation;
using kernel::Type;

constexpr std::uint64_t kMaxInitialBytes = std::uint64_t{1} << 28;

class InitialiserParser {
 public:
  InitialiserParser(Context& context, Declaration& declaration, kernel::Variable& variable)
      : context_(context),
        declaration_(declaration),
        variable_(variable),
        bounds_(declaration.bounds) {
    if (declaration.vector > 1) bounds_.push_back(declaration.vector);
    element_bytes_ = static_cast<std::uint64_t>(kernel::size_of(declaration.type));
  }

  void parse() {
    if (bounds_.empty()) {
      const bool in_braces = context_.accept('{');
      parse_element(0);
      if (in_braces) context_.expect('}');
      return;
    }
    const std::uint64_t end = parse_level(0, 0);
    if (bounds_[0] == 0) declaration_.size = end;  // "name[] = {…}": as long as the values
  }

 private:
  std::uint64_t row_bytes(std::size_t level) const {
    std::uint64_t bytes = element_bytes_;
    for (std::size_t i = level + 1; i < bounds_.size(); ++i) bytes *= bounds_[i];
    return bytes;
  }

  // Values of one pair of braces, from `begin` on; inner braces fill one row each. Returns where
  // the values end.
  std::uint64_t parse_level(std::size_t level, std::uint64_t begin) {
    context_.expect('{');
    std::uint64_t at = begin;
    const std::uint64_t row = row_bytes(level);
    const std::uint64_t end =
        bounds_[level] == 0 ? ~std::uint64_t{0} : begin + bounds_[level] * row;
    while (!context_.token().is('}')) {
      throw_if_stopped(kReadingPtx);
      if (at >= end)
        context_.fail(quoted(declaration_.name) + " has more initial values than elements");
      if (context_.token().is('{')) {
        if (level + 1 >= bounds_.size())
          context_.fail("braces of " + quoted(declaration_.name) + " are nested too deeply");
        parse_level(level + 1, at);
        at += row;
      } else {
        parse_element(at);
        at += element_bytes_;
      }
      if (!context_.accept(',')) break;
    }
    context_.expect('}');
    return at;
  }

  void parse_element(std::uint64_t at) {
    const Token token = context_.token();
    if (token.is_word() && token.text != "WARP_SZ") {
      if (element_bytes_ < 4)
        context_.fail("an address cannot be a value of " + quoted(declaration_.name));
      add_relocation(parse_symbol(at));
      return;
    }
    const bool is_mask = token.kind == TokenKind::kInteger && context_.peek().is('(');
    if (is_mask) {
      parse_mask(at);
      return;
    }
    const bool minus = token.is('-');
    const Token number = minus ? context_.peek() : token;
    if (number.kind == TokenKind::kSingle || number.kind == TokenKind::kDouble) {
      if (minus) context_.advance();
      context_.advance();
      store(at, float_bits(number, minus));
      return;
    }
    const std::uint64_t value = parse_constant(context_);
    if (kernel::is_float(declaration_.type) && element_bytes_ > 2) {
      store(at, bits_of(static_cast<double>(static_cast<std::int64_t>(value))));
    } else {
      store(at, value);
    }
  }

  std::uint64_t bits_of(double value) const {
    if (declaration_.type == Type::kF32)
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return std::bit_cast<std::uint64_t>(value);
  }

  std::uint64_t float_bits(const Token& number, bool minus) {
    const bool single = number.kind == TokenKind::kSingle;
    const std::uint64_t bits = number.bits ^ (minus ? std::uint64_t{1} << (single ? 31 : 63) : 0);
    if (declaration_.type == Type::kF32 && single) return bits;
    if (declaration_.type == Type::kF32 || declaration_.type == Type::kF64) {
      return bits_of(single ? std::bit_cast<float>(static_cast<std::uint32_t>(bits))
                            : std::bit_cast<double>(bits));
    }
    if (element_bytes_ == (single ? 4u : 8u)) return bits;
    context_.fail("a floating-point number cannot be a value of " + quoted(declaration_.name));
  }

  void store(std::uint64_t at, std::uint64_t bits) {
    if (at > kMaxInitialBytes)
      context_.fail("the initial value of " + quoted(declaration_.name) + " is too large");
    if (variable_.initial.size() < at + element_bytes_)
      variable_.initial.resize(at + element_bytes_);
    for (std::uint64_t i = 0; i < element_bytes_; ++i) {
      variable_.initial[at + i] = static_cast<std::byte>(bits >> (8 * i) & 0xff);
    }
  }

  // symbol, generic(symbol), each with +n or -n after it
  Relocation parse_symbol(std::uint64_t at) {
    Relocation relocation;
    relocation.offset = at;
    std::string_view name = context_.expect_word("a symbol");
    std::uint64_t addend = 0;
    if (name == "generic" && context_.accept('(')) {
      relocation.generic = true;
      name = context_.expect_word("a symbol");
      addend += parse_addend();
      context_.expect(')');
    }
    addend += parse_addend();
    relocation.symbol = std::string(name);
    context_.use_symbol(name);
    relocation.addend = static_cast<std::int64_t>(addend);
    return relocation;
  }

  std::uint64_t parse_addend() {
    std::uint64_t sum = 0;
    while (context_.token().is('+') || context_.token().is('-')) {
      const bool minus = context_.advance().is('-');
      const std::uint64_t value = parse_constant_factor(context_);
      sum = minus ? sum - value : sum + value;
    }
    return sum;
  }

  // 0xFF00(symbol): the byte of the address that the mask picks
  void parse_mask(std::uint64_t at) {
    const std::uint64_t mask = context_.advance().bits;
    const int shift = mask == 0 ? 0 : std::countr_zero(mask) / 8;
    if (mask == 0 || mask >> (8 * shift) != 0xff)
      context_.fail("the mask of an address must pick one byte");
    context_.expect('(');
    Relocation relocation = parse_symbol(at);
    context_.expect(')');
    relocation.shift = static_cast<std::uint8_t>(shift);
    if (element_bytes_ != 1)
      context_.fail("a byte of an address cannot be a value of " + quoted(declaration_.name));
    add_relocation(std::move(relocation));
  }

  void add_relocation(Relocation relocation) {
    relocation.bytes = static_cast<std::uint8_t>(element_bytes_);
    store(relocation.offset, 0);
    variable_.relocations.push_back(std::move(relocation));
  }

  Context& context_;
  Declaration& declaration_;
  kernel::Variable& variable_;
  std::vector<std::uint64_t> bounds_;
  std::uint64_t element_bytes_ = 0;
};

}  // namespace

void parse_initialiser(Context& context, Declaration& declaration, kernel::Variable& variable) {
  if (declaration.kind != kernel::VariableKind::kData) {
    context.fail("initial values of textures, samplers and surfaces are not supported");
  }
  InitialiserParser(context, declaration, variable).parse();
}

}  // namespace raddle::ptx

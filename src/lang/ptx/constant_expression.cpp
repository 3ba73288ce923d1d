#include "lang/ptx/constant_expression.h"

namespace raddle::ptx {
namespace {

constexpr int kDeepest = 64;
constexpr std::uint64_t kWarpSize = 32;

std::uint64_t parse_binary(Context& context, int least_precedence, int depth);

std::uint64_t parse_factor(Context& context, int depth) {
  if (depth > kDeepest) context.fail("an expression is nested too deeply");
  if (context.accept('-')) return ~parse_factor(context, depth + 1) + 1;
  if (context.accept('+')) return parse_factor(context, depth + 1);
  if (context.accept('~')) return ~parse_factor(context, depth + 1);
  if (context.accept('!')) return parse_factor(context, depth + 1) == 0 ? 1 : 0;
  if (context.accept('(')) {
    const std::uint64_t value = parse_binary(context, 1, depth + 1);
    context.expect(')');
    return value;
  }
  if (context.token().is_word() && context.token().text == "WARP_SZ") {
    context.advance();
    return kWarpSize;
  }
  return context.expect_integer("an integer");
}

// 0: no binary operator. Shifts are two tokens.
int precedence(const Token& token) {
  if (token.kind != TokenKind::kPunctuation) return 0;
  switch (token.text[0]) {
    case '|': return 1;
    case '^': return 2;
    case '&': return 3;
    case '<':
    case '>': return 4;
    case '+':
    case '-': return 5;
    case '*':
    case '/': return 6;
    default: return 0;
  }
}

std::uint64_t apply(Context& context, char op, std::uint64_t left, std::uint64_t right) {
  switch (op) {
    case '|': return left | right;
    case '^': return left ^ right;
    case '&': return left & right;
    case '<': return right < 64 ? left << right : 0;
    case '>': return right < 64 ? left >> right : 0;
    case '+': return left + right;
    case '-': return left - right;
    case '*': return left * right;
    default:
      if (right == 0) context.fail("division by zero in an expression");
      return left / right;
  }
}

std::uint64_t parse_binary(Context& context, int least_precedence, int depth) {
  std::uint64_t left = parse_factor(context, depth);
  for (;;) {
    const int level = precedence(context.token());
    if (level < least_precedence || level == 0) return left;
    const char op = context.advance().text[0];
    if (op == '<' || op == '>') context.expect(op);
    left = apply(context, op, left, parse_binary(context, level + 1, depth + 1));
  }
}

}  // namespace

bool begins_constant(const Token& token) {
  if (token.kind == TokenKind::kInteger) return true;
  if (token.is_word()) return token.text == "WARP_SZ";
  return token.is('-') || token.is('+') || token.is('~') || token.is('!') || token.is('(');
}

std::uint64_t parse_constant(Context& context) { return parse_binary(context, 1, 0); }

std::uint64_t parse_constant_factor(Context& context) { return parse_factor(context, 0); }

}  // namespace raddle::ptx

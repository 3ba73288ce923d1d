#include "machine/overlay/random_shader.h"

#include <fmt/format.h>

namespace raddle::machine::overlay {

std::string RandomShader::source(bool scalar) {
  static constexpr const char* kNumbers[] = {"0", "0.5", "1", "2.0", "0.25"};
  if (below(6) == 0) return kNumbers[below(5)];
  std::string text = below(4) == 0 ? fmt::format("c{}", below(4)) : temporary();
  if (scalar) {
    text += "." + channel();
  } else if (below(2) == 0) {
    text += "." + (below(2) == 0 ? channel() : channel() + channel() + channel());
  }
  if (below(5) == 0) text = "|" + text + "|";
  if (below(4) == 0) text = "-" + text;
  return text;
}

// One half or both; what both read together may be too much for a word, so the scalar half repeats
// registers of the vector half.
std::string RandomShader::alu() {
  static constexpr const char* kVector[] = {"MAD", "MAX", "MIN", "CMP", "CND", "FRC", "DP3", "D2A"};
  static constexpr unsigned kOperands[] = {3, 2, 2, 3, 3, 1, 2, 3};
  static constexpr const char* kScalar[] = {"rcp", "rsq", "ex2", "sin", "cos", "frc"};
  static constexpr const char* kMasks[] = {"", ".r", ".rg", ".gb", ".b"};
  static constexpr const char* kTests[] = {"<0", ">=0", "==0", "!=0"};
  std::string text;
  const bool writes_predicate = below(6) == 0;
  if (below(5) != 0) {
    if (below(5) == 0) text += below(2) == 0 ? "(p) " : fmt::format("(!p.{}) ", channel());
    const unsigned op = below(8);
    text += fmt::format("{}{} {}{}", kVector[op],
                        below(4) == 0   ? "_sat"
                        : below(6) == 0 ? "_d2"
                                        : "",
                        temporary(), kMasks[below(5)]);
    // Two registers at most, so that any swizzles fit.
    const std::string first = source(false), second = source(false);
    for (unsigned i = 0; i < kOperands[op]; ++i) text += " " + (i == 1 ? second : first);
    if (writes_predicate) text += fmt::format(" pred{}", kTests[below(4)]);
    return text + "\n";
  }
  return fmt::format("{}_sat {} {}\n", kScalar[below(6)], temporary(), source(true));
}

std::string RandomShader::tex() {
  const std::string coordinates = below(3) == 0 ? temporary() : "r0";
  switch (below(12)) {
    case 0: return fmt::format("TEXKILL {}.{}\n", temporary(), channel());
    case 1:
      return fmt::format("TXP {} {}.{}{}{}{} s{}\n", temporary(), coordinates, channel(), channel(),
                         channel(), channel(), below(2));
    case 2:
      return fmt::format("{} {} {} s{} scaled\n", below(2) == 0 ? "TXB" : "TXL", temporary(),
                         coordinates, below(2));
    case 3:
      return fmt::format("TXD {} {}.rg s{} {}.gb {}.ar\n", temporary(), coordinates, below(2),
                         temporary(), temporary());
    default: break;
  }
  return fmt::format("TEX {}{} {}.{}{} s{}\n", temporary(), below(2) == 0 ? "" : ".rga",
                     coordinates, channel(), channel(), below(2));
}

std::string RandomShader::branch(unsigned depth, bool in_loop, unsigned callable) {
  std::string text =
      fmt::format("MAD _ {}.{} 1 {}.{} result.r{}\n", temporary(), channel(),
                  below(2) == 0 ? "r1" : "c1", channel(), below(2) == 0 ? "<0" : ">=0");
  text += below(4) == 0 ? "IF p.g\n" : below(2) == 0 ? "IF\n" : "IF !result\n";
  text += block(1 + below(3), depth + 1, in_loop, callable);
  if (in_loop && below(3) == 0) text += below(2) == 0 ? "BRK\n" : "CONT\n";
  if (below(2) == 0) text += "ELSE\n" + block(1 + below(3), depth + 1, in_loop, callable);
  return text + "ENDIF\n";
}

std::string RandomShader::loop(unsigned depth, unsigned callable) {
  const bool is_rep = below(2) == 0;
  const std::string body = block(2 + below(3), depth + 1, true, callable);
  return fmt::format("{} i{}\n{}{}\n", is_rep ? "REP" : "LOOP", below(3), body,
                     is_rep ? "ENDREP" : "ENDLOOP");
}

std::string RandomShader::block(unsigned statements, unsigned depth, bool in_loop,
                                unsigned callable) {
  std::string text;
  for (unsigned i = 0; i < statements; ++i) {
    const unsigned kind = below(12);
    if ((kind == 0 || kind == 11) && depth < 3) {
      text += branch(depth, in_loop, callable);
    } else if (kind == 1 && depth < 2) {
      text += loop(depth, callable);
    } else if (kind == 2 && callable > 0) {
      text += fmt::format("CALL f{}\n", below(callable));
    } else if (kind < 5) {
      text += tex();
    } else {
      text += alu();
    }
  }
  return text;
}

std::string RandomShader::text() {
  std::string text =
      ".const c0 0.5 -1.25 3 2\n.const c1 -0.75 0.125 1 7\n.const c2 4 3 2 1\n.const c3 -2 -3 0.3 "
      "0\n"
      ".int i0 3 1 1\n.int i1 2\n.int i2 4 0 2\n";
  // Registers that differ from thread to thread, for branches to part them.
  text += "TEX r1 r0.rg s0\nTEX r2 r0.gr s1\nTEX r3 r0.rg s1\nADD r4 r1 -r2\nMUL r5 r3 r1\n";
  text += block(12 + below(10), 0, false, kFunctions);
  text += "MAX o0 r1 r2\nmax o0 r3.r r1.g depth\nEND\n";
  for (unsigned i = 0; i < kFunctions; ++i)
    text += fmt::format("f{}:\n{}RET\n", i, branch(1, false, i) + block(2, 1, false, i));
  return text;
}

}  // namespace raddle::machine::overlay

#include "lang/ctm/structure.h"

#include <fmt/format.h>

#include <algorithm>

#include "lang/ctm/flow_words.h"
#include "lang/ctm/operands.h"

namespace raddle::ctm {
namespace {

using machine::overlay::BranchOp;
using machine::overlay::Shader;

std::uint16_t next_address(const Shader& shader) {
  return static_cast<std::uint16_t>(shader.code.size());
}

}  // namespace

void Structure::open_branch(LineCursor& cursor, std::size_t start, Shader& shader) {
  Condition condition = read_condition(cursor);
  if (condition.kind == Condition::Kind::kAlways) condition.kind = Condition::Kind::kResult;
  open_.push_back({Kind::kIf, cursor, start, next_address(shader)});
  const auto depth = static_cast<unsigned>(
      std::ranges::count_if(open_, [](const Open& open) { return open.kind <= Kind::kElse; }));
  if (depth > kBranchDepth) {
    cursor.fail(start, fmt::format("branches are nested more than {} deep", kBranchDepth));
  }
  deepest_branch_ = std::max(deepest_branch_, depth);
  shader.code.push_back(if_word(condition, false));
}

void Structure::open_else(LineCursor& cursor, std::size_t start, Shader& shader) {
  if (open_.empty() || open_.back().kind != Kind::kIf) cursor.fail(start, "ELSE without IF");
  Open& branch = open_.back();
  branch.kind = Kind::kElse;
  branch.other = next_address(shader);
  shader.code.push_back(else_word());
  shader.code[branch.head].flow.if_jumping = BranchOp::kIncrement;
  shader.code[branch.head].flow.jump_address = next_address(shader);
}

void Structure::close_branch(LineCursor& cursor, std::size_t start, Shader& shader) {
  if (open_.empty() || open_.back().kind > Kind::kElse) cursor.fail(start, "ENDIF without IF");
  const Open branch = open_.back();
  open_.pop_back();
  const std::uint16_t here = next_address(shader);
  shader.code.push_back(endif_word());
  shader.code[here].flow.jump_address = here + 1;
  shader.code[branch.kind == Kind::kElse ? branch.other : branch.head].flow.jump_address = here + 1;
}

void Structure::open_loop(LineCursor& cursor, std::size_t start, bool is_rep, Shader& shader) {
  const std::uint8_t number =
      read_numbered(cursor, 'i', "integer constants", overlay::kIntegerConstants);
  open_.push_back(
      {is_rep ? Kind::kRep : Kind::kLoop, cursor, start, next_address(shader), 0, number});
  const auto depth =
      std::ranges::count_if(open_, [](const Open& open) { return open.kind > Kind::kElse; });
  if (depth > kLoopDepth) {
    cursor.fail(start, fmt::format("loops are nested more than {} deep", kLoopDepth));
  }
  has_loop_ = true;
  shader.code.push_back(loop_word(is_rep, number));
}

void Structure::close_loop(LineCursor& cursor, std::size_t start, bool is_rep, Shader& shader) {
  const Kind wanted = is_rep ? Kind::kRep : Kind::kLoop;
  if (open_.empty() || open_.back().kind != wanted) {
    cursor.fail(start, is_rep ? "ENDREP without REP" : "ENDLOOP without LOOP");
  }
  const Open loop = open_.back();
  open_.pop_back();
  const std::uint16_t here = next_address(shader);
  shader.code.push_back(endloop_word(is_rep, loop.integer_constant));
  shader.code[here].flow.jump_address = loop.head + 1;
  // A loop of no passes has pushed nothing, so it must not meet its end.
  shader.code[loop.head].flow.jump_address = here + 1;
  for (const std::uint16_t at : loop.breaks) shader.code[at].flow.jump_address = here + 1;
  for (const std::uint16_t at : loop.continues) shader.code[at].flow.jump_address = here;
}

void Structure::leave_loop(LineCursor& cursor, std::size_t start, bool is_break, Shader& shader) {
  const Condition condition = read_condition(cursor);
  unsigned depth = 0;
  auto loop = open_.rbegin();
  for (; loop != open_.rend() && loop->kind <= Kind::kElse; ++loop) ++depth;
  if (loop == open_.rend()) {
    cursor.fail(start, fmt::format("{} outside a loop", is_break ? "BRK" : "CONT"));
  }
  (is_break ? loop->breaks : loop->continues).push_back(next_address(shader));
  shader.code.push_back(is_break ? break_word(loop->kind == Kind::kRep, condition, depth)
                                 : continue_word(condition, depth));
}

bool Structure::take(LineCursor& cursor, std::size_t start, std::string_view name, Shader& shader) {
  if (name == "IF") {
    open_branch(cursor, start, shader);
  } else if (name == "ELSE") {
    open_else(cursor, start, shader);
  } else if (name == "ENDIF") {
    close_branch(cursor, start, shader);
  } else if (name == "LOOP" || name == "REP") {
    open_loop(cursor, start, name == "REP", shader);
  } else if (name == "ENDLOOP" || name == "ENDREP") {
    close_loop(cursor, start, name == "ENDREP", shader);
  } else if (name == "BRK" || name == "CONT") {
    leave_loop(cursor, start, name == "BRK", shader);
  } else {
    return false;
  }
  return true;
}

void Structure::check_closed() const {
  if (open_.empty()) return;
  const Open& last = open_.back();
  const std::string_view name = last.kind <= Kind::kElse   ? "IF"
                                : last.kind == Kind::kLoop ? "LOOP"
                                                           : "REP";
  const std::string_view end = last.kind <= Kind::kElse   ? "ENDIF"
                               : last.kind == Kind::kLoop ? "ENDLOOP"
                                                          : "ENDREP";
  last.cursor.fail(last.start, fmt::format("{} without {}", name, end));
}

}  // namespace raddle::ctm

// The open branches and loops of a program under assembly, and where their words must jump to.
#pragma once

#include <cstdint>
#include <vector>

#include "lang/ctm/line_cursor.h"
#include "machine/overlay/shader.h"

namespace raddle::ctm {

// Known limits: the branch counters hold 32 levels; loops as deep as the loop stack of the machine.
inline constexpr unsigned kBranchDepth = 32;
inline constexpr unsigned kPartialBranchDepth = 4;
inline constexpr unsigned kLoopDepth = 8;

class Structure {
 public:
  // Takes IF, ELSE, ENDIF, LOOP, ENDLOOP, REP, ENDREP, BRK and CONT; false: it is none of them.
  bool take(LineCursor& cursor, std::size_t start, std::string_view name,
            machine::overlay::Shader& shader);
  void check_closed() const;
  bool is_open() const { return !open_.empty(); }
  unsigned deepest_branch() const { return deepest_branch_; }
  bool has_loop() const { return has_loop_; }

 private:
  enum class Kind : std::uint8_t { kIf, kElse, kLoop, kRep };
  struct Open {
    Kind kind;
    LineCursor cursor;
    std::size_t start;
    std::uint16_t head;       // IF or LOOP
    std::uint16_t other = 0;  // ELSE
    std::uint8_t integer_constant = 0;
    std::vector<std::uint16_t> breaks = {}, continues = {};
  };

  void open_branch(LineCursor& cursor, std::size_t start, machine::overlay::Shader& shader);
  void open_else(LineCursor& cursor, std::size_t start, machine::overlay::Shader& shader);
  void close_branch(LineCursor& cursor, std::size_t start, machine::overlay::Shader& shader);
  void open_loop(LineCursor& cursor, std::size_t start, bool is_rep,
                 machine::overlay::Shader& shader);
  void close_loop(LineCursor& cursor, std::size_t start, bool is_rep,
                  machine::overlay::Shader& shader);
  void leave_loop(LineCursor& cursor, std::size_t start, bool is_break,
                  machine::overlay::Shader& shader);

  std::vector<Open> open_;
  unsigned deepest_branch_ = 0;
  bool has_loop_ = false;
};

}  // namespace raddle::ctm

// Lines for a frontend alone, on their way into a program: an operation on its registers each, and
// jumps to places that may come later.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/tpa/program.h"

namespace raddle::machine::tpa {

class FrontCode {
 public:
  using Label = std::uint32_t;
  using Register = std::uint8_t;

  explicit FrontCode(std::vector<Line>& lines) : lines_(lines) {}

  Label label();           // of a place that is not known yet
  void here(Label label);  // the next line is that place
  void set_place(Place place) { place_ = place; }
  Place place() const { return place_; }

  static Operand in(Register number) { return {Source::kFrontRegister, number, 0}; }
  static Operand number(std::int64_t constant) { return {Source::kConstant, 0, constant}; }

  // target := a, or a op b. Constants go by slots.
  void set(Register target, Operand a);
  void set(Register target, AluOperation operation, Operand a, Operand b);
  void set_line(Register target, Label label);
  // target := the sum of what `backends` backends sent.
  void receive_sum(Register target, std::uint32_t backends);
  // The word of shared memory at the address in a register := 0, after this step.
  void clear_word(Register address);
  void jump(Label label);
  void jump_if_zero(Register condition, Label label);
  void jump_unless_zero(Register condition, Label label);
  // To the line whose number is in a register, if `condition` is not 0.
  void jump_unless_zero(Register condition, Register line);
  void fork(Label label, Register thickness);
  void join();
  void exit();
  // All labels are known: they become numbers of lines.
  void finish();

 private:
  struct Use {
    std::size_t line, part, operand;
    Label label;
  };

  Line& begin();
  static void add(Line& line, Unit unit, std::uint8_t operation, std::uint8_t number,
                  std::vector<Operand> operands);
  Operand slot(Line& line, Operand value);
  void control(ControlOperation operation, std::vector<Operand> operands);
  void control_at(ControlOperation operation, std::vector<Operand> operands, std::size_t which,
                  Label label);

  std::vector<Line>& lines_;
  std::vector<std::uint32_t> labels_;
  std::vector<Use> uses_;
  Place place_;
};

}  // namespace raddle::machine::tpa

// The kernel IR as text that a person likes to read: PTX's words, with results on the left and no
// declarations that repeat what is known. `parse_text(print(module))` gives an equal module back
// for every module that the verifier accepts, whatever its names are; a file that cannot be parsed
// raises an Error with file, line and column.
//
//   module "saxpy.cu" ptx 7.5 target 70
//   file saxpy.cu "saxpy.cu"
//
//   visible kernel @saxpy(n[4], a[4], x[8], y[8]) !loc saxpy.cu:1:0 {
//     register pred p1
//     register b32 r1-r5
//
//   entry:
//     %r1 = ld.param.u32 [n]                            !loc saxpy.cu:2:7
//     %r2 = mov.u32 %tid.x                              !loc saxpy.cu:2:11
//     %p1 = setp.ge.s32 %r2, %r1                        !loc saxpy.cu:2:9
//     @%p1 bra done                                     !loc saxpy.cu:2:7
//   …
//
// A slot is written name[bytes], with `align` where the alignment is not the natural one and `at`
// where the offset is not the one assign_offsets() gives. A name that is used twice, or is empty,
// carries its index: `t#5`, `#3`. What an instruction holds beyond the modifiers its opcode uses
// stands in braces after it: {channel=1, window=32}. Names of channels between threads are
// declared in the order of their numbers: channel "sum".
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "kernel/module.h"

namespace raddle::kernel {

struct PrintOptions {
  bool locations =
      true;  // false: leave out every !loc; the text then parses to a module without lines
};

std::string print(const Module& module, const PrintOptions& options = {});
std::string print(const Module& module, const Function& function, const PrintOptions& options = {});

// The parts of a function's text one by one, for messages and drawings. Keeps references to both.
class FunctionText {
 public:
  FunctionText(const Module& module, const Function& function);
  ~FunctionText();
  FunctionText(const FunctionText&) = delete;
  FunctionText& operator=(const FunctionText&) = delete;

  std::string instruction(const Instruction& instruction) const;  // without its location
  std::string block(BlockId id) const;                            // its label
  std::string reg(RegisterId id) const;                           // "%r1"
  std::string symbol(const Operand& operand) const;               // "@name" or a slot's name
  std::string function(std::uint32_t index) const;                // "@name"

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// `file_name` is used in messages alone.
Module parse_text(std::string_view text, std::string file_name);

}  // namespace raddle::kernel

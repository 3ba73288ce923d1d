// Where a check is looking, and the list it writes to. Internal to the verifier.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel/module.h"
#include "kernel/text_form.h"
#include "kernel/verifier.h"

namespace raddle::kernel {

class VerifyContext {
 public:
  VerifyContext(const Module& module, std::vector<VerifierMessage>& messages)
      : module_(module), messages_(messages) {}

  const Module& module() const { return module_; }
  const Function& function() const { return *function_; }
  // Made when the first fault of a function asks for it: names cost more than checks.
  const FunctionText& text() const {
    if (!text_) text_.emplace(module_, *function_);
    return *text_;
  }

  void enter_function(const Function& function) {
    function_ = &function;
    block_ = kNoId;
    instruction_ = nullptr;
    text_.reset();
  }
  void enter_block(BlockId block) {
    block_ = block;
    instruction_ = nullptr;
  }
  void enter_instruction(const Instruction* instruction) { instruction_ = instruction; }

  void report(const std::string& what) {
    std::string place = "@" + function_->name;
    if (block_ != kNoId) place += ", block " + text().block(block_);
    if (instruction_ != nullptr) place += ", '" + text().instruction(*instruction_) + "'";
    const std::uint32_t location =
        instruction_ != nullptr ? instruction_->location : function_->location;
    messages_.push_back({place + ": " + what, module_.describe_location(location)});
  }
  // Outside of functions.
  void report_module(std::string what) { messages_.push_back({std::move(what), {}}); }

 private:
  const Module& module_;
  std::vector<VerifierMessage>& messages_;
  const Function* function_ = nullptr;
  BlockId block_ = kNoId;
  const Instruction* instruction_ = nullptr;
  mutable std::optional<FunctionText> text_;
};

// The checks of one instruction by itself: operands, modifiers, calls. False if registers or
// symbols do not exist, so that analyses must not be tried on the function.
bool verify_instruction(VerifyContext& context, const Instruction& instruction);
struct OperandVerdict {
  bool sound = true;       // what the operands name exists
  bool counts_fit = true;  // none is missing and none too many
};
OperandVerdict verify_operands(VerifyContext& context, const Instruction& instruction);
void verify_call(VerifyContext& context, const Instruction& instruction);
// SSA rules, for functions that hold a phi. Everything else must have been found in order.
void verify_ssa(VerifyContext& context);

}  // namespace raddle::kernel

// Functions and kernels: the header with its parameters and launch bounds, and the statements of
// the body.
#pragma once

#include <string_view>
#include <vector>

#include "lang/ptx/function_builder.h"
#include "lang/ptx/instruction_parser.h"

namespace raddle::ptx {

class FunctionParser {
 public:
  explicit FunctionParser(Context& context) : context_(context), instructions_(context) {}

  // From after .entry or .func to the end of the body or the semicolon of a declaration.
  void parse(bool is_entry, kernel::Linkage linkage);

  // Labels of each function of the module, for debug information.
  std::vector<std::vector<Label>> labels;

 private:
  // A parameter and the name it has in the body; old PTX has parameters in registers.
  struct Parameter {
    kernel::Slot slot;
    std::string_view name;
    kernel::Type register_type = kernel::Type::kNone;
  };

  std::vector<Parameter> parse_parameters();
  void parse_header_directives(kernel::Function& function);
  std::uint32_t add_to_module(std::string_view name, kernel::Function function);
  void declare_parameters(FunctionBuilder& builder, const std::vector<Parameter>& parameters,
                          const std::vector<Parameter>& return_values);
  void parse_body(FunctionBuilder& builder);
  void parse_statement(FunctionBuilder& builder);
  void parse_directive(FunctionBuilder& builder);
  void parse_registers(FunctionBuilder& builder);
  void parse_call_slots(FunctionBuilder& builder);
  void parse_label(FunctionBuilder& builder, std::string_view name);
  void parse_branch_targets(FunctionBuilder& builder, std::string_view name);
  void parse_call_targets(FunctionBuilder& builder, std::string_view name);
  void parse_call_prototype(FunctionBuilder& builder, std::string_view name);
  void add_prototype(FunctionBuilder& builder, kernel::Prototype prototype, std::string_view name);
  void parse_location(FunctionBuilder& builder);
  kernel::Guard parse_guard(FunctionBuilder& builder);

  Context& context_;
  InstructionParser instructions_;
};

}  // namespace raddle::ptx

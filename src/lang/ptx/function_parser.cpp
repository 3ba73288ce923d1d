#include "lang/ptx/function_parser.h"

#include <algorithm>
#include <array>

#include "lang/ptx/declaration.h"

namespace raddle::ptx {
namespace {

using kernel::Function;
using kernel::Linkage;
using kernel::Operand;
using kernel::SymbolKind;
using kernel::Type;

constexpr std::uint64_t kMaxParameterBytes = std::uint64_t{1} << 20;

std::array<std::uint32_t, 3> parse_dimensions(Context& context) {
  std::array<std::uint32_t, 3> dimensions{1, 1, 1};
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    dimensions[i] = context.expect_u32("a number of threads");
    if (i == 2 || !context.accept(',')) break;
  }
  return dimensions;
}

}  // namespace

std::vector<FunctionParser::Parameter> FunctionParser::parse_parameters() {
  std::vector<Parameter> parameters;
  std::uint64_t bytes = 0;
  context_.expect('(');
  if (context_.accept(')')) return parameters;
  do {
    Parameter parameter;
    if (context_.accept_dot_word(".reg")) {
      parameter.register_type = parse_type(context_);
      parameter.name = context_.expect_word("a name");
      const auto size = static_cast<std::uint32_t>(kernel::size_of(parameter.register_type));
      if (size == 0) context_.fail("a parameter cannot be of type '.pred'");
      const bool has_percent = parameter.name.starts_with('%');
      parameter.slot = {std::string(parameter.name.substr(has_percent ? 1 : 0)), size, size, 0};
    } else if (context_.accept_dot_word(".param")) {
      parameter.slot = parse_slot(context_, parameter.name);
    } else {
      context_.fail_expected("'.param'");
    }
    bytes += parameter.slot.size + parameter.slot.alignment;
    if (bytes > kMaxParameterBytes)
      context_.fail("the parameters take more than " + std::to_string(kMaxParameterBytes) +
                    " bytes");
    parameters.push_back(std::move(parameter));
  } while (context_.accept(','));
  context_.expect(')');
  return parameters;
}

void FunctionParser::parse_header_directives(Function& function) {
  while (context_.token().is_dot_word()) {
    const Token directive = context_.advance();
    if (directive.text == ".maxntid") {
      function.max_threads = parse_dimensions(context_);
    } else if (directive.text == ".reqntid") {
      function.required_threads = parse_dimensions(context_);
    } else if (directive.text == ".minnctapersm") {
      function.min_blocks = context_.expect_u32("a number of blocks");
    } else if (directive.text == ".maxnreg") {
      function.max_registers = context_.expect_u32("a number of registers");
    } else if (directive.text == ".noreturn") {
      function.no_return = true;
    } else if (directive.text == ".maxnctapersm" || directive.text == ".maxclusterrank" ||
               directive.text == ".abi_preserve" || directive.text == ".abi_preserve_control") {
      context_.expect_u32("a number");  // limits of hardware that is not simulated
    } else if (directive.text == ".reqnctapercluster") {
      if (parse_dimensions(context_) != std::array<std::uint32_t, 3>{1, 1, 1}) {
        context_.fail_at(
            directive.line,
            "the directive '.reqnctapercluster' is not supported (thread-block clusters)");
      }
    } else if (directive.text == ".explicitcluster" || directive.text == ".blocksareclusters") {
      context_.fail_at(directive.line, "the directive " + quoted(directive.text) +
                                           " is not supported (thread-block clusters)");
    } else if (directive.text == ".pragma") {
      context_.skip_statement();
    } else {
      context_.fail_at(directive.line, "unknown directive " + quoted(directive.text));
    }
  }
}

// A declaration and the definition that follows it are one function.
std::uint32_t FunctionParser::add_to_module(std::string_view name, Function function) {
  std::vector<Function>& functions = context_.module.functions;
  if (const ModuleSymbol* known = context_.find_symbol(name)) {
    if (known->kind != SymbolKind::kFunction) context_.fail(quoted(name) + " is declared twice");
    Function& earlier = functions[known->index];
    if (function.is_declaration) return known->index;
    if (!earlier.is_declaration)
      context_.fail("the function " + quoted(name) + " is defined twice");
    if (earlier.is_entry != function.is_entry)
      context_.fail(quoted(name) + " is declared as another kind of function");
    earlier = std::move(function);
    return known->index;
  }
  const auto index = static_cast<std::uint32_t>(functions.size());
  functions.push_back(std::move(function));
  labels.emplace_back();
  context_.add_symbol(name, {SymbolKind::kFunction, index});
  return index;
}

void FunctionParser::parse(bool is_entry, Linkage linkage) {
  Function function;
  function.is_entry = is_entry;
  function.linkage = linkage;
  context_.user_line = {};
  std::vector<Parameter> return_values;
  std::vector<Parameter> parameters;
  if (!is_entry && context_.token().is_dot_word()) parse_header_directives(function);
  if (!is_entry && context_.token().is('(')) return_values = parse_parameters();
  const std::string_view name = context_.expect_word("the name of a function");
  function.name = std::string(name);
  if (context_.token().is('(')) parameters = parse_parameters();
  for (const Parameter& parameter : parameters) function.parameters.push_back(parameter.slot);
  for (const Parameter& value : return_values) function.return_values.push_back(value.slot);
  parse_header_directives(function);

  const bool has_body = context_.token().is('{');
  if (!has_body) context_.expect(';');
  // The function is known by name while its body is read: it may call itself.
  Function declaration = function;
  declaration.is_declaration = true;
  kernel::assign_offsets(declaration);
  if (!has_body) {
    add_to_module(name, std::move(declaration));
    return;
  }
  if (const ModuleSymbol* known = context_.find_symbol(name)) {
    const bool is_defined = known->kind == SymbolKind::kFunction &&
                            !context_.module.functions[known->index].is_declaration;
    if (is_defined) context_.fail("the function " + quoted(name) + " is defined twice");
  }
  const std::uint32_t index = add_to_module(name, std::move(declaration));
  FunctionBuilder builder(context_, std::move(function));
  declare_parameters(builder, parameters, return_values);
  parse_body(builder);
  Function finished = builder.finish(labels[index]);
  add_to_module(name, std::move(finished));
  context_.user_line = {};
}

void FunctionParser::declare_parameters(FunctionBuilder& builder,
                                        const std::vector<Parameter>& parameters,
                                        const std::vector<Parameter>& return_values) {
  for (std::uint32_t i = 0; i < return_values.size(); ++i) {
    const Parameter& value = return_values[i];
    if (value.register_type == Type::kNone) {
      if (value.name == "_") continue;
      builder.declare_symbol(value.name, Operand::symbol_address(SymbolKind::kReturnValue, i));
    } else {
      builder.declare_register(value.name, value.register_type);
      builder.return_registers.push_back(builder.find(value.name)->index);
    }
  }
  if (!builder.return_registers.empty() &&
      builder.return_registers.size() != return_values.size()) {
    context_.fail("return values in registers and in .param variables cannot be mixed");
  }
  for (std::uint32_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    const Operand slot = Operand::symbol_address(SymbolKind::kParameter, i);
    if (parameter.register_type == Type::kNone) {
      if (parameter.name != "_") builder.declare_symbol(parameter.name, slot);
      continue;
    }
    builder.declare_register(parameter.name, parameter.register_type);
    kernel::Instruction load;
    load.opcode = kernel::Opcode::kLd;
    load.type = parameter.register_type;
    load.space = kernel::Space::kParam;
    load.destinations = {*builder.find(parameter.name)};
    load.sources = {slot};
    builder.append(std::move(load), context_.token().line);
  }
}

}  // namespace raddle::ptx

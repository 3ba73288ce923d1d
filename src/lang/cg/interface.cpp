#include "lang/cg/interface.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <charconv>
#include <optional>
#include <set>

#include "base/error.h"
#include "lang/cg/evaluate/evaluator.h"
#include "machine/overlay/instruction.h"

namespace raddle::cg {
namespace {

using machine::overlay::kConstants;
using machine::overlay::kDepthOutput;
using machine::overlay::kOutputs;
using machine::overlay::kSamplers;

struct Semantic {
  std::string stem;  // upper case, without its number
  std::uint32_t number = 0;
};

Semantic split(const std::string& text) {
  Semantic result;
  std::size_t digits = text.size();
  while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9') --digits;
  std::from_chars(text.data() + digits, text.data() + text.size(), result.number);
  for (const char c : text.substr(0, digits))
    result.stem += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return result;
}

void note_variables(const Expr& expression, std::set<std::uint32_t>& variables,
                    std::set<std::uint32_t>& functions) {
  if (expression.kind == ExprKind::kVariable) variables.insert(expression.index);
  if (expression.kind == ExprKind::kCall) functions.insert(expression.index);
  for (const ExprPtr& operand : expression.operands) note_variables(*operand, variables, functions);
}

void note_variables(const Stmt& statement, std::set<std::uint32_t>& variables,
                    std::set<std::uint32_t>& functions) {
  for (const ExprPtr& expression : statement.expressions)
    note_variables(*expression, variables, functions);
  if (statement.condition) note_variables(*statement.condition, variables, functions);
  if (statement.step) note_variables(*statement.step, variables, functions);
  for (const StmtPtr& inner : statement.body) note_variables(*inner, variables, functions);
  if (statement.loop_body) note_variables(*statement.loop_body, variables, functions);
}

class Finder {
 public:
  Finder(const Program& program, std::uint32_t entry, const std::string& file_name)
      : program_(program), file_name_(file_name) {
    result_.entry = entry;
  }

  Interface find() {
    const Function& function = program_.functions[result_.entry];
    find_used(function);
    for (const std::uint32_t index : program_.globals) {
      const Variable& variable = program_.variables[index];
      if (variable.storage == Storage::kUniform && used_.contains(index))
        from_host_.push_back(index);
    }
    for (const std::uint32_t index : function.parameters) parameter(index);
    if (function.result.base != BaseType::kVoid)
      output(OutputBinding::kResult, 0, function.result, function.semantic, "the result",
             function.place);
    bind_samplers();
    bind_uniforms();
    if (result_.outputs.empty())
      fail(function.place, fmt::format("'{}' writes no output", function.name),
           "return a float4 with the semantic COLOR");
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(Place place, const std::string& what, const std::string& hint = {}) const {
    throw PlacedError(file_name_, place, what, hint);
  }

  // Globals that the entry or what it calls mentions; the others need no register.
  void find_used(const Function& function) {
    std::set<std::uint32_t> functions;
    note_variables(*function.body, used_, functions);
    std::set<std::uint32_t> done;
    while (!functions.empty()) {
      const std::uint32_t next = *functions.begin();
      functions.erase(functions.begin());
      if (done.insert(next).second)
        note_variables(*program_.functions[next].body, used_, functions);
    }
    for (const std::uint32_t index : program_.globals) {
      const Variable& variable = program_.variables[index];
      if (variable.storage == Storage::kConstant && variable.initial)
        note_variables(*variable.initial, used_, functions);
    }
  }

  void parameter(std::uint32_t index) {
    const Variable& variable = program_.variables[index];
    if (variable.storage == Storage::kUniform) {
      from_host_.push_back(index);
      return;
    }
    if (variable.direction != Direction::kOut)
      input(index, 0, variable.type, variable.semantic, variable.name, variable.place);
    if (variable.direction != Direction::kIn)
      output(index, 0, variable.type, variable.semantic, variable.name, variable.place);
  }

  void input(std::uint32_t index, std::uint32_t offset, const Type& type,
             const std::string& semantic, const std::string& name, Place place) {
    if (type.base == BaseType::kStruct && type.array == 0) {
      const Structure& structure = program_.structures[type.structure];
      for (std::size_t i = 0; i < structure.fields.size(); ++i) {
        const Field& field = structure.fields[i];
        input(index, offset + field_offset(structure, i, program_.structures), field.type,
              field.semantic, name + "." + field.name, place);
      }
      return;
    }
    const Semantic found = split(semantic);
    if (semantic.empty())
      fail(place, fmt::format("the input '{}' has no semantic", name),
           "give it TEXCOORD0, or make it uniform");
    if (found.stem != "TEXCOORD" && found.stem != "WPOS" && found.stem != "VPOS")
      fail(place,
           fmt::format("the input '{}' cannot be {}: there are only coordinates", name, semantic),
           "TEXCOORD0 is the point of the domain");
    if (!type.is_vector() && !type.is_scalar())
      fail(place, fmt::format("'{}' must be a scalar or a vector", name));
    result_.coordinates.push_back({index, offset, type.columns});
  }

  void output(std::uint32_t index, std::uint32_t offset, const Type& type,
              const std::string& semantic, const std::string& name, Place place) {
    if (type.base == BaseType::kStruct && type.array == 0) {
      const Structure& structure = program_.structures[type.structure];
      for (std::size_t i = 0; i < structure.fields.size(); ++i) {
        const Field& field = structure.fields[i];
        output(index, offset + field_offset(structure, i, program_.structures), field.type,
               field.semantic, field.name, place);
      }
      return;
    }
    const Semantic found = split(semantic);
    if (semantic.empty())
      fail(place,
           fmt::format("{} has no semantic",
                       name == "the result" ? name : "the output '" + name + "'"),
           "give it COLOR, COLOR0 to COLOR3, or DEPTH");
    const bool is_depth = found.stem == "DEPTH" || found.stem == "DEPR";
    if (found.stem != "COLOR" && found.stem != "COL" && !is_depth)
      fail(place,
           fmt::format("{} cannot be {}", name == "the result" ? name : "the output '" + name + "'",
                       semantic),
           "results are COLOR0 to COLOR3, and DEPTH");
    if (!type.is_vector() && !type.is_scalar())
      fail(place, fmt::format("'{}' must be a scalar or a vector", name));
    if (is_depth && type.columns != 1)
      fail(place, fmt::format("the depth is a float, '{}' is a {}", name,
                              type_name(type, program_.structures)));
    if (found.number >= kOutputs)
      fail(place,
           fmt::format("only {} outputs exist, and {} is not one of them", kOutputs, semantic));
    const std::uint32_t target = is_depth ? kDepthOutput : found.number;
    for (const OutputBinding& other : result_.outputs) {
      if (other.target == target) fail(place, fmt::format("two results go to {}", semantic));
    }
    const std::string unnamed = is_depth ? "depth" : "color";
    result_.outputs.push_back({index, offset, type.columns, static_cast<std::uint8_t>(target),
                               name == "the result" ? unnamed : name});
  }

  void bind_samplers() {
    std::bitset<kSamplers> taken;
    for (const bool given : {true, false}) {
      for (const std::uint32_t index : from_host_) {
        const Variable& variable = program_.variables[index];
        if (!variable.type.is_sampler() || variable.semantic.empty() == given) continue;
        std::uint32_t unit = 0;
        if (given) {
          const Semantic found = split(variable.semantic);
          if (found.stem != "TEXUNIT" && found.stem != "S")
            fail(variable.place,
                 fmt::format("the sampler '{}' cannot be {}", variable.name, variable.semantic),
                 fmt::format("samplers are TEXUNIT0 to TEXUNIT{}", kSamplers - 1));
          unit = found.number;
        } else {
          while (unit < kSamplers && taken[unit]) ++unit;
        }
        if (unit >= kSamplers)
          fail(variable.place,
               fmt::format("'{}' exceeds the limit of {} samplers", variable.name, kSamplers));
        if (taken[unit]) fail(variable.place, fmt::format("two samplers are TEXUNIT{}", unit));
        taken.set(unit);
        result_.samplers.push_back({index, variable.name, static_cast<std::uint8_t>(unit)});
      }
    }
  }

  void add_rows(const Type& type, std::uint32_t offset, std::vector<UniformRow>& rows) const {
    if (type.array > 0) {
      const std::uint32_t size = number_count(type.element(), program_.structures);
      for (std::uint32_t i = 0; i < type.array; ++i)
        add_rows(type.element(), offset + i * size, rows);
    } else if (type.base == BaseType::kStruct) {
      const Structure& structure = program_.structures[type.structure];
      for (std::size_t i = 0; i < structure.fields.size(); ++i) {
        add_rows(structure.fields[i].type, offset + field_offset(structure, i, program_.structures),
                 rows);
      }
    } else {
      const unsigned count = std::max<unsigned>(type.rows, 1);
      for (unsigned row = 0; row < count; ++row)
        rows.push_back({offset + row * type.columns, type.columns});
    }
  }

  void bind_uniforms() {
    std::bitset<kConstants> taken;
    for (const bool given : {true, false}) {
      for (const std::uint32_t index : from_host_) {
        const Variable& variable = program_.variables[index];
        if (variable.type.is_sampler() || variable.semantic.empty() == given) continue;
        UniformBinding binding{index, variable.name, 0, {}, {}};
        add_rows(variable.type, 0, binding.rows);
        binding.first_register =
            given ? wanted_register(variable) : free_registers(taken, binding.rows.size());
        if (binding.first_register + binding.rows.size() > kConstants)
          fail(variable.place, fmt::format("'{}' does not fit into the {} constant registers",
                                           variable.name, kConstants));
        for (std::size_t i = 0; i < binding.rows.size(); ++i) {
          if (taken[binding.first_register + i])
            fail(variable.place,
                 fmt::format("'{}' asks for register c{}, which another uniform uses",
                             variable.name, binding.first_register + i));
          taken.set(binding.first_register + i);
          result_.constant_registers =
              std::max<std::uint16_t>(result_.constant_registers,
                                      static_cast<std::uint16_t>(binding.first_register + i + 1));
        }
        if (variable.initial) {
          binding.default_value = evaluate_constant(program_, *variable.initial);
        } else {
          binding.default_value.assign(number_count(variable.type, program_.structures), 0.0F);
        }
        result_.uniforms.push_back(std::move(binding));
      }
    }
  }

  std::uint16_t wanted_register(const Variable& variable) const {
    const Semantic found = split(variable.semantic);
    if ((found.stem != "C" && found.stem != "CONST") || found.number >= kConstants)
      fail(variable.place,
           fmt::format("the uniform '{}' cannot be {}", variable.name, variable.semantic),
           fmt::format("constants are C0 to C{}", kConstants - 1));
    return static_cast<std::uint16_t>(found.number);
  }

  static std::uint16_t free_registers(const std::bitset<kConstants>& taken, std::size_t count) {
    for (std::size_t first = 0; first + count <= kConstants; ++first) {
      std::size_t fit = 0;
      while (fit < count && !taken[first + fit]) ++fit;
      if (fit == count) return static_cast<std::uint16_t>(first);
    }
    return kConstants;
  }

  const Program& program_;
  const std::string& file_name_;
  Interface result_;
  std::set<std::uint32_t> used_;
  std::vector<std::uint32_t> from_host_;
};

}  // namespace

Interface find_interface(const Program& program, std::uint32_t entry,
                         const std::string& file_name) {
  return Finder(program, entry, file_name).find();
}

}  // namespace raddle::cg

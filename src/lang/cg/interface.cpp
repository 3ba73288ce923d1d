#include "lang/cg/interface.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <charconv>
#include <functional>
#include <set>

#include "base/error.h"
#include "lang/cg/evaluate/evaluator.h"
#include "lang/cg/interface_uses.h"
#include "machine/overlay/instruction.h"

namespace raddle::cg {
namespace {

using machine::overlay::kConstants;
using machine::overlay::kDepthOutput;
using machine::overlay::kOutputs;
using machine::overlay::kSamplers;

struct Semantic {
  std::string stem;  // upper case, without its number, one of several spellings
  std::uint32_t number = 0;

  std::string text() const { return fmt::format("{}{}", stem, number); }
};

Semantic split(const std::string& text) {
  Semantic result;
  std::size_t digits = text.size();
  while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9') --digits;
  std::from_chars(text.data() + digits, text.data() + text.size(), result.number);
  for (const char c : text.substr(0, digits))
    result.stem += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  constexpr std::pair<std::string_view, std::string_view> kSpellings[] = {
      {"TEX", "TEXCOORD"},  {"COL", "COLOR"},
      {"HPOS", "POSITION"}, {"SV_POSITION", "POSITION"},
      {"VPOS", "WPOS"},     {"SV_TARGET", "COLOR"},
      {"DEPR", "DEPTH"},    {"FOGC", "FOG"},
      {"PSIZ", "PSIZE"},    {"VFACE", "FACE"}};
  for (const auto& [spelling, meaning] : kSpellings) {
    if (result.stem == spelling) result.stem = meaning;
  }
  return result;
}

// A parameter, a global or the result, or one of its fields that is not a struct.
struct Leaf {
  std::uint32_t variable = 0;
  std::uint32_t offset = 0;
  Type type;
  std::string semantic;
  std::string name;   // "IN.size"
  std::string field;  // "size"
  bool is_uniform = false;
  Place place;
};

class Finder {
 public:
  Finder(const Program& program, std::uint32_t entry, const std::string& file_name, Stage stage)
      : program_(program), file_name_(file_name), uses_(find_uses(program, entry)) {
    result_.entry = entry;
    result_.stage = stage;
  }

  Interface find() {
    const Function& function = program_.functions[result_.entry];
    for (const std::uint32_t index : program_.globals) {
      const Variable& variable = program_.variables[index];
      if (variable.storage == Storage::kUniform && uses_.variables.contains(index))
        add_leaves(index, uniform_);
    }
    for (const std::uint32_t index : function.parameters) {
      const Variable& variable = program_.variables[index];
      if (variable.direction != Direction::kOut) add_leaves(index, inputs_);
      if (variable.direction != Direction::kIn) add_leaves(index, outputs_);
    }
    std::erase_if(inputs_, [&](const Leaf& leaf) {
      if (leaf.is_uniform) uniform_.push_back(leaf);
      return leaf.is_uniform;
    });
    if (function.result.base != BaseType::kVoid)
      walk({OutputBinding::kResult, 0, function.result, function.semantic, "the result", "", false,
            function.place},
           outputs_);
    bind_outputs();
    bind_samplers();
    bind_uniforms();
    bind_inputs();
    bind_sizes();
    if (result_.outputs.empty())
      fail(function.place, fmt::format("'{}' writes no output", function.name),
           "return a float4 with the semantic COLOR");
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(Place place, const std::string& what, const std::string& hint = {}) const {
    throw PlacedError(file_name_, place, what, hint);
  }

  void add_leaves(std::uint32_t index, std::vector<Leaf>& into) const {
    const Variable& variable = program_.variables[index];
    walk({index, 0, variable.type, variable.semantic, variable.name, variable.name,
          variable.storage == Storage::kUniform, variable.place},
         into);
  }

  // An array or a matrix with a semantic: each element or row has the next number.
  bool walk_rows(const Leaf& leaf, std::vector<Leaf>& into) const {
    const bool has_rows =
        leaf.type.array > 0 ? leaf.type.element().is_arithmetic() : leaf.type.is_matrix();
    if (leaf.is_uniform || leaf.semantic.empty() || !has_rows) return false;
    Leaf row = leaf;
    row.type =
        leaf.type.array > 0 ? leaf.type.element() : vector_type(leaf.type.base, leaf.type.columns);
    const std::uint32_t size = number_count(row.type, program_.structures);
    const std::uint32_t count = number_count(leaf.type, program_.structures) / size;
    const Semantic first = split(leaf.semantic);
    for (std::uint32_t i = 0; i < count; ++i) {
      row.semantic = Semantic{first.stem, first.number + i}.text();
      walk(row, into);
      row.offset += size;
    }
    return true;
  }

  void walk(const Leaf& leaf, std::vector<Leaf>& into) const {
    if (!leaf.type.is_sampler() && walk_rows(leaf, into)) return;
    if (leaf.type.base != BaseType::kStruct || leaf.type.array > 0) {
      into.push_back(leaf);
      into.back().is_uniform = leaf.is_uniform || leaf.type.is_sampler();
      return;
    }
    const Structure& structure = program_.structures[leaf.type.structure];
    for (std::size_t i = 0; i < structure.fields.size(); ++i) {
      const Field& field = structure.fields[i];
      Leaf inner = leaf;
      inner.offset += field_offset(structure, i, program_.structures);
      inner.type = field.type;
      inner.semantic = field.semantic;
      inner.name = leaf.name + "." + field.name;
      inner.field = field.name;
      inner.is_uniform = (leaf.is_uniform && !field.is_varying) || field.is_uniform;
      walk(inner, into);
    }
  }

  // Those without a semantic take the TEXCOORDs that no other has, in their order.
  std::vector<std::string> semantics_of(const std::vector<Leaf>& leaves) const {
    std::set<std::string> taken;
    for (const Leaf& leaf : leaves) taken.insert(split(leaf.semantic).text());
    std::vector<std::string> result;
    std::uint32_t next = 0;
    for (const Leaf& leaf : leaves) {
      if (!leaf.semantic.empty()) {
        result.push_back(split(leaf.semantic).text());
        continue;
      }
      while (taken.contains(fmt::format("TEXCOORD{}", next))) ++next;
      result.push_back(fmt::format("TEXCOORD{}", next++));
    }
    return result;
  }

  void bind_inputs() {
    const std::vector<std::string> semantics = semantics_of(inputs_);
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const Leaf& leaf = inputs_[i];
      const bool is_vertex = result_.stage == Stage::kVertex;
      if (!uses_.reads(leaf.variable, leaf.offset)) continue;
      if (!leaf.type.is_vector() && !leaf.type.is_scalar())
        fail(leaf.place, fmt::format("'{}' must be a scalar or a vector", leaf.name));
      InputBinding input{leaf.variable,     leaf.offset,
                         leaf.type.columns, is_vertex && leaf.semantic.empty() ? "" : semantics[i],
                         leaf.name,         0};
      check_stem(leaf, input);
      if (result_.stage == Stage::kFragment) {
        input.first_register = take_registers(3, leaf);
      }
      result_.inputs.push_back(std::move(input));
    }
  }

  void check_stem(const Leaf& leaf, const InputBinding& input) {
    const std::string stem = split(input.semantic).stem;
    constexpr std::string_view kKnown[] = {"TEXCOORD", "WPOS", "POSITION", "COLOR",
                                           "FOG",      "FACE", "PSIZE"};
    if (result_.stage != Stage::kVertex && std::ranges::find(kKnown, stem) == std::end(kKnown))
      fail(leaf.place, fmt::format("the input '{}' cannot be {}", leaf.name, leaf.semantic),
           "inputs are TEXCOORDn, COLORn, POSITION and WPOS");
    const bool is_point =
        leaf.semantic.empty() ? false : stem != "TEXCOORD" || input.semantic == "TEXCOORD0";
    if (result_.stage != Stage::kPoint || stem == "FACE" || (is_point && stem != "COLOR")) return;
    result_.warnings.push_back(
        {false,
         leaf.place,
         stem == "COLOR" ? fmt::format("the input '{}' is 1: there is no vertex program", leaf.name)
                         : fmt::format("the input '{}' is the point of the domain: there is no "
                                       "vertex program that gives it another value",
                                       leaf.name),
         {}});
  }

  void bind_outputs() {
    const std::vector<std::string> semantics = semantics_of(outputs_);
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const Leaf& leaf = outputs_[i];
      if (result_.stage == Stage::kVertex)
        vertex_output(leaf, semantics[i]);
      else
        output(leaf);
    }
  }

  void vertex_output(const Leaf& leaf, const std::string& semantic) {
    if (!leaf.type.is_vector() && !leaf.type.is_scalar())
      fail(leaf.place, fmt::format("'{}' must be a scalar or a vector", leaf.name));
    result_.outputs.push_back(
        {leaf.variable, leaf.offset, leaf.type.columns, 0, leaf.name, semantic});
  }

  void output(const Leaf& leaf) {
    const bool is_result = leaf.field.empty();
    const std::string name = is_result ? "the result" : "the output '" + leaf.field + "'";
    const Semantic found = split(leaf.semantic);
    if (leaf.semantic.empty())
      fail(leaf.place, fmt::format("{} has no semantic", name),
           "give it COLOR, COLOR0 to COLOR3, or DEPTH");
    const bool is_depth = found.stem == "DEPTH";
    if (found.stem != "COLOR" && !is_depth)
      fail(leaf.place, fmt::format("{} cannot be {}", name, leaf.semantic),
           "results are COLOR0 to COLOR3, and DEPTH");
    if (!leaf.type.is_vector() && !leaf.type.is_scalar())
      fail(leaf.place,
           fmt::format("'{}' must be a scalar or a vector", is_result ? name : leaf.field));
    if (is_depth && leaf.type.columns != 1)
      fail(leaf.place,
           fmt::format("the depth is a float, '{}' is a {}", is_result ? name : leaf.field,
                       type_name(leaf.type, program_.structures)));
    if (found.number >= kOutputs)
      fail(leaf.place, fmt::format("only {} outputs exist, and {} is not one of them", kOutputs,
                                   leaf.semantic));
    const std::uint32_t target = is_depth ? kDepthOutput : found.number;
    for (const OutputBinding& other : result_.outputs) {
      if (other.target == target)
        fail(leaf.place, fmt::format("two outputs have semantic {}", leaf.semantic));
    }
    const std::string unnamed = is_depth ? "depth" : "color";
    result_.outputs.push_back({leaf.variable, leaf.offset, leaf.type.columns,
                               static_cast<std::uint8_t>(target), is_result ? unnamed : leaf.field,
                               leaf.semantic});
  }

  void bind_samplers() {
    std::bitset<kSamplers> taken;
    for (const bool given : {true, false}) {
      for (const Leaf& leaf : uniform_) {
        if (!leaf.type.is_sampler() || leaf.semantic.empty() == given) continue;
        // Only those members of a struct that are read: there may be many.
        const bool is_field = leaf.name != leaf.field;
        if (is_field && !uses_.reads(leaf.variable, leaf.offset)) continue;
        // One that the program sets to another sampler needs no unit of its own.
        if (!given && uses_.assigned.contains(leaf.variable)) continue;
        const std::uint32_t count = std::max<std::uint32_t>(leaf.type.array, 1);
        for (std::uint32_t i = 0; i < count; ++i) {
          const std::string name =
              leaf.type.array > 0 ? fmt::format("{}[{}]", leaf.name, i) : leaf.name;
          const std::uint32_t unit = given ? wanted_unit(leaf) + i : free_unit(taken);
          if (unit >= kSamplers)
            fail(leaf.place, fmt::format("'{}' exceeds the limit of {} samplers", name, kSamplers));
          if (taken[unit]) fail(leaf.place, fmt::format("two samplers are TEXUNIT{}", unit));
          taken.set(unit);
          result_.samplers.push_back({leaf.variable, leaf.offset + i, name,
                                      static_cast<std::uint8_t>(unit), std::nullopt});
        }
      }
    }
  }

  std::uint32_t wanted_unit(const Leaf& leaf) const {
    const Semantic found = split(leaf.semantic);
    if (found.stem != "TEXUNIT" && found.stem != "S")
      fail(leaf.place, fmt::format("the sampler '{}' cannot be {}", leaf.name, leaf.semantic),
           fmt::format("samplers are TEXUNIT0 to TEXUNIT{}", kSamplers - 1));
    return found.number;
  }

  static std::uint32_t free_unit(const std::bitset<kSamplers>& taken) {
    std::uint32_t unit = 0;
    while (unit < kSamplers && taken[unit]) ++unit;
    return unit;
  }

  void add_rows(const Type& type, std::uint32_t offset, std::vector<UniformRow>& rows) const {
    if (type.is_sampler()) return;
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

  // Leaves of one variable take registers in a row.
  void bind_uniforms() {
    std::vector<std::uint32_t> variables;
    for (const Leaf& leaf : uniform_) {
      if (leaf.type.is_sampler() || leaf.type.base == BaseType::kVoid) continue;
      if (std::ranges::find(variables, leaf.variable) == variables.end())
        variables.push_back(leaf.variable);
    }
    for (const bool given : {true, false}) {
      for (const std::uint32_t variable : variables) {
        if (program_.variables[variable].semantic.empty() != given) bind_uniform(variable, given);
      }
    }
  }

  void bind_uniform(std::uint32_t index, bool given) {
    const Variable& variable = program_.variables[index];
    UniformBinding binding{index, variable.name, 0, {}, {}, {}};
    for (const Leaf& leaf : uniform_) {
      if (leaf.variable != index || leaf.type.is_sampler()) continue;
      const auto first = static_cast<std::uint32_t>(binding.rows.size());
      add_rows(leaf.type, leaf.offset, binding.rows);
      if (leaf.name != variable.name)
        binding.fields.push_back(
            {leaf.name, first, static_cast<std::uint32_t>(binding.rows.size()) - first});
    }
    if (result_.stage != Stage::kVertex) take_uniform_registers(variable, given, binding);
    binding.default_value.assign(number_count(variable.type, program_.structures), 0.0F);
    if (variable.initial) binding.default_value = evaluate_constant(program_, *variable.initial);
    result_.uniforms.push_back(std::move(binding));
  }

  void take_uniform_registers(const Variable& variable, bool given, UniformBinding& binding) {
    binding.first_register =
        given ? wanted_register(variable) : free_registers(binding.rows.size());
    if (binding.first_register + binding.rows.size() > kConstants)
      fail(variable.place, fmt::format("'{}' does not fit into the {} constant registers",
                                       variable.name, kConstants));
    for (std::size_t i = 0; i < binding.rows.size(); ++i) {
      const std::size_t number = binding.first_register + i;
      if (taken_[number])
        fail(variable.place, fmt::format("'{}' asks for register c{}, which another uniform uses",
                                         variable.name, number));
      take(number);
    }
  }

  void take(std::size_t number) {
    taken_.set(number);
    result_.constant_registers =
        std::max<std::uint16_t>(result_.constant_registers, static_cast<std::uint16_t>(number + 1));
  }

  std::uint16_t take_registers(std::size_t count, const Leaf& leaf) {
    const std::uint16_t first = free_registers(count);
    if (first == kConstants)
      fail(leaf.place,
           fmt::format("'{}' does not fit into the {} constant registers", leaf.name, kConstants));
    for (std::size_t i = 0; i < count; ++i) take(first + i);
    return first;
  }

  void bind_sizes() {
    if (!uses_.needs_sizes || result_.stage == Stage::kVertex) return;
    for (SamplerBinding& sampler : result_.samplers) {
      Leaf leaf;
      leaf.name = sampler.name;
      leaf.place = program_.variables[sampler.variable].place;
      sampler.size_register = take_registers(1, leaf);
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

  std::uint16_t free_registers(std::size_t count) const {
    for (std::size_t first = 0; first + count <= kConstants; ++first) {
      std::size_t fit = 0;
      while (fit < count && !taken_[first + fit]) ++fit;
      if (fit == count) return static_cast<std::uint16_t>(first);
    }
    return kConstants;
  }

  const Program& program_;
  const std::string& file_name_;
  ProgramUses uses_;
  Interface result_;
  std::vector<Leaf> uniform_, inputs_, outputs_;
  std::bitset<kConstants> taken_;
};

}  // namespace

Interface find_interface(const Program& program, std::uint32_t entry, const std::string& file_name,
                         Stage stage) {
  return Finder(program, entry, file_name, stage).find();
}

}  // namespace raddle::cg

#include "lang/cg/ir/builder.h"

#include <algorithm>

#include "base/error.h"
#include "machine/overlay/instruction.h"

namespace raddle::cg {

Builder::Builder(const Program& program, const Interface& interface, const Options& options,
                 bool unroll)
    : program_(program), interface_(interface), options_(options), may_unroll_(unroll) {}

IrProgram Builder::build() {
  regions_.push_back(&result_.body);
  env_.resize(program_.variables.size());
  bind_uniforms();
  bind_inputs();
  const Function& entry = program_.functions[interface_.entry];
  Frame frame;
  frame.returned = new_variable(literals(0, 1));
  frame.result = new_variable(literals(0, number_count(entry.result, program_.structures)));
  frames_.push_back(frame);
  lower_all(entry.body->body);
  write_outputs();
  return std::move(result_);
}

void Builder::bind_uniforms() {
  const auto zeros = [&](std::uint32_t variable) {
    Refs& refs = env_[variable];
    if (refs.empty())
      refs = literals(0, number_count(program_.variables[variable].type, program_.structures));
    return &refs;
  };
  for (const std::uint32_t index : program_.functions[interface_.entry].parameters) zeros(index);
  for (const UniformBinding& uniform : interface_.uniforms) {
    Refs& refs = *zeros(uniform.variable);
    for (std::size_t row = 0; row < uniform.rows.size(); ++row) {
      for (unsigned i = 0; i < uniform.rows[row].count; ++i) {
        refs[uniform.rows[row].offset + i] =
            Ref::uniform(uniform.first_register + static_cast<unsigned>(row), i);
      }
    }
  }
  // A sampler is the number of its unit.
  for (const SamplerBinding& sampler : interface_.samplers)
    (*zeros(sampler.variable))[sampler.offset] = Ref::literal(sampler.unit);
  for (const std::uint32_t index : program_.globals) {
    const Variable& variable = program_.variables[index];
    if (variable.storage != Storage::kConstant) continue;
    env_[index] = variable.initial ? lower(*variable.initial)
                                   : literals(0, number_count(variable.type, program_.structures));
  }
}

// The point of the domain; of a fragment program what the corners' values are there.
void Builder::bind_inputs() {
  if (interface_.inputs.empty()) return;
  IrValue input;
  input.op = IrOp::kInput;
  input.count = 2;
  const ValueId point = new_value(input);
  const Ref x = Ref::value(point, 0);
  const Ref y = Ref::value(point, 1);
  for (const InputBinding& binding : interface_.inputs) {
    if (interface_.stage == Stage::kPoint) {
      const bool is_colour = is_one_by_default(binding.semantic);
      const Ref one = Ref::literal(1);
      set_input(binding, is_colour ? std::array{one, one, one, one}
                                   : std::array{x, y, Ref::literal(0), one});
      continue;
    }
    std::array<Refs, 3> plane;
    for (unsigned r = 0; r < 3; ++r) {
      for (unsigned i = 0; i < binding.count; ++i)
        plane[r].push_back(Ref::uniform(binding.first_register + r, i));
    }
    const Refs at_row = add(multiply(Refs(binding.count, y), plane[2]), plane[0]);
    const Refs value = add(multiply(Refs(binding.count, x), plane[1]), at_row);
    std::array<Ref, 4> parts{};
    std::ranges::copy(value, parts.begin());
    set_input(binding, parts);
  }
}

void Builder::set_input(const InputBinding& input, const std::array<Ref, 4>& parts) {
  for (unsigned i = 0; i < input.count; ++i) env_[input.variable][input.offset + i] = parts[i];
}

void Builder::write_outputs() {
  for (const OutputBinding& output : interface_.outputs) {
    const Refs& from =
        output.variable == OutputBinding::kResult ? env_[frames_[0].result] : env_[output.variable];
    IrNode node;
    node.kind = NodeKind::kOutput;
    node.target = output.target;
    node.place = program_.functions[interface_.entry].place;
    if (output.target == machine::overlay::kDepthOutput) {
      node.refs[3] = from[output.offset];  // the scalar half's result
    } else {
      node.refs.fill(Ref::literal(0));
      for (unsigned i = 0; i < output.count; ++i) node.refs[i] = from[output.offset + i];
    }
    region().push_back(std::move(node));
  }
}

IrProgram build_ir(const Program& program, const Interface& interface, const Options& options,
                   bool unroll) {
  return Builder(program, interface, options, unroll).build();
}

}  // namespace raddle::cg

#include "lang/cg/ir/builder.h"

#include "base/error.h"
#include "machine/overlay/instruction.h"

namespace raddle::cg {

Builder::Builder(const Program& program, const Interface& interface, const Options& options,
                 bool unroll)
    : program_(program), interface_(interface), options_(options), may_unroll_(unroll) {}

IrProgram Builder::build() {
  regions_.push_back(&result_.body);
  env_.resize(program_.variables.size());
  for (std::uint32_t i = 0; i < program_.variables.size(); ++i) sampler_of_.push_back(i);
  for (const SamplerBinding& sampler : interface_.samplers) units_[sampler.variable] = sampler.unit;
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

void Builder::bind_inputs() {
  for (const UniformBinding& uniform : interface_.uniforms) {
    Refs& refs = env_[uniform.variable];
    refs.resize(uniform.default_value.size());
    for (std::size_t row = 0; row < uniform.rows.size(); ++row) {
      for (unsigned i = 0; i < uniform.rows[row].count; ++i) {
        refs[uniform.rows[row].offset + i] =
            Ref::uniform(uniform.first_register + static_cast<unsigned>(row), i);
      }
    }
  }
  for (const std::uint32_t index : program_.globals) {
    const Variable& variable = program_.variables[index];
    if (variable.storage != Storage::kConstant) continue;
    env_[index] = variable.initial ? lower(*variable.initial)
                                   : literals(0, number_count(variable.type, program_.structures));
  }
  const Function& entry = program_.functions[interface_.entry];
  for (const std::uint32_t index : entry.parameters) {
    const Variable& variable = program_.variables[index];
    if (variable.storage == Storage::kParameter)
      env_[index] = literals(0, number_count(variable.type, program_.structures));
  }
  if (interface_.coordinates.empty()) return;
  IrValue input;
  input.op = IrOp::kInput;
  input.count = 2;
  const ValueId point = new_value(input);
  const std::array<Ref, 4> parts = {Ref::value(point, 0), Ref::value(point, 1), Ref::literal(0),
                                    Ref::literal(1)};
  for (const CoordinateBinding& coordinate : interface_.coordinates) {
    for (unsigned i = 0; i < coordinate.count; ++i)
      env_[coordinate.variable][coordinate.offset + i] = parts[i];
  }
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

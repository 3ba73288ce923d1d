#include "lang/cg/compiler.h"

#include <fmt/format.h>

#include <bit>
#include <exception>
#include <optional>
#include <tuple>

#include "base/error.h"
#include "lang/cg/ir/builder.h"
#include "lang/cg/ir/passes.h"
#include "lang/cg/syntax/program_reader.h"
#include "lang/cg/words/allocate.h"
#include "lang/cg/words/emit.h"
#include "lang/cg/words/lir.h"
#include "lang/cg/words/schedule.h"
#include "lang/ctm/assembler.h"
#include "lang/ctm/semaphores.h"

namespace raddle::cg {
namespace {

namespace overlay = machine::overlay;

struct Front {
  CheckedProgram checked;
  Interface interface;
};

Front front_end(std::string_view text, const std::string& file_name, const Options& options) {
  Front front{read_program(text, file_name, options.macros), {}};
  const std::uint32_t entry = find_entry(front.checked.program, options.entry, file_name);
  try {
    front.interface = find_interface(front.checked.program, entry, file_name);
  } catch (const PlacedError& error) {
    Diagnostics(text, file_name).throw_shown(error);
  }
  return front;
}

IrProgram make_ir(const Front& front, const Options& options, bool unroll) {
  IrProgram ir = build_ir(front.checked.program, front.interface, options, unroll);
  if (options.level > 0)
    optimise(ir, options);
  else
    remove_dead_code(ir);
  return ir;
}

LirProgram make_operations(const Front& front, const IrProgram& ir, const std::string& file_name,
                           const Options& options) {
  LirProgram lir = lower_to_lir(ir, front.interface.constant_registers, options, file_name);
  if (options.level > 0) predicate_values(lir);
  coalesce(lir);
  if (options.level > 0) {
    drop_repeated_copies(lir);
    hoist(lir);
    join_copies(lir);
    tidy_branches(lir);
  }
  settle_operands(lir);
  return lir;
}

// Short programs are worth many tries; long ones would take long.
constexpr std::size_t kShortProgram = 100;

std::vector<ScheduleLimits> schedules(const Options& options, std::size_t operations) {
  if (options.level == 0) return {{}};
  std::vector<ScheduleLimits> result;
  if (operations > kShortProgram) {
    for (const bool longest_first : {false, true}) {
      for (const std::size_t texels : {8U, 2U})
        result.push_back({24, 64, texels, longest_first, 2, true});
    }
    return result;
  }
  for (const std::size_t ahead : {64U, 4U}) {
    for (const std::size_t texels : {8U, 2U}) {
      for (const std::size_t window : {64U, 12U}) {
        for (const bool longest_first : {false, true}) {
          for (const std::size_t alpha_lead : {2U, 0U, 6U})
            result.push_back({window, ahead, texels, longest_first, alpha_lead, false});
          result.push_back({window, ahead, texels, longest_first, 2, true});
        }
      }
    }
  }
  return result;
}

overlay::Shader scheduled(LirProgram lir, const ScheduleLimits& limits,
                          const std::string& file_name, const Options& options) {
  const std::vector<Step> steps = schedule(lir, options, limits);
  const Allocation allocation = allocate(lir, steps, file_name);
  overlay::Shader shader;
  shader.file = file_name;
  shader.constants = lir.constants;
  shader.temporaries = allocation.temporaries;
  emit(steps, allocation, shader);
  return shader;
}

// Words matter most; then registers, of which the register file holds a power of two; then how
// often the program waits for texels.
auto cost(const overlay::Shader& shader) {
  std::size_t blocks = 0;
  bool was_tex = false;
  for (const overlay::Instruction& word : shader.code) {
    const bool is_tex = word.type == overlay::InstructionType::kTex;
    if (is_tex && !was_tex) ++blocks;
    was_tex = is_tex;
  }
  return std::tuple(shader.code.size(), std::bit_ceil(std::size_t{shader.temporaries}), blocks,
                    shader.temporaries);
}

overlay::Shader make_shader(const Front& front, const std::string& file_name,
                            const Options& options, bool unroll) {
  const IrProgram ir = make_ir(front, options, unroll);
  const LirProgram lir = make_operations(front, ir, file_name, options);
  // The best of a few ways to schedule.
  std::optional<overlay::Shader> best;
  std::exception_ptr failure;
  for (const ScheduleLimits& limits : schedules(options, lir.items.size())) {
    try {
      overlay::Shader shader = scheduled(lir, limits, file_name, options);
      if (!best || cost(shader) < cost(*best)) best = std::move(shader);
    } catch (const Error&) {
      failure = std::current_exception();
    }
  }
  if (!best) std::rethrow_exception(failure);
  return std::move(*best);
}

void describe_interface(const Front& front, CompiledShader& result) {
  overlay::Shader& shader = result.shader;
  shader.name = front.checked.program.functions[front.interface.entry].name;
  for (const UniformBinding& uniform : front.interface.uniforms) {
    UniformParameter parameter{uniform.name, uniform.first_register, {}};
    const auto first = static_cast<std::uint8_t>(uniform.first_register);
    shader.constant_names.push_back(
        {uniform.name, first, static_cast<std::uint16_t>(uniform.rows.size())});
    for (std::size_t i = 0; i < uniform.rows.size(); ++i) {
      const UniformRow& row = uniform.rows[i];
      parameter.row_sizes.push_back(row.count);
      overlay::ConstantValue value;
      value.number = static_cast<std::uint8_t>(first + i);
      for (unsigned k = 0; k < row.count; ++k)
        value.value[k] = uniform.default_value[row.offset + k];
      shader.constants.push_back(value);
    }
    result.uniforms.push_back(std::move(parameter));
  }
  for (const SamplerBinding& sampler : front.interface.samplers)
    shader.sampler_names.push_back({sampler.name, sampler.unit, 1});
  for (const OutputBinding& output : front.interface.outputs)
    shader.output_names.push_back({output.name, output.target, 1});
}

// With loops unrolled; where that does not fit, with loops as loops.
overlay::Shader make_fitting_shader(const Front& front, const std::string& file_name,
                                    const Options& options) {
  overlay::Shader shader;
  try {
    shader = make_shader(front, file_name, options, true);
    if (options.level == 0 || shader.code.size() <= overlay::kMaxInstructions) return shader;
  } catch (const Error&) {
    if (options.level == 0) throw;
  }
  return make_shader(front, file_name, options, false);
}

}  // namespace

CompiledShader compile(std::string_view text, const std::string& file_name,
                       const Options& options) {
  const Front front = front_end(text, file_name, options);
  CompiledShader result;
  result.warnings = front.checked.warnings;
  try {
    result.shader = make_fitting_shader(front, file_name, options);
  } catch (const PlacedError& error) {
    Diagnostics(text, file_name).throw_shown(error);
  }
  overlay::Shader& shader = result.shader;
  if (shader.code.size() > overlay::kMaxInstructions) {
    throw Error(fmt::format("the program has {} instructions, the processor holds {}",
                            shader.code.size(), overlay::kMaxInstructions),
                file_name, options.level == 0 ? "compile it with -O1" : "split it into two passes");
  }
  describe_interface(front, result);
  result.shader.defaults = front.checked.pragmas;
  shader.end = static_cast<std::uint16_t>(shader.code.size() - 1);
  shader.code.back().last = true;
  ctm::derive_needs(shader);
  ctm::insert_semaphores(shader);
  return result;
}

std::string explain(std::string_view text, const std::string& file_name, const Options& options,
                    std::string_view stage) {
  const Front front = front_end(text, file_name, options);
  const IrProgram ir = make_ir(front, options, true);
  if (stage == "ir") return print(ir);
  return print(make_operations(front, ir, file_name, options));
}

}  // namespace raddle::cg

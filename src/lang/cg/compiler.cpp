#include "lang/cg/compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <tuple>

#include "base/error.h"
#include "lang/cg/ir/builder.h"
#include "lang/cg/ir/ir_dot.h"
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
  std::shared_ptr<const CheckedProgram> shared;
  const CheckedProgram& checked;
  Interface interface;
  std::optional<Interface> vertex;
};

Front front_end(std::string_view text, const std::string& file_name, const Options& options) {
  const auto shared =
      std::make_shared<const CheckedProgram>(read_program(text, file_name, options));
  Front front{shared, *shared, {}, {}};
  const std::optional<std::uint32_t> vertex = shared->vertex;
  try {
    front.interface = find_interface(shared->program, shared->entry, file_name,
                                     vertex ? Stage::kFragment : Stage::kPoint);
    if (vertex) front.vertex = find_interface(shared->program, *vertex, file_name, Stage::kVertex);
  } catch (const PlacedError& error) {
    Diagnostics(front.checked.sources).throw_shown(error);
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

// Far more than fit, however they are packed: time and memory below grow with their square.
constexpr std::size_t kMaxOperations = 16 * overlay::kMaxInstructions;

LirProgram make_operations(const Front& front, const IrProgram& ir, const std::string& file_name,
                           const Options& options) {
  LirProgram lir = lower_to_lir(ir, front.interface.constant_registers, options, file_name);
  if (lir.items.size() > kMaxOperations)
    throw Error(fmt::format("the program has {} operations, the processor holds {} instructions",
                            lir.items.size(), overlay::kMaxInstructions),
                {}, "split it into several passes");
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

overlay::Shader scheduled(LirProgram lir, const ScheduleLimits& limits, const SourceFiles& sources,
                          const Options& options) {
  const std::string& file_name = sources.name(0);
  const std::vector<Step> steps = schedule(lir, options, limits);
  const Allocation allocation = allocate(lir, steps, file_name);
  overlay::Shader shader;
  shader.file = file_name;
  shader.constants = lir.constants;
  shader.temporaries = allocation.temporaries;
  emit(steps, allocation, sources, shader);
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
      overlay::Shader shader = scheduled(lir, limits, *front.checked.sources, options);
      if (!best || cost(shader) < cost(*best)) best = std::move(shader);
    } catch (const Error&) {
      failure = std::current_exception();
    }
  }
  if (!best) std::rethrow_exception(failure);
  return std::move(*best);
}

void describe_uniform(const UniformBinding& uniform, const UniformField& part,
                      CompiledShader& result) {
  const auto first = static_cast<std::uint16_t>(uniform.first_register + part.first_row);
  UniformParameter parameter{part.name, first, {}};
  for (std::uint32_t row = part.first_row; row < part.first_row + part.rows; ++row)
    parameter.row_sizes.push_back(uniform.rows[row].count);
  result.shader.constant_names.push_back(
      {part.name, static_cast<std::uint8_t>(first), static_cast<std::uint16_t>(part.rows)});
  result.uniforms.push_back(std::move(parameter));
}

void describe_interface(const Front& front, CompiledShader& result) {
  overlay::Shader& shader = result.shader;
  shader.name = front.checked.program.functions[front.interface.entry].name;
  for (const UniformBinding& uniform : front.interface.uniforms) {
    describe_uniform(uniform, {uniform.name, 0, static_cast<std::uint32_t>(uniform.rows.size())},
                     result);
    for (const UniformField& field : uniform.fields) describe_uniform(uniform, field, result);
    for (std::size_t i = 0; i < uniform.rows.size(); ++i) {
      const UniformRow& row = uniform.rows[i];
      overlay::ConstantValue value;
      value.number = static_cast<std::uint8_t>(uniform.first_register + i);
      for (unsigned k = 0; k < row.count; ++k)
        value.value[k] = uniform.default_value[row.offset + k];
      shader.constants.push_back(value);
    }
  }
  for (const SamplerBinding& sampler : front.interface.samplers) {
    shader.sampler_names.push_back({sampler.name, sampler.unit, 1});
    if (!sampler.size_register) continue;
    const auto number = static_cast<std::uint8_t>(*sampler.size_register);
    shader.constant_names.push_back({sampler.name + ".size", number, 1});
    shader.buffer_sizes.push_back({sampler.unit, number});
  }
  for (const OutputBinding& output : front.interface.outputs)
    shader.output_names.push_back({output.name, output.target, 1});
  if (!front.vertex) return;
  for (const InputBinding& input : front.interface.inputs) {
    const auto first = static_cast<std::uint8_t>(input.first_register);
    shader.constant_names.push_back({input.semantic, first, 3});
  }
  result.vertex.emplace(front.shared, *front.vertex, front.interface);
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

// A limit that the program as a whole exceeds is shown at its entry point.
[[noreturn]] void refuse(const Front& front, const std::string& what, const std::string& hint) {
  const Place place = front.checked.program.functions[front.interface.entry].place;
  Diagnostics(front.checked.sources)
      .throw_shown(PlacedError(front.checked.sources->name(0), place, what, hint));
}

// "most of them come from lines 12 (240), 30 (81) and 7 (20)"
std::string longest_lines(const overlay::Shader& shader) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const std::uint32_t line : shader.lines) ++counts[line];
  std::vector<std::pair<std::uint32_t, std::size_t>> lines(counts.begin(), counts.end());
  std::ranges::stable_sort(lines, std::greater{}, [](const auto& line) { return line.second; });
  if (lines.size() > 3) lines.resize(3);
  std::string text = lines.size() == 1 ? "most come from line" : "most come from lines";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += fmt::format("{} {} ({})",
                        i == 0                  ? ""
                        : i + 1 == lines.size() ? " and"
                                                : ",",
                        lines[i].first, lines[i].second);
  }
  return text;
}

}  // namespace

CompiledShader compile(std::string_view text, const std::string& file_name,
                       const Options& options) {
  const Front front = front_end(text, file_name, options);
  CompiledShader result;
  result.warnings = front.checked.warnings;
  Diagnostics shown(front.checked.sources);
  for (const Diagnostic& warning : front.interface.warnings)
    result.warnings.push_back(shown.render(warning));
  try {
    result.shader = make_fitting_shader(front, file_name, options);
  } catch (const PlacedError& error) {
    Diagnostics(front.checked.sources).throw_shown(error);
  } catch (const Error& error) {  // of the program as a whole
    refuse(front, error.what(), error.hint());
  }
  overlay::Shader& shader = result.shader;
  if (shader.code.size() > overlay::kMaxInstructions) {
    refuse(front,
           fmt::format("the program has {} instructions, the processor holds {}",
                       shader.code.size(), overlay::kMaxInstructions),
           fmt::format("{}; {}", longest_lines(shader),
                       options.level == 0 ? "compile it with -O1" : "split it into two passes"));
  }
  shader.has_levels = options.mipmaps;
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
  try {
    const IrProgram ir = make_ir(front, options, true);
    if (stage == "ir") return print(ir);
    if (stage == "dot")
      return print_dot(ir, front.checked.program.functions[front.interface.entry].name,
                       [&](Place place) { return front.checked.sources->shown_line(place); });
    return print(make_operations(front, ir, file_name, options));
  } catch (const PlacedError& error) {
    Diagnostics(front.checked.sources).throw_shown(error);
  }
}

}  // namespace raddle::cg

#include "lang/cg/vertex_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/error.h"

namespace raddle::cg {
namespace {

// Maps 0 … 1 to -1 … 1.
constexpr std::array<float, 16> kWholeDomain = {2, 0, 0, -1, 0, 2, 0, -1, 0, 0, 1, 0, 0, 0, 0, 1};

// In pixels and in values: what rounding may make.
bool near(double a, double b) { return std::fabs(a - b) <= 1e-3 * (1 + std::fabs(a)); }

}  // namespace

std::string VertexStage::where() const {
  const Function& function = checked_->program.functions[vertex_.entry];
  return checked_->sources->where(function.place);
}

std::vector<std::string> VertexStage::uniform_names() const {
  std::vector<std::string> names;
  for (const UniformBinding& uniform : vertex_.uniforms) {
    names.push_back(uniform.name);
    for (const UniformField& field : uniform.fields) names.push_back(field.name);
  }
  return names;
}

bool VertexStage::has_uniform(const std::string& name) const {
  const std::vector<std::string> names = uniform_names();
  return std::ranges::find(names, name) != names.end();
}

void VertexStage::set_uniform(const std::string& name, std::vector<float> numbers) {
  for (const UniformBinding& uniform : vertex_.uniforms) {
    std::size_t size = 0;
    for (const UniformRow& row : uniform.rows) size += row.count;
    if (uniform.name == name && numbers.size() == 1) numbers.assign(size, numbers[0]);
  }
  // Tells at once whether it fits.
  Evaluator(checked_->program, vertex_, {}).set_uniform(name, numbers);
  values_[name] = std::move(numbers);
}

VertexStage::Corner VertexStage::corner(Evaluator& evaluator, float u, float v, double width,
                                        double height) const {
  std::vector<Texel> inputs;
  for (const InputBinding& input : vertex_.inputs) {
    // Without a semantic names tell, as front ends have them.
    const bool is_position = input.semantic == "POSITION0" ||
                             (input.semantic.empty() && input.name.ends_with("vertex_coord"));
    if (is_position)
      inputs.push_back({u, 1 - v, 0, 1});
    else if (is_one_by_default(input.semantic))
      inputs.push_back({1, 1, 1, 1});
    else
      inputs.push_back({u, v, 0, 1});
  }
  Corner corner{u, v, 0, 0, evaluator.run_vertex(inputs)};
  for (std::size_t i = 0; i < vertex_.outputs.size(); ++i) {
    if (vertex_.outputs[i].semantic != "POSITION0") continue;
    const Texel& position = corner.outputs[i];
    const double w = position[3];
    corner.x = (position[0] / w + 1) / 2 * width;
    corner.y = (1 - position[1] / w) / 2 * height;
    return corner;
  }
  throw Error("the vertex program writes no POSITION", where());
}

Quad VertexStage::run(std::uint32_t width, std::uint32_t height) const {
  Evaluator evaluator(checked_->program, vertex_, [&](unsigned, float, float) -> Texel {
    throw Error("the vertex program reads a texture, which is not supported", where());
  });
  for (const UniformBinding& uniform : vertex_.uniforms) {
    const Variable& variable = checked_->program.variables[uniform.variable];
    if (variable.type == matrix_type(BaseType::kFloat, 4, 4) && !variable.initial)
      evaluator.set_uniform(uniform.name, kWholeDomain);
    for (const UniformField& field : uniform.fields) {
      if (field.rows == 4 && uniform.rows[field.first_row].count == 4)
        evaluator.set_uniform(field.name, kWholeDomain);
    }
  }
  for (const auto& [name, numbers] : values_) evaluator.set_uniform(name, numbers);
  const Corner first = corner(evaluator, 0, 0, width, height);
  const Corner right = corner(evaluator, 1, 0, width, height);
  const Corner below = corner(evaluator, 0, 1, width, height);
  const Corner across = corner(evaluator, 1, 1, width, height);
  const bool is_rectangle = near(first.y, right.y) && near(first.x, below.x) &&
                            near(across.x, right.x) && near(across.y, below.y) &&
                            !near(first.x, right.x) && !near(first.y, below.y);
  if (!is_rectangle)
    throw Error("the corners that the vertex program computes are not those of a rectangle",
                where(), "sides must be parallel to those of the domain");

  Quad quad;
  const auto range = [](double a, double b, std::uint32_t size) {
    const double low = std::clamp<double>(std::ceil(std::min(a, b) - 0.5 - 1e-6), 0, size);
    const double high = std::clamp<double>(std::ceil(std::max(a, b) - 0.5 - 1e-6), 0, size);
    return std::pair(static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high - low));
  };
  std::tie(quad.x, quad.width) = range(first.x, right.x, width);
  std::tie(quad.y, quad.height) = range(first.y, below.y, height);
  for (const InputBinding& input : fragment_.inputs) {
    InputPlane plane{input.first_register, {}};
    const auto output =
        std::ranges::find(vertex_.outputs, input.semantic, &OutputBinding::semantic);
    const bool is_written = output != vertex_.outputs.end();
    const auto at = [&](const Corner& corner) -> Texel {
      if (is_written)
        return corner.outputs[static_cast<std::size_t>(output - vertex_.outputs.begin())];
      if (is_one_by_default(input.semantic)) return {1, 1, 1, 1};
      return {corner.u, corner.v, 0, 1};
    };
    if (input.semantic == "WPOS0") {
      plane.values = {Texel{0.5F, 0.5F, 0, 1}, Texel{1, 0, 0, 0}, Texel{0, 1, 0, 0}};
      quad.planes.push_back(plane);
      continue;
    }
    if (!is_written && input.semantic != "FACE0")
      quad.notes.push_back(fmt::format(
          "{}: warning: the vertex program does not write {} ('{}'); it is the quad's coordinates",
          where(), input.semantic, input.name));
    bool is_plane = true;
    for (unsigned i = 0; i < 4; ++i) {
      const double v0 = at(first)[i];
      const double dx = (at(right)[i] - v0) / (right.x - first.x);
      const double dy = (at(below)[i] - v0) / (below.y - first.y);
      plane.values[0][i] = static_cast<float>(v0 + (0.5 - first.x) * dx + (0.5 - first.y) * dy);
      plane.values[1][i] = static_cast<float>(dx);
      plane.values[2][i] = static_cast<float>(dy);
      is_plane = is_plane && near(at(across)[i], at(right)[i] + at(below)[i] - v0);
    }
    if (!is_plane)
      quad.notes.push_back(
          fmt::format("{}: warning: '{}' is not planar; the plane at the top left is used", where(),
                      input.name));
    quad.planes.push_back(plane);
  }
  return quad;
}

}  // namespace raddle::cg

// The vertex program of a file, run on the host at the corners of a quad. What it writes is
// interpolated over the points: each of the fragment program's inputs is a plane, of which the
// constant registers hold the value at the first point and the steps to its neighbours.
//
// The quad has the corners (0, 0) to (1, 1) as POSITION (or vertex_coord without a semantic), y
// upwards; TEXCOORDs and other inputs without a semantic are (0, 0) at its top left and (1, 1) at
// its bottom right; COLOR is 1. A float4x4 that nobody sets maps the quad to the whole domain.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lang/cg/evaluate/evaluator.h"
#include "lang/cg/interface.h"
#include "lang/cg/syntax/program_reader.h"

namespace raddle::cg {

// v = x * dx + (y * dy + v0) at point (x, y).
struct InputPlane {
  std::uint16_t first_register = 0;  // of three: v0, dx, dy
  std::array<Texel, 3> values{};
};

struct Quad {
  // The points whose centres lie in it.
  std::uint32_t x = 0, y = 0, width = 0, height = 0;
  std::vector<InputPlane> planes;  // in the order of the fragment program's inputs
  std::vector<std::string> notes;  // what cannot be shown exactly
};

class VertexStage {
 public:
  VertexStage(std::shared_ptr<const CheckedProgram> checked, Interface vertex, Interface fragment)
      : checked_(std::move(checked)), vertex_(std::move(vertex)), fragment_(std::move(fragment)) {}

  // Names of all uniforms and of their fields.
  std::vector<std::string> uniform_names() const;
  bool has_uniform(const std::string& name) const;
  // One number is for all of them. Throws an Error where the size does not fit.
  void set_uniform(const std::string& name, std::vector<float> numbers);
  // For a domain of this size. Throws an Error where the quad is not a rectangle.
  Quad run(std::uint32_t width, std::uint32_t height) const;

 private:
  struct Corner {
    float u = 0, v = 0;
    double x = 0, y = 0;  // in points
    std::vector<Texel> outputs;
  };
  Corner corner(Evaluator& evaluator, float u, float v, double width, double height) const;
  std::string where() const;

  std::shared_ptr<const CheckedProgram> checked_;
  Interface vertex_, fragment_;
  std::map<std::string, std::vector<float>> values_;
};

}  // namespace raddle::cg

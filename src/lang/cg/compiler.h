// Cg to a program of the overlay: reads and checks the text, builds and improves IR, chooses words
// and registers. What the host has to give (constants by name, buffers, outputs) comes with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/cg/options.h"
#include "lang/cg/vertex_stage.h"
#include "machine/overlay/shader.h"

namespace raddle::cg {

// A uniform as the host sees it: numbers given one after the other, each row in its own register.
struct UniformParameter {
  std::string name;
  std::uint16_t first_register = 0;
  std::vector<std::uint8_t> row_sizes;  // numbers in each register
};

struct CompiledShader {
  machine::overlay::Shader shader;
  std::vector<UniformParameter> uniforms;  // and their fields
  std::optional<VertexStage> vertex;       // gives what is in the registers of the inputs
  std::vector<std::string> warnings;
};

// Throws an Error that shows everything that is wrong with the program, or what does not fit.
CompiledShader compile(std::string_view text, const std::string& file_name,
                       const Options& options = {});

// What the compiler made on its way, for people: "ir", "dot" (the same as a drawing)
// or "operations".
std::string explain(std::string_view text, const std::string& file_name, const Options& options,
                    std::string_view stage);

}  // namespace raddle::cg

// From a file to a program of the overlay: .ctm is assembled, .cg is compiled.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lang/cg/vertex_stage.h"
#include "machine/overlay/shader.h"

namespace raddle::driver::overlay {

struct LoadedShader {
  machine::overlay::Shader shader;
  std::string notes;  // warnings, a line each
  std::optional<cg::VertexStage> vertex;
};

// Arguments after `--`: those that begin with '-' are flags for compiling, with what belongs to
// them.
struct SplitArguments {
  std::string flags;  // as --cc has them
  std::vector<std::string> rest;
};
SplitArguments split_flags(const std::vector<std::string>& arguments);

// Flags are those of --cc: -O0, -O1, -DNAME[=VALUE], -I FOLDER, -entry NAME, -mipmaps,
// -strict. Throws Error.
LoadedShader load_shader(const std::string& path, const std::string& compile_flags, bool fused_mad);

// The compiler's values of a .cg file, as "text" or "dot". Throws Error.
std::string draw_shader(const std::string& path, const std::string& compile_flags,
                        const std::string& format);

}  // namespace raddle::driver::overlay

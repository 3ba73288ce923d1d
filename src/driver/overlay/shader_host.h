// A fragment program on the overlay together with its vertex program on the host: uniforms are set
// in both by name, sizes of pictures where programs ask for them, and the quad.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "driver/overlay/overlay_loader.h"
#include "machine/overlay/host_driver.h"

namespace raddle::driver::overlay {

struct PictureSize {
  std::uint32_t width = 0, height = 0;
};

class ShaderHost {
 public:
  // The machine must outlive it.
  ShaderHost(const machine::overlay::OverlayMachine& machine, LoadedShader loaded)
      : driver_(machine, std::move(loaded.shader)), vertex_(std::move(loaded.vertex)) {}

  machine::overlay::HostDriver& driver() { return driver_; }
  const machine::overlay::HostDriver& driver() const { return driver_; }
  bool has_vertex_program() const { return vertex_.has_value(); }
  // A uniform of either program.
  bool knows(const std::string& name) const;
  bool is_vertex_uniform(const std::string& name) const {
    return vertex_ && vertex_->has_uniform(name);
  }
  void set(const std::string& name, const std::vector<float>& numbers);
  // As set(), unless it was set before or is not there.
  void set_default(const std::string& name, const std::vector<float>& numbers);
  // PREFIX.video_size and PREFIX.texture_size, or without a prefix.
  void set_picture(const std::string& prefix, PictureSize size);
  // frame_count and frame_direction, which is -1 where time goes back.
  void set_frame(unsigned count, float direction);
  // The size of the output, IN.output_size; draws the quad where there is a vertex program. Returns
  // what cannot be shown exactly, a line each.
  std::string set_output(PictureSize size);

 private:
  bool is_constant(const std::string& name) const;

  machine::overlay::HostDriver driver_;
  std::optional<cg::VertexStage> vertex_;
  std::set<std::string> given_;
};

}  // namespace raddle::driver::overlay

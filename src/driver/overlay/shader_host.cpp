#include "driver/overlay/shader_host.h"

#include <fmt/format.h>

#include <algorithm>

namespace raddle::driver::overlay {

using machine::overlay::Float4;
using machine::overlay::RegisterName;

bool ShaderHost::is_constant(const std::string& name) const {
  return std::ranges::any_of(driver_.shader().constant_names,
                             [&](const RegisterName& known) { return known.name == name; });
}

bool ShaderHost::knows(const std::string& name) const {
  return is_constant(name) || is_vertex_uniform(name);
}

void ShaderHost::set(const std::string& name, const std::vector<float>& numbers) {
  given_.insert(name);
  if (is_vertex_uniform(name)) vertex_->set_uniform(name, numbers);
  if (!is_constant(name)) return;
  std::vector<Float4> values((numbers.size() + 3) / 4);
  for (std::size_t i = 0; i < numbers.size(); ++i) values[i / 4][i % 4] = numbers[i];
  if (numbers.size() == 1) values[0].fill(numbers[0]);
  driver_.constants(name, values);
}

void ShaderHost::set_default(const std::string& name, const std::vector<float>& numbers) {
  if (!given_.contains(name) && knows(name)) set(name, numbers);
}

void ShaderHost::set_picture(const std::string& prefix, PictureSize size) {
  const std::vector<float> numbers = {static_cast<float>(size.width),
                                      static_cast<float>(size.height)};
  for (const char* field : {"video_size", "texture_size"}) {
    set_default(prefix.empty() ? field : fmt::format("{}.{}", prefix, field), numbers);
  }
}

void ShaderHost::set_frame(unsigned count, float direction) {
  for (const char* prefix : {"", "IN."}) {
    set_default(fmt::format("{}frame_count", prefix), {static_cast<float>(count)});
    set_default(fmt::format("{}frame_direction", prefix), {direction});
  }
}

std::string ShaderHost::set_output(PictureSize size) {
  const std::vector<float> numbers = {static_cast<float>(size.width),
                                      static_cast<float>(size.height)};
  for (const char* prefix : {"", "IN."}) {
    set_default(fmt::format("{}output_size", prefix), numbers);
    set_default(fmt::format("{}frame_direction", prefix), {1});
  }
  driver_.domain({0, 0, size.width, size.height});
  if (!vertex_) return {};
  const cg::Quad quad = vertex_->run(size.width, size.height);
  driver_.domain({quad.x, quad.y, quad.width, quad.height});
  for (const cg::InputPlane& plane : quad.planes)
    driver_.constants(fmt::format("c{}", plane.first_register), plane.values);
  std::string notes;
  for (const std::string& note : quad.notes) notes += note + "\n";
  return notes;
}

}  // namespace raddle::driver::overlay

// Presets: several shaders one after the other on one picture.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <set>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/usage_error.h"
#include "driver/driver.h"
#include "driver/overlay/overlay_arguments.h"
#include "driver/overlay/preset.h"
#include "driver/simulated_run.h"
#include "image/image.h"

namespace raddle::driver::overlay {
namespace {

using machine::overlay::OverlayMachine;

// Points of the screen for one of the picture, where nothing else is asked for.
constexpr std::uint32_t kScreenScale = 3;

struct Picture {
  image::Image image;
  Sampling sampling;

  PictureSize size() const { return {image.width, image.height}; }
};

float to_srgb(float x) {
  return x <= 0.0031308F ? 12.92F * x : 1.055F * std::pow(x, 1 / 2.4F) - 0.055F;
}
float from_srgb(float x) {
  return x <= 0.04045F ? x / 12.92F : std::pow((x + 0.055F) / 1.055F, 2.4F);
}

// As the frame buffer keeps it: eight bits a channel unless it holds floats.
void store(image::Image& image, FrameBuffer kind) {
  if (kind == FrameBuffer::kFloat) return;
  for (image::Texel& texel : image.texels) {
    for (unsigned c = 0; c < 4; ++c) {
      const bool is_curved = kind == FrameBuffer::kSrgb && c < 3;
      float x = texel[c] > 0 ? std::min(texel[c], 1.0F) : 0.0F;
      if (is_curved) x = to_srgb(x);
      x = std::round(x * 255) / 255;
      texel[c] = is_curved ? from_srgb(x) : x;
    }
  }
}

std::uint32_t scaled(const PassScale& scale, std::uint32_t source, std::uint32_t screen,
                     const std::string& shader) {
  double size = scale.factor;
  if (scale.kind == PassScale::Kind::kSource) size *= source;
  if (scale.kind == PassScale::Kind::kViewport) size *= screen;
  size = std::max(1.0, std::round(size));
  if (size > image::kLargestSide)
    throw Error(fmt::format("the picture would have a side of {} points", size), shader);
  return static_cast<std::uint32_t>(size);
}

class PresetRun {
 public:
  PresetRun(const RunJob& job, SimulatedRun& run, const OverlayMachine& machine)
      : job_(job), run_(run), machine_(machine) {}

  ProgramRun finish() {
    const RunRequest& request = job_.request;
    preset_ = read_preset(read_file(job_.program.path), job_.program.path);
    if (request.launch.image.empty())
      throw UsageError("no picture was given", job_.program.path,
                       "raddle run PRESET.cgp --image in.png --show out.png");
    pictures_.push_back({image::read_image(request.launch.image), preset_.passes[0].input});
    for (const std::string& file : request.launch.shown) {
      if (!image::has_known_ending(file))
        throw UsageError(fmt::format("unknown file extension '{}'", file), {},
                         "known extensions: .png, .ppm, .pgm, .pfm, .csv, .raw and .bin");
    }
    for (const PresetTexture& texture : preset_.textures)
      textures_[texture.name] = {image::read_image(texture.path), texture.sampling};
    screen_ = {pictures_[0].image.width * kScreenScale, pictures_[0].image.height * kScreenScale};
    read_arguments();
    std::vector<machine::LaunchResult> launches;
    for (std::size_t i = 0; i < preset_.passes.size(); ++i) {
      launches.push_back(pass(i));
      if (!launches.back().complete || launches.back().fault_count > 0) break;
      if (i + 1 == preset_.passes.size()) {
        for (const std::string& file : request.launch.shown)
          image::write_image(file, pictures_.back().image);
      }
    }
    for (const auto& [name, value] : parameters_) {
      if (!used_.contains(name))
        throw Error(fmt::format("no shader of the preset has a parameter '{}'", name),
                    job_.program.path);
    }
    machine::LaunchResult last = std::move(launches.back());
    launches.pop_back();
    return run_.result({.launch = std::move(last),
                        .machine = machine_,
                        .earlier = std::move(launches),
                        .arguments = request.arguments});
  }

 private:
  void read_arguments() {
    for (const std::string& argument : job_.request.arguments) {
      const std::size_t equals = argument.find('=');
      const std::string name = argument.substr(0, equals);
      unsigned width = 0;
      unsigned height = 0;
      float value = 0;
      char rest = 0;
      const char* text = equals == std::string::npos ? "" : argument.c_str() + equals + 1;
      if (name == "domain" && std::sscanf(text, "%ux%u%c", &width, &height, &rest) == 2 &&
          width > 0 && height > 0 && std::max(width, height) <= image::kLargestSide) {
        screen_ = {width, height};
      } else if (name == "frame_count" && std::sscanf(text, "%u%c", &frame_, &rest) == 1) {
        continue;
      } else if (name == "frame_direction" && std::sscanf(text, "%f%c", &direction_, &rest) == 1 &&
                 std::fabs(direction_) == 1) {
        continue;
      } else if (name != "domain" && !name.starts_with("frame_") &&
                 std::sscanf(text, "%f%c", &value, &rest) == 1) {
        parameters_[name] = value;
      } else {
        throw UsageError(
            fmt::format("argument '{}' is not domain=WIDTHxHEIGHT, frame_count=NUMBER, "
                        "frame_direction=1 or -1, or PARAMETER=NUMBER",
                        argument));
      }
    }
  }

  // The picture that a sampler of this name reads; its own input unless the name says otherwise.
  const Picture& picture_of(const std::string& sampler, std::size_t at) const {
    const std::size_t dot = sampler.rfind('.');
    const std::string prefix = dot == std::string::npos ? sampler : sampler.substr(0, dot);
    if (const auto found = textures_.find(prefix); found != textures_.end()) return found->second;
    const Picture* named = named_picture(prefix, at);
    return named == nullptr ? pictures_[at] : *named;
  }

  // pictures_[0] is the original, [n] what pass n made, counted from 1. A still picture is its own
  // predecessor.
  const Picture* named_picture(const std::string& prefix, std::size_t at) const {
    if (prefix == "ORIG" || prefix == "PREV") return &pictures_[0];
    for (std::size_t i = 0; i < at; ++i) {
      if (!preset_.passes[i].alias.empty() && preset_.passes[i].alias == prefix)
        return &pictures_[i + 1];
    }
    const auto numbered = [&](std::string_view stem) -> std::optional<std::size_t> {
      if (!prefix.starts_with(stem) || prefix.size() == stem.size()) return std::nullopt;
      std::size_t number = 0;
      for (const char c : prefix.substr(stem.size())) {
        if (c < '0' || c > '9') return std::nullopt;
        number = number * 10 + static_cast<std::size_t>(c - '0');
      }
      return number;
    };
    if (numbered("PREV")) return &pictures_[0];
    if (const auto number = numbered("PASSPREV"))
      return *number >= 1 && *number <= at + 1 ? &pictures_[at + 1 - *number] : nullptr;
    if (const auto number = numbered("PASS"))
      return *number >= 1 && *number <= at ? &pictures_[*number] : nullptr;
    return nullptr;
  }

  bool has_mipmaps() const {
    const auto has = [](const auto& one) { return one.second.sampling.mipmaps; };
    return std::ranges::any_of(textures_, has) ||
           std::ranges::any_of(pictures_, [](const Picture& p) { return p.sampling.mipmaps; });
  }

  machine::LaunchResult pass(std::size_t at) {
    const PresetPass& pass = preset_.passes[at];
    LoadedShader loaded =
        load_shader(pass.shader,
                    (has_mipmaps() ? "-DPARAMETER_UNIFORM -mipmaps " : "-DPARAMETER_UNIFORM ") +
                        job_.request.compile_flags,
                    machine_.parameters().floats.fused);
    if (job_.request.verbose) run_.print_error(loaded.notes);
    ShaderHost host(machine_, std::move(loaded));
    for (const auto* values : {&preset_.parameters, &parameters_}) {
      for (const auto& [name, value] : *values) {
        if (!host.knows(name)) continue;
        host.set(name, {value});
        used_.insert(name);
      }
    }
    bind_pictures(host, at);
    host.set_frame(pass.frames == 0 ? frame_ : frame_ % pass.frames, direction_);
    const Picture& input = pictures_[at];
    const PictureSize size = {scaled(pass.x, input.image.width, screen_.width, pass.shader),
                              scaled(pass.y, input.image.height, screen_.height, pass.shader)};
    run_.print_error(host.set_output(size));
    const unsigned written = outputs_written(host.driver().shader());
    for (unsigned i = 0; i < machine::overlay::kOutputBuffers; ++i) {
      if ((written >> i & 1U) != 0)
        host.driver().output(machine::overlay::output_register(i), size.width, size.height);
    }
    machine::LaunchResult launched = host.driver().start(run_.begin(fmt::format(
        "{} (pass {} of {})", host.driver().shader().name, at + 1, preset_.passes.size())));
    run_.end(machine_);
    if (!launched.complete) return launched;
    if (checks_results(job_.request)) check_outputs(host.driver(), launched);
    const auto texels = host.driver().result("o0");
    Picture made{{size.width, size.height, {texels.begin(), texels.end()}}, {}};
    if (at + 1 < preset_.passes.size()) {
      made.sampling = preset_.passes[at + 1].input;
      store(made.image, pass.frame_buffer);
    }
    pictures_.push_back(std::move(made));
    return launched;
  }

  void bind_pictures(ShaderHost& host, std::size_t at) {
    for (const auto& sampler : host.driver().shader().sampler_names) {
      const Picture& picture = picture_of(sampler.name, at);
      host.driver().input(sampler.name, picture.image.width, picture.image.height,
                          picture.image.texels, picture.sampling.addressing,
                          picture.sampling.filter, picture.sampling.mipmaps);
    }
    for (const char* prefix : {"", "IN"}) host.set_picture(prefix, pictures_[at].size());
    std::vector<std::string> prefixes = {"ORIG", "PREV"};
    for (std::size_t i = 1; i <= 6; ++i) prefixes.push_back(fmt::format("PREV{}", i));
    for (std::size_t i = 1; i <= at + 1; ++i) {
      prefixes.push_back(fmt::format("PASS{}", i));
      prefixes.push_back(fmt::format("PASSPREV{}", i));
      if (i <= at && !preset_.passes[i - 1].alias.empty())
        prefixes.push_back(preset_.passes[i - 1].alias);
    }
    for (const std::string& prefix : prefixes) {
      if (const Picture* picture = named_picture(prefix, at))
        host.set_picture(prefix, picture->size());
    }
  }

  const RunJob& job_;
  SimulatedRun& run_;
  const OverlayMachine& machine_;
  Preset preset_;
  std::vector<Picture> pictures_;
  std::map<std::string, Picture> textures_;
  std::map<std::string, float> parameters_;
  std::set<std::string> used_;
  PictureSize screen_;
  unsigned frame_ = 0;
  float direction_ = 1;
};

class PresetDriver : public Driver {
 public:
  PresetDriver()
      : Driver({.name = "preset",
                .endings = {".cgp"},
                .compiled = {".cgp"},
                .explained = {".cgp"},
                .form = machine::ProgramForm::kFragmentPrograms,
                .default_machine = "overlay",
                .launch_options = {"--image", "--show"}}) {}

  ProgramRun run(const RunJob& job) const override {
    SimulatedRun run(job);
    const OverlayMachine machine(job.parameters);
    return PresetRun(job, run, machine).finish();
  }
};
RADDLE_REGISTER_DRIVER(PresetDriver);

}  // namespace
}  // namespace raddle::driver::overlay

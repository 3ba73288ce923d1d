// A preset (.cgp): passes of shaders one after the other, each with the size of its picture and how
// its input is read, further pictures, and values of parameters. Lines are KEY = VALUE.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "driver/overlay/shader_host.h"
#include "machine/overlay/configuration.h"

namespace raddle::driver::overlay {

// How a picture is read. The libretro Cg specification asks for a black border where a preset says
// nothing.
struct Sampling {
  machine::overlay::Filter filter = machine::overlay::Filter::kNearest;
  machine::overlay::Addressing addressing = machine::overlay::Addressing::kBorder;
};

struct PassScale {
  enum class Kind : std::uint8_t { kSource, kViewport, kAbsolute };
  Kind kind = Kind::kSource;
  double factor = 1;  // or points
};

// What a pass keeps its picture in.
enum class FrameBuffer : std::uint8_t { kByte, kSrgb, kFloat };

struct PresetPass {
  std::string shader;  // path
  std::string alias;
  Sampling input;
  PassScale x, y;
  FrameBuffer frame_buffer = FrameBuffer::kByte;
  unsigned frames = 0;  // after which its count of frames starts again; 0: never
};

struct PresetTexture {
  std::string name;
  std::string path;
  Sampling sampling;
};

struct Preset {
  std::vector<PresetPass> passes;
  std::vector<PresetTexture> textures;
  std::map<std::string, float> parameters;
  std::vector<std::string> notes;  // what has no effect here
};

// Throws Error with the line.
Preset read_preset(std::string_view text, const std::string& file_name);

}  // namespace raddle::driver::overlay

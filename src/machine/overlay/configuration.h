// What the host gives the processor before it starts a program (Sections 3.3 and 5.1): the program,
// base and size of buffers, constants and the compute domain. Buffers lie in one host memory of
// texels, 128 bits each.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "machine/overlay/batch_state.h"
#include "machine/overlay/shader.h"

namespace raddle::machine::overlay {

// What a TEX does with coordinates outside its buffer.
enum class Addressing : std::uint8_t {
  kClamp,   // takes the nearest texel of the buffer
  kLinear,  // r + g*width + base, as the paper says; leaving the buffer is a fault
  kRepeat,  // goes on at the other side
  kMirror,  // goes back
  kBorder,  // reads the nearest texel and takes 0 instead of it
};

// What a TEX between texels reads.
enum class Filter : std::uint8_t {
  kNearest,
  kBilinear,  // four texels, weighted by their distance: four reads
};

struct SamplerRegister {
  bool bound = false;
  std::uint64_t base = 0;  // in texels
  std::uint32_t width = 0, height = 0;
  Addressing addressing = Addressing::kClamp;
  Filter filter = Filter::kNearest;
  // One after the other from the base on, each half as wide and high as the one before.
  std::uint32_t levels = 1;

  // One of them, as a buffer.
  SamplerRegister level(std::uint32_t number) const;
};

struct OutputRegister {
  bool bound = false;
  std::uint64_t base = 0;
  std::uint32_t width = 0, height = 0;
};

struct Domain {
  std::uint32_t x = 0, y = 0, width = 0, height = 0;
  std::uint64_t threads() const { return std::uint64_t{width} * height; }
};

struct Configuration {
  Shader shader;
  std::array<Float4, kConstants> constants{};
  std::array<LoopConstant, kIntegerConstants> loops{};
  std::uint32_t booleans = 0;
  std::array<SamplerRegister, kSamplers> samplers{};
  std::array<OutputRegister, kOutputBuffers> outputs{};
  Domain domain;

  // Takes the shader with the constants that it gives itself.
  void set_shader(Shader program);
};

using HostMemory = std::span<Float4>;

// Which outputs a program writes: bit n is oN, bit kDepthOutput the depth.
unsigned outputs_written(const Shader& shader);

// Whether a thread reads what others of its 2x2 block have: MDH and MDV.
bool compares_neighbours(const Configuration& configuration);

// "o0" to "o3", "depth".
std::string output_register(unsigned number);

// "kernel.ctm:12" or the instruction's number where lines are not known.
std::string place_of(const Shader& shader, std::size_t instruction);

// Throws Error for what the processor cannot run: reserved operations, unbound buffers, neighbours
// of batches that are not 2x2, buffers too small for the domain.
void check_configuration(const Configuration& configuration, bool batches_are_squares);

}  // namespace raddle::machine::overlay

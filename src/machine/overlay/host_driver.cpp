#include "machine/overlay/host_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "base/error.h"
#include "base/nearest_name.h"
#include "machine/overlay/evaluator.h"

namespace raddle::machine::overlay {
namespace {

constexpr std::uint64_t kMaxTexels = std::uint64_t{1} << 28;  // 4 GiB of host memory

struct RegisterKind {
  char letter;
  unsigned count;
};
constexpr std::array<RegisterKind, 5> kKinds = {{{'s', kSamplers},
                                                 {'o', kOutputs},
                                                 {'c', kConstants},
                                                 {'i', kIntegerConstants},
                                                 {'b', kBooleanConstants}}};

// So that a NaN equals itself, and 0 does not equal -0.
std::array<std::uint32_t, 4> bits_of(const Float4& texel) {
  return std::bit_cast<std::array<std::uint32_t, 4>>(texel);
}

// The register that a name such as "c12" is.
bool by_number(std::string_view name, RegisterPlace& place) {
  if (name == output_register(kDepthOutput)) {
    place = {'o', kDepthOutput, 1};
    return true;
  }
  if (name.size() < 2 || name.size() > 4) return false;
  unsigned number = 0;
  for (const char digit : name.substr(1)) {
    if (digit < '0' || digit > '9') return false;
    number = number * 10 + static_cast<unsigned>(digit - '0');
  }
  for (const RegisterKind& kind : kKinds) {
    if (kind.letter != name[0] || number >= kind.count) continue;
    place = {kind.letter, static_cast<std::uint8_t>(number), 1};
    return true;
  }
  return false;
}

}  // namespace

HostDriver::HostDriver(const OverlayMachine& machine, Shader shader) : machine_(machine) {
  configuration_.set_shader(std::move(shader));
}

RegisterPlace HostDriver::find(std::string_view name) const {
  std::vector<std::string> known;
  const auto search = [&](const std::vector<RegisterName>& names, char letter,
                          RegisterPlace& place) {
    for (const RegisterName& candidate : names) {
      known.push_back(candidate.name);
      if (candidate.name != name) continue;
      place = {letter, candidate.number, candidate.count};
      return true;
    }
    return false;
  };
  RegisterPlace place;
  if (search(shader().sampler_names, 's', place) || search(shader().output_names, 'o', place) ||
      search(shader().constant_names, 'c', place) || by_number(name, place)) {
    return place;
  }
  const std::string near = suggestion(name, known);
  throw Error(fmt::format("the program has no '{}'", name), shader().file,
              !near.empty() ? near
              : known.empty()
                  ? "registers are s0 to s15, o0 to o3, depth, c0 to c255, i0 to i31, b0 to b31"
                  : fmt::format("it names {}", fmt::join(known, ", ")));
}

RegisterPlace HostDriver::expect(std::string_view name, char letter, std::string_view what) const {
  const RegisterPlace place = find(name);
  if (place.letter == letter) return place;
  throw Error(fmt::format("'{}' is not {}", name, what), shader().file);
}

std::uint64_t HostDriver::allocate(std::uint32_t width, std::uint32_t height,
                                   std::string_view name) {
  const std::uint64_t texels = std::uint64_t{width} * height;
  if (texels == 0) throw Error(fmt::format("the buffer of '{}' is empty", name), shader().file);
  if (memory_.size() + texels > kMaxTexels) {
    throw Error(fmt::format("the buffers take more than {} texels", kMaxTexels), shader().file);
  }
  const std::uint64_t base = memory_.size();
  memory_.resize(base + texels);
  return base;
}

void HostDriver::input(std::string_view name, std::uint32_t width, std::uint32_t height,
                       std::span<const Float4> texels, Addressing addressing, Filter filter) {
  const RegisterPlace place = expect(name, 's', "a sampler");
  RADDLE_ASSERT(texels.size() == std::uint64_t{width} * height);
  const std::uint64_t base = allocate(width, height, name);
  std::ranges::copy(texels, memory_.begin() + static_cast<std::ptrdiff_t>(base));
  configuration_.samplers[place.number] = {true, base, width, height, addressing, filter};
  for (const BufferSize& size : shader().buffer_sizes) {
    if (size.sampler != place.number) continue;
    const auto w = static_cast<float>(width);
    const auto h = static_cast<float>(height);
    configuration_.constants[size.constant] = {w, h, filter == Filter::kNearest ? 0.0F : 1.0F, 0};
  }
}

void HostDriver::output(std::string_view name, std::uint32_t width, std::uint32_t height) {
  const RegisterPlace place = expect(name, 'o', "an output");
  const std::uint64_t base = allocate(width, height, name);
  configuration_.outputs[place.number] = {true, base, width, height};
  if (configuration_.domain.threads() == 0) configuration_.domain = {0, 0, width, height};
}

void HostDriver::constant(std::string_view name, const Float4& value) {
  const RegisterPlace place = expect(name, 'c', "a constant");
  configuration_.constants[place.number] = value;
}

void HostDriver::constants(std::string_view name, std::span<const Float4> values) {
  const RegisterPlace place = expect(name, 'c', "a constant");
  const std::size_t room = kConstants - place.number;
  const std::size_t most = place.count > 1 ? place.count : room;
  if (values.size() > most) {
    throw Error(
        fmt::format("'{}' has room for {} registers, {} were given", name, most, values.size()),
        shader().file);
  }
  std::ranges::copy(values, configuration_.constants.begin() + place.number);
}

void HostDriver::loop(std::string_view name, const LoopConstant& value) {
  const RegisterPlace place = expect(name, 'i', "an integer constant");
  configuration_.loops[place.number] = value;
}

void HostDriver::boolean(std::string_view name, bool value) {
  const RegisterPlace place = expect(name, 'b', "a boolean constant");
  const std::uint32_t bit = 1U << place.number;
  configuration_.booleans = value ? configuration_.booleans | bit : configuration_.booleans & ~bit;
}

LaunchResult HostDriver::start(const LaunchOptions& options) {
  return machine_.run(configuration_, memory_, options);
}

std::span<const Float4> HostDriver::result(std::string_view name) const {
  const RegisterPlace place = expect(name, 'o', "an output");
  const OutputRegister& output = configuration_.outputs[place.number];
  if (!output.bound) throw Error(fmt::format("'{}' has no buffer", name), shader().file);
  return std::span(memory_).subspan(output.base, std::uint64_t{output.width} * output.height);
}

HostDriver::Difference HostDriver::compare_with_evaluator() const {
  std::vector<Float4> expected = memory_;
  EvaluationOptions options;
  options.floats = machine_.parameters().floats;
  options.limits = machine_.parameters().limits;
  options.squares = machine_.has_square_batches(configuration_);
  options.max_instructions = 0;
  evaluate(configuration_, expected, options);
  Difference difference;
  for (unsigned number = 0; number < kOutputBuffers; ++number) {
    const OutputRegister& output = configuration_.outputs[number];
    if (!output.bound) continue;
    for (std::uint64_t i = 0; i < std::uint64_t{output.width} * output.height; ++i) {
      const std::uint64_t at = output.base + i;
      if (bits_of(memory_[at]) == bits_of(expected[at])) continue;
      if (difference.texels++ == 0) {
        difference.first =
            fmt::format("{} ({}, {})", output_register(number), i % output.width, i / output.width);
      }
    }
  }
  return difference;
}

}  // namespace raddle::machine::overlay

#include "driver/overlay/overlay_arguments.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <optional>
#include <random>
#include <string_view>

#include "base/error.h"
#include "image/image.h"

namespace raddle::driver::overlay {
namespace {

using machine::overlay::Addressing;
using machine::overlay::Domain;
using machine::overlay::Filter;
using machine::overlay::Float4;
using machine::overlay::HostDriver;
using machine::overlay::LoopConstant;
using machine::overlay::RegisterPlace;

struct Assignment {
  std::string name;
  std::string value;
  std::string text;  // as given
};

[[noreturn]] void fail(const Assignment& argument, const std::string& what,
                       const std::string& hint = {}) {
  throw Error(fmt::format("argument '{}': {}", argument.text, what), {}, hint);
}

Assignment split(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw Error(fmt::format("argument '{}' is not NAME=VALUE", text), {},
                "for example s0=photo.png o0=out.png c0=1,2,3,4 domain=640x480");
  }
  return {text.substr(0, equals), text.substr(equals + 1), text};
}

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

struct Size {
  std::uint32_t width = 0, height = 0;
};

std::optional<Size> size_of(std::string_view text) {
  const auto sides = parts_of(text, 'x');
  if (sides.size() != 2) return std::nullopt;
  const auto width = number_of<std::uint32_t>(sides[0]);
  const auto height = number_of<std::uint32_t>(sides[1]);
  if (!width || !height || *width == 0 || *height == 0) return std::nullopt;
  if (*width > image::kLargestSide || *height > image::kLargestSide) return std::nullopt;
  return Size{*width, *height};
}

Size expect_size(const Assignment& argument, std::string_view text) {
  const auto size = size_of(text);
  if (!size)
    fail(argument, fmt::format("'{}' is not a size", text),
         "write WIDTHxHEIGHT, up to 65536 a side");
  return *size;
}

Domain domain_of(const Assignment& argument) {
  const auto parts = parts_of(argument.value, '+');
  const Size size = expect_size(argument, parts[0]);
  Domain domain{0, 0, size.width, size.height};
  if (parts.size() == 1) return domain;
  const auto x = parts.size() == 3 ? number_of<std::uint32_t>(parts[1]) : std::nullopt;
  const auto y = parts.size() == 3 ? number_of<std::uint32_t>(parts[2]) : std::nullopt;
  if (!x || !y || *x > image::kLargestSide || *y > image::kLargestSide) {
    fail(argument, "invalid domain", "write WIDTHxHEIGHT or WIDTHxHEIGHT+X+Y");
  }
  domain.x = *x;
  domain.y = *y;
  return domain;
}

// Buffers that are made here: random:WxH[:SEED], iota:WxH, zero:WxH, fill:VALUE:WxH.
std::optional<image::Image> generated(const Assignment& argument) {
  const auto parts = parts_of(argument.value, ':');
  const std::string_view kind = parts[0];
  if (kind != "random" && kind != "iota" && kind != "zero" && kind != "fill") return std::nullopt;
  const std::size_t size_place = kind == "fill" ? 2 : 1;
  const std::size_t most = size_place + (kind == "random" ? 2 : 1);
  if (parts.size() <= size_place || parts.size() > most) {
    fail(argument, "invalid buffer description",
         "random:64x64, random:64x64:SEED, iota:64x64, zero:64x64 or fill:0.5:64x64");
  }
  const Size size = expect_size(argument, parts[size_place]);
  image::Image buffer{size.width, size.height, {}};
  buffer.texels.resize(std::size_t{size.width} * size.height);
  if (kind == "fill") {
    const auto value = number_of<float>(parts[1]);
    if (!value) fail(argument, fmt::format("'{}' is not a number", parts[1]));
    for (Float4& texel : buffer.texels) texel.fill(*value);
  } else if (kind == "iota") {
    float next = 0;
    for (Float4& texel : buffer.texels) {
      for (float& channel : texel) channel = next++;
    }
  } else if (kind == "random") {
    const auto seed = parts.size() > 2 ? number_of<std::uint32_t>(parts[2]) : 1;
    if (!seed) fail(argument, fmt::format("'{}' is not a seed", parts[2]));
    // The generator's own numbers, not a library's distribution: the same everywhere.
    std::mt19937 random(*seed);
    for (Float4& texel : buffer.texels) {
      for (float& channel : texel) channel = static_cast<float>(random() >> 8) * 0x1p-24F;
    }
  }
  return buffer;
}

image::Image buffer_of(const Assignment& argument) {
  if (auto buffer = generated(argument)) return std::move(*buffer);
  std::string path = argument.value;
  Size raw;
  const std::size_t colon = path.rfind(':');
  if (colon != std::string::npos) {
    if (const auto size = size_of(std::string_view(path).substr(colon + 1))) {
      raw = *size;
      path.resize(colon);
    }
  }
  return image::read_image(path, raw.width, raw.height);
}

std::vector<float> numbers_of(const Assignment& argument) {
  std::vector<float> numbers;
  for (const std::string_view part : parts_of(argument.value, ',')) {
    const auto value = number_of<float>(part);
    if (!value) fail(argument, fmt::format("'{}' is not a number", part));
    numbers.push_back(*value);
  }
  return numbers;
}

std::vector<Float4> constants_of(const Assignment& argument) {
  const std::vector<float> numbers = numbers_of(argument);
  if (numbers.size() == 1) return {Float4{numbers[0], numbers[0], numbers[0], numbers[0]}};
  std::vector<Float4> values((numbers.size() + 3) / 4);
  for (std::size_t i = 0; i < numbers.size(); ++i) values[i / 4][i % 4] = numbers[i];
  return values;
}

LoopConstant loop_of(const Assignment& argument) {
  const auto parts = parts_of(argument.value, ',');
  std::array<int, 3> values{0, 0, 1};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto value = i < 3 ? number_of<int>(parts[i]) : std::nullopt;
    const int least = i == 2 ? -128 : 0;
    const int most = i == 2 ? 127 : 255;
    if (!value || *value < least || *value > most) {
      fail(argument, "invalid loop constant", "COUNT, COUNT,FIRST or COUNT,FIRST,STEP");
    }
    values[i] = *value;
  }
  LoopConstant loop;
  loop.count = static_cast<std::uint8_t>(values[0]);
  loop.first = static_cast<std::uint8_t>(values[1]);
  loop.step = static_cast<std::int8_t>(values[2]);
  return loop;
}

class Binder {
 public:
  explicit Binder(ShaderHost& host) : host_(host), driver_(host.driver()) {}

  OverlayArguments run(const std::vector<std::string>& given) {
    collect(driver_.shader().defaults);
    collect(given);
    bind_globals();
    for (const auto& [name, argument] : uniforms_) host_.set(name, numbers_of(argument));
    for (const auto& [key, argument] : arguments_) bind(argument);
    bind_outputs();
    return std::move(result_);
  }

 private:
  // Later ones replace earlier ones of the same register.
  void collect(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      const Assignment argument = split(text);
      if (argument.name == "domain" || argument.name == "address" || argument.name == "filter") {
        globals_[argument.name] = argument;
        continue;
      }
      if (host_.has_vertex_program() && host_.knows(argument.name)) {
        uniforms_[argument.name] = argument;
        continue;
      }
      const RegisterPlace place = driver_.find(argument.name);
      arguments_[{place.letter, place.number}] = argument;
    }
  }

  void bind_globals() {
    if (const auto found = globals_.find("address"); found != globals_.end()) {
      if (found->second.value == "linear") {
        addressing_ = Addressing::kLinear;
      } else if (found->second.value == "repeat") {
        addressing_ = Addressing::kRepeat;
      } else if (found->second.value == "mirror") {
        addressing_ = Addressing::kMirror;
      } else if (found->second.value == "border") {
        addressing_ = Addressing::kBorder;
      } else if (found->second.value != "clamp") {
        fail(found->second, "expected clamp, repeat, mirror, border or linear");
      }
    }
    if (const auto found = globals_.find("filter"); found != globals_.end()) {
      if (found->second.value == "linear") {
        filter_ = Filter::kBilinear;
      } else if (found->second.value != "nearest") {
        fail(found->second, "expected nearest or linear");
      }
    }
    if (const auto found = globals_.find("domain"); found != globals_.end()) {
      domain_ = domain_of(found->second);
    }
  }

  void bind(const Assignment& argument) {
    switch (driver_.find(argument.name).letter) {
      case 's': {
        const image::Image buffer = buffer_of(argument);
        driver_.input(argument.name, buffer.width, buffer.height, buffer.texels, addressing_,
                      filter_, driver_.shader().has_levels);
        if (!first_input_) first_input_ = Domain{0, 0, buffer.width, buffer.height};
        set_sizes(argument.name, {buffer.width, buffer.height});
        break;
      }
      case 'o':
        if (!argument.value.empty() && !image::has_known_ending(argument.value)) {
          fail(argument, "unknown file extension",
               "known extensions: .png, .ppm, .pgm, .pfm, .csv, .raw and .bin");
        }
        if (!argument.value.empty()) result_.outputs.push_back({argument.name, argument.value});
        break;
      case 'c': driver_.constants(argument.name, constants_of(argument)); break;
      case 'i': driver_.loop(argument.name, loop_of(argument)); break;
      default:
        if (argument.value != "true" && argument.value != "false")
          fail(argument, "expected true or false");
        driver_.boolean(argument.name, argument.value == "true");
    }
  }

  // Reads the fields beside a sampler in its struct; for the first buffer also those of IN.
  void set_sizes(const std::string& sampler, PictureSize size) {
    if (!host_.has_vertex_program()) return;
    const std::size_t dot = sampler.rfind('.');
    if (dot != std::string::npos) host_.set_picture(sampler.substr(0, dot), size);
    if (dot != std::string::npos && sampler.substr(0, dot) != "IN") return;
    host_.set_picture("IN", size);
    host_.set_picture("", size);
  }

  void draw_quad() {
    if (domain_->x != 0 || domain_->y != 0)
      fail(globals_.at("domain"), "a program with a vertex program starts at (0, 0)");
    result_.notes = host_.set_output({domain_->width, domain_->height});
  }

  // All outputs are as large as the domain reaches; without one it is the first input's size.
  void bind_outputs() {
    if (!domain_) domain_ = first_input_;
    if (!domain_) {
      throw Error("the compute domain is not given", driver_.shader().file,
                  "add domain=WIDTHxHEIGHT, or an input whose size it takes");
    }
    driver_.domain(*domain_);
    if (host_.has_vertex_program()) draw_quad();
    for (unsigned number = 0; number < machine::overlay::kOutputBuffers; ++number) {
      if (((outputs_written(driver_.shader()) >> number) & 1U) == 0) continue;
      driver_.output(machine::overlay::output_register(number), domain_->x + domain_->width,
                     domain_->y + domain_->height);
    }
  }

  ShaderHost& host_;
  HostDriver& driver_;
  std::map<std::string, Assignment> globals_;
  std::map<std::string, Assignment> uniforms_;
  std::map<std::pair<char, std::uint8_t>, Assignment> arguments_;
  Addressing addressing_ = Addressing::kClamp;
  Filter filter_ = Filter::kNearest;
  std::optional<Domain> domain_, first_input_;
  OverlayArguments result_;
};

}  // namespace

OverlayArguments bind_arguments(const std::vector<std::string>& given, ShaderHost& host) {
  return Binder(host).run(given);
}

void write_outputs(const OverlayArguments& arguments, const HostDriver& driver) {
  for (const OutputFile& file : arguments.outputs) {
    const auto& output = driver.configuration().outputs[driver.find(file.name).number];
    if (!output.bound) {
      throw Error(fmt::format("the program does not write '{}'", file.name), driver.shader().file);
    }
    const auto texels = driver.result(file.name);
    image::write_image(file.path, {output.width, output.height, {texels.begin(), texels.end()}});
  }
}

}  // namespace raddle::driver::overlay

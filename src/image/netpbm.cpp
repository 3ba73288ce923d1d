// The Netpbm formats P2, P3, P5 and P6, and their sister PFM (PF, Pf) for floats.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/error.h"
#include "image/image.h"

namespace raddle::image {
namespace {

class Reader {
 public:
  Reader(std::string_view content, const std::string& name) : content_(content), name_(name) {}

  Image read() {
    const std::string_view magic = word();
    if (magic == "PF" || magic == "Pf") return read_floats(magic == "PF" ? 3 : 1);
    const bool is_text = magic == "P2" || magic == "P3";
    if (!is_text && magic != "P5" && magic != "P6") {
      fail("unsupported Netpbm format; expected P2, P3, P5, P6, PF or Pf");
    }
    return read_integers(magic == "P3" || magic == "P6" ? 3 : 1, is_text);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw Error(what, name_); }

  // The next word of the header; comments run to the end of their line.
  std::string_view word() {
    for (;;) {
      while (place_ < content_.size() && is_blank(content_[place_])) ++place_;
      if (place_ >= content_.size() || content_[place_] != '#') break;
      while (place_ < content_.size() && content_[place_] != '\n') ++place_;
    }
    const std::size_t start = place_;
    while (place_ < content_.size() && !is_blank(content_[place_])) ++place_;
    return content_.substr(start, place_ - start);
  }
  static bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

  std::uint32_t number(const char* what, std::uint32_t most) {
    const std::string_view text = word();
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value > most) {
      fail(fmt::format("invalid {} of the picture: '{}'", what, text));
    }
    return value;
  }

  Image header() {
    Image image;
    image.width = number("width", kLargestSide);
    image.height = number("height", kLargestSide);
    if (image.width == 0 || image.height == 0) fail("the picture is empty");
    return image;
  }

  void need(std::size_t bytes) const {
    if (place_ > content_.size() || content_.size() - place_ < bytes)
      fail("the picture ends too early");
  }

  Image read_integers(unsigned channels, bool is_text) {
    Image image = header();
    const std::uint32_t most = number("greatest value", 65535);
    if (most == 0) fail("the maximum value of the picture is 0");
    const std::size_t count = std::size_t{image.width} * image.height;
    const std::size_t bytes = most > 255 ? 2 : 1;
    ++place_;  // one blank after the header
    // At least a digit and a blank, or the bytes themselves, for every sample.
    need(is_text ? count * channels * 2 - 1 : count * channels * bytes);
    image.texels.assign(count, Texel{0, 0, 0, 1});
    for (Texel& texel : image.texels) {
      for (unsigned c = 0; c < channels; ++c) {
        const std::uint32_t sample = is_text ? number("sample", most) : binary(bytes);
        texel[c] = static_cast<float>(sample) / static_cast<float>(most);
      }
      if (channels == 1) texel[1] = texel[2] = texel[0];
    }
    return image;
  }

  std::uint32_t binary(std::size_t bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
      value = value << 8 | static_cast<std::uint8_t>(content_[place_++]);
    }
    return value;
  }

  Image read_floats(unsigned channels) {
    Image image = header();
    const std::string text(word());
    double scale = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), scale);
    if (error != std::errc{} || scale == 0)
      fail(fmt::format("invalid scale of the picture: '{}'", text));
    ++place_;
    const std::size_t count = std::size_t{image.width} * image.height;
    need(count * channels * 4);
    image.texels.assign(count, Texel{0, 0, 0, 1});
    // From the bottom row up.
    for (std::uint32_t y = image.height; y-- > 0;) {
      for (std::uint32_t x = 0; x < image.width; ++x) {
        Texel& texel = image.texels[std::size_t{y} * image.width + x];
        for (unsigned c = 0; c < channels; ++c) texel[c] = real(scale > 0);
        if (channels == 1) texel[1] = texel[2] = texel[0];
      }
    }
    return image;
  }

  float real(bool is_big_endian) {
    std::array<char, 4> bytes{};
    std::memcpy(bytes.data(), content_.data() + place_, bytes.size());
    place_ += bytes.size();
    if (is_big_endian) std::ranges::reverse(bytes);
    return std::bit_cast<float>(bytes);
  }

  std::string_view content_;
  const std::string& name_;
  std::size_t place_ = 0;
};

char to_sample(float value) {
  const float kept = value > 0 ? std::min(value, 1.0F) : 0.0F;
  return static_cast<char>(std::lround(kept * 255));
}

std::string encode_bytes(const Image& image, const char* magic, unsigned channels) {
  std::string content = fmt::format("{}\n{} {}\n255\n", magic, image.width, image.height);
  for (const Texel& texel : image.texels) {
    for (unsigned c = 0; c < channels; ++c) content += to_sample(texel[c]);
  }
  return content;
}

}  // namespace

Image decode_netpbm(std::string_view content, const std::string& name) {
  return Reader(content, name).read();
}

std::string encode_ppm(const Image& image) { return encode_bytes(image, "P6", 3); }
std::string encode_pgm(const Image& image) { return encode_bytes(image, "P5", 1); }

std::string encode_pfm(const Image& image) {
  std::string content = fmt::format("PF\n{} {}\n-1.0\n", image.width, image.height);
  for (std::uint32_t y = image.height; y-- > 0;) {
    for (std::uint32_t x = 0; x < image.width; ++x) {
      const Texel& texel = image.texels[std::size_t{y} * image.width + x];
      content.append(reinterpret_cast<const char*>(texel.data()), 3 * sizeof(float));
    }
  }
  return content;
}

}  // namespace raddle::image

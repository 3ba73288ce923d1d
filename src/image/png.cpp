// PNG through libpng's simplified interface, which copes with every colour type and depth.
#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "image/image.h"

namespace raddle::image {
namespace {

// Frees what libpng holds, also when an Error passes.
class PngImage {
 public:
  PngImage() { image_.version = PNG_IMAGE_VERSION; }
  ~PngImage() { png_image_free(&image_); }
  PngImage(const PngImage&) = delete;
  PngImage& operator=(const PngImage&) = delete;
  png_image* operator->() { return &image_; }
  png_image* get() { return &image_; }

 private:
  png_image image_{};
};

std::uint8_t to_byte(float value) {
  const float kept = value > 0 ? std::min(value, 1.0F) : 0.0F;  // NaN is 0
  return static_cast<std::uint8_t>(std::lround(kept * 255));
}

bool needs_alpha(const Image& image) {
  if (image.texels.empty()) return false;
  const float first = image.texels.front()[3];
  if (first != 0 && first != 1) return true;
  return std::ranges::any_of(image.texels, [&](const Texel& texel) { return texel[3] != first; });
}

}  // namespace

Image decode_png(std::string_view content, const std::string& name) {
  PngImage png;
  const auto check = [&](int is_good) {
    if (is_good == 0) throw Error(fmt::format("invalid PNG: {}", png->message), name);
  };
  check(png_image_begin_read_from_memory(png.get(), content.data(), content.size()));
  if (png->width > kLargestSide || png->height > kLargestSide) {
    throw Error(fmt::format("the picture is {}x{}; at most {} a side are read", png->width,
                            png->height, kLargestSide),
                name);
  }
  Image image{png->width, png->height, {}};
  const std::size_t count = std::size_t{image.width} * image.height;
  const bool is_deep = (png->format & PNG_FORMAT_FLAG_LINEAR) != 0;
  image.texels.resize(count);
  if (is_deep) {
    // 16 bits a sample are handed out linear and with colours multiplied by alpha.
    png->format = PNG_FORMAT_LINEAR_RGB_ALPHA;
    std::vector<std::uint16_t> samples(count * 4);
    check(png_image_finish_read(png.get(), nullptr, samples.data(), 0, nullptr));
    for (std::size_t i = 0; i < samples.size(); ++i) {
      image.texels[i / 4][i % 4] = static_cast<float>(samples[i]) / 65535;
    }
  } else {
    png->format = PNG_FORMAT_RGBA;
    std::vector<std::uint8_t> samples(count * 4);
    check(png_image_finish_read(png.get(), nullptr, samples.data(), 0, nullptr));
    for (std::size_t i = 0; i < samples.size(); ++i) {
      image.texels[i / 4][i % 4] = static_cast<float>(samples[i]) / 255;
    }
  }
  return image;
}

std::string encode_png(const Image& image) {
  const std::size_t channels = needs_alpha(image) ? 4 : 3;
  std::vector<std::uint8_t> samples;
  samples.reserve(image.texels.size() * channels);
  for (const Texel& texel : image.texels) {
    for (std::size_t c = 0; c < channels; ++c) samples.push_back(to_byte(texel[c]));
  }
  PngImage png;
  png->width = image.width;
  png->height = image.height;
  png->format = channels == 4 ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(*png.get());
  std::string content(size, '\0');
  if (png_image_write_to_memory(png.get(), content.data(), &size, 0, samples.data(), 0, nullptr) ==
      0) {
    throw Error(fmt::format("the PNG cannot be written: {}", png->message));
  }
  content.resize(size);
  return content;
}

}  // namespace raddle::image

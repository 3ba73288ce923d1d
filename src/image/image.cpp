#include "image/image.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>

#include "base/atomic_file.h"
#include "base/error.h"

namespace raddle::image {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::array<std::string_view, 7> kEndings = {".png", ".ppm", ".pgm", ".pfm",
                                                      ".csv", ".raw", ".bin"};

std::string_view ending_of(std::string_view path) {
  for (const std::string_view ending : kEndings) {
    if (path.ends_with(ending)) return ending;
  }
  return {};
}

Image decode_raw(std::string_view content, const std::string& name, std::uint32_t width,
                 std::uint32_t height) {
  const std::uint64_t wanted = std::uint64_t{width} * height * sizeof(Texel);
  if (wanted == 0) {
    throw Error("the size of a raw file must be given", name, "write FILE:WIDTHxHEIGHT");
  }
  if (content.size() != wanted) {
    throw Error(fmt::format("the file has {} bytes; {}x{} texels take {}", content.size(), width,
                            height, wanted),
                name);
  }
  Image image{width, height, std::vector<Texel>(std::size_t{width} * height)};
  std::memcpy(image.texels.data(), content.data(), content.size());
  return image;
}

std::string encode_raw(const Image& image) {
  return {reinterpret_cast<const char*>(image.texels.data()), image.texels.size() * sizeof(Texel)};
}

[[noreturn]] void fail_ending(const std::string& path) {
  throw Error("unknown file extension", path, fmt::format("known: {}", fmt::join(kEndings, ", ")));
}

}  // namespace

bool has_known_ending(std::string_view path) { return !ending_of(path).empty(); }

Image read_image(const std::string& path, std::uint32_t raw_width, std::uint32_t raw_height) {
  const std::string_view ending = ending_of(path);
  if (ending.empty()) fail_ending(path);
  const std::string content = read_file(path);
  if (ending == ".png") return decode_png(content, path);
  if (ending == ".csv") return decode_csv(content, path);
  if (ending == ".raw" || ending == ".bin") return decode_raw(content, path, raw_width, raw_height);
  return decode_netpbm(content, path);
}

void write_image(const std::string& path, const Image& image) {
  const std::string_view ending = ending_of(path);
  if (ending.empty()) fail_ending(path);
  std::string content;
  if (ending == ".png") {
    content = encode_png(image);
  } else if (ending == ".ppm") {
    content = encode_ppm(image);
  } else if (ending == ".pgm") {
    content = encode_pgm(image);
  } else if (ending == ".pfm") {
    content = encode_pfm(image);
  } else if (ending == ".csv") {
    content = encode_csv(image);
  } else {
    content = encode_raw(image);
  }
  write_file_atomically(path, content);
}

}  // namespace raddle::image

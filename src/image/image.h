// Pictures and tables of numbers as buffers of texels, four floats each. Files are told by their
// endings: .png, .ppm, .pgm, .pfm, .csv, .raw (or .bin: little-endian floats, four a texel).
// Integer samples become 0 to 1; what is missing is 0, alpha of pictures is 1.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace raddle::image {

using Texel = std::array<float, 4>;

struct Image {
  std::uint32_t width = 0, height = 0;
  std::vector<Texel> texels;  // row by row, from the top
};

// A side beyond this is a slip of the pen.
inline constexpr std::uint32_t kLargestSide = 1 << 16;

// Whether the ending is one of the above.
bool has_known_ending(std::string_view path);
// For .raw files the size must be given; for others it is what the file says. Throws Error.
Image read_image(const std::string& path, std::uint32_t raw_width = 0,
                 std::uint32_t raw_height = 0);
// Values of 8-bit formats are rounded and kept within 0 to 1. A .png has alpha unless it is the
// same everywhere and 0 or 1. No half file is ever seen. Throws Error.
void write_image(const std::string& path, const Image& image);

// By format, on the content of a file; `name` is for messages.
Image decode_png(std::string_view content, const std::string& name);
std::string encode_png(const Image& image);
Image decode_netpbm(std::string_view content, const std::string& name);  // P2, P3, P5, P6, PF, Pf
std::string encode_ppm(const Image& image);
std::string encode_pgm(const Image& image);  // the red channel
std::string encode_pfm(const Image& image);
// A line a row, commas between texels, one to four numbers with blanks between them a texel.
Image decode_csv(std::string_view content, const std::string& name);
std::string encode_csv(const Image& image);

}  // namespace raddle::image

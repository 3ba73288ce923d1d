#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/error.h"
#include "image/image.h"

namespace raddle::image {
namespace {

std::string place(const std::string& name, std::size_t line) {
  return fmt::format("{}:{}", name, line);
}

Texel read_cell(std::string_view cell, const std::string& where) {
  Texel texel{};
  std::size_t count = 0;
  std::size_t at = 0;
  const auto skip = [&] {
    while (at < cell.size() && (cell[at] == ' ' || cell[at] == '\t' || cell[at] == '\r')) ++at;
  };
  for (skip(); at < cell.size(); skip()) {
    if (count == texel.size()) throw Error("a texel has at most four numbers", where);
    const auto [end, error] =
        std::from_chars(cell.data() + at, cell.data() + cell.size(), texel[count]);
    if (error != std::errc{}) throw Error(fmt::format("not a number: '{}'", cell), where);
    at = static_cast<std::size_t>(end - cell.data());
    ++count;
  }
  if (count == 0) throw Error("a texel without a number", where);
  return texel;
}

}  // namespace

Image decode_csv(std::string_view content, const std::string& name) {
  Image image;
  std::size_t line = 0;
  while (!content.empty()) {
    ++line;
    const std::size_t end = std::min(content.find('\n'), content.size());
    std::string_view row = content.substr(0, end);
    content.remove_prefix(std::min(end + 1, content.size()));
    if (row.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    std::uint32_t width = 0;
    for (bool more = true; more; ++width) {
      const std::size_t comma = row.find(',');
      more = comma != std::string_view::npos;
      image.texels.push_back(read_cell(row.substr(0, comma), place(name, line)));
      if (more) row.remove_prefix(comma + 1);
    }
    if (image.height > 0 && width != image.width) {
      throw Error(fmt::format("this row has {} texels, the first has {}", width, image.width),
                  place(name, line));
    }
    image.width = width;
    ++image.height;
  }
  if (image.height == 0) throw Error("the file has no rows", name);
  return image;
}

std::string encode_csv(const Image& image) {
  std::string content;
  for (std::uint32_t y = 0; y < image.height; ++y) {
    for (std::uint32_t x = 0; x < image.width; ++x) {
      const Texel& t = image.texels[std::size_t{y} * image.width + x];
      content += fmt::format("{}{} {} {} {}", x == 0 ? "" : ",", t[0], t[1], t[2], t[3]);
    }
    content += '\n';
  }
  return content;
}

}  // namespace raddle::image

#include "lang/cuda/carried_image.h"

#include <fmt/format.h>

namespace raddle::cuda {

std::string carry_image(std::string_view assembly, const std::string& image_file) {
  const std::string data = fmt::format("\n\t.ascii\t\"{}\"\n", kImagePlaceholder);
  std::string text(assembly);
  const std::size_t place = text.find(data);
  if (place == std::string::npos) return text;  // a file without kernels and variables
  text.replace(place, data.size(), fmt::format("\n\t.incbin\t\"{}\"\n", image_file));
  return text;
}

}  // namespace raddle::cuda

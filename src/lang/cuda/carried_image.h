// The host's half of a CUDA file carries the device's half, which clang copies in while it
// compiles. So that both halves can be compiled at once, clang is given a placeholder, and the
// assembler reads the image in its place.
#pragma once

#include <string>
#include <string_view>

namespace raddle::cuda {

// What the file given to clang in place of the image holds.
inline constexpr std::string_view kImagePlaceholder = "the image of the device's half";

// The assembly of a host's half with the file's contents for the placeholder.
std::string carry_image(std::string_view assembly, const std::string& image_file);

}  // namespace raddle::cuda

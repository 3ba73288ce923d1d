// A libFuzzer target: whatever bytes come, the readers of pictures make one of them or raise an
// Error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "image/image.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view content(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    switch (data[0] % 3) {
      case 0: raddle::image::decode_png(content, "fuzz.png"); break;
      case 1: raddle::image::decode_netpbm(content, "fuzz.ppm"); break;
      default: raddle::image::decode_csv(content, "fuzz.csv");
    }
  } catch (const raddle::Error&) {
    return 0;
  }
  return 0;
}

// A libFuzzer target: whatever bytes come, the Cg compiler makes a shader of them or raises an
// Error, at both levels, and nothing else. Build with clang++ -fsanitize=fuzzer,address.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "lang/cg/compiler.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const int level : {0, 1}) {
    raddle::cg::Options options;
    options.level = level;
    try {
      raddle::cg::compile(text, "fuzz.cg", options);
    } catch (const raddle::Error&) {
    }
  }
  return 0;
}

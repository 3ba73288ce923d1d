// A libFuzzer target: whatever bytes come, the text form's parser reads them or raises an Error,
// and what it reads it also prints, verifies and reads again. Build with clang++
// -fsanitize=fuzzer,address.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "kernel/text_form.h"
#include "kernel/verifier.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using raddle::kernel::Module;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Module module;
  try {
    module = raddle::kernel::parse_text(text, "fuzz");
  } catch (const raddle::Error&) {
    return 0;
  }
  raddle::kernel::verify(module);
  if (!(raddle::kernel::parse_text(raddle::kernel::print(module), "again") == module)) std::abort();
  return 0;
}

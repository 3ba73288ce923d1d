// A libFuzzer target: whatever bytes come, the PTX reader makes a module of them or raises an
// Error. A module that the verifier accepts must also print and parse back to itself. Build with
// clang++ -fsanitize=fuzzer,address.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "kernel/text_form.h"
#include "kernel/verifier.h"
#include "lang/ptx/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using raddle::kernel::Module;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Module module;
  try {
    module = raddle::ptx::read_ptx(text, "fuzz.ptx");
  } catch (const raddle::Error&) {
    return 0;
  }
  if (!raddle::kernel::verify(module).empty()) return 0;
  if (!(raddle::kernel::parse_text(raddle::kernel::print(module), "again") == module)) std::abort();
  return 0;
}

// A libFuzzer target: whatever bytes come, the e front end lowers them or raises an Error. Build
// with clang++ -fsanitize=fuzzer,address.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "lang/e/checker.h"
#include "lang/e/diagnostics.h"
#include "lang/e/lowering.h"
#include "lang/e/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace raddle::e;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Diagnostics diagnostics("fuzz.e", text);
  try {
    Program program = parse(text, diagnostics);
    diagnostics.throw_if_errors();
    check(program, {}, diagnostics);
    diagnostics.throw_if_errors();
    // One word of each variable is enough for what the compiler looks up.
    const SharedData initial(program.shared.size(), {0});
    lower(program, initial, {}, diagnostics);
    diagnostics.throw_if_errors();
  } catch (const raddle::Error&) {
    return 0;
  }
  return 0;
}

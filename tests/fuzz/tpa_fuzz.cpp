// A libFuzzer target: whatever bytes come, the TPA's assembler and the reader of its binaries make
// a program of them or raise an Error, and a program survives being written as binary and as text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "lang/tpa/assembler.h"
#include "lang/tpa/disassembler.h"
#include "lang/tpa/encoding.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using raddle::machine::tpa::Program;

// Declared arrays may be large; what fills them takes memory here.
bool is_small(std::string_view text) { return text.find(".fill") == std::string_view::npos; }

void check(const Program& program) {
  if (!(raddle::tpa::decode(raddle::tpa::encode(program), "again") == program)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    check(raddle::tpa::decode(text, "fuzz.tpo"));
  } catch (const raddle::Error&) {
  }
  if (!is_small(text)) return 0;
  Program program;
  try {
    program = raddle::tpa::assemble(text, "fuzz.tpa");
  } catch (const raddle::Error&) {
    return 0;
  }
  check(program);
  if (!(raddle::tpa::assemble(raddle::tpa::disassemble(program), "fuzz.tpa") == program))
    std::abort();
  return 0;
}

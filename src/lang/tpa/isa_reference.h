// The instruction set as Markdown tables, from the same table that the assembler reads:
// docs/machines/tpa-isa.md holds them, and a test says so.
#pragma once

#include <string>

namespace raddle::tpa {

std::string isa_reference();

}  // namespace raddle::tpa

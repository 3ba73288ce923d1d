// Devices link when the program starts, from all the PTX that the host's linker took in. Where
// files share their device symbols (-rdc=true), the host's linker must therefore know them: it
// takes what is wanted out of libraries, and says what is missing or defined twice.
#pragma once

#include <string>

#include "lang/cuda/ptx_text.h"

namespace raddle::cuda {

// Assembly to add to the host's half of the file. The function f of the device is the symbol
// f.device of the host, which linkers print as "f(int) [clone .device]"; a variable is its shadow.
std::string device_linkage(const DeviceSymbols& symbols);

}  // namespace raddle::cuda

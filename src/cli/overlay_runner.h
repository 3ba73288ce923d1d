// Runs programs of the overlay: .ctm files, and what compiles to them.
#pragma once

#include "cli/program_family.h"

namespace raddle::cli {

ProgramFamily overlay_family();

}  // namespace raddle::cli

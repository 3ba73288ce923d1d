// Data-driven C++ programs (.ddm.cpp): on this host (-m ddm), or recorded and replayed on d2now.
#pragma once

#include "cli/program_family.h"

namespace raddle::cli {

ProgramFamily ddm_family();

}  // namespace raddle::cli

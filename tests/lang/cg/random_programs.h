// Many random programs, each compiled without and with improvements and held against the evaluator.
#pragma once

#include <cstdint>

namespace raddle::cg::testing {

// Programs that do not fit into the processor are left out; at least half must fit.
void expect_random_programs_agree(std::uint32_t first_seed, std::uint32_t count);

}  // namespace raddle::cg::testing

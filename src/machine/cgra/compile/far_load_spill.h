// fromThreadOrMem over a distance for which the grid has too few elevators. Figure 10b keeps what
// was loaded in a loop of them; here it is handed on through channels instead, once for each step
// from thread to thread, and channels whose elevators run out spill to the live-value cache.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "kernel/module.h"

namespace raddle::machine::cgra {

// The kernel with channels in place of loops that are longer than a token buffer; none if there is
// no such loop, or if values would be handed on too often.
std::optional<kernel::Function> spill_far_loads(const kernel::Function& function,
                                                const std::array<std::uint32_t, 3>& block,
                                                std::uint32_t token_buffer);

}  // namespace raddle::machine::cgra

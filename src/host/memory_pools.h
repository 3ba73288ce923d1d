// Pools count the memory that they gave; they hear of what is freed otherwise.
#pragma once

#include <cstdint>

namespace raddle::host {

void forget_pool_memory(std::uint64_t address);
// The device starts anew.
void forget_all_pool_memory();

}  // namespace raddle::host

// Parameters that several machines have alike: caches, DRAM, crossbars, and the memory system that
// they make up. Defaults are those of a GTX 480.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/units.h"
#include "machine/parameter_binder.h"
#include "memory/cache_parameters.h"
#include "memory/memory_system.h"

namespace raddle::machine {

// In a section of its own.
void bind_cache(const ParameterBinder& section, memory::CacheParameters& cache);
// Throws Error that says which of the caches it is that cannot be built.
void check_cache(const ParameterBinder& p, std::string_view name,
                 const memory::CacheParameters& cache);
// What a core asks the L2 for lies within one of its lines.
void check_line(const ParameterBinder& p, std::string_view name, ShortBytes line_bytes,
                ShortBytes l2_line_bytes);

// What lies below the cores: [clock], [network], [l2] and [dram].
void bind_memory_system(const ParameterBinder& p, memory::MemorySystemSpec& spec, Hertz core_clock,
                        std::uint32_t cores, ShortBytes l1_line_bytes);

}  // namespace raddle::machine

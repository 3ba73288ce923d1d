// What to tell the user when a graph does not go onto a grid.
#pragma once

#include <span>

#include "base/error.h"
#include "machine/cgra/map/mapping.h"
#include "machine/cgra/map/routing.h"

namespace raddle::machine::cgra {

// The grid has too few units of some class.
Error too_few_units(const DataflowGraph& graph, const Grid& grid,
                    const LocationText& location_text);

// There are units, but no way for all tokens. `tracks_that_do` is 0 where no number was found.
Error too_few_tracks(const DataflowGraph& graph, const Grid& grid,
                     std::span<const CongestedLink> congested, std::uint32_t tracks_that_do);

}  // namespace raddle::machine::cgra

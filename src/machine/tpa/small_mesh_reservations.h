// Slots of a small mesh, such as the default one, found for a few references at a time.
#pragma once

#include <memory>

#include "machine/tpa/slot_reservations.h"

namespace raddle::machine::tpa {

// Null: the network is too large for it.
std::unique_ptr<SlotReservations> make_small_mesh_reservations(const TpaParameters& parameters);

}  // namespace raddle::machine::tpa

// sharing=auto: which mode a launch gets, chosen before it begins from what is known then: what its
// code asks for (kernel_demand.h), its grid and blocks, and what of them fits onto the
// multiprocessors of each mode. The rules put Section VI-C3 of the gpu-sharing paper into figures.
// It aims at little energy times time.
#pragma once

#include <optional>
#include <string>

#include "machine/simt/kernel_run.h"
#include "machine/simt/sharing.h"

namespace raddle::machine::simt {

struct SharingChoice {
  SharingMode mode = SharingMode::kBaseline;
  std::string reason;  // empty: it was asked for
};

// `present`: the mode of the launch before, nothing before the first. A change empties the caches
// of the multiprocessors, which a small launch does not outlast.
SharingChoice choose_sharing(const PreparedKernel& kernel, const Launch& launch,
                             const GpuParameters& gpu, std::optional<SharingMode> present);

}  // namespace raddle::machine::simt

#include "memory/mesh.h"

#include <fmt/format.h>

#include "base/error.h"

namespace raddle::memory {

void check(const MeshSpec& spec) {
  if (spec.link_latency < Cycle(1))
    throw Error("a mesh's links cannot take 0 cycles", {}, "give them at least one cycle");
  if (spec.flit_bytes == 0 || spec.most_packet_flits == 0)
    throw Error("a mesh's flits and packets cannot be empty", {}, "give each at least one byte");
  const std::uint32_t packets = spec.torus ? 2 : 1;
  const std::uint32_t least = packets * spec.most_packet_flits;
  if (spec.buffer_flits < least)
    throw Error(
        fmt::format("a buffer of {} flits is too small for a {} with packets of up to {}",
                    spec.buffer_flits, spec.torus ? "torus" : "mesh", spec.most_packet_flits),
        {}, fmt::format("give it at least {}", least));
}

}  // namespace raddle::memory

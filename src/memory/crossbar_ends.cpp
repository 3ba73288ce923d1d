#include "memory/crossbar_ends.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace raddle::memory {

void check(const CrossbarSpec& spec) {
  if (spec.inputs == 0 || spec.outputs == 0)
    throw Error(
        fmt::format("a crossbar cannot have {} inputs and {} outputs", spec.inputs, spec.outputs),
        {}, "give it at least one of each");
  if (spec.latency < Cycle(1) || spec.credit_latency < Cycle(1))
    throw Error("a crossbar's flits and credits cannot take 0 cycles", {},
                "give both latencies at least one cycle");
  if (spec.flit_bytes == ShortBytes(0) || spec.inject_flits == 0 || spec.eject_flits == 0 ||
      spec.most_packet_flits == 0)
    throw Error("a crossbar's flit width, rates and packets cannot be 0", {},
                "give each at least one");
  const std::uint32_t least =
      !spec.input_queued() ? spec.buffer_flits : std::min(spec.input_flits, spec.output_flits);
  if (least < spec.most_packet_flits)
    throw Error(fmt::format("a buffer of {} flits is too small for packets of up to {}", least,
                            spec.most_packet_flits),
                {}, fmt::format("give it at least {}", spec.most_packet_flits));
  if (spec.speedup == 0)
    throw Error("an input-queued switch cannot make 0 steps a cycle", {}, "give it at least one");
}

}  // namespace raddle::memory

#include "machine/host_link.h"

namespace raddle::machine {

void bind_host_link(const ParameterBinder& section, double& bytes_per_second) {
  section.number("host_link_bytes_per_second", bytes_per_second, "bytes per second",
                 "of copies between host and device", {1e3, 1e15});
}

}  // namespace raddle::machine

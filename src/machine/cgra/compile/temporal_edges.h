// Makes edges between threads fit token buffers of S entries. A node can run ahead of another by as
// many threads as there are places for tokens between them. Each node gets a skew: by how many
// threads it must lag behind the injection so that everything it waits for has been sent. From the
// skews follow the places that each edge needs; an edge that needs more than its consumer's buffer
// has gets elevators that only buffer, an elevator that needs more becomes a cascade, and a
// receive-or-load with a long loop becomes a load and a closed cascade with multiplexers
// (dmt-cgra, section 4.3).
#pragma once

#include "base/error.h"
#include "machine/cgra/compile/graph_builder.h"

namespace raddle::machine::cgra {

// Threads wait for each other in a circle, whichever way they are injected.
class CircularWait : public Error {
 public:
  using Error::Error;
};

// Throws CircularWait.
void fit_in_time(PieceGraph& piece, const GraphOptions& options);

}  // namespace raddle::machine::cgra

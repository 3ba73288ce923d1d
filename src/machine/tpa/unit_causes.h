// What a cycle of a backend was spent on, and of a frontend: closed lists. The parts of a unit sum
// to the cycles of the run.
#pragma once

#include "machine/run/cycle_account.h"

namespace raddle::machine::tpa {

#define RADDLE_BACKEND_CAUSES(CAUSE)                                                          \
  CAUSE(kIssued, "issued", kIssued, "a fiber or an entry was issued")                         \
  CAUSE(kMasked, "divergence", kOverhead,                                                     \
        "a fiber was issued whose thread of a kernel takes another branch")                   \
  CAUSE(kSplit, "split of a flow", kOverhead,                                                 \
        "a fiber was issued to be numbered, or to move to a flow that was split off or back") \
  CAUSE(kSynchronisation, "synchronisation", kOverhead, "the slot that separates steps")      \
  CAUSE(kReply, "memory reply", kStall,                                                       \
        "the pipeline stalled because the reply for its oldest fiber was late")               \
  CAUSE(kNetwork, "network backpressure", kStall, "the network to shared memory was full")    \
  CAUSE(kDependence, "execution dependency", kStall, "a result was still in the pipeline")    \
  CAUSE(kOrder, "wave order", kOverhead, "waves and gaps that order the backends")            \
  CAUSE(kFrontend, "no instruction (frontend)", kStall,                                       \
        "the frontend had not sent an instruction")                                           \
  CAUSE(kThreads, "thread slots", kOverhead,                                                  \
        "slots of threads without a fiber, or of threads being exchanged")                    \
  CAUSE(kDrain, "drained", kIdle, "the last instruction has been issued")
RADDLE_CAUSES(BackendCause, kBackendCauses, kDrain, RADDLE_BACKEND_CAUSES);

using BackendAccount = CycleAccount<kBackendCauses>;

#define RADDLE_FRONT_CAUSES(CAUSE)                                                \
  CAUSE(kIssued, "issued", kIssued, "a VLIW line was executed")                   \
  CAUSE(kInstructions, "instruction cache miss", kStall,                          \
        "the instruction cache had to fetch the line")                            \
  CAUSE(kData, "data cache miss", kStall, "the data cache had to fetch the line") \
  CAUSE(kSwitch, "flow switch", kOverhead, "a branch, or a switch of flows")      \
  CAUSE(kShared, "shared memory", kStall, "an access to shared memory")           \
  CAUSE(kBackends, "backend backpressure", kStall,                                \
        "the instruction queues of the backends were full")                       \
  CAUSE(kReturn, "return value", kStall, "a value that a backend returns")        \
  CAUSE(kSteps, "step boundary", kStall, "earlier steps must end first")          \
  CAUSE(kDrain, "drained", kIdle, "the last line has been executed")
RADDLE_CAUSES(FrontCause, kFrontCauses, kDrain, RADDLE_FRONT_CAUSES);

using FrontAccount = CycleAccount<kFrontCauses>;

}  // namespace raddle::machine::tpa

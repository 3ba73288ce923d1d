// What a cycle of a backend was spent on, and of a frontend: closed lists. The parts of a unit sum
// to the cycles of the run.
#pragma once

#include <cstdint>

#include "machine/run/cycle_account.h"

namespace raddle::machine::tpa {

enum class BackendCause : std::uint8_t {
  kIssued,
  kSynchronisation,
  kReply,
  kNetwork,
  kDependence,
  kOrder,
  kFrontend,
  kThreads,
  kDrain,
};

inline constexpr CauseTable<BackendCause, 9> kBackendCauses(
    BackendCause::kDrain,
    {{BackendCause::kIssued, "issued", CycleKind::kIssued, "a fiber or an entry was issued"},
     {BackendCause::kSynchronisation, "synchronisation", CycleKind::kOverhead,
      "the slot that separates steps"},
     {BackendCause::kReply, "memory reply", CycleKind::kStall,
      "the pipeline stalled because the reply for its oldest fiber was late"},
     {BackendCause::kNetwork, "network backpressure", CycleKind::kStall,
      "the network to shared memory was full"},
     {BackendCause::kDependence, "execution dependency", CycleKind::kStall,
      "a result was still in the pipeline"},
     {BackendCause::kOrder, "wave order", CycleKind::kOverhead,
      "waves and gaps that order the backends"},
     {BackendCause::kFrontend, "no instruction (frontend)", CycleKind::kStall,
      "the frontend had not sent an instruction"},
     {BackendCause::kThreads, "thread slots", CycleKind::kOverhead,
      "slots of threads without a fiber, or of threads being exchanged"},
     {BackendCause::kDrain, "drained", CycleKind::kIdle, "the last instruction has been issued"}});

using BackendAccount = CycleAccount<kBackendCauses>;

enum class FrontCause : std::uint8_t {
  kIssued,
  kInstructions,
  kData,
  kSwitch,
  kShared,
  kBackends,
  kReturn,
  kSteps,
  kDrain,
};

inline constexpr CauseTable<FrontCause, 9> kFrontCauses(
    FrontCause::kDrain,
    {{FrontCause::kIssued, "issued", CycleKind::kIssued, "a VLIW line was executed"},
     {FrontCause::kInstructions, "instruction cache miss", CycleKind::kStall,
      "the instruction cache had to fetch the line"},
     {FrontCause::kData, "data cache miss", CycleKind::kStall,
      "the data cache had to fetch the line"},
     {FrontCause::kSwitch, "flow switch", CycleKind::kOverhead, "a branch, or a switch of flows"},
     {FrontCause::kShared, "shared memory", CycleKind::kStall, "an access to shared memory"},
     {FrontCause::kBackends, "backend backpressure", CycleKind::kStall,
      "the instruction queues of the backends were full"},
     {FrontCause::kReturn, "return value", CycleKind::kStall, "a value that a backend returns"},
     {FrontCause::kSteps, "step boundary", CycleKind::kStall, "earlier steps must end first"},
     {FrontCause::kDrain, "drained", CycleKind::kIdle, "the last line has been executed"}});

using FrontAccount = CycleAccount<kFrontCauses>;

}  // namespace raddle::machine::tpa

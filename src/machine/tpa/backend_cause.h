// What a cycle of a backend was spent on, and of a frontend. The parts of a unit sum to the cycles
// of the run.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace raddle::machine::tpa {

enum class BackendCause : std::uint8_t {
  kIssued,
  kSynchronisation,  // the item that separates steps
  kReply,            // the pipeline waits for memory
  kNetwork,          // the network takes no more
  kDependence,       // on a result that is still in the pipeline
  kOrder,            // waves and pauses that put backends in order
  kFrontend,         // no instruction is there
  kThreads,          // threads that have no fiber, or switch
  kDrain,            // the end: nothing more comes
};
inline constexpr std::size_t kBackendCauses = 9;
inline constexpr std::array<std::string_view, kBackendCauses> kBackendCauseNames = {
    "issued",         "wait: synchronisation", "wait: memory",
    "wait: network",  "wait: dependences",     "wait: wave order",
    "wait: frontend", "wait: threads",         "wait: the end"};
inline constexpr std::array<std::string_view, kBackendCauses> kBackendCauseSentences = {
    "slots of backends in which a fiber or an entry was issued",
    "slots for the item that separates steps",
    "slots in which the pipeline stood, as a reply was late",
    "slots in which the network took no more",
    "slots in which a result was still in the pipeline",
    "slots of waves and pauses that put backends in order",
    "slots in which no instruction was there",
    "slots of threads without a fiber, or that were exchanged",
    "slots behind the last instruction"};

enum class FrontWait : std::uint8_t {
  kIssued,
  kInstructions,
  kData,
  kSwitch,
  kShared,
  kBackends,
  kReturn,
  kSteps,
  kDrain
};
inline constexpr std::size_t kFrontWaits = 9;
inline constexpr std::array<std::string_view, kFrontWaits> kFrontWaitNames = {
    "issued",
    "wait: instruction cache",
    "wait: data cache",
    "wait: switching",
    "wait: shared memory",
    "wait: backends",
    "wait: returns",
    "wait: steps",
    "wait: the end"};

}  // namespace raddle::machine::tpa

// What happened in which cycle, for tests and traces: reads and writes of the register file,
// threads that enter the datapaths, instructions that issue.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace raddle::machine::overlay {

struct ScheduleEvent {
  enum class Kind : std::uint8_t {
    kStart,  // the configuration has arrived
    kReadA,
    kReadB,
    kReadC,
    kReadTex,  // of the central register file, four threads at once
    kAluReady,
    kTexReady,  // a thread enters its datapath
    kFlow,      // an instruction of flow control issues
    kWriteAlu,
    kWriteTexel,
    kWriteCoordinates,
    kRetire,
  };
  Cycle cycle;
  Kind kind{};
  std::uint8_t batch = 0;   // context
  std::uint8_t thread = 0;  // kAluReady, kTexReady, kWriteTexel
  std::uint16_t instruction = 0;

  bool operator==(const ScheduleEvent&) const = default;
};

using Schedule = std::vector<ScheduleEvent>;

}  // namespace raddle::machine::overlay

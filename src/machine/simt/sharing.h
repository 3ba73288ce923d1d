// Cross-core sharing (gpu-sharing paper, Section IV): neighbouring multiprocessors form groups for
// a launch; one of a group goes to sleep and lends its contexts, memory or lanes to the others.
// Here is what a mode makes of the multiprocessors; which mode a launch has is in its table.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "machine/simt/gpu_parameters.h"

namespace raddle::machine::simt {

struct GpuParameters;

enum class CoreRole : std::uint8_t {
  kAlone,   // as in the baseline
  kActive,  // uses parts of a neighbour, or could where nothing is shared
  kInactive,
};

// A bank of everything that a multiprocessor can lend: half of its contexts, registers, shared
// memory and L1. Its number is 0 or 1.
struct LentBank {
  std::uint32_t lender = 0;
  std::uint32_t bank = 0;
  std::uint32_t borrower = 0;
  bool operator==(const LentBank&) const = default;
};

// What the configuration bits of a launch say to all multiprocessors.
struct SharingPlan {
  SharingMode mode = SharingMode::kBaseline;
  std::vector<CoreRole> roles;  // by multiprocessor
  std::vector<LentBank> lent;

  std::uint32_t count(CoreRole role) const;
  // Whether anything is shared.
  bool lends() const { return !lent.empty(); }
  // Banks that a multiprocessor borrows.
  std::uint32_t banks_of(std::uint32_t borrower) const;
  std::uint32_t count_awake() const {
    return static_cast<std::uint32_t>(roles.size()) - count(CoreRole::kInactive);
  }
};

SharingPlan plan_sharing(SharingMode mode, std::uint32_t cores);
// Section V-B4: no bank is shared by two multiprocessors, and only sleepers lend.
bool banks_are_exclusive(const SharingPlan& plan);

// An active multiprocessor of that mode.
CoreParameters borrowing(const CoreParameters& core, SharingMode mode,
                         const SharingParameters& sharing);

// Throws Error for what this GPU cannot share so.
void check_sharing(const GpuParameters& gpu, SharingMode mode, std::string_view key);

// "step" of "void space::step<int>(float*)": what settings call a kernel.
std::string plain_name(const std::string& demangled);
// The mode of a kernel, by its demangled name.
SharingMode mode_of(const SharingParameters& sharing, const std::string& kernel);

// What the wires and buffers between two multiprocessors take, and how many stages they need.
struct SharingArea {
  double side_mm = 0;           // of a multiprocessor
  double wire_ns = 0;           // from one to the other
  double boundary_wire_ns = 0;  // to the buffers in between
  Cycle stages;                 // so much longer it takes
  double wiring_mm2 = 0;        // of a pair
  double wiring_percent = 0;    // of the chip
  double issue_mm2 = 0;         // by which the issue unit of a multiprocessor grows
  double buffers_mm2 = 0;       // boundary buffers and multiplexers of one
  double percent = 0;           // all of it, of the chip
};
SharingArea sharing_area(const GpuParameters& gpu);

}  // namespace raddle::machine::simt

// How many registers a thread of a kernel needs, much as ptxas would count them: virtual registers
// share physical 32-bit registers when their lives do not overlap, 64-bit values take aligned
// pairs (addresses of shared and local memory one register: narrow_addresses.h), narrower ones a
// whole register, predicates have a file of their own, and the two sides of a mov share a register
// where they can. What is constant during a launch (parameters of a kernel, immediates, addresses
// of variables) lies in the constant bank and takes none.
//
// A thread is given what the code needs after ptxas has put loads early (latency_scheduling.h), and
// the stack pointer; as long as registers are few, values share none.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/module.h"

namespace raddle::kernel {

struct RegisterLimits {
  std::uint32_t registers = 255;      // what an instruction can name
  std::uint32_t predicates = 7;       // the eighth is always true
  std::uint32_t least_registers = 2;  // ptxas reports no fewer, even for an empty kernel
  bool constant_bank = true;          // false: constants take registers as well
  bool as_compiled = true;            // false: what the code needs as it stands, and no more
  // Loads that are put early take a thread to no more: what an instruction of compute
  // capability 2.x can name (CUDA C programming guide), so that ptxas stops there.
  std::uint32_t scheduled_registers = 63;
  // Up to so many registers, values do not share any. Fitted to what ptxas of CUDA 13 gives 25
  // kernels of benchmarks/cuda on sm_75; no card has fewer threads for it.
  std::uint32_t unshared_registers = 14;
};

struct RegisterAllocation {
  std::uint32_t registers_per_thread = 0;  // physical 32-bit registers that a thread is given
  std::uint32_t registers_used = 0;        // of these, what `physical` names
  std::uint32_t predicates_per_thread = 0;
  // By virtual register: the physical one (the even one of a pair), or kNoId for what is never
  // live, in the constant bank, or spilled.
  std::vector<std::uint32_t> physical;
  std::vector<bool> narrow;  // by virtual register: 64-bit ones that take a single register
  std::vector<RegisterId>
      spilled;  // general registers kept in local memory, in the order of choice
  std::vector<RegisterId> spilled_predicates;  // kept in general registers
  std::uint32_t spill_bytes = 0;               // of local memory
  std::uint32_t spill_loads = 0;               // instructions that ptxas would add
  std::uint32_t spill_stores = 0;
};

// What a multiprocessor gives out: in units, to one warp after the other.
struct RegisterFile {
  std::uint64_t registers = 0;
  std::uint64_t unit = 1;
  std::uint64_t warp_size = 32;
};

// __launch_bounds__ (.maxntid, .minnctapersm) promises how large blocks are at most and asks that
// so many fit: ptxas then spills what exceeds the register file.
RegisterLimits launch_bounds_limits(const Function& kernel, const RegisterFile& file);

// Function::max_registers, where given, lowers the limit.
RegisterAllocation allocate_registers(const Function& function, const RegisterLimits& limits = {});

}  // namespace raddle::kernel

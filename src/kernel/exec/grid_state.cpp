#include "kernel/exec/grid_state.h"

#include <fmt/format.h>

#include "base/demangle.h"
#include "base/error.h"
#include "kernel/allocation_text.h"

namespace raddle::kernel::exec {

namespace {

constexpr std::size_t kKeptFaults = 32;

// What is nearer to address 0 than this is reached through a null pointer.
constexpr std::uint64_t kNullPage = 65536;

bool is_global(Space space) {
  return space == Space::kGlobal || space == Space::kConst || space == Space::kGeneric;
}

std::string_view word_for(Space space) {
  switch (space) {
    case Space::kShared: return "shared ";
    case Space::kLocal: return "local ";
    case Space::kParam: return "parameter ";
    default: return "";
  }
}

// free() of what cannot be freed.
std::string free_text(const AccessFault& fault, const DeviceMemory& memory) {
  if (fault.kind == AccessFault::Kind::kFreedBefore)
    return fmt::format("free of {:#x}, which was already freed", fault.address);
  const Allocation* holder = memory.find(fault.address);
  if (holder == nullptr)
    return fmt::format("free of {:#x}, where nothing was allocated", fault.address);
  const std::uint64_t inside = fault.address - holder->address;
  if (inside == 0)
    return fmt::format("free of {:#x}, which malloc in a kernel did not return", fault.address);
  return fmt::format("free of {:#x}, {}", fault.address, whereabouts(memory, fault.address));
}

std::string fault_text(const AccessFault& fault, const DeviceMemory& memory) {
  if (fault.kind == AccessFault::Kind::kFreedBefore ||
      fault.kind == AccessFault::Kind::kNotMalloced)
    return free_text(fault, memory);
  const std::string_view verb = fault.atomic ? "atomic" : fault.store ? "store" : "load";
  if (fault.space == Space::kNone) return fmt::format("texture {:#x} is not bound", fault.address);
  const std::string access = fmt::format("{}{} of {} byte{} at {:#x}", word_for(fault.space), verb,
                                         fault.bytes, fault.bytes == 1 ? "" : "s", fault.address);
  if (fault.kind == AccessFault::Kind::kMisaligned) return "misaligned " + access;
  const bool global = is_global(fault.space);
  if (fault.kind == AccessFault::Kind::kUseAfterFree)
    return fmt::format("{} {}", access, whereabouts(memory, fault.address));
  if (global && !memory.in_arena(fault.address, 1) && fault.address < kNullPage)
    return fmt::format("out-of-bounds {}: a null pointer", access);
  const Allocation* holder = global ? memory.find(fault.address) : nullptr;
  if (holder != nullptr)
    return fmt::format("out-of-bounds {}, across the end of {}", access,
                       allocation_text(memory, *holder));
  const std::string where = global ? whereabouts(memory, fault.address) : std::string();
  return fmt::format("out-of-bounds {}{}{}", access, where.empty() ? "" : ", ", where);
}

FaultKind kind_of(AccessFault::Kind kind) {
  switch (kind) {
    case AccessFault::Kind::kOutOfBounds:
    case AccessFault::Kind::kNotMalloced: return FaultKind::kOutOfBounds;
    case AccessFault::Kind::kMisaligned: return FaultKind::kMisaligned;
    case AccessFault::Kind::kUseAfterFree:
    case AccessFault::Kind::kFreedBefore: return FaultKind::kUseAfterFree;
  }
  return FaultKind::kOutOfBounds;
}

}  // namespace

GridState::GridState(Program& program_in, const TextureTable& textures,
                     const DecodedKernel& kernel_in, const Launch& launch_in,
                     GridOptions options_in)
    : program(program_in),
      kernel(kernel_in),
      launch(launch_in),
      options(std::move(options_in)),
      frames(kernel_in),
      kernel_name(demangled(kernel_in.entry().ir->name)) {
  device.memory = &program.memory();
  device.program = &program;
  device.textures = &textures;
  device.kernel_parameters = launch.parameters;
  device.print = options.print;
  device.clock = &clock;
  device.heap_used = &heap_used;
  device.check = options.check.memory;
  device.multiprocessors = options.multiprocessors;
  device.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
  device.block = {launch.block.x, launch.block.y, launch.block.z};
  device.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  device.total_shared_bytes = kernel.static_shared_bytes + launch.dynamic_shared_bytes;
}

std::size_t GridState::index_of(const DecodedFunction& function) const {
  for (std::size_t i = 0; i < kernel.functions.size(); ++i) {
    if (kernel.functions[i].get() == &function) return i;
  }
  RADDLE_ASSERT(false && "a function of this kernel");
  return 0;
}

void GridState::add_fault(Fault fault) {
  fault_count += fault.count;
  // One line of the source may fail in every thread: told once, and counted.
  for (Fault& before : faults) {
    if (fault.location.empty() || fault.ends_launch || before.kind != fault.kind ||
        before.location != fault.location || !fault.details.empty())
      continue;
    before.count += fault.count;
    return;
  }
  if (faults.size() < kKeptFaults) faults.push_back(std::move(fault));
}

Fault GridState::describe(FaultKind kind, std::string message, const WarpState& warp,
                          const DecodedFunction& function, const DecodedInstruction& instruction,
                          int lane) const {
  Fault fault;
  fault.kind = kind;
  fault.message = std::move(message);
  fault.location = function.module->describe_location(instruction.ir->location);
  if (instruction.ir->location < function.module->locations.size())
    fault.column = function.module->locations[instruction.ir->location].column;
  fault.kernel = kernel_name;
  fault.block = {warp.lanes.block_index[0], warp.lanes.block_index[1], warp.lanes.block_index[2]};
  const std::uint32_t thread = warp.lanes.warp_index * kLanes + static_cast<std::uint32_t>(lane);
  fault.thread = {thread % launch.block.x, thread / launch.block.x % launch.block.y,
                  thread / launch.block.x / launch.block.y};
  return fault;
}

void GridState::take_access_faults(WarpState& warp, const DecodedFunction& function,
                                   const DecodedInstruction& instruction) {
  bool ends = false;
  for (const AccessFault& access : warp.lanes.faults) {
    Fault fault = describe(kind_of(access.kind), fault_text(access, program.memory()), warp,
                           function, instruction, access.lane);
    // Checked mode goes on, so that one run shows all faults; otherwise the launch ends where a
    // card's would.
    if (is_global(access.space)) fault.address = access.address;
    fault.ends_launch = access.fatal && !options.check.memory;
    ends |= fault.ends_launch;
    add_fault(std::move(fault));
    if (ends) break;  // the card stops at the first
  }
  warp.lanes.faults.clear();
  if (ends) throw LaunchStopped{};
}

void GridState::stop(FaultKind kind, std::string message, const WarpState& warp,
                     const DecodedFunction& function, const DecodedInstruction& instruction,
                     int lane) {
  Fault fault = describe(kind, std::move(message), warp, function, instruction, lane);
  fault.ends_launch = true;
  add_fault(std::move(fault));
  throw LaunchStopped{};
}

}  // namespace raddle::kernel::exec

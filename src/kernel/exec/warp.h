// A warp's surroundings while it executes: registers of the current activation, the block's shared
// memory, its own local memory, the device. The machine that owns the warp decides which
// instruction comes next; the functions here carry it out and leave in `access` what memory was
// touched, from which a machine derives segments, conflicts and time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/device_memory.h"
#include "kernel/exec/decoded.h"
#include "kernel/exec/store_log.h"
#include "kernel/texture.h"

namespace raddle::kernel::exec {

// A bad access, found while executing. Checked mode reports all of them, permissive mode only those
// that a card stops for.
struct AccessFault {
  enum class Kind : std::uint8_t {
    kOutOfBounds,
    kMisaligned,
    kUseAfterFree,
    kFreedBefore,  // free() of what was freed
    kNotMalloced   // free() of what malloc() on the device never gave
  } kind = Kind::kOutOfBounds;
  bool store = false;
  bool atomic = false;
  bool fatal = false;  // the address belongs to nothing at all: the launch ends
  std::uint8_t lane = 0;
  std::uint32_t bytes = 0;
  Space space = Space::kGlobal;
  std::uint64_t address = 0;
};

// What the last memory instruction touched.
struct MemoryAccess {
  Space space =
      Space::kNone;  // generic accesses: the space they went to (kGeneric if lanes differ)
  LaneMask mask = 0;
  std::uint32_t bytes = 0;  // per lane
  bool linear = false;      // every lane active, lane i at address[0] + i * bytes
  // By lane. Of a kernel's parameter, which is one for all, only the first lane's is told.
  alignas(64) std::array<std::uint64_t, kLanes> address{};
};

// What all warps of a launch share that one host thread executes.
struct Device {
  DeviceMemory* memory = nullptr;
  const Program* program = nullptr;
  const TextureTable* textures = nullptr;
  std::span<const std::byte> kernel_parameters;
  std::function<void(std::string_view)> print;
  const std::uint64_t* clock = nullptr;  // advances with the machine's time
  StoreLog* stores = nullptr;            // null: stores go to memory at once
  bool check = false;
  std::uint64_t heap_limit = 8u << 20;  // device-side malloc, CUDA's default
  std::uint64_t* heap_used = nullptr;   // by all that share the launch's heap
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t total_shared_bytes = 0;
  std::uint32_t multiprocessors = 1;
  MemoryAccess access;  // of the last memory instruction, whichever warp's
};

// A variable in local memory, the same in every lane.
struct LocalExtent {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

class Warp {
 public:
  Device* device = nullptr;
  std::span<std::byte> shared;        // the block's
  std::byte* frame = nullptr;         // registers of the current activation
  std::byte* parameters = nullptr;    // its parameter frame, one row a lane
  std::uint32_t parameter_bytes = 0;  // of one row
  std::uint32_t uniform_parameter_bytes =
      0;                         // kernels: so many bytes come from Device::kernel_parameters
  std::uint32_t local_base = 0;  // its local frame starts here in each lane's local memory
  std::vector<std::byte> local;  // one row of local_row_bytes a lane, grows with use
  std::uint32_t local_row_bytes = 0;
  std::uint32_t local_limit = 0;  // stack_bytes_per_thread
  // Checked mode: the local variables of the current activation and of those that called it, by
  // address. Nothing else of local memory may be touched.
  std::vector<LocalExtent> local_variables;
  std::array<std::uint32_t, 3> block_index{};
  std::uint32_t warp_index = 0;  // within the block
  std::uint32_t multiprocessor = 0;
  LaneMask live = 0;  // lanes that hold a thread

  std::vector<AccessFault> faults;  // of the last instruction; the machine takes and clears them

  // What the last memory instruction touched, of all warps that share the device.
  MemoryAccess& access() const { return device->access; }

  // Makes rows of local memory at least this long. False beyond the limit.
  bool grow_local(std::uint64_t bytes);
  // Where [address, address + bytes) in a space (or a generic address) lies on the host, or null.
  std::byte* resolve(Space space, std::uint64_t address, std::uint32_t bytes, int lane);
  // Registers of the frame as lanes.
  template <class T>
  T* lanes(std::uint32_t slot) const {
    return reinterpret_cast<T*>(frame + slot);
  }

 private:
  bool in_local_variable(std::uint64_t address, std::uint32_t bytes) const;
};

// Fills the slots that stand for constants in a fresh frame.
void fill_constants(const DecodedFunction& function, std::byte* frame);
// Fills those that stand for special registers and addresses of local variables.
void fill_specials(const DecodedFunction& function, const Warp& warp, std::byte* frame);
// The same for a frame that the same warp of another block had: only what differs between blocks.
void refill_specials(const DecodedFunction& function, const Warp& warp, std::byte* frame);
std::uint64_t special_value(SpecialRegister special, const Warp& warp, int lane);

// The address that each lane passes to a memory instruction, offset included.
void compute_addresses(const DecodedInstruction& instruction, const Warp& warp,
                       std::array<std::uint64_t, kLanes>& address);

// Carries out vprintf, malloc or free for the lanes in mask: `arguments` are the call's parameter
// slots.
void run_system_function(SystemFunction function, const DecodedInstruction& call, Warp& warp,
                         const Function& caller, LaneMask mask);
// The text of a device printf with its packed argument buffer, and how many arguments it took.
struct PrintedText {
  std::string text;
  std::uint32_t arguments = 0;
};
PrintedText format_device_printf(Warp& warp, int lane, std::uint64_t format,
                                 std::uint64_t arguments);
// A NUL-terminated string in device memory, at most 4095 characters.
std::string read_device_string(Warp& warp, int lane, std::uint64_t address);

}  // namespace raddle::kernel::exec

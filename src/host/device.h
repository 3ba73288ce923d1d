// The simulated device of one process: its memory, the program loaded into it, its textures, and
// the streams, events and arrays that live on it. cudaDeviceReset throws it away and makes another.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/cuda_api.h"
#include "host/kernel_facts.h"
#include "host/registry.h"
#include "kernel/device_memory.h"
#include "kernel/program.h"
#include "kernel/texture.h"

struct cudaArray {
  cudaChannelFormatDesc desc{};
  cudaExtent extent{};  // in elements; height and depth 0 for 1-D and 2-D arrays
  unsigned int flags = 0;
  std::uint64_t address = 0;
  std::size_t element_bytes = 0;
  std::size_t row_bytes = 0;  // pitch
  std::size_t slice_bytes = 0;
  std::size_t rows() const { return extent.height == 0 ? 1 : extent.height; }
  std::size_t slices() const { return extent.depth == 0 ? 1 : extent.depth; }
  std::size_t bytes() const { return slice_bytes * slices(); }
};

namespace raddle::host {
struct Capture;
}

struct CUstream_st {
  std::shared_ptr<raddle::host::Capture> capture;  // that it takes part in, or took
  std::vector<CUgraphNode_st*> captured;           // the nodes that its next one comes after
  cudaStreamAttrValue attribute{};                 // the last that was set, for those who ask
  unsigned int flags = 0;
  int priority = 0;
  std::uint32_t number = 0;  // for the machine; the legacy default stream has 0
};

struct CUevent_st {
  std::shared_ptr<raddle::host::Capture> capture;  // null: was not recorded in one
  std::vector<CUgraphNode_st*> captured;
  unsigned int flags = 0;
  bool recorded = false;
  double seconds = 0;  // simulated time at the record
};

namespace raddle::host {

struct VariablePlace {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

// What a program has set for a kernel.
struct FunctionSettings {
  int allowed_shared_bytes = 0;  // dynamic, beyond the usual limit
  cudaFuncCache prefers = cudaFuncCachePreferNone;
};

// Host memory that the device sees a copy of. Both sides agree whenever either may look: copied in
// before a launch and out after it.
struct Mirror {
  void* host = nullptr;
  std::uint64_t device = 0;
  std::size_t bytes = 0;
};

class Device {
 public:
  // The description must outlive the device.
  Device(const machine::DeviceDescription& description, bool keep_released);

  kernel::DeviceMemory& memory() { return memory_; }
  kernel::Program& program() { return program_; }
  kernel::TextureTable& textures() { return textures_; }

  // Loads registered images that are not loaded yet. Throws Error for PTX that cannot be read,
  // once; afterwards the image counts as empty.
  void load_images();
  // Loads PTX that was not registered and gives its module number.
  std::uint32_t load_text(std::string_view text, const std::string& name);

  // Nothing where the image holds no such definition.
  std::optional<kernel::FunctionRef> function(const DeviceName& name);
  std::optional<VariablePlace> variable(const DeviceName& name);
  std::optional<kernel::FunctionRef> function_in(std::uint32_t module, std::string_view name) const;
  std::optional<VariablePlace> variable_in(std::uint32_t module, std::string_view name) const;

  const KernelFacts& facts(kernel::FunctionRef kernel);
  FunctionSettings& settings(kernel::FunctionRef kernel) {
    return settings_[{kernel.module, kernel.function}];
  }
  // Of kernels that prefer nothing themselves.
  cudaFuncCache cache_preference = cudaFuncCachePreferNone;

  std::uint64_t new_texture_handle() { return kernel::kTextureBase + next_texture_++; }

  // False if the memory is registered already, or was not.
  bool register_host_memory(void* host, std::size_t bytes);
  bool unregister_host_memory(void* host);
  bool is_registered(const void* host) const { return registered_holding(host) != nullptr; }
  // The device address of registered memory, which is mirrored from then on; nothing if there is no
  // room.
  std::optional<std::uint64_t> mirror_registered(void* host);
  const Mirror* mirror_at(const void* host) const;
  bool has_mirrors() const { return !mirrors_.empty(); }
  void copy_mirrors_in();
  void copy_mirrors_out();

  cudaArray* adopt(std::unique_ptr<cudaArray> array);
  CUstream_st* adopt(std::unique_ptr<CUstream_st> stream);
  CUevent_st* adopt(std::unique_ptr<CUevent_st> event);
  bool owns(const cudaArray* array) const { return arrays_.contains(array); }
  // The default streams always exist. A call that is given another one can say why it refuses.
  bool owns(const CUstream_st* stream) const;
  bool owns(const CUevent_st* event) const;
  bool release(const cudaArray* array);
  bool release(const CUstream_st* stream);
  bool release(const CUevent_st* event);

 private:
  template <class T>
  using Owned = std::unordered_map<const T*, std::unique_ptr<T>>;

  struct HostRange {
    char* begin = nullptr;
    std::size_t bytes = 0;
  };

  void explain_missing(const char* what, const void* handle) const;
  template <class T>
  bool destroy(Owned<T>& owned, const T* handle);
  void mirror_managed_variables();
  const HostRange* registered_holding(const void* host) const;

  const machine::DeviceDescription& description_;
  kernel::DeviceMemory memory_;
  kernel::Program program_;
  kernel::TextureTable textures_;
  std::vector<std::optional<std::uint32_t>> modules_;  // by image; nothing: could not be read
  std::map<std::pair<std::uint32_t, std::uint32_t>, KernelFacts> facts_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, FunctionSettings> settings_;
  std::uint64_t next_texture_ = 1;
  std::size_t mirrored_variables_ = 0;  // of Registry::managed_variables()
  std::vector<Mirror> mirrors_;
  std::vector<HostRange> registered_;
  Owned<cudaArray> arrays_;
  Owned<CUstream_st> streams_;
  Owned<CUevent_st> events_;
  std::unordered_map<const void*, std::uint32_t> destroyed_;  // CallSites, by handle
};

}  // namespace raddle::host

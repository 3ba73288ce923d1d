#include "host/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "host/api_errors.h"
#include "host/call_sites.h"
#include "lang/ptx/reader.h"

namespace raddle::host {

Device::Device(const machine::DeviceDescription& description, bool keep_released)
    : description_(description),
      memory_(static_cast<std::uint64_t>(description.memory_bytes)),
      program_(memory_) {
  memory_.keep_released(keep_released);
}

void Device::load_images() {
  const std::vector<Image>& images = Registry::get().images();
  const bool fresh = modules_.size() < images.size();
  while (modules_.size() < images.size()) {
    const Image& image = images[modules_.size()];
    modules_.emplace_back();
    if (image.text == nullptr) {
      throw Error("the program carries device code that is not PTX", {},
                  "compile it with `raddle cc`");
    }
    modules_.back() = load_text(image.text, "device code of the program");
  }
  if (!fresh) return;
  program_.link();
  mirror_managed_variables();
}

std::uint32_t Device::load_text(std::string_view text, const std::string& name) {
  return program_.load(ptx::read_ptx(text, name));
}

// The host copy of a managed variable starts out undefined: its first value comes from the image.
void Device::mirror_managed_variables() {
  const Registry& registry = Registry::get();
  const std::vector<const void*>& managed = registry.managed_variables();
  for (; mirrored_variables_ < managed.size(); ++mirrored_variables_) {
    const RegisteredVariable& registered = *registry.variable(managed[mirrored_variables_]);
    const std::optional<VariablePlace> place = variable(registered.device);
    if (!place) continue;
    const auto bytes = std::min<std::uint64_t>(place->bytes, registered.bytes);
    std::memcpy(registered.host, memory_.view(place->address), bytes);
    mirrors_.push_back({registered.host, place->address, bytes});
  }
}

std::optional<kernel::FunctionRef> Device::function_in(std::uint32_t module,
                                                       std::string_view name) const {
  const std::vector<kernel::Function>& functions = program_.module(module).functions;
  for (std::uint32_t i = 0; i < functions.size(); ++i) {
    if (functions[i].is_entry && functions[i].name == name) return kernel::FunctionRef{module, i};
  }
  return std::nullopt;
}

std::optional<VariablePlace> Device::variable_in(std::uint32_t module,
                                                 std::string_view name) const {
  const std::vector<kernel::Variable>& variables = program_.module(module).variables;
  for (std::uint32_t i = 0; i < variables.size(); ++i) {
    if (variables[i].name != name) continue;
    const std::uint64_t address = program_.variable_address(module, i);
    if (address == 0) return std::nullopt;
    return VariablePlace{address, variables[i].size};
  }
  return std::nullopt;
}

std::optional<kernel::FunctionRef> Device::function(const DeviceName& name) {
  load_images();
  const std::optional<std::uint32_t> module = modules_[name.image];
  return module ? function_in(*module, name.name) : std::nullopt;
}

std::optional<VariablePlace> Device::variable(const DeviceName& name) {
  load_images();
  const std::optional<std::uint32_t> module = modules_[name.image];
  return module ? variable_in(*module, name.name) : std::nullopt;
}

const KernelFacts& Device::facts(kernel::FunctionRef kernel) {
  const std::pair key{kernel.module, kernel.function};
  const auto found = facts_.find(key);
  if (found != facts_.end()) return found->second;
  return facts_.emplace(key, find_kernel_facts(program_, kernel, description_)).first->second;
}

const Device::HostRange* Device::registered_holding(const void* host) const {
  const auto* wanted = static_cast<const char*>(host);
  for (const HostRange& range : registered_) {
    if (wanted >= range.begin && wanted < range.begin + range.bytes) return &range;
  }
  return nullptr;
}

bool Device::register_host_memory(void* host, std::size_t bytes) {
  if (registered_holding(host) != nullptr) return false;
  registered_.push_back({static_cast<char*>(host), bytes});
  return true;
}

bool Device::unregister_host_memory(void* host) {
  const bool known = std::erase_if(registered_, [host](const HostRange& range) {
                       return range.begin == host;
                     }) != 0;
  const Mirror* mirror = known ? mirror_at(host) : nullptr;
  if (mirror == nullptr) return known;
  memory_.release(mirror->device);
  std::erase_if(mirrors_, [host](const Mirror& each) { return each.host == host; });
  return true;
}

std::optional<std::uint64_t> Device::mirror_registered(void* host) {
  const HostRange range = *registered_holding(host);
  const Mirror* mirror = mirror_at(host);
  if (mirror == nullptr) {
    const std::optional<std::uint64_t> address =
        memory_.allocate(range.bytes, kernel::AllocationKind::kPinnedHost);
    if (!address) return std::nullopt;
    mirrors_.push_back({range.begin, *address, range.bytes});
    mirror = &mirrors_.back();
  }
  return mirror->device + static_cast<std::uint64_t>(static_cast<char*>(host) - range.begin);
}

const Mirror* Device::mirror_at(const void* host) const {
  const auto* wanted = static_cast<const char*>(host);
  for (const Mirror& mirror : mirrors_) {
    const auto* begin = static_cast<const char*>(mirror.host);
    if (wanted >= begin && wanted < begin + mirror.bytes) return &mirror;
  }
  return nullptr;
}

void Device::copy_mirrors_in() {
  for (const Mirror& mirror : mirrors_) {
    std::memcpy(memory_.view(mirror.device), mirror.host, mirror.bytes);
  }
}

void Device::copy_mirrors_out() {
  for (const Mirror& mirror : mirrors_) {
    std::memcpy(mirror.host, memory_.view(mirror.device), mirror.bytes);
  }
}

cudaArray* Device::adopt(std::unique_ptr<cudaArray> array) {
  cudaArray* handle = array.get();
  arrays_.emplace(handle, std::move(array));
  return handle;
}

CUstream_st* Device::adopt(std::unique_ptr<CUstream_st> stream) {
  CUstream_st* handle = stream.get();
  destroyed_.erase(handle);
  streams_.emplace(handle, std::move(stream));
  return handle;
}

CUevent_st* Device::adopt(std::unique_ptr<CUevent_st> event) {
  CUevent_st* handle = event.get();
  destroyed_.erase(handle);
  events_.emplace(handle, std::move(event));
  return handle;
}

void Device::explain_missing(const char* what, const void* handle) const {
  const auto found = destroyed_.find(handle);
  const std::string line =
      found == destroyed_.end() ? std::string() : CallSites::get().text(found->second);
  ApiErrors::get().explain(
      found == destroyed_.end()
          ? fmt::format("this {} was never created", what)
          : fmt::format("this {} was destroyed{}{}", what, line.empty() ? "" : " at ", line));
}

bool Device::owns(const CUstream_st* stream) const {
  const bool known = stream == nullptr || stream == cudaStreamLegacy ||
                     stream == cudaStreamPerThread || streams_.contains(stream);
  if (!known) explain_missing("stream", stream);
  return known;
}

bool Device::owns(const CUevent_st* event) const {
  const bool known = events_.contains(event);
  if (!known) explain_missing("event", event);
  return known;
}

template <class T>
bool Device::destroy(Owned<T>& owned, const T* handle) {
  if (owned.erase(handle) == 0) return false;
  destroyed_[handle] = CallSites::get().here();
  return true;
}

bool Device::release(const CUstream_st* stream) {
  if (destroy(streams_, stream)) return true;
  explain_missing("stream", stream);
  return false;
}

bool Device::release(const CUevent_st* event) {
  if (destroy(events_, event)) return true;
  explain_missing("event", event);
  return false;
}

bool Device::release(const cudaArray* array) {
  if (!owns(array)) return false;
  memory_.release(array->address);
  arrays_.erase(array);
  return true;
}

}  // namespace raddle::host

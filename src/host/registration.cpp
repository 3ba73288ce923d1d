// The calls that clang puts before main of every CUDA program: what the program carries and which
// host address stands for what.
#include "host/cuda_api.h"
#include "host/registry.h"
#include "host/session.h"

// Where the linker put the host copies of __managed__ variables (host_defines.h names the section);
// null in a program that has none.
extern "C" {
[[gnu::weak, gnu::visibility("default")]] extern char __start_raddle_managed[];
[[gnu::weak, gnu::visibility("default")]] extern char __stop_raddle_managed[];
}

namespace raddle::host {
namespace {

constexpr int kWrapperMagic = 0x466243b1;

// What clang passes to __cudaRegisterFatBinary.
struct FatBinaryWrapper {
  int magic;
  int version;
  const void* data;
  void* file_name;
};

// Handles are numbers of images, from 1.
void** to_handle(std::uint32_t image) {
  return reinterpret_cast<void**>(static_cast<std::uintptr_t>(image) + 1);
}
std::uint32_t to_image(void** handle) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(handle) - 1);
}

bool in_managed_section(const char* address) {
  return __start_raddle_managed != nullptr && address >= __start_raddle_managed &&
         address < __stop_raddle_managed;
}

}  // namespace
}  // namespace raddle::host

using namespace raddle::host;

void** __cudaRegisterFatBinary(void* wrapper) {
  const auto* binary = static_cast<const FatBinaryWrapper*>(wrapper);
  const bool known = binary != nullptr && binary->magic == kWrapperMagic;
  return to_handle(
      Registry::get().add_image(known ? static_cast<const char*>(binary->data) : nullptr));
}

// A program may read a managed variable before its first CUDA call, and its initial value lies in
// the image.
void __cudaRegisterFatBinaryEnd(void**) {
  if (!Registry::get().managed_variables().empty()) Session::get().load_managed_variables();
}

void __cudaUnregisterFatBinary(void**) {}

char __cudaInitModule(void**) { return 0; }

int __cudaRegisterFunction(void** handle, const char* host_function, char*, const char* device_name,
                           int, uint3*, uint3*, dim3*, dim3*, int*) {
  Registry::get().add_function(host_function, {to_image(handle), device_name});
  return 0;
}

void __cudaRegisterVar(void** handle, char* host_variable, char*, const char* device_name, int,
                       size_t size, int is_constant, int) {
  Registry::get().add_variable({{to_image(handle), device_name},
                                host_variable,
                                size,
                                is_constant != 0,
                                in_managed_section(host_variable)});
}

// Compilers that know managed variables pass the place of a pointer to the variable instead.
void __cudaRegisterManagedVar(void** handle, void** host_variable, char*, const char* device_name,
                              int, size_t size, int is_constant, int) {
  Registry::get().add_variable(
      {{to_image(handle), device_name}, *host_variable, size, is_constant != 0, true});
}

void __cudaRegisterTexture(void** handle, const void* host_variable, const void**,
                           const char* device_name, int dimensions, int normalized_read, int) {
  Registry::get().add_texture(host_variable,
                              {{to_image(handle), device_name}, dimensions, normalized_read != 0});
}

void __cudaRegisterSurface(void** handle, const void* host_variable, const void**,
                           const char* device_name, int, int) {
  Registry::get().add_surface(host_variable, {to_image(handle), device_name});
}

// Variables of the device by their host names. A symbol is the address of the program's own copy; a
// string is not a symbol (as in CUDA since 5.0) and is refused before anything is written.
#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <mutex>
#include <string>

#include "base/error.h"
#include "host/api_call.h"
#include "host/copying.h"
#include "host/registry.h"

using namespace raddle::host;

namespace {

struct Symbol {
  VariablePlace place;
  cudaError_t status = cudaSuccess;
};

// The identifier that the program may have put in quotes, or nothing. What a symbol points to may
// be unmapped: the system is asked for it.
std::string quoted_name(const void* symbol) {
  std::array<char, 256> text{};
  // To the end of the page at most, as the next one need not exist.
  constexpr std::uintptr_t kPage = 4096;
  const std::size_t bytes =
      std::min<std::size_t>(text.size() - 1, kPage - address_of(symbol) % kPage);
  const iovec here{text.data(), bytes};
  const iovec there{const_cast<void*>(symbol), bytes};
  if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) <= 0) return {};
  const std::string name(text.data());
  const bool is_name = std::ranges::all_of(
      name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == ':'; });
  return is_name ? name : std::string();
}

// Programs of CUDA 4 and before name variables by strings, and many do not look at what a copy
// returns.
void mention_unknown_symbol(const Session& session, const char* what, const void* symbol) {
  static std::once_flag told;
  std::call_once(told, [&] {
    const std::string name = quoted_name(symbol);
    const raddle::Error error =
        name.empty()
            ? raddle::Error(fmt::format("{}: the symbol is not a variable of the device", what), {},
                            "name the __device__ or __constant__ variable itself")
            : raddle::Error(
                  fmt::format("{}: \"{}\" is a string, which is not a symbol since CUDA 5", what,
                              name),
                  {}, fmt::format("write {0} instead of \"{0}\"", name));
    session.mention(error);
  });
}

Symbol find_symbol(Session& session, const char* what, const void* symbol) {
  const RegisteredVariable* registered = Registry::get().variable(symbol);
  if (registered == nullptr) {
    mention_unknown_symbol(session, what, symbol);
    return {{}, cudaErrorInvalidSymbol};
  }
  const std::optional<VariablePlace> place = session.device().variable(registered->device);
  if (!place) return {{}, cudaErrorInvalidSymbol};
  return {*place, cudaSuccess};
}

bool fits(const VariablePlace& place, std::size_t offset, std::size_t count) {
  return offset <= place.bytes && count <= place.bytes - offset;
}

cudaError_t copy_to_symbol(const void* symbol, const void* source, size_t count, size_t offset,
                           cudaMemcpyKind kind) {
  return api_call([=](Session& session) -> cudaError_t {
    if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost) {
      return cudaErrorInvalidMemcpyDirection;
    }
    const Symbol found = find_symbol(session, "cudaMemcpyToSymbol", symbol);
    if (found.status != cudaSuccess) return found.status;
    if (!fits(found.place, offset, count)) return cudaErrorInvalidValue;
    return copy_bytes(session, found.place.address + offset, address_of(source), count, kind);
  });
}

cudaError_t copy_from_symbol(void* destination, const void* symbol, size_t count, size_t offset,
                             cudaMemcpyKind kind) {
  return api_call([=](Session& session) -> cudaError_t {
    if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost) {
      return cudaErrorInvalidMemcpyDirection;
    }
    const Symbol found = find_symbol(session, "cudaMemcpyFromSymbol", symbol);
    if (found.status != cudaSuccess) return found.status;
    if (!fits(found.place, offset, count)) return cudaErrorInvalidValue;
    return copy_bytes(session, address_of(destination), found.place.address + offset, count, kind);
  });
}

}  // namespace

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* source, size_t count, size_t offset,
                               cudaMemcpyKind kind) {
  return copy_to_symbol(symbol, source, count, offset, kind);
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* source, size_t count,
                                    size_t offset, cudaMemcpyKind kind, cudaStream_t) {
  return copy_to_symbol(symbol, source, count, offset, kind);
}

cudaError_t cudaMemcpyFromSymbol(void* destination, const void* symbol, size_t count, size_t offset,
                                 cudaMemcpyKind kind) {
  return copy_from_symbol(destination, symbol, count, offset, kind);
}

cudaError_t cudaMemcpyFromSymbolAsync(void* destination, const void* symbol, size_t count,
                                      size_t offset, cudaMemcpyKind kind, cudaStream_t) {
  return copy_from_symbol(destination, symbol, count, offset, kind);
}

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return api_call([=](Session& session) -> cudaError_t {
    if (address == nullptr) return cudaErrorInvalidValue;
    const Symbol found = find_symbol(session, "cudaGetSymbolAddress", symbol);
    if (found.status == cudaSuccess) *address = reinterpret_cast<void*>(found.place.address);
    return found.status;
  });
}

cudaError_t cudaGetSymbolSize(size_t* size, const void* symbol) {
  return api_call([=](Session& session) -> cudaError_t {
    if (size == nullptr) return cudaErrorInvalidValue;
    const Symbol found = find_symbol(session, "cudaGetSymbolSize", symbol);
    if (found.status == cudaSuccess) *size = found.place.bytes;
    return found.status;
  });
}

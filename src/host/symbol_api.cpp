// Variables of the device by their host names. A symbol is the address of the program's own copy; a
// string is not a symbol (as in CUDA since 5.0) and is refused before anything is written.
#include "host/api_call.h"
#include "host/copying.h"
#include "host/registry.h"

using namespace raddle::host;

namespace {

struct Symbol {
  VariablePlace place;
  cudaError_t status = cudaSuccess;
};

Symbol find_symbol(Session& session, const void* symbol) {
  const RegisteredVariable* registered = Registry::get().variable(symbol);
  if (registered == nullptr) {
    session.explain(
        "this is no variable of the device; a symbol is named by itself, not by a string");
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
    const Symbol found = find_symbol(session, symbol);
    if (found.status != cudaSuccess) return found.status;
    if (!fits(found.place, offset, count)) return cudaErrorInvalidValue;
    return copy_bytes(session, "cudaMemcpyToSymbol", found.place.address + offset,
                      address_of(source), count, kind);
  });
}

cudaError_t copy_from_symbol(void* destination, const void* symbol, size_t count, size_t offset,
                             cudaMemcpyKind kind) {
  return api_call([=](Session& session) -> cudaError_t {
    if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost) {
      return cudaErrorInvalidMemcpyDirection;
    }
    const Symbol found = find_symbol(session, symbol);
    if (found.status != cudaSuccess) return found.status;
    if (!fits(found.place, offset, count)) return cudaErrorInvalidValue;
    return copy_bytes(session, "cudaMemcpyFromSymbol", address_of(destination),
                      found.place.address + offset, count, kind);
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
    const Symbol found = find_symbol(session, symbol);
    if (found.status == cudaSuccess) *address = reinterpret_cast<void*>(found.place.address);
    return found.status;
  });
}

cudaError_t cudaGetSymbolSize(size_t* size, const void* symbol) {
  return api_call([=](Session& session) -> cudaError_t {
    if (size == nullptr) return cudaErrorInvalidValue;
    const Symbol found = find_symbol(session, symbol);
    if (found.status == cudaSuccess) *size = found.place.bytes;
    return found.status;
  });
}

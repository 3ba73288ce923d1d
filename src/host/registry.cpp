#include "host/registry.h"

#include <utility>

namespace raddle::host {

Registry& Registry::get() {
  // Never destroyed: programs unregister their images after our own static objects are gone.
  static auto* const registry = new Registry;
  return *registry;
}

std::uint32_t Registry::add_image(const char* text) {
  images_.push_back({text});
  return static_cast<std::uint32_t>(images_.size() - 1);
}

void Registry::add_variable(RegisteredVariable variable) {
  const void* host = variable.host;
  if (variable.managed && !variables_.contains(host)) managed_.push_back(host);
  variables_.insert_or_assign(host, std::move(variable));
}

}  // namespace raddle::host

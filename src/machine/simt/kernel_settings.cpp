#include "machine/simt/kernel_settings.h"

#include <fmt/format.h>

#include "base/demangle.h"
#include "base/nearest_name.h"
#include "machine/simt/sharing.h"

namespace raddle::machine::simt {

KernelSettings::KernelSettings(const SharingParameters& sharing) {
  for (const auto& [kernel, mode] : sharing.by_kernel) unmet_.insert(kernel);
}

void KernelSettings::note_launch(const kernel::Program& program, const std::string& kernel) {
  if (all_met()) return;
  const std::string name = plain_name(kernel);
  if (!launched_.insert(name).second) return;
  unmet_.erase(name);
  for (std::uint32_t m = 0; m < program.module_count(); ++m) {
    for (const kernel::Function& function : program.module(m).functions) {
      if (function.is_entry) known_.insert(plain_name(demangled(function.name)));
    }
  }
}

std::vector<Error> KernelSettings::remarks() const {
  std::vector<Error> all;
  if (launched_.empty()) return all;
  for (const std::string& name : unmet_) {
    const std::string key = fmt::format("sharing.kernel.{}", name);
    if (known_.contains(name)) {
      all.emplace_back(fmt::format("kernel '{}' was never launched", name), key);
      continue;
    }
    const std::vector<std::string> known(known_.begin(), known_.end());
    const std::string near = suggestion(name, known);
    all.emplace_back(fmt::format("the program has no kernel '{}'", name), key,
                     near.empty() ? fmt::format("its kernels: {}", fmt::join(known, ", ")) : near);
  }
  return all;
}

}  // namespace raddle::machine::simt

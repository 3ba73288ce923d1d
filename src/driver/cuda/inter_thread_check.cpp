#include "driver/cuda/inter_thread_check.h"

#include "kernel/analysis/channel_checks.h"
#include "lang/ptx/reader.h"

namespace raddle::driver::cuda {

void check_inter_thread(const std::string& ptx, const std::string& source) {
  const kernel::Module module = ptx::read_ptx(ptx, source);
  for (const kernel::Function& function : module.functions) {
    if (function.is_entry) kernel::check_channels(module, function);
  }
}

}  // namespace raddle::driver::cuda

// How libraries that bring an executor of their own make it the default.
#pragma once

#include <memory>

#include "raddle/ddm/executor.h"

namespace raddle::ddm {

// The maker is asked when a default executor is first needed; null means that the native one is to
// be used.
bool offer_executor(std::unique_ptr<Executor> (*make)());

}  // namespace raddle::ddm

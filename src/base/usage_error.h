// A fault of usage: printed like an Error, with status 2.
#pragma once

#include "base/error.h"

namespace raddle {

class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace raddle

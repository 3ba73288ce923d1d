// The floating-point environment that kernels are simulated in: nothing traps, numbers round to
// nearest and subnormal ones stay, whatever the program has set for its own code. The program finds
// its environment, and the exceptions it has seen, as they were.
#pragma once

#include <cfenv>

namespace raddle::host {

class FloatEnvironment {
 public:
  FloatEnvironment() {
    std::fegetenv(&kept_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~FloatEnvironment() { std::fesetenv(&kept_); }
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
  std::fenv_t kept_{};
};

}  // namespace raddle::host

// Where in the program memory is allocated and freed, as numbers that mean something to whoever
// runs the program. Messages turn them into text.
#pragma once

#include <cstdint>
#include <string>

namespace raddle::kernel {

class CallSites {
 public:
  virtual ~CallSites() = default;
  // Where the program called what is being done for it now; 0: not known.
  virtual std::uint32_t here() = 0;
  // "matmul.cu:31", or empty.
  virtual std::string text(std::uint32_t site) = 0;

 protected:
  CallSites() = default;
  CallSites(const CallSites&) = default;
  CallSites& operator=(const CallSites&) = default;
};

}  // namespace raddle::kernel

// Gets the words that instrumented code has appended, between start and stop.
#pragma once

#include <cstdint>
#include <span>

namespace raddle::ddm::probe {

class Reader {
 public:
  virtual ~Reader() = default;
  virtual void read(std::span<const std::uint64_t> words) = 0;
};

void start(Reader& reader);
void stop();

}  // namespace raddle::ddm::probe

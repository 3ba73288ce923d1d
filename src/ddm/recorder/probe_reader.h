// Gets the words that instrumented code has appended, between start and stop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace raddle::ddm::probe {

class Reader {
 public:
  virtual ~Reader() = default;
  virtual void read(std::span<const std::uint64_t> words) = 0;
  // The thread that runs has allocated memory, after what was read so far.
  virtual void allocated(const void* memory, std::size_t bytes) = 0;
  // Whether allocations are of interest.
  virtual bool follows_allocations() const = 0;
};

void start(Reader& reader);
void stop();
// Called by operator new (allocation.cpp).
void allocated(const void* memory, std::size_t bytes);

}  // namespace raddle::ddm::probe

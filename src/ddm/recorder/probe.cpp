#include "ddm/recorder/probe.h"

#include <array>

#include "ddm/recorder/probe_reader.h"

namespace raddle::ddm::probe {
namespace {

constexpr std::size_t kBufferWords = std::size_t{1} << 16;

std::array<std::uint64_t, kBufferWords + kSlackWords> buffer;
Reader* reader = nullptr;
bool is_reading = false;  // what the reader allocates is not the thread's

}  // namespace

void start(Reader& new_reader) {
  raddle_ddm_probe_cursor = buffer.data();
  reader = &new_reader;
}

void stop() {
  raddle_ddm_probe_flush();
  reader = nullptr;
}

void allocated(const void* memory, std::size_t bytes) {
  if (reader == nullptr || is_reading || !reader->follows_allocations()) return;
  raddle_ddm_probe_flush();
  is_reading = true;
  reader->allocated(memory, bytes);
  is_reading = false;
}

}  // namespace raddle::ddm::probe

using raddle::ddm::probe::buffer;

std::uint64_t* raddle_ddm_probe_cursor = buffer.data();
std::uint64_t* raddle_ddm_probe_limit = buffer.data() + raddle::ddm::probe::kBufferWords;

void raddle_ddm_probe_flush() {
  std::uint64_t* end = raddle_ddm_probe_cursor;
  raddle_ddm_probe_cursor = buffer.data();
  if (raddle::ddm::probe::reader != nullptr) {
    raddle::ddm::probe::is_reading = true;
    raddle::ddm::probe::reader->read({buffer.data(), end});
    raddle::ddm::probe::is_reading = false;
  }
}

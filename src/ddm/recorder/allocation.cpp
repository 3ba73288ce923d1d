// operator new as the standard library has it, which also tells the checker that memory is new:
// threads that follow each other without an arc may get the same memory from the heap. Weak, as a
// program may bring its own.
#include <cstdlib>
#include <new>

#include "ddm/recorder/probe_reader.h"

// NOLINTNEXTLINE(misc-new-delete-overloads): what it gives is freed as usual
__attribute__((weak)) void* operator new(std::size_t bytes) {
  for (;;) {
    if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) {
      raddle::ddm::probe::allocated(memory, bytes);
      return memory;
    }
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

// expect: a thread's body takes
#include <raddle/ddm.h>
void declare(raddle::ddm::Program<>& program) {
  program.thread("plane", raddle::ddm::range(4, 4), [](std::size_t) {});
}

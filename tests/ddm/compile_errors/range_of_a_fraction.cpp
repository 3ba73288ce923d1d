// expect: takes whole numbers
#include <raddle/ddm.h>
void declare(raddle::ddm::Program<>& program) {
  program.thread("use", raddle::ddm::range(2.5), [](std::size_t) {});
}

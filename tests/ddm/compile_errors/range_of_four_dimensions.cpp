// expect: a thread has one, two or three dimensions
#include <raddle/ddm.h>
void declare(raddle::ddm::Program<>& program) {
  program.thread("use", raddle::ddm::range(1, 2, 3, 4), [] {});
}

// expect: a thread has one to six dimensions
#include <raddle/ddm.h>
void declare(raddle::ddm::Program<>& program) {
  program.thread("use", raddle::ddm::range(1, 2, 3, 4, 5, 6, 7), [] {});
}

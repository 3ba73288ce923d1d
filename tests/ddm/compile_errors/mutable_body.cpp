// expect: is callable as const
#include <raddle/ddm.h>
void declare(raddle::ddm::Program<>& program) {
  program.thread("counts", [n = 0]() mutable { ++n; });
}

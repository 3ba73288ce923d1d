// expect: takes a value of the type that the switch thread returns
#include <raddle/ddm.h>
void declare(raddle::ddm::Program<>& program) {
  auto which = program.choose("which", [] { return true; });
  which.when("yes", program.thread("yes", [] {}));
}

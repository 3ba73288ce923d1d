// expect: takes a value of the type that the switch thread returns
#include <raddle/ddm.h>
enum class Kind { kOne };
void declare(raddle::ddm::Program<>& program) {
  auto choice = program.choose("which", [] { return Kind::kOne; });
  choice.when(1, program.thread("a", [] {}));
}

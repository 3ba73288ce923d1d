// expect: an arc joins threads of one block
#include <raddle/ddm.h>
void declare(raddle::ddm::Program<int>& program, raddle::ddm::Program<double>& other) {
  program.thread("a", [] {}).then(other.thread("b", [] {}));
}

// expect: no matching function
#include <raddle/ddm.h>
void declare(raddle::ddm::Program<int>& program, raddle::ddm::Program<double>& other) {
  program.thread("a", [] {}).then(other.thread("b", [] {}));
}

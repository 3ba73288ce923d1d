// expect: must give the callee's frame
#include <raddle/ddm.h>
struct Inner {
  int n;
};
void declare(raddle::ddm::Program<>& program) {
  auto inner = program.block<Inner>("inner");
  program.call("go", inner, [] { return "text"; });
}

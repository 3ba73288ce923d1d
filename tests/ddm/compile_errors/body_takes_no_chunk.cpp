// expect: the body of a range with a grain takes
#include <raddle/ddm.h>
int main() {
  raddle::ddm::Program program;
  program.thread("t", raddle::ddm::range(4).grain(2), [](const char*) {});
}

// expect: must give the number of a node
#include <raddle/ddm.h>
void declare(raddle::ddm::Program<>& program) {
  program.thread("use", raddle::ddm::range(8), [](std::size_t) {}).on([](std::size_t, int) {
    return "first";
  });
}

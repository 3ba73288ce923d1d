// expect: lead from index to index
#include <raddle/ddm.h>
void declare(raddle::ddm::Program<>& program) {
  auto test = program.thread("test", [] {});
  program.thread("next", raddle::ddm::range(8), [](std::size_t) {}).again(test);
}

// expect: the same number of dimensions, and one step for each
#include <raddle/ddm.h>
void declare(raddle::ddm::Program<>& program) {
  auto cell = program.thread("cell", raddle::ddm::range(8), [](std::size_t) {});
  cell.then(cell, raddle::ddm::offset(1, 0));
}

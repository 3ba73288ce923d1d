// expect: the function passed to reads(.*) or writes(.*) must give data
#include <raddle/ddm.h>
void declare(raddle::ddm::Program<int>& program) {
  program.thread("use", raddle::ddm::range(8), [](std::size_t) {}).reads([](int& f, std::size_t) {
    return f;
  });
}

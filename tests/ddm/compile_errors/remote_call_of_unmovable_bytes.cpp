// expect: only if its frame is trivially copyable
#include <raddle/ddm.h>

#include <string>
void declare(raddle::ddm::Program<>& program) {
  auto inner = program.block<std::string>("inner");
  program.call("go", inner, [] { return std::string(); }).on([](int) { return 0; });
}

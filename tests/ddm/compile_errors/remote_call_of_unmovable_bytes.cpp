// expect: only if its frame is trivially copyable, or made without arguments and serialized
#include <raddle/ddm.h>

#include <memory>
void declare(raddle::ddm::Program<>& program) {
  auto inner = program.block<std::shared_ptr<int>>("inner");
  program.call("go", inner, [] { return std::make_shared<int>(); }).on([](int) { return 0; });
}

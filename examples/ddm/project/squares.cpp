// The sum of the first hundred thousand squares, in chunks.
#include <raddle/ddm.h>

#include <cstdio>

int main() {
  const long sum = raddle::ddm::reduce(
      100000, 0L, [](std::size_t i) { return static_cast<long>(i) * static_cast<long>(i); });
  std::printf("%ld\n", sum);
}

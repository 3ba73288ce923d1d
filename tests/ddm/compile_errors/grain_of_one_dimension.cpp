// expect: grain.* takes one number for each dimension of the range, or none
#include <raddle/ddm.h>
int main() {
  raddle::ddm::Program program;
  program.thread("t", raddle::ddm::range(4, 4).grain(2),
                 [](raddle::ddm::Chunk, raddle::ddm::Chunk) {});
}

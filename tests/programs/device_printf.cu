// printf in kernels. The program reads back its own standard output and compares: every conversion, widths, many arguments,
// texts, percent signs, the returned count, and the order of a single thread's lines.
#include <unistd.h>

#include "check.h"

__global__ void formats(int* returned) {
  returned[0] = printf("plain\n");
  printf("%d %i %u %x %X %o %c|\n", -5, 7, 4000000000u, 255, 0xbeef, 8, 'z');
  printf("%ld %lld %llu %zu\n", -123456789012l, -1ll, 18446744073709551615ull, sizeof(double));
  printf("%f %.3f %8.2f|%-8.1f|%e %g\n", 1.5f, 3.14159265, 2.5, 2.5, 12345.678, 0.0001);
  printf("[%5d] [%-5d] [%05d] [%+d] [%s] [%10s] [%.2s] %%\n", 42, 42, 42, 42, "text", "right", "cut");
  returned[1] = printf("%d%d%d%d%d%d%d%d%d%d %s %f\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "end", 0.5);
  printf("%*d|%.*f\n", 6, 42, 2, 3.14159);
  printf("%c%c%hd\n", 'a', 'b', (short)-7);
}

__global__ void by_thread(const char* unused) {
  if (threadIdx.x % 8 == 3) printf("block %d thread %d value %.1f\n", blockIdx.x, threadIdx.x, threadIdx.x * 0.5f);
}

static const char* const kExpected =
    "plain\n"
    "-5 7 4000000000 ff BEEF 10 z|\n"
    "-123456789012 -1 18446744073709551615 8\n"
    "1.500000 3.142     2.50|2.5     |1.234568e+04 0.0001\n"
    "[   42] [42   ] [00042] [+42] [text] [     right] [cu] %\n"
    "12345678910 end 0.500000\n"
    "    42|3.14\n"
    "ab-7\n";

int main() {
  int* returned;
  CUDA_CHECK(cudaMallocManaged(&returned, 2 * sizeof(int)));
  char name[] = "/tmp/raddle-printf-XXXXXX";
  const int file = mkstemp(name), saved = dup(1);
  CHECK(file >= 0 && saved >= 0);
  unlink(name);
  fflush(stdout);
  dup2(file, 1);
  formats<<<1, 1>>>(returned);
  const cudaError_t first = cudaDeviceSynchronize();
  fflush(stdout);
  const long split = (long)lseek(file, 0, SEEK_CUR);
  by_thread<<<2, 32>>>(nullptr);
  const cudaError_t second = cudaDeviceSynchronize();
  fflush(stdout);
  dup2(saved, 1);
  CUDA_CHECK(first);
  CUDA_CHECK(second);

  static char text[4096];
  const ssize_t length = pread(file, text, sizeof text - 1, 0);
  CHECK(length > split && split == (long)strlen(kExpected));
  if (strncmp(text, kExpected, split) != 0) {
    fprintf(stderr, "printed:\n%.*sexpected:\n%s", (int)split, text, kExpected);
    return 1;
  }
  CHECK(returned[0] == 0 && returned[1] == 12);  // the device's printf returns how many arguments it took
  int lines = 0;
  for (int b = 0; b < 2; ++b)
    for (int t = 3; t < 32; t += 8) {
      char line[64];
      snprintf(line, sizeof line, "block %d thread %d value %.1f\n", b, t, t * 0.5f);
      CHECK(strstr(text + split, line) != nullptr);
      lines += (int)strlen(line);
    }
  CHECK_EQUAL(length - split, (long)lines);
  return all_ok();
}

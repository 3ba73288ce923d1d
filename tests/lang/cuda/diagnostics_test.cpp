#include "lang/cuda/diagnostics.h"

#include <gtest/gtest.h>

namespace raddle::cuda {
namespace {

TEST(Diagnostics, SaysThatDynamicParallelismIsNotSupportedAtItsLine) {
  EXPECT_EQ(translate_diagnostics(
                "a.cu:3:3: error: reference to __global__ function 'child' in __global__ function\n"
                "    3 |   child<<<1, 1>>>(p);\n"
                "1 error generated when compiling for sm_70.\n"),
            "a.cu:3:3: error: dynamic parallelism is not supported: kernel 'child' is launched "
            "from device code\n"
            "    3 |   child<<<1, 1>>>(p);\n"
            "1 error generated.\n"
            "hint: launch the kernel from the host, between two kernels or in a loop\n");
}

TEST(Diagnostics, NamesLibrariesThatAreNotThere) {
  EXPECT_EQ(translate_diagnostics("a.cu:1:10: fatal error: 'cudnn.h' file not found\n"),
            "a.cu:1:10: fatal error: 'cudnn.h' file not found\nhint: the library cuDNN is not "
            "supported\n");
  EXPECT_EQ(
      translate_diagnostics("a.cu:1:10: fatal error: 'cuda_egl_interop.h' file not found\n"),
      "a.cu:1:10: fatal error: 'cuda_egl_interop.h' file not found\nhint: graphics interop is "
      "not supported\n");
  EXPECT_EQ(translate_diagnostics("a.cu:1:10: fatal error: 'cusolverSp.h' file not found\n"),
            "a.cu:1:10: fatal error: 'cusolverSp.h' file not found\nhint: cuSOLVER for sparse "
            "matrices is not supported\n");
  EXPECT_EQ(translate_diagnostics("a.cu:1:10: fatal error: 'mma.h' file not found\n"),
            "a.cu:1:10: fatal error: 'mma.h' file not found\nhint: the matrix unit (mma.h) is not "
            "supported\n");
  EXPECT_EQ(translate_diagnostics("a.cu:1:10: fatal error: 'cuda/atomic' file not found\n"),
            "a.cu:1:10: fatal error: 'cuda/atomic' file not found\nhint: install it: apt-get "
            "install libcu++-dev\n");
  EXPECT_EQ(
      translate_diagnostics("a.cu:1:10: fatal error: 'cuda_pipeline.h' file not found\n"),
      "a.cu:1:10: fatal error: 'cuda_pipeline.h' file not found\nhint: copying asynchronously to "
      "shared memory (cuda_pipeline.h) is not supported\n");
  EXPECT_EQ(translate_diagnostics("a.cu:1:10: fatal error: 'mine.h' file not found\n"),
            "a.cu:1:10: fatal error: 'mine.h' file not found\n");
}

TEST(Diagnostics, NamesRuntimeCallsThatAreNotThereOnce) {
  EXPECT_EQ(
      translate_diagnostics("a.cu:1:1: error: use of undeclared identifier 'cudaImportStuff'\n"
                            "a.cu:2:1: error: use of undeclared identifier 'cudaImportStuff'\n"
                            "a.cu:3:1: error: use of undeclared identifier 'cudaless'\n"),
      "a.cu:1:1: error: use of undeclared identifier 'cudaImportStuff'\n"
      "a.cu:2:1: error: use of undeclared identifier 'cudaImportStuff'\n"
      "a.cu:3:1: error: use of undeclared identifier 'cudaless'\n"
      "hint: cudaImportStuff is not part of Raddle's CUDA; docs/cuda-support.md lists what is\n");
}

TEST(Diagnostics, NamesCallsOfLibrariesThatAreNotThere) {
  EXPECT_EQ(
      translate_diagnostics("a.cu:1:1: error: use of undeclared identifier 'cusparseSbsrmv'\n"
                            "a.cu:2:1: error: use of undeclared identifier 'cusparse_helper'\n"),
      "a.cu:1:1: error: use of undeclared identifier 'cusparseSbsrmv'\n"
      "a.cu:2:1: error: use of undeclared identifier 'cusparse_helper'\n"
      "hint: cusparseSbsrmv is not part of Raddle's CUDA; docs/cuda-support.md lists what "
      "is\n");
}

TEST(Diagnostics, SaysThatTheDiskIsFullAndNothingOfTheCompilersInside) {
  EXPECT_EQ(translate_diagnostics(
                "fatal error: error in backend: IO failure on output stream: No space left on "
                "device\n"
                "PLEASE submit a bug report to https://x and include the crash backtrace\n"
                "Stack dump:\n"
                "0.\tProgram arguments: /usr/bin/clang++-19 -c a.cu\n"
                "1.\t<eof> parser at end of file\n"
                " #0 0x00007f68d7ab73c6 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int)\n"
                "#10 0x00007f68e09f5e39 main (/usr/bin/clang++-19+0x1c386)\n"),
            "raddle cc: error: cannot write the output: No space left on device\n"
            "hint: free some space, name another file with -o or another folder with TMPDIR\n");
}

TEST(Diagnostics, SaysTheSameWhereTheCompilerHadNoSymbolizer) {
  EXPECT_EQ(
      translate_diagnostics(
          "fatal error: error in backend: IO failure on output stream: No space left on device\n"
          "PLEASE submit a bug report to https://x and include the crash backtrace\n"
          "Stack dump without symbol names (ensure you have llvm-symbolizer in your PATH):\n"
          "0  libLLVM.so.19.1      0x00007f75d26b73c6 llvm::sys::PrintStackTrace() + 54\n"
          "13 libclang-cpp.so.19.1 0x00007f75dbcfdc5d\n"),
      "raddle cc: error: cannot write the output: No space left on device\n"
      "hint: free some space, name another file with -o or another folder with TMPDIR\n");
}

TEST(Diagnostics, SaysThatAFaultIsTheCompilersOwn) {
  EXPECT_EQ(translate_diagnostics("fatal error: error in backend: Cannot select: t1\n"
                                  "PLEASE submit a bug report to https://x\n"
                                  "Stack dump:\n"
                                  "0.\tProgram arguments: /usr/bin/clang++-19 -c a.cu\n"),
            "fatal error: error in backend: Cannot select: t1\n"
            "hint: this is a bug in clang; rewriting the code may avoid it\n");
}

TEST(Diagnostics, SaysThatDistancesBetweenThreadsAreConstants) {
  const std::string note =
      "/usr/share/raddle/dmt.h:124:24: note: candidate template ignored: invalid "
      "explicitly-specified argument for template parameter 'delta'\n";
  EXPECT_EQ(translate_diagnostics(note),
            note +
                "hint: the distance between threads must be a constant: a literal, a constexpr "
                "variable or a template parameter\n");
  const std::string other =
      "a.h:1:1: note: candidate template ignored: invalid explicitly-specified argument for "
      "template parameter 'delta'\n";
  EXPECT_EQ(translate_diagnostics(other), other);
}

TEST(Diagnostics, SaysWhatFromThreadOrMemTakes) {
  const std::string error = "a.cu:7:20: error: call to deleted function 'fromThreadOrMem'\n";
  EXPECT_EQ(translate_diagnostics(error),
            error +
                "hint: fromThreadOrMem takes an element in memory, such as A[i], not its address "
                "and not a value computed from it\n");
}

TEST(Diagnostics, LeavesEverythingElseAsClangSaidIt) {
  EXPECT_EQ(translate_diagnostics(""), "");
  EXPECT_EQ(translate_diagnostics("a.cu:5:22: error: use of undeclared identifier 'x'\n"),
            "a.cu:5:22: error: use of undeclared identifier 'x'\n");
}

}  // namespace
}  // namespace raddle::cuda

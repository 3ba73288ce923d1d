#include "lang/cuda/clang_driver.h"

#include <gtest/gtest.h>

#include "base/atomic_file.h"
#include "base/error.h"
#include "lang/cuda/process.h"

namespace raddle::cuda {
namespace {

// What the driver says of a "compiler" that is another tool.
CompileOutcome compile_with(const std::string& tool) {
  const TemporaryFolder folder;
  CompileRequest request;
  request.stage = Stage::kCompile;
  request.inputs = {{folder.file("k.cu"), Language::kCuda}};
  request.output = folder.file("k.o");
  write_file_atomically(request.inputs[0].path, "__global__ void k() {}\n");
  Toolchain toolchain;
  toolchain.clang = tool;
  return compile(request, toolchain);
}

TEST(ClangDriver, SaysThatACompilerFailedWithoutAWord) {
  const CompileOutcome outcome = compile_with("/bin/false");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.diagnostics,
            "raddle cc: error: /bin/false failed with status 1 and no message\n");
}

TEST(ClangDriver, SaysThatACompilerCannotBeStarted) {
  EXPECT_THROW(compile_with("/nonexistent/clang"), Error);
}

}  // namespace
}  // namespace raddle::cuda

#include "lang/cuda/clang_commands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/shell_words.h"
#include "lang/cuda/nvcc_arguments.h"

namespace raddle::cuda {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const Toolchain kToolchain{
    "/usr/bin/clang++-19", "/raddle/include", "/raddle/lib", "/raddle/libraries", "", false};

CompileRequest parse(const std::vector<std::string>& arguments) {
  return parse_nvcc_arguments(arguments);
}

SourceJob job() {
  SourceJob job;
  job.source = "a.cu";
  job.output = "a.out";
  return job;
}

// A folder that looks like a CUDA toolkit.
class Toolkit {
 public:
  Toolkit() {
    std::filesystem::create_directories(folder.file("include"));
    std::filesystem::create_directories(folder.file("lib64"));
    std::ofstream(folder.file("include/cuda_runtime_api.h")) << "#error must never be read\n";
    std::ofstream(folder.file("lib64/libcudart.so")) << "";
  }
  TemporaryFolder folder;
};

TEST(ClangCommands, NeverNameFoldersOfACudaToolkit) {
  const Toolkit toolkit;
  const CompileRequest request = parse({"-I" + toolkit.folder.file("include"), "-I.",
                                        "-L" + toolkit.folder.file("lib64"), "-L/opt", "a.cu"});
  for (const Command& command : {device_command(kToolchain, request, job()),
                                 host_command(kToolchain, request, job(), "image", "-c"),
                                 plain_command(kToolchain, request, Language::kCxx, job()),
                                 link_command(kToolchain, request, {"a.o"}, "a")}) {
    EXPECT_THAT(shell_quoted(command.arguments), Not(HasSubstr(toolkit.folder.path())));
  }
  EXPECT_THAT(device_command(kToolchain, request, job()).arguments, Contains("."));
  EXPECT_THAT(link_command(kToolchain, request, {"a.o"}, "a").arguments, Contains("-L/opt"));
}

TEST(ClangCommands, KeepTheEnvironmentOfAToolkitAway) {
  for (const char* name : {"LIBRARY_PATH", "CPATH", "CUDA_HOME", "CUDA_PATH", "CPLUS_INCLUDE_PATH"})
    setenv(name, "/usr/local/cuda", 1);
  setenv("PATH", "/usr/local/cuda/bin:/usr/bin", 1);
  const std::vector<std::string> environment = compiler_environment();
  for (const std::string& variable : environment) EXPECT_THAT(variable, Not(HasSubstr("cuda")));
  EXPECT_THAT(environment, Contains(testing::StartsWith("PATH=/usr/local/sbin:")));
}

// docs/cuda-semantics.md; programs hold what they are for, but not the loop that never ends.
TEST(ClangCommands, KeepWhatNvccMeansInDeviceCode) {
  const auto device = device_command(kToolchain, parse({"a.cu"}), job()).arguments;
  for (const char* flag : {"-no-enable-noundef-analysis", "-fno-strict-return",
                           "-fno-strict-aliasing", "-fno-finite-loops"}) {
    EXPECT_THAT(device, Contains(flag));
    EXPECT_THAT(host_command(kToolchain, parse({"a.cu"}), job(), "image", "-c").arguments,
                Not(Contains(flag)));
  }
}

TEST(ClangCommands, ChooseTheStandardByTheSource) {
  SourceJob modern = job();
  modern.needs_cxx20 = true;
  EXPECT_THAT(device_command(kToolchain, parse({"a.cu"}), job()).arguments,
              Contains("-std=gnu++17"));
  EXPECT_THAT(device_command(kToolchain, parse({"a.cu"}), modern).arguments,
              Contains("-std=gnu++20"));
  EXPECT_THAT(device_command(kToolchain, parse({"-std=c++14", "a.cu"}), modern).arguments,
              Contains("-std=c++14"));
}

TEST(ClangCommands, CompileForTheArchitectureAskedFor) {
  const std::vector<std::string> arguments =
      device_command(kToolchain, parse({"-arch=sm_90", "a.cu"}), job()).arguments;
  EXPECT_THAT(arguments, Contains("--cuda-gpu-arch=sm_90"));
  EXPECT_THAT(arguments, Contains("--cuda-feature=+ptx78"));
}

}  // namespace
}  // namespace raddle::cuda

#include "driver/cuda/toolkit_command.h"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "base/atomic_file.h"
#include "base/console.h"
#include "base/error.h"
#include "base/resource_paths.h"
#include "base/shell_words.h"
#include "base/usage_error.h"
#include "lang/cuda/cuda_library.h"
#include "lang/cuda/nvcc_arguments.h"

namespace raddle::driver::cuda {

namespace {

namespace fs = std::filesystem;

constexpr const char* kHelp =
    "raddle toolkit: makes a folder with the shape of a CUDA toolkit\n"
    "\n"
    "Usage: raddle toolkit PREFIX\n"
    "\n"
    "It leads to this Raddle: bin/nvcc is `raddle cc`, include and lib64 are Raddle's.\n"
    "\n"
    "Examples:\n"
    "  raddle toolkit ~/cuda && make CUDA_PATH=~/cuda\n"
    "  cmake -DCMAKE_CUDA_COMPILER=~/cuda/bin/nvcc …      the CUDA language, "
    "find_package(CUDAToolkit)\n"
    "  PATH=~/cuda/bin:$PATH make                         where a Makefile calls nvcc\n"
    "\n";

// A folder that was made by this command, or that is not there yet or empty.
void check_is_ours(const fs::path& prefix) {
  if (!fs::exists(prefix) || fs::exists(prefix / "raddle-toolkit")) return;
  if (fs::is_directory(prefix) && fs::is_empty(prefix)) return;
  throw Error(fmt::format("'{}' exists and was not made by raddle toolkit", prefix.string()), {},
              "name a new folder, or remove this one first");
}

void link_to(const fs::path& target, const fs::path& link) {
  fs::remove(link);
  fs::create_symlink(target, link);
}

void write_compiler(const fs::path& prefix) {
  const fs::path nvcc = prefix / "bin/nvcc";
  const std::vector<std::string> command = {"exec", fs::canonical("/proc/self/exe").string(), "cc"};
  const std::vector<std::string> folder = {prefix.string()};
  write_file_atomically(nvcc, fmt::format("#!/bin/sh\nRADDLE_TOOLKIT={} {} \"$@\"\n",
                                          shell_quoted(folder), shell_quoted(command)));
  fs::permissions(nvcc, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add);
}

// Raddle's headers, and Debian's Thrust, CUB and libcu++ where a toolkit has them: some build
// scripts copy them from there.
void write_headers(const fs::path& folder, const fs::path& ours) {
  fs::remove_all(folder);
  fs::create_directories(folder / "cccl");
  for (const fs::directory_entry& header : fs::directory_iterator(ours))
    link_to(header.path(), folder / header.path().filename());
  for (const char* name : {"cub", "cuda", "nv", "thrust"}) {
    const fs::path installed = fs::path("/usr/include") / name;
    if (fs::exists(installed)) link_to(installed, folder / "cccl" / name);
  }
}

// Text for the linker instead of a library: what links with one of these names records the absolute
// path of Raddle's library, so that the program finds it without LD_LIBRARY_PATH.
void write_libraries(const fs::path& folder, const fs::path& runtime) {
  for (const char* name :
       {"libcudart.so", "libcudart_static.a", "libcuda.so", "stubs/libcuda.so", "libnvrtc.so"})
    write_file_atomically(folder / name,
                          fmt::format("/* raddle toolkit */\nINPUT({})\n", runtime.string()));
  for (const char* name : {"libcudadevrt.a", "libculibos.a"})
    write_file_atomically(folder / name, "!<arch>\n");  // empty: devices link at run time
}

// The folder has copies, as programs link with them whatever becomes of the cache.
void write_cuda_libraries(const fs::path& folder, const fs::path& runtime) {
  const raddle::cuda::Toolchain toolchain = raddle::cuda::find_toolchain();
  const auto archive_of = [&](std::string_view name) {
    return folder / fmt::format("lib{}_static.a", name);
  };
  for (const std::string_view name : raddle::cuda::cuda_library_names()) {
    fs::copy_file(raddle::cuda::cuda_library(name, toolchain).archive, archive_of(name),
                  fs::copy_options::overwrite_existing);
    std::string inputs;
    for (const std::string_view part : raddle::cuda::cuda_libraries_of(name))
      inputs += archive_of(part).string() + " ";
    write_file_atomically(
        folder / fmt::format("lib{}.so", name),
        fmt::format("/* raddle toolkit */\nINPUT({}{})\n", inputs, runtime.string()));
  }
}

}  // namespace

int toolkit_command(std::span<const std::string> arguments) {
  if (arguments.size() == 1 && (arguments[0] == "--help" || arguments[0] == "-h")) {
    print(kHelp);
    return 0;
  }
  if (arguments.size() != 1 || arguments[0].starts_with('-'))
    throw UsageError("raddle toolkit expects one folder", {}, "raddle toolkit PREFIX");
  const fs::path prefix = fs::absolute(arguments[0]).lexically_normal();
  check_is_ours(prefix);
  const ResourcePaths paths = resource_paths();
  try {
    for (const char* folder : {"bin", "lib64/stubs", "nvvm/libdevice"})
      fs::create_directories(prefix / folder);
    write_file_atomically(prefix / "raddle-toolkit", "made by raddle toolkit\n");
    write_compiler(prefix);
    write_libraries(prefix / "lib64", paths.library / "libraddle-cudart.so");
    write_cuda_libraries(prefix / "lib64", paths.library / "libraddle-cudart.so");
    write_headers(prefix / "include", paths.include / "raddle/cuda");
    write_file_atomically(prefix / "version.json",
                          fmt::format("{{\n  \"cuda\": {{\n    \"name\": \"Raddle\",\n"
                                      "    \"version\": \"{}\"\n  }}\n}}\n",
                                      raddle::cuda::kToolkitVersion));
  } catch (const fs::filesystem_error& error) {
    throw Error(fmt::format("cannot make '{}': {}", prefix.string(), error.code().message()));
  }
  print(fmt::format("{}: bin/nvcc is raddle cc\n", prefix.string()));
  return 0;
}

}  // namespace raddle::driver::cuda

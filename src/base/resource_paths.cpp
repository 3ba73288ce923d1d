#include "base/resource_paths.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <cstdlib>
#include <initializer_list>
#include <system_error>

#include "base/error.h"

#ifndef RADDLE_SOURCE_ROOT
#error "CMakeLists.txt defines RADDLE_SOURCE_ROOT and RADDLE_BUILD_ROOT"
#endif

namespace raddle {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRuntimeLibrary = "libraddle-cudart.so";

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

// The folder of the program or shared library that this code was linked into.
fs::path folder_of_this_binary() {
  Dl_info info{};
  link_map* map = nullptr;
  const bool found = dladdr1(reinterpret_cast<const void*>(&resource_paths), &info,
                             reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0;
  // The main program's entry has no name, and argv[0] need not lead anywhere.
  const bool is_library =
      found && map != nullptr && map->l_name != nullptr && map->l_name[0] != '\0';
  std::error_code error;
  const fs::path file =
      fs::canonical(is_library ? fs::path(map->l_name) : fs::path("/proc/self/exe"), error);
  return error ? fs::path() : file.parent_path();
}

fs::path first_with_runtime(std::initializer_list<fs::path> folders) {
  std::error_code ignored;
  for (const fs::path& folder : folders) {
    if (fs::exists(folder / kRuntimeLibrary, ignored)) return folder.lexically_normal();
  }
  return folders.begin()->lexically_normal();
}

ResourcePaths below(const fs::path& root, fs::path library) {
  const fs::path clean = root.lexically_normal();
  return {clean, clean / "machines", clean / "include", clean / "benchmarks", std::move(library)};
}

ResourcePaths from_home(const char* home, const fs::path& binary) {
  const fs::path root = fs::absolute(home);
  if (!is_folder(root / "machines")) {
    throw Error(fmt::format("RADDLE_HOME is '{}', which has no folder 'machines'", home), {},
                "set it to Raddle's source folder or to PREFIX/share/raddle, or unset it");
  }
  return below(root, first_with_runtime({root / "build/lib", root / "lib", root / "../../lib",
                                         binary, binary / "lib", binary / "../lib"}));
}

}  // namespace

ResourcePaths resource_paths() {
  const fs::path binary = folder_of_this_binary();
  if (const char* home = std::getenv("RADDLE_HOME"); home != nullptr && *home != '\0')
    return from_home(home, binary);

  if (!binary.empty()) {
    // PREFIX/bin, PREFIX/lib and PREFIX/lib/ARCHITECTURE.
    for (const fs::path& prefix : {binary / "..", binary / "../.."}) {
      const fs::path root = prefix / "share/raddle";
      if (!is_folder(root / "machines")) continue;
      return below(root, first_with_runtime({prefix / "lib", binary, prefix / "lib64",
                                             prefix / "lib/x86_64-linux-gnu",
                                             prefix / "lib/aarch64-linux-gnu"}));
    }
  }
  if (is_folder(fs::path(RADDLE_SOURCE_ROOT) / "machines")) {
    return below(RADDLE_SOURCE_ROOT, fs::path(RADDLE_BUILD_ROOT) / "lib");
  }
  throw Error("Raddle's own files (machines/, include/raddle/, benchmarks/) were not found", {},
              "set RADDLE_HOME to Raddle's source folder or to PREFIX/share/raddle");
}

}  // namespace raddle

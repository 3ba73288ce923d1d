// Where Raddle's own files are: machine tables, the headers that simulated programs include,
// bundled programs, and the runtime library that they link against. The same code finds them for a
// build tree, an installed tree that was moved elsewhere, and a user's program that has loaded the
// runtime library.
#pragma once

#include <filesystem>

namespace raddle {

struct ResourcePaths {
  std::filesystem::path root;        // holds machines/, include/raddle, benchmarks/, libraries/
  std::filesystem::path machines;    // *.toml
  std::filesystem::path include;     // to be given with -I: contains raddle/
  std::filesystem::path benchmarks;  // cuda/ …
  std::filesystem::path
      library;  // the folder of libraddle-cudart.so, whether or not it has been built
};

// $RADDLE_HOME, else PREFIX/share/raddle next to the running program or library, else the source
// folder that this was built from. Throws Error where none of them holds machines/.
ResourcePaths resource_paths();

}  // namespace raddle

// Source locations of a module while it is being read: what .file and .loc say. Equal locations
// share one entry of Module::locations. A .file may stand after the .loc lines that use its number
// (clang writes them at the end).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "kernel/module.h"

namespace raddle::ptx {

class LocationTable {
 public:
  explicit LocationTable(kernel::Module& module) : module_(module) {}

  void name_file(std::uint32_t number, std::string_view path);
  // The index in Module::files of the file with this number.
  std::uint32_t file_index(std::uint32_t number);
  // The way back.
  std::uint32_t file_number(std::uint32_t index) const;
  // The index in Module::locations.
  std::uint32_t intern(const kernel::SourceLocation& location);
  // The location interned last that has this file, line and column, wherever it was inlined; made
  // if there is none.
  std::uint32_t find_latest(kernel::SourceLocation place);
  // Gives the files that were used and never named a name for messages.
  void finish();

 private:
  struct Hash {
    std::size_t operator()(const kernel::SourceLocation& location) const;
  };

  kernel::Module& module_;
  std::unordered_map<std::uint32_t, std::uint32_t> files_;  // by the number in the PTX
  std::unordered_map<kernel::SourceLocation, std::uint32_t, Hash> known_;
  std::unordered_map<kernel::SourceLocation, std::uint32_t, Hash>
      latest_;  // by place, inlined_at left out
};

// The path that a .file directive anywhere in the text gives to a number; empty if there is none.
// Slow: for messages.
std::string find_file_name(std::string_view text, std::uint32_t number);
// Drops what says nothing from a path ("/./"), so that the same file has one name.
std::string tidy_path(std::string_view path);

}  // namespace raddle::ptx

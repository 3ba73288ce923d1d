// What a set of headers depends on beside their contents: the macros that their directives name and
// the files that they include. A program that defines none of the former and has none of the latter
// in its own include folders gets the same from these headers as any other program.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace raddle::cuda {

struct HeaderNames {
  std::set<std::string, std::less<>> macros;
  std::set<std::string, std::less<>> included;  // as they are written: "bits/c++config.h"
};

// Adds those of one header.
void add_header_names(std::string_view header, HeaderNames& names);

// One name a line, to be kept in a file.
std::string to_text(const HeaderNames& names);
HeaderNames header_names_of(std::string_view text);

// Whether these flags (-D X=1 -I folder …, in pairs) leave the headers as they are.
bool leave_unchanged(const std::vector<std::string>& flags, const HeaderNames& names);

}  // namespace raddle::cuda

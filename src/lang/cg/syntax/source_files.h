// The texts that a Cg program is made of: the file itself and what it includes. A place is a line
// and column of one of them; what a message calls it follows #line and the markers of cpp.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace raddle::cg {

struct Place {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::uint32_t length = 1;
  std::uint32_t file = 0;  // of SourceFiles; 0 is the program's own

  bool operator==(const Place&) const = default;
};

class SourceFiles {
 public:
  SourceFiles(std::string_view text, std::string name) { add(text, std::move(name), {}); }

  // The number of the new file. `included_at` is where its #include stands.
  std::uint32_t add(std::string_view text, std::string name, Place included_at);
  std::string_view text(std::uint32_t file) const { return files_[file].text; }
  const std::string& name(std::uint32_t file) const { return files_[file].name; }
  // The lines of a file from `first` on are called `number` and following, of file `name`.
  void rename_lines(std::uint32_t file, std::uint32_t first, std::uint32_t number,
                    std::string name);
  // Text that is in no file, such as names that ## makes; lives as long as this.
  std::string_view keep(std::string text);

  // "file:line:column"
  std::string where(Place place) const;
  std::uint32_t shown_line(Place place) const;
  const std::string& shown_name(Place place) const;
  std::string_view line_text(Place place) const;
  // The line of the program's own file: the #include's for what is included.
  std::uint32_t own_line(Place place) const;
  std::size_t count() const { return files_.size(); }

 private:
  struct Renaming {
    std::uint32_t first = 1, number = 1;
    std::string name;
  };
  struct File {
    std::string text;
    std::string name;
    Place included_at;
    std::vector<Renaming> renamings;
  };
  const Renaming* renaming(Place place) const;

  std::deque<File> files_;
  std::deque<std::string> kept_;
};

}  // namespace raddle::cg

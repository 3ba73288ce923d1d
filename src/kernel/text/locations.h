// Source locations while a text is parsed: the files and the table it gives, and what instructions
// name beyond it.
#pragma once

#include <map>
#include <tuple>

#include "kernel/module.h"
#include "kernel/text/cursor.h"

namespace raddle::kernel {

class LocationReader {
 public:
  explicit LocationReader(Module& module) : module_(module) {}

  // After the word `file`: a label and a path.
  void read_file(TextCursor& cursor);
  // After the word `locations`: the whole table in braces. Comes before every read().
  void read_table(TextCursor& cursor);
  // After `!loc`: "file:line:column in …" or "#index". A place that is not in the table yet is
  // added to it.
  std::uint32_t read(TextCursor& cursor);

 private:
  SourceLocation read_place(TextCursor& cursor);
  std::uint32_t intern(const SourceLocation& place);

  using PlaceKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
  static PlaceKey key_of(const SourceLocation& place) {
    return {place.file, place.line, place.column, place.inlined_at};
  }

  Module& module_;
  std::map<NameKey, std::uint32_t> files_{{NameKey{"", 0}, 0}};
  std::map<PlaceKey, std::uint32_t> places_{{key_of(SourceLocation{}), 0}};
};

}  // namespace raddle::kernel

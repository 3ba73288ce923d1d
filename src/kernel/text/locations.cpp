#include "kernel/text/locations.h"

#include <fmt/format.h>

#include <ranges>

namespace raddle::kernel {

void LocationReader::read_file(TextCursor& cursor) {
  const Token& token = cursor.peek();
  const NameKey key = cursor.expect_key("a label for the file");
  if (!files_.emplace(key, static_cast<std::uint32_t>(module_.files.size())).second) {
    cursor.fail_at(token, fmt::format("file {} is declared twice", key.text()));
  }
  module_.files.push_back(cursor.expect_string("the file's path in quotes"));
}

SourceLocation LocationReader::read_place(TextCursor& cursor) {
  SourceLocation place;
  const Token& token = cursor.peek();
  const NameKey key = cursor.expect_key("a file");
  const auto found = files_.find(key);
  if (found == files_.end())
    cursor.fail_at(token, fmt::format("file {} is not declared", key.text()));
  place.file = found->second;
  cursor.expect(':');
  place.line = cursor.expect_u32("a line");
  cursor.expect(':');
  place.column = cursor.expect_u32("a column");
  return place;
}

void LocationReader::read_table(TextCursor& cursor) {
  cursor.expect('{');
  for (cursor.skip_newlines(); !cursor.accept('}'); cursor.skip_newlines()) {
    const auto index = static_cast<std::uint32_t>(module_.locations.size());
    const Token& token = cursor.peek();
    if (cursor.expect_u32("a location's number") != index) {
      cursor.fail_at(token,
                     fmt::format("locations are numbered in order; this is number {}", index));
    }
    SourceLocation place = read_place(cursor);
    if (cursor.accept_word("in")) {
      cursor.expect('#');
      place.inlined_at = cursor.expect_u32("a location's number");
    }
    cursor.expect_line_end();
    module_.locations.push_back(place);
    places_.emplace(key_of(place), index);
  }
}

std::uint32_t LocationReader::read(TextCursor& cursor) {
  std::vector<SourceLocation> chain;  // innermost first
  std::uint32_t location = kNoId;
  while (true) {
    const bool by_index = cursor.at('#') && !cursor.at(':', 2);
    if (by_index) {
      const Token& token = cursor.take();
      location = cursor.expect_u32("a location's number");
      if (location >= module_.locations.size()) {
        cursor.fail_at(token, fmt::format("unknown location #{}", location));
      }
      break;
    }
    chain.push_back(read_place(cursor));
    if (!cursor.accept_word("in")) break;
  }
  for (SourceLocation& place : chain | std::views::reverse) {
    place.inlined_at = location;
    location = intern(place);
  }
  return location;
}

std::uint32_t LocationReader::intern(const SourceLocation& place) {
  const auto [entry, added] =
      places_.emplace(key_of(place), static_cast<std::uint32_t>(module_.locations.size()));
  if (added) module_.locations.push_back(place);
  return entry->second;
}

}  // namespace raddle::kernel

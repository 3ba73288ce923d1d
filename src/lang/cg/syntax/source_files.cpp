#include "lang/cg/syntax/source_files.h"

#include <fmt/format.h>

#include <ranges>
#include <utility>

namespace raddle::cg {

std::uint32_t SourceFiles::add(std::string_view text, std::string name, Place included_at) {
  files_.push_back({std::string(text), std::move(name), included_at, {}});
  return static_cast<std::uint32_t>(files_.size() - 1);
}

void SourceFiles::rename_lines(std::uint32_t file, std::uint32_t first, std::uint32_t number,
                               std::string name) {
  files_[file].renamings.push_back({first, number, std::move(name)});
}

std::string_view SourceFiles::keep(std::string text) { return kept_.emplace_back(std::move(text)); }

const SourceFiles::Renaming* SourceFiles::renaming(Place place) const {
  for (const Renaming& candidate : std::views::reverse(files_[place.file].renamings)) {
    if (candidate.first <= place.line) return &candidate;
  }
  return nullptr;
}

std::uint32_t SourceFiles::shown_line(Place place) const {
  const Renaming* renamed = renaming(place);
  return renamed == nullptr ? place.line : place.line - renamed->first + renamed->number;
}

const std::string& SourceFiles::shown_name(Place place) const {
  const Renaming* renamed = renaming(place);
  return renamed == nullptr ? files_[place.file].name : renamed->name;
}

std::string SourceFiles::where(Place place) const {
  return fmt::format("{}:{}:{}", shown_name(place), shown_line(place), place.column);
}

std::string_view SourceFiles::line_text(Place place) const {
  const std::string_view text = files_[place.file].text;
  std::size_t start = 0;
  for (std::uint32_t i = 1; i < place.line; ++i) {
    const std::size_t newline = text.find('\n', start);
    if (newline == std::string_view::npos) return {};
    start = newline + 1;
  }
  std::string_view found = text.substr(start, text.find('\n', start) - start);
  if (found.ends_with('\r')) found.remove_suffix(1);
  return found;
}

std::uint32_t SourceFiles::own_line(Place place) const {
  while (place.file != 0) place = files_[place.file].included_at;
  return place.line;
}

}  // namespace raddle::cg

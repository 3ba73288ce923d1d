#include "lang/ptx/location_table.h"

#include "lang/ptx/lexer.h"

namespace raddle::ptx {

std::size_t LocationTable::Hash::operator()(const kernel::SourceLocation& location) const {
  std::uint64_t hash = location.file;
  for (const std::uint32_t part : {location.line, location.column, location.inlined_at}) {
    hash = (hash ^ part) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  return static_cast<std::size_t>(hash);
}

std::string tidy_path(std::string_view path) {
  std::string result(path);
  for (std::size_t at = result.find("/./"); at != std::string::npos; at = result.find("/./", at))
    result.erase(at, 2);
  if (result.starts_with("./")) result.erase(0, 2);
  return result;
}

void LocationTable::name_file(std::uint32_t number, std::string_view path) {
  module_.files[file_index(number)] = tidy_path(path);
}

std::uint32_t LocationTable::file_index(std::uint32_t number) {
  const auto [entry, is_new] =
      files_.try_emplace(number, static_cast<std::uint32_t>(module_.files.size()));
  if (is_new) module_.files.emplace_back();
  return entry->second;
}

std::uint32_t LocationTable::file_number(std::uint32_t index) const {
  for (const auto& [number, file] : files_) {
    if (file == index) return number;
  }
  return 0;
}

std::uint32_t LocationTable::intern(const kernel::SourceLocation& location) {
  const auto [entry, is_new] =
      known_.try_emplace(location, static_cast<std::uint32_t>(module_.locations.size()));
  if (is_new) module_.locations.push_back(location);
  kernel::SourceLocation place = location;
  place.inlined_at = kernel::kNoId;
  latest_[place] = entry->second;
  return entry->second;
}

std::uint32_t LocationTable::find_latest(kernel::SourceLocation place) {
  place.inlined_at = kernel::kNoId;
  const auto found = latest_.find(place);
  return found != latest_.end() ? found->second : intern(place);
}

void LocationTable::finish() {
  for (const auto& [number, index] : files_) {
    if (module_.files[index].empty()) module_.files[index] = "file " + std::to_string(number);
  }
}

std::string find_file_name(std::string_view text, std::uint32_t number) {
  try {
    Lexer lexer(text);
    lexer.advance();
    while (lexer.current().kind != TokenKind::kEnd) {
      if (!lexer.advance().is_dot_word(".file")) continue;
      if (lexer.current().kind != TokenKind::kInteger || lexer.advance().bits != number) continue;
      if (lexer.current().kind == TokenKind::kString) return tidy_path(lexer.current().text);
    }
  } catch (const LexicalError&) {
    return {};  // the message that asks is about something else; it does without the name
  }
  return {};
}

}  // namespace raddle::ptx

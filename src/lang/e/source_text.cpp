#include "lang/e/source_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/resource_paths.h"

namespace raddle::e {

void SourceMap::begin(std::uint32_t first, std::string file, std::uint32_t line) {
  if (main_.empty()) main_ = file;
  if (!pieces_.empty() && pieces_.back().first == first) pieces_.pop_back();
  pieces_.push_back({first, std::move(file), line});
}

const SourceMap::Piece& SourceMap::piece_of(std::uint32_t line) const {
  const auto after =
      std::upper_bound(pieces_.begin(), pieces_.end(), line,
                       [](std::uint32_t value, const Piece& piece) { return value < piece.first; });
  return after == pieces_.begin() ? *after : *(after - 1);
}

const std::string& SourceMap::file_of(std::uint32_t line) const { return piece_of(line).file; }

std::uint32_t SourceMap::line_in_file(std::uint32_t line) const {
  const Piece& piece = piece_of(line);
  return line < piece.first ? line : line - piece.first + piece.line;
}

std::uint32_t SourceMap::of_main(std::uint32_t line) const {
  std::uint32_t found = line;
  for (const Piece& piece : pieces_) {
    if (piece.file == main_ && piece.line <= line) found = piece.first + line - piece.line;
  }
  return found;
}

std::string SourceMap::where(Position position) const {
  return fmt::format("{}:{}:{}", file_of(position.line), line_in_file(position.line),
                     position.column);
}

std::string SourceMap::line_text(std::uint32_t line, Position seen_from) const {
  const std::string number = fmt::format("line {}", line_in_file(line));
  if (file_of(line) == file_of(seen_from.line)) return number;
  return fmt::format("{} of {}", number, file_of(line));
}

namespace {

struct Include {
  std::string name;
  bool of_library = false;
  std::uint32_t column = 1;  // of the name
};

std::optional<Include> include_of(std::string_view line) {
  const std::size_t hash = line.find_first_not_of(" \t");
  if (hash == std::string_view::npos || line[hash] != '#') return std::nullopt;
  std::size_t at = line.find_first_not_of(" \t", hash + 1);
  constexpr std::string_view kWord = "include";
  if (at == std::string_view::npos || line.substr(at, kWord.size()) != kWord) return std::nullopt;
  at = line.find_first_not_of(" \t", at + kWord.size());
  if (at == std::string_view::npos || (line[at] != '"' && line[at] != '<')) return std::nullopt;
  const char close = line[at] == '"' ? '"' : '>';
  const std::size_t end = line.find(close, at + 1);
  if (end == std::string_view::npos) return std::nullopt;
  return Include{std::string(line.substr(at + 1, end - at - 1)), close == '>',
                 static_cast<std::uint32_t>(at + 1)};
}

class Expander {
 public:
  void add(std::string_view text, const std::string& file, const std::filesystem::path& folder) {
    std::uint32_t line = 1;
    result_.map.begin(next_, file, 1);
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view one = text.substr(0, end);
      const bool ended = end < text.size();
      text.remove_prefix(std::min(end + 1, text.size()));
      if (const std::optional<Include> include = include_of(one)) {
        follow(*include, file, line, folder);
        ++line;
        result_.map.begin(next_, file, line);
        continue;
      }
      result_.text += one;
      if (ended) result_.text += '\n';
      ++line;
      ++next_;
    }
    // What follows begins a line of its own.
    if (!result_.text.empty() && result_.text.back() != '\n' && depth_ > 0) result_.text += '\n';
  }

  SourceText take() { return std::move(result_); }
  void seen(const std::filesystem::path& path) { seen_.insert(name_of(path)); }

 private:
  static std::string name_of(const std::filesystem::path& path) {
    return std::filesystem::weakly_canonical(path).string();
  }

  void follow(const Include& include, const std::string& file, std::uint32_t line,
              const std::filesystem::path& folder) {
    const std::filesystem::path base =
        include.of_library ? resource_paths().include / "raddle" / "e" : folder;
    const std::filesystem::path path = base / include.name;
    if (!std::filesystem::is_regular_file(path)) {
      throw Error(fmt::format("cannot find '{}'", include.name),
                  fmt::format("{}:{}:{}", file, line, include.column),
                  include.of_library
                      ? "names in <…> are those of Raddle's library; quote your own files"
                      : "names in quotes are looked up beside this file");
    }
    if (!seen_.insert(name_of(path)).second) return;
    ++depth_;
    // Messages name a file as it was reached from the program.
    const std::filesystem::path shown =
        include.of_library ? std::filesystem::path(include.name)
                           : std::filesystem::path(file).parent_path() / include.name;
    add(read_file(path), shown.string(), path.parent_path());
    --depth_;
  }

  SourceText result_;
  std::uint32_t next_ = 1;  // line of the whole text
  std::uint32_t depth_ = 0;
  std::set<std::string> seen_;
};

}  // namespace

SourceText read_source(std::string_view text, const std::string& file_name,
                       const std::filesystem::path& folder) {
  Expander expander;
  expander.seen(folder / std::filesystem::path(file_name).filename());
  expander.add(text, file_name, folder);
  return expander.take();
}

}  // namespace raddle::e

// The text of an e program with its #include lines replaced by what they name, and where each of
// its lines comes from. A file is included once, however often it is named.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lang/e/position.h"

namespace raddle::e {

// What goes on, for whoever stops it (base/stop_token.h).
inline constexpr const char* kCompilingE = "compiling the e program";

class SourceMap {
 public:
  SourceMap() = default;
  explicit SourceMap(std::string file_name) { begin(1, std::move(file_name), 1); }

  // From this line of the whole text on, lines are those of the file from `line` on.
  void begin(std::uint32_t first, std::string file, std::uint32_t line);

  const std::string& file_of(std::uint32_t line) const;
  std::uint32_t line_in_file(std::uint32_t line) const;
  const std::string& main_file() const { return main_; }
  // Whether a line is that of the program's own file.
  bool is_main(std::uint32_t line) const { return file_of(line) == main_; }
  // The line of the whole text that is this one of the program's own file.
  std::uint32_t of_main(std::uint32_t line) const;
  // "file:line:column".
  std::string where(Position position) const;
  // "line 4", with the file if it is not that of the position.
  std::string line_text(std::uint32_t line, Position seen_from) const;

 private:
  struct Piece {
    std::uint32_t first = 1;
    std::string file;
    std::uint32_t line = 1;
  };
  const Piece& piece_of(std::uint32_t line) const;

  std::string main_;
  std::vector<Piece> pieces_;
};

struct SourceText {
  std::string text;
  SourceMap map;
};

// Names in quotes are looked up beside the file that has them, names in <…> in Raddle's library.
// Throws Error with the place of an #include that cannot be followed.
SourceText read_source(std::string_view text, const std::string& file_name,
                       const std::filesystem::path& folder);

}  // namespace raddle::e

// The one translation unit that holds toml++'s function bodies.
#define TOML_IMPLEMENTATION
#include "machine/toml.h"

#include <fmt/format.h>

#include "base/error.h"

namespace raddle::machine {
namespace {

// As toml++ limits arrays and inline tables; of dotted keys it follows any number, by recursion.
constexpr int kMaxParts = 256;

// The line of a key with more parts; 0: there is none. Text in quotes has no parts.
int line_of_deep_key(std::string_view text) {
  int line = 1;
  int parts = 1;
  char quote = 0;
  for (const char c : text) {
    if (c == '\n') ++line;
    if (quote != 0) {
      if (c == quote || c == '\n') quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '\n' || c == '=' || c == ',' || c == '{') {
      parts = 1;
    } else if (c == '.' && ++parts > kMaxParts) {
      return line;
    }
  }
  return 0;
}

}  // namespace

toml::table parse_toml(std::string_view text, const std::string& file) {
  if (const int line = line_of_deep_key(text); line != 0)
    throw Error(fmt::format("a key of more than {} parts", kMaxParts),
                fmt::format("{}:{}", file, line));
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw Error(std::string(error.description()),
                fmt::format("{}:{}", file, error.source().begin.line));
  }
}

}  // namespace raddle::machine

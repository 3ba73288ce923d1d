#include "machine/tpa/program.h"

#include <fmt/format.h>

#include <algorithm>

namespace raddle::machine::tpa {

std::string Program::where(Place place) const {
  if (place.line == 0 || place.file >= files.size()) return {};
  return fmt::format("{}:{}", files[place.file], place.line);
}

std::string Program::short_where(Place place) const {
  const std::string whole = where(place);
  const std::size_t slash = whole.rfind('/');
  return slash == std::string::npos ? whole : whole.substr(slash + 1);
}

const Symbol* Program::find_symbol(std::string_view name) const {
  const auto found = std::ranges::find(symbols, name, &Symbol::name);
  return found == symbols.end() ? nullptr : &*found;
}

Symbol* Program::find_symbol(std::string_view name) {
  const auto found = std::ranges::find(symbols, name, &Symbol::name);
  return found == symbols.end() ? nullptr : &*found;
}

Word Program::end_of(Space space) const {
  Word end = kFirstAddress;
  for (const Symbol& symbol : symbols) {
    if (symbol.space == space) end = std::max(end, symbol.address + symbol.words * kWordBytes);
  }
  return end;
}

}  // namespace raddle::machine::tpa

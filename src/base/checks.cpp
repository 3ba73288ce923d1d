#include "base/checks.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/error.h"

namespace raddle {
namespace {

constexpr std::array<std::pair<std::string_view, bool Checks::*>, 6> kNames = {
    {{"memory", &Checks::memory},
     {"barrier", &Checks::barrier},
     {"race", &Checks::race},
     {"init", &Checks::init},
     {"api", &Checks::api},
     {"leak", &Checks::leak}}};

constexpr Checks all_checks() {
  Checks checks(true);
  checks.leak = true;
  return checks;
}

bool Checks::* field_of(std::string_view name) {
  std::string known;
  for (const auto& [its_name, field] : kNames) {
    if (its_name == name) return field;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", its_name);
  }
  throw Error(fmt::format("unknown check '{}'; known: {}", name, known));
}

}  // namespace

Checks checks_from_text(std::string_view text) {
  if (text.empty() || text == "0") return false;
  if (text == "1") return true;
  if (text == "all") return all_checks();
  Checks checks;
  for (;;) {
    const std::size_t comma = text.find(',');
    checks.*field_of(text.substr(0, comma)) = true;
    if (comma == std::string_view::npos) return checks;
    text.remove_prefix(comma + 1);
  }
}

std::string to_text(const Checks& checks) {
  if (checks == Checks(true)) return "1";
  if (checks == all_checks()) return "all";
  std::string text;
  for (const auto& [name, field] : kNames) {
    if (checks.*field) text += fmt::format("{}{}", text.empty() ? "" : ",", name);
  }
  return text;
}

}  // namespace raddle

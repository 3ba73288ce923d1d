#include "machine/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <utility>

#include "base/content_hash.h"
#include "base/error.h"
#include "base/nearest_name.h"
#include "machine/parameter_binder.h"
#include "machine/parameter_text.h"
#include "machine/sourced_values.h"

namespace raddle::machine {
namespace {

const char* kind_of(const ParameterValue& value) {
  constexpr const char* kKinds[] = {"true or false", "a whole number", "a number", "a string"};
  return kKinds[value.index()];
}

// The whole of `text` as a number of type T.
template <class T>
bool parse_number(std::string text, T& value) {
  std::erase(text, '_');
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  return error == std::errc() && stop == end && begin != end;
}

// `text` as the type that `like` has, or false.
bool parse_like(const ParameterValue& like, const std::string& text, ParameterValue& result) {
  if (std::holds_alternative<std::string>(like)) {
    result = text;
    return true;
  }
  if (std::holds_alternative<bool>(like)) {
    result = text == "true";
    return text == "true" || text == "false";
  }
  if (std::holds_alternative<std::int64_t>(like)) {
    std::int64_t integer = 0;
    const bool valid = parse_number(text, integer);
    result = integer;
    return valid;
  }
  double number = 0;
  const bool valid = parse_number(text, number) && std::isfinite(number);
  result = number;
  return valid;
}

using Parameters = std::vector<Parameter>;

constexpr const char* kDefaultSource = "default";

// The texts that a table may have, whatever the machine.
constexpr std::string_view kTitles[] = {"machine", "description", "base"};
bool is_title(std::string_view key) { return std::ranges::find(kTitles, key) != std::end(kTitles); }

// The comment may begin with the unit, or with what to_toml() writes; else all of it is the source.
void take_declaration(const ParameterDeclaration& declaration, Parameter& parameter) {
  if (!parameter.unit.empty() && parameter.unit != declaration.unit &&
      parameter.unit != fmt::format("{}: {}", declaration.unit, declaration.sentence))
    parameter.source = fmt::format("{}; {}", parameter.unit, parameter.source);
  parameter.unit = declaration.unit;
  parameter.sentence = declaration.sentence;
}

// A table with an entry `any` takes more entries like it: makes one of that name. The end of the
// list if there is no such table.
Parameters::iterator new_in_open_table(Parameters& all, std::string_view key) {
  const std::size_t dot = key.rfind('.');
  if (dot == std::string_view::npos || !is_bare_key(key.substr(dot + 1))) return all.end();
  const std::string like = std::string(key.substr(0, dot)) + ".any";
  const auto any = std::ranges::find(all, like, &Parameter::key);
  if (any == all.end()) return any;
  Parameter made = *any;
  made.key = key;
  return all.insert(any + 1, std::move(made));
}

}  // namespace

ParameterTable ParameterTable::from_toml(std::string_view text, std::string file_name,
                                         const BaseTable& base_of) {
  ParameterTable table;
  table.file_ = std::move(file_name);
  table.parameters_ = read_sourced_values(text, table.file_, kTitles, Sources::kOptional);
  if (table.has("base")) table.take_base(base_of);
  if (!table.has("machine")) {
    throw Error("the table does not name its machine", table.file_,
                "write: machine = \"ref\", or base = \"fermi\" and what differs from it");
  }
  table.take_declarations();
  return table;
}

void ParameterTable::take_base(const BaseTable& base_of) {
  if (!base_of) throw Error("a table with a base cannot be read here", place_of("base"));
  if (has("machine"))
    throw Error("a table has a machine or a base, not both", place_of("machine"),
                "remove 'machine': it is the base's");
  const ParameterTable base = [&] {
    try {
      return base_of(text("base"));
    } catch (const Error& error) {
      throw error.where().empty() ? Error(error.what(), place_of("base"), error.hint()) : error;
    }
  }();
  Parameters own = std::exchange(parameters_, base.parameters_);
  for (Parameter& parameter : parameters_)
    if (parameter.file.empty()) parameter.file = base.file_;
  for (Parameter& parameter : own) {
    if (parameter.key == "base") continue;
    const auto inherited = std::ranges::find(parameters_, parameter.key, &Parameter::key);
    if (inherited == parameters_.end()) {
      parameters_.push_back(std::move(parameter));
    } else {
      *inherited = std::move(parameter);
    }
  }
}

void ParameterTable::take_declarations() {
  const auto declared = declared_parameters(machine());
  if (!declared) return;
  for (Parameter& parameter : parameters_) {
    if (is_title(parameter.key)) continue;
    const ParameterDeclaration* declaration = find_declaration(*declared, parameter.key);
    if (declaration == nullptr) {
      std::vector<std::string> known;
      std::ranges::transform(*declared, std::back_inserter(known), &ParameterDeclaration::key);
      throw Error(fmt::format("machine '{}' has no parameter '{}'", machine(), parameter.key),
                  place_of(parameter.key), suggestion(parameter.key, known));
    }
    take_declaration(*declaration, parameter);
  }
  for (const ParameterDeclaration& d : *declared) {
    if (has(d.key) || (!d.needs.empty() && !has(d.needs))) continue;
    parameters_.push_back({d.key, d.value, d.unit, kDefaultSource, false, d.sentence});
  }
}

void ParameterTable::set(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    throw Error(fmt::format("'{}' is not an assignment", assignment), {}, "write --set KEY=VALUE");
  }
  std::string key(trimmed(assignment.substr(0, equals)));
  const std::string text(trimmed(assignment.substr(equals + 1)));
  if (key == "machine") {
    throw Error("parameter 'machine' cannot be set", {}, "choose another machine with -m NAME");
  }
  // A table with a `mode` is set by its own name.
  if (!has(key) && has(key + ".mode")) key += ".mode";
  auto found = std::ranges::find(parameters_, key, &Parameter::key);
  if (found == parameters_.end()) found = new_in_open_table(parameters_, key);
  if (found == parameters_.end()) {
    std::vector<std::string> known;
    std::ranges::transform(parameters_, std::back_inserter(known), &Parameter::key);
    const std::string near = suggestion(key, known);
    throw Error(fmt::format("unknown parameter '{}' of machine '{}'", key, name()), {},
                fmt::format("{}{}`raddle machines show {}` lists them", near,
                            near.empty() ? "" : " ", name()));
  }
  // A number may be written as a whole one, and keeps that type as long as it is one.
  const auto declared = declared_parameters(machine());
  const ParameterDeclaration* declaration = declared ? find_declaration(*declared, key) : nullptr;
  const ParameterValue& like = declaration != nullptr ? declaration->value : found->value;
  ParameterValue value;
  if (!parse_like(found->value, text, value) && !parse_like(like, text, value)) {
    throw Error(fmt::format("parameter '{}' is {}, not '{}'", key, kind_of(like), text), {},
                fmt::format("its value in '{}' is {}", name(), to_string(found->value)));
  }
  found->value = std::move(value);
  found->overridden = true;
}

const Parameter& ParameterTable::find(std::string_view key) const {
  const auto found = std::ranges::find(parameters_, key, &Parameter::key);
  if (found != parameters_.end()) return *found;
  throw Error(fmt::format("parameter '{}' is missing", key), file_,
              "`raddle machines show NAME` prints a complete table");
}

namespace {

[[noreturn]] void fail_type(const Parameter& parameter, const char* wanted, std::string place) {
  throw Error(fmt::format("parameter '{}' must be {}, not {}", parameter.key, wanted,
                          to_string(parameter.value)),
              std::move(place));
}

}  // namespace

bool ParameterTable::boolean(std::string_view key) const {
  const Parameter& parameter = find(key);
  if (const bool* value = std::get_if<bool>(&parameter.value)) return *value;
  fail_type(parameter, "true or false", place_of(key));
}

std::int64_t ParameterTable::integer(std::string_view key) const {
  const Parameter& parameter = find(key);
  if (const std::int64_t* value = std::get_if<std::int64_t>(&parameter.value)) return *value;
  fail_type(parameter, "a whole number", place_of(key));
}

double ParameterTable::number(std::string_view key) const {
  const Parameter& parameter = find(key);
  if (const double* value = std::get_if<double>(&parameter.value)) return *value;
  if (const std::int64_t* value = std::get_if<std::int64_t>(&parameter.value))
    return static_cast<double>(*value);
  fail_type(parameter, "a number", place_of(key));
}

const std::string& ParameterTable::text(std::string_view key) const {
  const Parameter& parameter = find(key);
  if (const std::string* value = std::get_if<std::string>(&parameter.value)) return *value;
  fail_type(parameter, "a string", place_of(key));
}

std::int64_t ParameterTable::integer_in(std::string_view key, std::int64_t least,
                                        std::int64_t most) const {
  const std::int64_t value = integer(key);
  if (value < least || value > most) fail_range(key, least, most);
  return value;
}

double ParameterTable::number_in(std::string_view key, double least, double most) const {
  const double value = number(key);
  if (value < least || value > most) fail_range(key, least, most);
  return value;
}

void ParameterTable::fail_range(std::string_view key, const ParameterValue& least,
                                const ParameterValue& most) const {
  const Parameter& parameter = find(key);
  const std::string range = least == most
                                ? to_string(least)
                                : fmt::format("from {} to {}", to_string(least), to_string(most));
  throw Error(
      fmt::format("parameter '{}' is {}, but must be {}", key, to_string(parameter.value), range),
      place_of(key),
      fmt::format(
          "{}`raddle machines show {}` prints all parameters",
          parameter.unit == "1" ? std::string() : fmt::format("its unit: {}; ", parameter.unit),
          name()));
}

bool ParameterTable::has(std::string_view key) const {
  return std::ranges::find(parameters_, key, &Parameter::key) != parameters_.end();
}

std::string ParameterTable::place_of(std::string_view key) const {
  const Parameter& parameter = find(key);
  if (parameter.overridden) return {};
  const std::string& file = parameter.file.empty() ? file_ : parameter.file;
  return parameter.line == 0 ? file : fmt::format("{}:{}", file, parameter.line);
}

std::string ParameterTable::name() const { return std::filesystem::path(file_).stem().string(); }

std::vector<Parameter> ParameterTable::without_source() const {
  Parameters found;
  std::ranges::copy_if(parameters_, std::back_inserter(found), [](const Parameter& parameter) {
    return parameter.file.empty() && !is_title(parameter.key) && parameter.source == kNoSource;
  });
  return found;
}

std::string ParameterTable::to_toml() const { return toml_of(parameters_); }

std::string ParameterTable::hash() const {
  std::vector<std::string> entries;
  for (const Parameter& parameter : parameters_) {
    if (parameter.key == "description") continue;
    // The index of the type keeps 1 and 1.0 and "1" apart.
    entries.push_back(fmt::format("{}={}:{}", parameter.key, parameter.value.index(),
                                  to_string(parameter.value)));
  }
  std::ranges::sort(entries);
  ContentHash hash;
  for (const std::string& entry : entries) hash.add(entry);
  return hash.hex().substr(0, 16);
}

}  // namespace raddle::machine

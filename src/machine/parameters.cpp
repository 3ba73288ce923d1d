#include "machine/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/nearest_name.h"
#include "machine/parameter_text.h"
#include "machine/toml.h"

namespace raddle::machine {
namespace {

// These two say what the table is, not how the machine is built.
bool is_title(std::string_view key) { return key == "machine" || key == "description"; }

const char* kind_of(const ParameterValue& value) {
  constexpr const char* kKinds[] = {"true or false", "a whole number", "a number", "a text"};
  return kKinds[value.index()];
}

// Turns one TOML document into the flat list; keeps the document's lines to read the comments from.
class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : file_(file) {
    for (std::size_t start = 0; start <= text.size();) {
      const std::size_t end = std::min(text.find('\n', start), text.size());
      lines_.push_back(text.substr(start, end - start));
      start = end + 1;
    }
  }

  std::vector<Parameter> read(const toml::table& root) {
    add_table(root, "");
    // toml++ sorts keys by name; people want them as they were written.
    std::ranges::stable_sort(found_, {}, [](const auto& entry) { return entry.first; });
    std::vector<Parameter> parameters;
    for (auto& [line, parameter] : found_) parameters.push_back(std::move(parameter));
    return parameters;
  }

 private:
  void add_table(const toml::table& table, const std::string& prefix) {
    for (const auto& [key, node] : table) {
      const std::string name = prefix + std::string(key.str());
      if (!is_bare_key(key.str()))
        fail(node, fmt::format("'{}' is not a plain parameter name", name));
      if (const toml::table* inner = node.as_table()) {
        add_table(*inner, name + ".");
      } else {
        found_.emplace_back(node.source().begin.line, parameter_of(name, node));
      }
    }
  }

  Parameter parameter_of(const std::string& name, const toml::node& node) const {
    Parameter parameter{name, value_of(name, node), {}, {}};
    const std::string_view comment = comment_of(lines_.at(node.source().begin.line - 1));
    const std::size_t semicolon = comment.find(';');
    if (semicolon != std::string_view::npos) {
      parameter.unit = trimmed(comment.substr(0, semicolon));
      parameter.source = trimmed(comment.substr(semicolon + 1));
    }
    if (!is_title(name) && (parameter.unit.empty() || parameter.source.empty())) {
      fail(node, fmt::format("parameter '{}' does not say its unit and source", name),
           fmt::format("write: {} = {}   # unit; source", name, to_string(parameter.value)));
    }
    return parameter;
  }

  ParameterValue value_of(const std::string& name, const toml::node& node) const {
    if (const auto* boolean = node.as_boolean()) return boolean->get();
    if (const auto* integer = node.as_integer()) return integer->get();
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* number = node.as_floating_point()) {
      if (std::isfinite(number->get())) return number->get();
      fail(node, fmt::format("parameter '{}' is not finite", name));
    }
    fail(node,
         fmt::format("parameter '{}' is neither true or false, nor a number, nor a text", name));
  }

  [[noreturn]] void fail(const toml::node& node, std::string what, std::string hint = {}) const {
    throw Error(std::move(what), fmt::format("{}:{}", file_, node.source().begin.line),
                std::move(hint));
  }

  const std::string& file_;
  std::vector<std::string_view> lines_;
  std::vector<std::pair<toml::source_index, Parameter>> found_;
};

// The whole of `text` as a number of type T.
template <class T>
bool parse_number(std::string text, T& value) {
  std::erase(text, '_');
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  return error == std::errc() && stop == end && begin != end;
}

// `text` as the type that `like` has, or nothing.
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

void append_hash(std::uint64_t& hash, std::string_view text) {
  // FNV-1a; the closing zero keeps "ab","c" apart from "a","bc".
  const auto add = [&hash](unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3u; };
  for (const char c : text) add(static_cast<unsigned char>(c));
  add(0);
}

}  // namespace

ParameterTable ParameterTable::from_toml(std::string_view text, std::string file_name) {
  ParameterTable table;
  table.file_ = std::move(file_name);
  try {
    const toml::table root = toml::parse(text);
    table.parameters_ = Reader(text, table.file_).read(root);
  } catch (const toml::parse_error& error) {
    throw Error(std::string(error.description()),
                fmt::format("{}:{}", table.file_, error.source().begin.line));
  }
  if (!table.has("machine")) {
    throw Error("the table does not say which machine it is for", table.file_,
                "write: machine = \"ref\"");
  }
  static_cast<void>(table.machine());  // a text
  return table;
}

void ParameterTable::set(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    throw Error(fmt::format("'{}' is not an assignment", assignment), {}, "write --set KEY=VALUE");
  }
  const std::string key(trimmed(assignment.substr(0, equals)));
  const std::string text(trimmed(assignment.substr(equals + 1)));
  if (key == "machine") {
    throw Error("parameter 'machine' cannot be set", {}, "choose another machine with -m NAME");
  }
  const auto found = std::ranges::find(parameters_, key, &Parameter::key);
  if (found == parameters_.end()) {
    std::vector<std::string> known;
    std::ranges::transform(parameters_, std::back_inserter(known), &Parameter::key);
    const std::string near = suggestion(key, known);
    throw Error(fmt::format("unknown parameter '{}' of machine '{}'", key, name()), {},
                fmt::format("{}{}`raddle machines show {}` lists them", near,
                            near.empty() ? "" : " ", name()));
  }
  ParameterValue value;
  if (!parse_like(found->value, text, value)) {
    throw Error(fmt::format("parameter '{}' is {}, not '{}'", key, kind_of(found->value), text), {},
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

[[noreturn]] void fail_type(const Parameter& parameter, const char* wanted,
                            const std::string& file) {
  throw Error(fmt::format("parameter '{}' must be {}, not {}", parameter.key, wanted,
                          to_string(parameter.value)),
              file);
}

}  // namespace

bool ParameterTable::boolean(std::string_view key) const {
  const Parameter& parameter = find(key);
  if (const bool* value = std::get_if<bool>(&parameter.value)) return *value;
  fail_type(parameter, "true or false", file_);
}

std::int64_t ParameterTable::integer(std::string_view key) const {
  const Parameter& parameter = find(key);
  if (const std::int64_t* value = std::get_if<std::int64_t>(&parameter.value)) return *value;
  fail_type(parameter, "a whole number", file_);
}

double ParameterTable::number(std::string_view key) const {
  const Parameter& parameter = find(key);
  if (const double* value = std::get_if<double>(&parameter.value)) return *value;
  if (const std::int64_t* value = std::get_if<std::int64_t>(&parameter.value))
    return static_cast<double>(*value);
  fail_type(parameter, "a number", file_);
}

const std::string& ParameterTable::text(std::string_view key) const {
  const Parameter& parameter = find(key);
  if (const std::string* value = std::get_if<std::string>(&parameter.value)) return *value;
  fail_type(parameter, "a text", file_);
}

bool ParameterTable::has(std::string_view key) const {
  return std::ranges::find(parameters_, key, &Parameter::key) != parameters_.end();
}

std::string ParameterTable::name() const { return std::filesystem::path(file_).stem().string(); }

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
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::string& entry : entries) append_hash(hash, entry);
  return fmt::format("{:016x}", hash);
}

}  // namespace raddle::machine

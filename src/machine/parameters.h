// A machine's parameters: machines/NAME.toml as a table of typed values, each with its unit and
// where it comes from. Every value is written as `key = value  # unit; source`. Overrides name an
// existing key; anything else is an error that suggests the nearest name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace raddle::machine {

using ParameterValue = std::variant<bool, std::int64_t, double, std::string>;

struct Parameter {
  std::string key;  // dotted: "memory.bytes"
  ParameterValue value;
  std::string unit;    // first words of the comment, before ';'
  std::string source;  // the rest of the comment
  bool overridden = false;
};

class ParameterTable {
 public:
  // Throws Error (with file and line) for bad TOML, a value without comment, or a type it cannot
  // hold. The two texts `machine` (which must be there) and `description` need no comment.
  static ParameterTable from_toml(std::string_view text, std::string file_name);

  // "key=value"; the value must have the type of the one it replaces.
  void set(std::string_view assignment);

  bool boolean(std::string_view key) const;
  std::int64_t integer(std::string_view key) const;
  double number(std::string_view key) const;  // integers convert
  const std::string& text(std::string_view key) const;
  // As above, but values outside [least, most] are refused with an Error that names the range.
  std::int64_t integer_in(std::string_view key, std::int64_t least, std::int64_t most) const;
  double number_in(std::string_view key, double least, double most) const;
  bool has(std::string_view key) const;

  const std::string& machine() const {
    return text("machine");
  }  // the implementation: "ref", "simt" …
  const std::string& file() const { return file_; }
  std::string name()
      const;  // what users call the machine: the file's name without folder and ending
  const std::vector<Parameter>& all() const { return parameters_; }
  // A TOML file that gives this table back.
  std::string to_toml() const;
  // Hash of keys and values (not of comments, order or `description`), 16 hex digits.
  std::string hash() const;

 private:
  const Parameter& find(std::string_view key) const;
  [[noreturn]] void fail_range(std::string_view key, const ParameterValue& least,
                               const ParameterValue& most) const;

  std::string file_;
  std::vector<Parameter> parameters_;
};

std::string to_string(const ParameterValue& value);

}  // namespace raddle::machine

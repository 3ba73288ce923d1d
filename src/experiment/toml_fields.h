// The fields of a TOML table, read one by one with their types checked; what nobody read is an
// error that names the nearest field. Messages carry file and line. Paper claims and sweeps are
// read this way.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/spec_text.h"

namespace raddle::experiment {

class TomlFields {
 public:
  bool has(std::string_view key) const;
  bool is_text(std::string_view key) const;
  bool is_number(std::string_view key) const;
  bool holds_texts(std::string_view key) const;

  std::string text(std::string_view key) const;
  std::string text_or(std::string_view key, std::string otherwise = {}) const;
  // With the line on which the text itself begins: what opens with ''' may begin a line later.
  SpecText spec_text_or(std::string_view key) const;
  double number(std::string_view key) const;
  bool boolean_or(std::string_view key, bool otherwise) const;
  std::vector<std::string> texts(std::string_view key) const;
  std::vector<std::string> texts_or(std::string_view key) const;
  std::vector<double> numbers(std::string_view key) const;
  std::map<std::string, double> number_table_or(std::string_view key) const;
  // [[key]] tables, or inline tables in a list; none if the key is not there.
  std::vector<TomlFields> tables(std::string_view key) const;

  template <class Value>
  Value choice(std::string_view key, const std::map<std::string, Value>& choices) const {
    const std::string chosen = text(key);
    const auto found = choices.find(chosen);
    if (found != choices.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [name, value] : choices) known.push_back(name);
    fail_choice(key, chosen, known);
  }

  // Throws for a field that none of the calls above asked for.
  void refuse_others() const;
  // At this table's line.
  [[noreturn]] void fail(std::string what, std::string hint = {}) const;

 private:
  friend class TomlDocument;
  struct Node;  // toml++ stays in the .cpp
  explicit TomlFields(std::shared_ptr<Node> node) : node_(std::move(node)) {}
  [[noreturn]] void fail_choice(std::string_view key, const std::string& chosen,
                                const std::vector<std::string>& known) const;
  [[noreturn]] void fail_at(std::string_view key, std::string what) const;

  std::shared_ptr<Node> node_;
};

class TomlDocument {
 public:
  // Throws Error for what is no TOML.
  TomlDocument(std::string_view text, std::string file);
  ~TomlDocument();
  TomlDocument(const TomlDocument&) = delete;
  TomlDocument& operator=(const TomlDocument&) = delete;

  TomlFields root() const;

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace raddle::experiment

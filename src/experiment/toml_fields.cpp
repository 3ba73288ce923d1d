#include "experiment/toml_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/nearest_name.h"
#include "machine/toml.h"

namespace raddle::experiment {

struct TomlFields::Node {
  const toml::table* table = nullptr;
  const std::string* file = nullptr;
  std::set<std::string, std::less<>> asked;  // fields that somebody knows

  const toml::node* find(std::string_view key) {
    asked.emplace(key);
    return table->get(key);
  }
};

struct TomlDocument::Content {
  std::string file;
  toml::table root;
};

namespace {

bool all_texts(const toml::array& array) {
  return std::all_of(array.begin(), array.end(),
                     [](const toml::node& node) { return node.is_string(); });
}

bool all_numbers(const toml::array& array) {
  return std::all_of(array.begin(), array.end(),
                     [](const toml::node& node) { return node.is_number(); });
}

}  // namespace

bool TomlFields::has(std::string_view key) const { return node_->find(key) != nullptr; }

bool TomlFields::is_text(std::string_view key) const {
  const toml::node* node = node_->find(key);
  return node != nullptr && node->is_string();
}

bool TomlFields::is_number(std::string_view key) const {
  const toml::node* node = node_->find(key);
  return node != nullptr && node->is_number();
}

bool TomlFields::holds_texts(std::string_view key) const {
  const toml::node* node = node_->find(key);
  return node != nullptr && node->is_array() && all_texts(*node->as_array());
}

std::string TomlFields::text(std::string_view key) const {
  const toml::node* node = node_->find(key);
  if (node == nullptr) fail(fmt::format("the field '{}' is missing", key));
  if (!node->is_string()) fail_at(key, "must be a string");
  return node->as_string()->get();
}

std::string TomlFields::text_or(std::string_view key, std::string otherwise) const {
  return has(key) ? text(key) : std::move(otherwise);
}

SpecText TomlFields::spec_text_or(std::string_view key) const {
  if (!has(key)) return {};
  SpecText found{text(key), 0};
  const toml::source_region& source = node_->table->get(key)->source();
  const auto lines = static_cast<unsigned>(std::ranges::count(found.text, '\n'));
  found.line = std::max(source.begin.line, source.end.line - lines);
  return found;
}

double TomlFields::number(std::string_view key) const {
  const toml::node* node = node_->find(key);
  if (node == nullptr) fail(fmt::format("the field '{}' is missing", key));
  if (!node->is_number()) fail_at(key, "must be a number");
  return *node->value<double>();
}

bool TomlFields::boolean_or(std::string_view key, bool otherwise) const {
  const toml::node* node = node_->find(key);
  if (node == nullptr) return otherwise;
  if (!node->is_boolean()) fail_at(key, "must be true or false");
  return node->as_boolean()->get();
}

std::vector<std::string> TomlFields::texts(std::string_view key) const {
  const toml::node* node = node_->find(key);
  if (node == nullptr) fail(fmt::format("the field '{}' is missing", key));
  if (!node->is_array() || !all_texts(*node->as_array())) fail_at(key, "must be a list of strings");
  std::vector<std::string> list;
  for (const toml::node& item : *node->as_array()) list.push_back(item.as_string()->get());
  return list;
}

std::vector<std::string> TomlFields::texts_or(std::string_view key) const {
  return has(key) ? texts(key) : std::vector<std::string>();
}

std::vector<double> TomlFields::numbers(std::string_view key) const {
  const toml::node* node = node_->find(key);
  if (node == nullptr) fail(fmt::format("the field '{}' is missing", key));
  if (!node->is_array() || !all_numbers(*node->as_array()))
    fail_at(key, "must be a list of numbers");
  std::vector<double> list;
  for (const toml::node& item : *node->as_array()) list.push_back(*item.value<double>());
  return list;
}

std::map<std::string, double> TomlFields::number_table_or(std::string_view key) const {
  const toml::node* node = node_->find(key);
  std::map<std::string, double> table;
  if (node == nullptr) return table;
  if (!node->is_table()) fail_at(key, "must be a table of numbers");
  for (const auto& [name, value] : *node->as_table()) {
    if (!value.is_number()) fail_at(key, "must be a table of numbers");
    table[std::string(name.str())] = *value.value<double>();
  }
  return table;
}

std::vector<TomlFields> TomlFields::tables(std::string_view key) const {
  const toml::node* node = node_->find(key);
  std::vector<TomlFields> list;
  if (node == nullptr) return list;
  if (!node->is_array()) fail_at(key, "must be a list of tables");
  for (const toml::node& item : *node->as_array()) {
    if (!item.is_table()) fail_at(key, "must be a list of tables");
    list.push_back(TomlFields(std::make_shared<Node>(Node{item.as_table(), node_->file, {}})));
  }
  return list;
}

void TomlFields::refuse_others() const {
  for (const auto& [key, value] : *node_->table) {
    if (node_->asked.contains(key.str())) continue;
    const std::vector<std::string> known(node_->asked.begin(), node_->asked.end());
    throw Error(fmt::format("unknown field '{}'", key.str()),
                fmt::format("{}:{}", *node_->file, key.source().begin.line),
                suggestion(key.str(), known));
  }
}

void TomlFields::fail(std::string what, std::string hint) const {
  throw Error(std::move(what),
              fmt::format("{}:{}", *node_->file, node_->table->source().begin.line),
              std::move(hint));
}

void TomlFields::fail_at(std::string_view key, std::string what) const {
  throw Error(fmt::format("the field '{}' {}", key, what),
              fmt::format("{}:{}", *node_->file, node_->table->get(key)->source().begin.line));
}

void TomlFields::fail_choice(std::string_view key, const std::string& chosen,
                             const std::vector<std::string>& known) const {
  const std::string near = suggestion(chosen, known);
  throw Error(fmt::format("the field '{}' is '{}'", key, chosen),
              fmt::format("{}:{}", *node_->file, node_->table->get(key)->source().begin.line),
              near.empty() ? fmt::format("known: {}", fmt::join(known, ", ")) : near);
}

TomlDocument::TomlDocument(std::string_view text, std::string file)
    : content_(std::make_unique<Content>()) {
  content_->file = std::move(file);
  content_->root = machine::parse_toml(text, content_->file);
}

TomlDocument::~TomlDocument() = default;

TomlFields TomlDocument::root() const {
  return TomlFields(
      std::make_shared<TomlFields::Node>(TomlFields::Node{&content_->root, &content_->file, {}}));
}

}  // namespace raddle::experiment

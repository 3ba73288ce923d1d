#include "lang/e/initial_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>

#include "base/atomic_file.h"
#include "base/error.h"

namespace raddle::e {
namespace {

std::uint64_t mix(std::uint64_t value) {  // splitmix64
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

// [ … ] of a declaration, at one index.
std::int64_t evaluate(const Expr& expr, std::int64_t index, std::int64_t count) {
  const auto child = [&](std::size_t i) { return evaluate(*expr.children[i], index, count); };
  switch (expr.kind) {
    case ExprKind::kNumber: return expr.value;
    case ExprKind::kFiberId: return index;
    case ExprKind::kThickness: return count;
    case ExprKind::kUnary: return apply(expr.unary, child(0));
    case ExprKind::kBinary: return apply(expr.binary, child(0), child(1));
    case ExprKind::kConditional: return child(0) != 0 ? child(1) : child(2);
    default: return random_value(child(0), index, child(1), child(2));
  }
}

std::vector<std::int64_t> parse_text(const std::string& text, const std::string& name) {
  std::vector<std::int64_t> words;
  const char* at = text.data();
  const char* end = at + text.size();
  std::size_t line = 1;
  while (at != end) {
    if (*at == '\n') ++line;
    if (std::isspace(static_cast<unsigned char>(*at)) != 0 || *at == ',') {
      ++at;
      continue;
    }
    std::int64_t value = 0;
    const auto [rest, fault] = std::from_chars(at, end, value);
    if (fault == std::errc::result_out_of_range) {
      throw Error("a number does not fit into 64 bits", fmt::format("{}:{}", name, line));
    }
    if (fault != std::errc{}) throw Error("expected a number", fmt::format("{}:{}", name, line));
    words.push_back(value);
    at = rest;
  }
  return words;
}

// Given words may be fewer than the array has, those of a file that the source names may not.
void read_given(std::vector<std::int64_t>& words, const std::string& source,
                const GivenInputs& inputs, const Declaration& declaration,
                Diagnostics& diagnostics) {
  try {
    const std::vector<std::int64_t> read =
        inputs.read ? inputs.read(source, words.size()) : read_words(source);
    if (read.size() > words.size()) {
      throw Error(fmt::format("{} gives {} numbers, {} has {}", source, read.size(),
                              in_quotes(declaration.name), words.size()));
    }
    std::copy(read.begin(), read.end(), words.begin());
  } catch (const Error& error) {
    diagnostics.error(declaration.position, error.full_text());
  }
}

void read_file_into(std::vector<std::int64_t>& words, const std::filesystem::path& file,
                    const Declaration& declaration, Diagnostics& diagnostics) {
  try {
    std::vector<std::int64_t> read = read_words(file);
    if (read.size() != words.size()) {
      throw Error(fmt::format("{} holds {} numbers, {} has {}", file.string(), read.size(),
                              in_quotes(declaration.name), words.size()));
    }
    words = std::move(read);
  } catch (const Error& error) {
    diagnostics.error(declaration.file_position, error.full_text());
  }
}

}  // namespace

std::int64_t random_value(std::int64_t seed, std::int64_t index, std::int64_t least,
                          std::int64_t greatest) {
  const std::uint64_t bits =
      mix(mix(static_cast<std::uint64_t>(seed)) ^ static_cast<std::uint64_t>(index));
  const std::uint64_t span =
      static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least) + 1;
  if (span == 0) return static_cast<std::int64_t>(bits);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(least) + bits % span);
}

std::vector<std::int64_t> read_words(const std::filesystem::path& file) {
  const std::string content = read_file(file);
  if (file.extension() != ".bin") return parse_text(content, file.string());
  if (content.size() % 8 != 0) {
    throw Error(fmt::format("{} bytes are no whole number of 64-bit words", content.size()),
                file.string());
  }
  std::vector<std::int64_t> words(content.size() / 8);
  std::memcpy(words.data(), content.data(), content.size());
  return words;
}

void write_words(const std::filesystem::path& file, const std::vector<std::int64_t>& words) {
  std::string content;
  if (file.extension() == ".bin") {
    content.resize(words.size() * 8);
    std::memcpy(content.data(), words.data(), content.size());
  } else {
    for (const std::int64_t word : words) content += fmt::format("{}\n", word);
  }
  write_file_atomically(file, content);
}

SharedData initial_data(const Program& program, const std::filesystem::path& folder,
                        const GivenInputs& inputs, Diagnostics& diagnostics) {
  SharedData data;
  for (std::size_t i = 0; i < program.shared.size(); ++i) {
    const Declaration& declaration = *program.shared_declarations[i];
    std::vector<std::int64_t> words(static_cast<std::size_t>(program.shared[i]->words()), 0);
    const auto given = inputs.sources.find(declaration.name);
    if (given != inputs.sources.end()) {
      read_given(words, given->second, inputs, declaration, diagnostics);
    } else if (declaration.init == Declaration::Init::kFile) {
      read_file_into(words, folder / declaration.file, declaration, diagnostics);
    } else if (declaration.init == Declaration::Init::kValue) {
      words.assign(words.size(), declaration.values[0]->value);
    } else if (declaration.init == Declaration::Init::kList) {
      for (std::size_t k = 0; k < declaration.values.size(); ++k) {
        words[k] = declaration.values[k]->value;
      }
    } else if (declaration.init == Declaration::Init::kEach) {
      for (std::size_t k = 0; k < words.size(); ++k) {
        words[k] = evaluate(*declaration.values[0], static_cast<std::int64_t>(k),
                            static_cast<std::int64_t>(words.size()));
      }
    }
    data.push_back(std::move(words));
  }
  for (const auto& [name, source] : inputs.sources) {
    bool known = false;
    for (const auto& symbol : program.shared) known = known || symbol->name == name;
    if (!known) {
      diagnostics.error({}, fmt::format("the program has no shared variable {}", in_quotes(name)));
    }
  }
  return data;
}

}  // namespace raddle::e

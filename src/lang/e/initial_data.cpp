#include "lang/e/initial_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/splitmix64.h"
#include "base/stop_token.h"

namespace raddle::e {
namespace {

constexpr std::size_t kWordsBetweenLooks = 1024;

// [ … ] of a declaration, at one index.
std::int64_t evaluate(const Expr& expr, std::int64_t index, std::int64_t count) {
  const auto child = [&](std::size_t i) { return evaluate(*expr.children[i], index, count); };
  switch (expr.kind) {
    case ExprKind::kNumber: return expr.value;
    case ExprKind::kFiberId: return index;
    case ExprKind::kThickness: return count;
    case ExprKind::kUnary: return apply(expr.unary, expr.children[0]->type, expr.type, child(0));
    case ExprKind::kBinary: return apply(expr.binary, expr.children[0]->type, child(0), child(1));
    case ExprKind::kFused: return apply_fused(expr.type, child(0), child(1), child(2));
    case ExprKind::kConditional: return child(0) != 0 ? child(1) : child(2);
    default: return random_value(child(0), index, child(1), child(2));
  }
}

std::vector<std::int64_t> as_numbers(const std::vector<machine::tpa::Word>& words) {
  return {words.begin(), words.end()};
}

// Given words may be fewer than the array has, those of a file that the source names may not.
void read_given(std::vector<std::int64_t>& words, std::size_t count, const std::string& source,
                const Declaration& declaration, Diagnostics& diagnostics) {
  try {
    words = as_numbers(machine::tpa::words_from(source, count, form_of(declaration.type)));
  } catch (const Error& error) {
    diagnostics.error(declaration.position, error.full_text());
  }
}

void read_file_into(std::vector<std::int64_t>& words, std::size_t count,
                    const std::filesystem::path& file, const Declaration& declaration,
                    Diagnostics& diagnostics) {
  try {
    std::vector<std::int64_t> read =
        as_numbers(machine::tpa::read_words(file.string(), form_of(declaration.type)));
    if (read.size() != count) {
      throw Error(fmt::format("{} holds {} numbers, {} has {}", file.string(), read.size(),
                              in_quotes(declaration.name), count));
    }
    words = std::move(read);
  } catch (const Error& error) {
    diagnostics.error(declaration.file_position, error.full_text());
  }
}

}  // namespace

machine::tpa::WordForm form_of(Type type) {
  using machine::tpa::WordForm;
  if (type == Type::kInt) return WordForm::kInteger;
  return type == Type::kFloat ? WordForm::kSingle : WordForm::kDouble;
}

std::int64_t random_value(std::int64_t seed, std::int64_t index, std::int64_t least,
                          std::int64_t greatest) {
  const std::uint64_t bits =
      splitmix64(splitmix64(static_cast<std::uint64_t>(seed)) ^ static_cast<std::uint64_t>(index));
  const std::uint64_t span =
      static_cast<std::uint64_t>(greatest) - static_cast<std::uint64_t>(least) + 1;
  if (span == 0) return static_cast<std::int64_t>(bits);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(least) + bits % span);
}

SharedData initial_data(const Program& program, const std::filesystem::path& folder,
                        const GivenInputs& inputs, Diagnostics& diagnostics) {
  SharedData data;
  for (std::size_t i = 0; i < program.shared.size(); ++i) {
    const Declaration& declaration = *program.shared_declarations[i];
    const auto count = static_cast<std::size_t>(program.shared[i]->words());
    std::vector<std::int64_t> words;
    const auto given = inputs.find(declaration.name);
    if (given != inputs.end()) {
      read_given(words, count, given->second, declaration, diagnostics);
    } else if (declaration.init == Declaration::Init::kFile) {
      read_file_into(words, count, folder / declaration.file, declaration, diagnostics);
    } else if (declaration.init == Declaration::Init::kValue) {
      if (declaration.values[0]->value != 0) words.assign(count, declaration.values[0]->value);
    } else if (declaration.init == Declaration::Init::kList) {
      for (const ExprPtr& value : declaration.values) words.push_back(value->value);
    } else if (declaration.init == Declaration::Init::kEach) {
      words.resize(count);
      for (std::size_t k = 0; k < count; ++k) {
        if (k % kWordsBetweenLooks == 0) throw_if_stopped("making the initial data");
        words[k] = evaluate(*declaration.values[0], static_cast<std::int64_t>(k),
                            static_cast<std::int64_t>(count));
      }
    }
    data.push_back(std::move(words));
  }
  for (const auto& [name, source] : inputs) {
    bool known = false;
    for (const auto& symbol : program.shared) known = known || symbol->name == name;
    if (!known) {
      diagnostics.error({}, fmt::format("the program has no shared variable {}", in_quotes(name)));
    }
  }
  return data;
}

}  // namespace raddle::e

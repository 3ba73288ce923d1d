#include "lang/ptx/module_parser.h"

#include <bit>
#include <cmath>

#include "base/stop_token.h"
#include "lang/ptx/inlining.h"
#include "lang/ptx/location_parser.h"
#include "lang/ptx/variable_parser.h"

namespace raddle::ptx {
namespace {

using kernel::Linkage;
using kernel::SymbolKind;

std::optional<Linkage> linkage_of(std::string_view directive) {
  if (directive == ".visible") return Linkage::kVisible;
  if (directive == ".extern") return Linkage::kExtern;
  if (directive == ".weak") return Linkage::kWeak;
  if (directive == ".common") return Linkage::kCommon;
  return std::nullopt;
}

}  // namespace

void ModuleParser::parse() {
  if (!context_.token().is_dot_word(".version")) {
    context_.fail("this is not PTX: it does not begin with .version");
  }
  while (context_.token().kind != TokenKind::kEnd) parse_directive();
  resolve_aliases();
  context_.user_line = {};
  context_.check_symbols();
  const std::vector<InlineScope> scopes = read_inline_scopes(sections_);
  apply_inlining(context_, scopes, functions_.labels);
  context_.locations.finish();
}

void ModuleParser::parse_directive() {
  throw_if_stopped(kReadingPtx);
  if (context_.accept(';')) return;
  if (!context_.token().is_dot_word()) context_.fail_expected("a directive");
  const Token directive = context_.token();
  if (const auto linkage = linkage_of(directive.text)) {
    context_.advance();
    return parse_linkage_and_rest(*linkage);
  }
  if (directive.text == ".entry" || directive.text == ".func" || variable_space(directive.text)) {
    return parse_linkage_and_rest(Linkage::kInternal);
  }
  context_.advance();
  if (directive.text == ".version") return parse_version();
  if (directive.text == ".target") return parse_target();
  if (directive.text == ".address_size") return parse_address_size();
  if (directive.text == ".file") return parse_file(context_);
  if (directive.text == ".section") return parse_section(context_, sections_);
  if (directive.text == ".alias") return parse_alias();
  if (directive.text == ".pragma") return context_.skip_statement();
  if (directive.text == ".loc") {
    parse_loc(context_);  // outside a function it says nothing
    return;
  }
  context_.fail_at(directive.line, "unknown directive " + quoted(directive.text));
}

void ModuleParser::parse_linkage_and_rest(Linkage linkage) {
  const Token directive = context_.token();
  if (const auto second = linkage_of(directive.text)) {
    context_.advance();  // ".weak .visible"
    return parse_linkage_and_rest(linkage == Linkage::kVisible ? *second : linkage);
  }
  if (directive.text == ".entry" || directive.text == ".func") {
    context_.advance();
    return functions_.parse(directive.text == ".entry", linkage);
  }
  const auto space = variable_space(directive.text);
  if (!directive.is_dot_word() || !space) context_.fail_expected("a function or a variable");
  context_.advance();
  parse_variables(context_, *space, linkage, nullptr);
}

// A version is written as a decimal number, which the lexer takes for a floating-point one.
void ModuleParser::parse_version() {
  if (context_.token().kind != TokenKind::kDouble) context_.fail_expected("a version such as 7.5");
  const double version = std::bit_cast<double>(context_.advance().bits);
  if (!(version >= 1.0 && version < 100.0)) context_.fail("the PTX version is out of range");
  context_.module.ptx_version = static_cast<std::uint32_t>(std::lround(version * 10.0));
}

// .target sm_70, debug
void ModuleParser::parse_target() {
  do {
    const Token token = context_.token();
    const std::string_view word = context_.expect_word("a target such as sm_70");
    if (word == "debug" || word == "texmode_unified" || word == "texmode_independent" ||
        word == "texmode_raw")
      continue;
    if (word == "map_f64_to_f32") {
      context_.fail_at(token.line, "the target option 'map_f64_to_f32' is not supported");
    }
    if (!word.starts_with("sm_")) context_.fail_at(token.line, "unknown target " + quoted(word));
    std::uint32_t number = 0;
    std::size_t digits = 3;
    for (; digits < word.size() && digits < 7 && word[digits] >= '0' && word[digits] <= '9';
         ++digits) {
      number = number * 10 + static_cast<std::uint32_t>(word[digits] - '0');
    }
    if (number == 0) context_.fail_at(token.line, "unknown target " + quoted(word));
    context_.module.target = number;
  } while (context_.accept(','));
}

void ModuleParser::parse_address_size() {
  if (context_.expect_integer("64") != 64) context_.fail("only addresses of 64 bits are supported");
}

// .alias name, function;
void ModuleParser::parse_alias() {
  Alias alias;
  alias.line = context_.token().line;
  alias.name = context_.expect_word("the name of a function");
  context_.expect(',');
  alias.of = context_.expect_word("the name of a function");
  context_.expect(';');
  aliases_.push_back(alias);
}

// The kernel IR has no aliases: the function gets a second body under the other name.
void ModuleParser::resolve_aliases() {
  for (const Alias& alias : aliases_) {
    const ModuleSymbol* name = context_.find_symbol(alias.name);
    const ModuleSymbol* of = context_.find_symbol(alias.of);
    if (name == nullptr || name->kind != SymbolKind::kFunction) {
      context_.fail_at(alias.line, "unknown function " + quoted(alias.name));
    }
    if (of == nullptr || of->kind != SymbolKind::kFunction) {
      context_.fail_at(alias.line, "unknown function " + quoted(alias.of));
    }
    std::vector<kernel::Function>& functions = context_.module.functions;
    kernel::Function& target = functions[name->index];
    if (!target.is_declaration)
      context_.fail_at(alias.line, "the function " + quoted(alias.name) + " is defined twice");
    if (functions[of->index].is_declaration) {
      context_.fail_at(alias.line,
                       "the function " + quoted(alias.of) + " has no body to be an alias of");
    }
    kernel::Function copy = functions[of->index];
    copy.name = target.name;
    if (target.linkage != Linkage::kExtern) copy.linkage = target.linkage;
    target = std::move(copy);
    functions_.labels[name->index] = {};
  }
}

}  // namespace raddle::ptx

#include "cli/grammar.h"

#include <CLI/CLI.hpp>

namespace raddle::cli {

namespace {

GrammarOption grammar_of(const CLI::Option& option) {
  GrammarOption result;
  for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
  // A flag has a type name of its own that its help does not show.
  if (option.get_type_size_max() != 0) result.value = option.get_type_name();
  result.sentence = option.get_description();
  result.group = option.get_group();
  return result;
}

}  // namespace

GrammarCommand grammar_of(const CLI::App& app) {
  GrammarCommand result{app.get_name(), app.get_description(), {}, {}, app.get_footer()};
  for (const CLI::Option* option : app.get_options()) result.options.push_back(grammar_of(*option));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    result.commands.push_back(grammar_of(*command));
  return result;
}

}  // namespace raddle::cli

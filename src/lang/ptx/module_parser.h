// The directives of a PTX file outside functions.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "lang/ptx/context.h"
#include "lang/ptx/debug_sections.h"
#include "lang/ptx/function_parser.h"

namespace raddle::ptx {

class ModuleParser {
 public:
  explicit ModuleParser(Context& context) : context_(context), functions_(context) {}

  // The whole file; the module is then in the context.
  void parse();

 private:
  void parse_version();
  void parse_target();
  void parse_address_size();
  void parse_alias();
  void parse_directive();
  void parse_linkage_and_rest(kernel::Linkage linkage);
  void resolve_aliases();

  struct Alias {
    std::string_view name;
    std::string_view of;
    std::uint32_t line = 0;
  };

  Context& context_;
  FunctionParser functions_;
  DebugSections sections_;
  std::vector<Alias> aliases_;
};

}  // namespace raddle::ptx

#include "lang/ptx/reader.h"

#include <utility>

#include "lang/ptx/context.h"
#include "lang/ptx/module_parser.h"

namespace raddle::ptx {

kernel::Module read_ptx(std::string_view text, std::string file_name) {
  Context context(text, std::move(file_name));
  ModuleParser(context).parse();
  return std::move(context.module);
}

}  // namespace raddle::ptx

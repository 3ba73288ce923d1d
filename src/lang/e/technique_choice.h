// Which technique realises a multioperation or multiprefix: by where the operands live, how many
// targets there are at once, and the thickness, with the times of the paper's Figure 10. A forced
// technique is taken if it gives what the construct promises and is refused with the reason if it
// would overflow or give prefixes in the wrong order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lang/e/ast.h"
#include "lang/e/compile_options.h"

namespace raddle::e {

// How many targets a construct has at the same time.
struct TargetCount {
  std::optional<std::int64_t> most;  // none: not known
  bool exact = false;                // that many there are, not at most
  bool on_one_backend = false;       // all fibers of a target lie on one backend
};

TargetCount count_targets(const Expr& target, std::optional<std::int64_t> thickness,
                          const CompileOptions& options);

struct ConstructFacts {
  bool is_prefix = false;
  bool fast = false;
  bool source_in_memory = false;
  bool result_in_memory = false;  // of a prefix
  std::optional<std::int64_t> thickness;
  TargetCount targets;
};

struct TechniqueChoice {
  std::string name;     // empty: refused
  std::string reason;   // why this one, or why not
  std::string hint;     // of a refusal
  std::string warning;  // what can still go wrong, or empty
};

TechniqueChoice choose_technique(const ConstructFacts& facts, const std::string& forced,
                                 const CompileOptions& options);

// Figure 10's time, with load and store steps, synchronisation and the memory segment, where the
// thickness is known. What a run takes is measured, not this.
std::optional<std::int64_t> expected_cycles(const std::string& technique,
                                            const ConstructFacts& facts,
                                            const CompileOptions& options);

}  // namespace raddle::e

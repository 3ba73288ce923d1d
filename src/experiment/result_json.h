// The `raddle.result/2` document: a RunResult as JSON and back. Each number is written plainly
// under a name whose unit the document's own `units` object states; result.schema.json says what
// must be there. Reading accepts only documents of this version and says which entry is missing or
// wrong.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/atomic_file.h"
#include "experiment/run_result.h"

namespace raddle::experiment {

std::string to_json(const RunResult& result);
// The same text part by part, launch by launch: the document of a program that launches often is
// never in memory as a whole.
void put_json(const RunResult& result, const TextSink& put);

// `raddle.comparison/1`: {"schema", "programs": [[result, …], …]}, one list a program, one result a
// machine.
std::string to_comparison_json(const std::vector<std::vector<RunResult>>& by_program);

// `file_name` is for messages. Throws Error for what is not JSON, or not a result.
RunResult from_json(std::string_view text, const std::string& file_name);

RunResult read_result_file(const std::string& path);

}  // namespace raddle::experiment

// The extensions of a launch (machine/launch_result.h) as objects of the result document: each is
// written and read here and described by its own part of result.schema.json. A launch has those of
// its family and no others.
#pragma once

#include <vector>

#include "experiment/result_json_entry.h"
#include "machine/launch_result.h"

namespace raddle::experiment {

void put_extensions(Json& launch_object, const machine::LaunchResult& launch);
void read_extensions(const Entry& launch_entry, machine::LaunchResult& launch);

Json dim3_json(const machine::Dim3& dim);
// Null where the machine does not model it: nothing must look like "zero joules".
Json shares_json(const std::vector<machine::Share>& shares, const char* value_name);

}  // namespace raddle::experiment

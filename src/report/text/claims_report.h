// What a paper claims beside what was measured, as text of at most 100 columns.
#pragma once

#include <string>
#include <vector>

#include "experiment/claim_judgement.h"

namespace raddle::report {

struct ClaimsOptions {
  bool colour = false;
};

// A row a claim: id, what is claimed, paper, measured, error, verdict; then why claims were missed
// or contradict themselves, and how many there are of each verdict.
std::string claims_report(const experiment::Paper& paper,
                          const std::vector<experiment::Judgement>& judgements,
                          const ClaimsOptions& options);

// The papers there are: name, title, claims, how many of them are measured.
std::string paper_list(const std::vector<experiment::Paper>& papers);

}  // namespace raddle::report

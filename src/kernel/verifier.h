// Says what makes a module invalid, each fault in one exact sentence with the place it stands at.
// Whatever the verifier lets pass, the text form prints and parses back, the analyses handle, and
// an executor may rely on: operands are there, exist and have the right size, control stays within
// the function, calls match signatures.
#pragma once

#include <string>
#include <vector>

#include "kernel/module.h"

namespace raddle::kernel {

struct VerifierMessage {
  std::string text;   // "@f, block entry, '%r1 = not.b32': not takes 1 source, not 0"
  std::string where;  // the user's "file.cu:12", empty if unknown
  bool operator==(const VerifierMessage&) const = default;
};

// All faults in the order of the module; empty if it is valid.
std::vector<VerifierMessage> verify(const Module& module);

// Throws an Error with the first fault, if there is one.
void require_valid(const Module& module);

}  // namespace raddle::kernel

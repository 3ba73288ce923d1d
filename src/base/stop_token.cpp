#include "base/stop_token.h"

namespace raddle {

namespace {

thread_local StopToken token_in_force;

}  // namespace

StopScope::StopScope(const StopToken& token) : before_(token_in_force) { token_in_force = token; }

StopScope::~StopScope() { token_in_force = before_; }

const StopToken& current_stop() { return token_in_force; }

void throw_if_stopped(const char* phase) {
  const StopReason reason = token_in_force.reason();
  if (reason != StopReason::kNone) throw Stopped{reason, phase};
}

}  // namespace raddle

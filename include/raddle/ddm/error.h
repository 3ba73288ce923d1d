// What can go wrong with a data-driven program: each error says what, where (block and thread by
// name) and what to do.
#pragma once

#include <stdexcept>
#include <string>

namespace raddle::ddm {

class Error : public std::runtime_error {
 public:
  Error(const std::string& what, std::string where, std::string hint)
      : std::runtime_error(message(what, where, hint)),
        where_(std::move(where)),
        hint_(std::move(hint)) {}

  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] const std::string& hint() const { return hint_; }

 private:
  static std::string message(const std::string& what, const std::string& where,
                             const std::string& hint) {
    return (where.empty() ? what : where + ": " + what) + (hint.empty() ? "" : "\nhint: " + hint);
  }

  std::string where_;
  std::string hint_;
};

// The graph as declared can never fire, or is not a graph that the model allows.
class GraphError : public Error {
  using Error::Error;
};

// A context ended although some of its threads still waited for inputs.
class StarvationError : public Error {
  using Error::Error;
};

// The run was stopped through Options::stop.
class CancelledError : public Error {
  using Error::Error;
};

// A node was lost, or what it sent does not fit the graph here.
class NetworkError : public Error {
  using Error::Error;
};

}  // namespace raddle::ddm

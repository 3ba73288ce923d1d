// SQLite with C++ manners: a database and its statements close themselves, values are bound and
// read by type, and every failure is an Error that names the file. Knows no table: those are in
// result_store.cpp.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace raddle::experiment {

class Statement {
 public:
  // Values for ?1, ?2 …; the statement starts anew.
  template <class... Values>
  Statement& bind(const Values&... values) {
    reset();
    int place = 0;
    (bind_one(++place, values), ...);
    return *this;
  }

  // To the next row; false at the end.
  bool step();
  // Binds and runs a statement that gives no rows.
  template <class... Values>
  void run(const Values&... values) {
    bind(values...);
    static_cast<void>(step());
    reset();
  }

  // Columns of the present row, from 0.
  std::int64_t integer(int column) const;
  double number(int column) const;
  std::string text(int column) const;
  bool is_null(int column) const;
  bool is_integer(int column) const;
  bool is_number(int column) const;

 private:
  friend class Database;
  Statement(sqlite3_stmt* statement, const std::string& file);

  void reset();
  void bind_one(int place, std::string_view value);
  void bind_one(int place, const std::string& value) { bind_one(place, std::string_view(value)); }
  void bind_one(int place, const char* value) { bind_one(place, std::string_view(value)); }
  void bind_one(int place, double value);
  void bind_one(int place, bool value) { bind_integer(place, value ? 1 : 0); }
  // Counts of 2^63 and above are beyond any simulation.
  void bind_one(int place, std::integral auto value) {
    bind_integer(place, static_cast<std::int64_t>(value));
  }
  void bind_one(int place, std::nullptr_t);
  template <class Value>
  void bind_one(int place, const std::optional<Value>& value) {
    if (value) {
      bind_one(place, *value);
    } else {
      bind_one(place, nullptr);
    }
  }
  void bind_integer(int place, std::int64_t value);
  void check(int code) const;

  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
  const std::string* file_;
};

class Database {
 public:
  enum class Access { kCreate, kExisting };

  // Waits up to `busy_seconds` for other processes wherever a lock is needed, but no longer than
  // the stop token in force allows.
  Database(const std::filesystem::path& file, Access access, double busy_seconds);

  // Statements without parameters and rows; several may be given.
  void execute(const char* sql);
  Statement prepare(std::string_view sql);
  std::int64_t integer(std::string_view sql);  // the first column of the first row
  std::int64_t last_row_id() const;

  const std::string& file() const { return *file_; }

 private:
  struct Closer {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<std::string> file_;     // statements point to it
  std::unique_ptr<double> busy_seconds_;  // SQLite points to it
  std::unique_ptr<sqlite3, Closer> database_;
};

// Everything until commit() or nothing. Takes the lock for writing at once: two processes that
// both read first and write later could only get in each other's way.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace raddle::experiment

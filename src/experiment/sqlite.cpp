#include "experiment/sqlite.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <chrono>
#include <string>
#include <thread>

#include "base/console.h"
#include "base/error.h"
#include "base/stop_token.h"

namespace raddle::experiment {

namespace {

std::string hint_for(int code) {
  switch (code & 0xff) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT: return "move the file away; the next run starts a new one";
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return "another program keeps the file locked";
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM: return "choose a folder that you may write to with -o FOLDER";
    case SQLITE_FULL:
    case SQLITE_IOERR: return "free some space or name another folder";
    default: return {};
  }
}

[[noreturn]] void fail(sqlite3* database, int code, const std::string& file) {
  const char* text = database == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(database);
  throw Error(fmt::format("result store: {}", text), file, hint_for(code));
}

// Called again and again while another process has a lock; 0: do not wait any longer.
int wait_for_lock(void* busy_seconds, int calls) {
  constexpr std::chrono::milliseconds kBetweenLooks{10};
  constexpr int kCallsBeforeTold = 100;
  const std::chrono::duration<double> limit(*static_cast<const double*>(busy_seconds));
  if (calls == kCallsBeforeTold && calls * kBetweenLooks < limit)
    print_error(
        fmt::format("raddle: note: another program keeps the result store locked; waiting "
                    "for up to {} s\n",
                    limit.count()));
  if (calls * kBetweenLooks >= limit || current_stop().reason() != StopReason::kNone) return 0;
  std::this_thread::sleep_for(kBetweenLooks);
  return 1;
}

}  // namespace

// --- Statement ---------------------------------------------------------------------------------

Statement::Statement(sqlite3_stmt* statement, const std::string& file)
    : statement_(statement), file_(&file) {}

void Statement::Finalizer::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) fail(sqlite3_db_handle(statement_.get()), code, *file_);
}

// What the last step said has been reported there.
void Statement::reset() { sqlite3_reset(statement_.get()); }

bool Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  fail(sqlite3_db_handle(statement_.get()), code, *file_);
}

void Statement::bind_one(int place, std::string_view value) {
  check(sqlite3_bind_text64(statement_.get(), place, value.empty() ? "" : value.data(),
                            value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::bind_one(int place, double value) {
  check(sqlite3_bind_double(statement_.get(), place, value));
}

void Statement::bind_one(int place, std::nullptr_t) {
  check(sqlite3_bind_null(statement_.get(), place));
}

void Statement::bind_integer(int place, std::int64_t value) {
  check(sqlite3_bind_int64(statement_.get(), place, value));
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::number(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}

std::string Statement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_.get(), column);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

bool Statement::is_integer(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_INTEGER;
}

bool Statement::is_number(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_FLOAT;
}

// --- Database ----------------------------------------------------------------------------------

void Database::Closer::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Database::Database(const std::filesystem::path& file, Access access, double busy_seconds)
    : file_(std::make_unique<std::string>(file.string())),
      busy_seconds_(std::make_unique<double>(busy_seconds)) {
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | (access == Access::kCreate ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(file_->c_str(), &handle, flags, nullptr);
  database_.reset(handle);
  if (code != SQLITE_OK) fail(handle, code, *file_);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_handler(handle, wait_for_lock, busy_seconds_.get());
}

void Database::execute(const char* sql) {
  const int code = sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(database_.get(), code, *file_);
}

Statement Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(database_.get(), sql.data(), static_cast<int>(sql.size()),
                                      &statement, nullptr);
  if (code != SQLITE_OK) fail(database_.get(), code, *file_);
  return {statement, *file_};
}

std::int64_t Database::integer(std::string_view sql) {
  Statement statement = prepare(sql);
  return statement.step() ? statement.integer(0) : 0;
}

std::int64_t Database::last_row_id() const { return sqlite3_last_insert_rowid(database_.get()); }

// --- Transaction -------------------------------------------------------------------------------

Transaction::Transaction(Database& database) : database_(database) {
  database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const Error&) {
    // A failed statement may have rolled it back already.
    open_ = false;
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace raddle::experiment

#include "experiment/measure_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <lua.hpp>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/nearest_name.h"
#include "base/number_format.h"
#include "base/wildcard.h"
#include "experiment/measure_prelude.h"

namespace raddle::experiment {

namespace {

constexpr int kMaxSteps = 10'000'000;  // of one expression; then it is taken to be endless
constexpr char kChunk[] = "=claim";    // NOLINT(modernize-avoid-c-arrays): Lua wants a C string

std::vector<std::string> texts_at(lua_State* lua, int index) {
  std::vector<std::string> texts;
  const auto count = static_cast<lua_Integer>(lua_rawlen(lua, index));
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_rawgeti(lua, index, i);
    texts.emplace_back(luaL_checkstring(lua, -1));
    lua_pop(lua, 1);
  }
  return texts;
}

Series series_at(lua_State* lua, int index) {
  if (lua_type(lua, index) == LUA_TNUMBER) return Series::number(lua_tonumber(lua, index));
  Series series;
  const auto count = static_cast<lua_Integer>(lua_rawlen(lua, index));
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_rawgeti(lua, index, i);
    series.values.push_back(luaL_checknumber(lua, -1));
    lua_pop(lua, 1);
  }
  lua_pushstring(lua, "labels");
  lua_rawget(lua, index < 0 ? index - 1 : index);
  series.labels = texts_at(lua, lua_gettop(lua));
  lua_pop(lua, 1);
  return series;
}

void push_series(lua_State* lua, const Series& series) {
  lua_createtable(lua, static_cast<int>(series.values.size()), 1);
  lua_newtable(lua);
  lua_Integer place = 0;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    ++place;
    lua_pushnumber(lua, series.values[i]);
    lua_rawseti(lua, -3, place);
    lua_pushstring(lua, series.labels.at(i).c_str());
    lua_rawseti(lua, -2, place);
  }
  lua_setfield(lua, -2, "labels");
}

void stop_endless(lua_State* lua, lua_Debug*) {
  luaL_error(lua, "the expression does not end: more than %d steps", kMaxSteps);
}

// Puts the line of the expression at which it happened after the message: "message\nLINE".
int add_line(lua_State* lua) {
  std::string message = lua_tostring(lua, 1) == nullptr ? "no message" : lua_tostring(lua, 1);
  int line = 0;
  lua_Debug frame{};
  for (int level = 1; line <= 0 && lua_getstack(lua, level, &frame) != 0; ++level) {
    lua_getinfo(lua, "Sl", &frame);
    if (frame.source == std::string_view(kChunk)) line = frame.currentline;
  }
  // Lua's own messages begin with the place, "claim:12: ".
  const std::size_t digits = message.find(':');
  const std::size_t end = message.find(": ");
  if (digits < end && message.find_first_not_of("0123456789", digits + 1) == end)
    message.erase(0, end + 2);
  message += fmt::format("\n{}", line);
  lua_pushlstring(lua, message.data(), message.size());
  return 1;
}

bool is_statement(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\n"), text.size()));
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"local ", "for ", "if ", "function ", "return "},
      [&](std::string_view word) { return text.starts_with(word); });
}

// One {EXPRESSION:FORMAT} of a text.
struct Placeholder {
  std::string_view expression;
  std::string format;
};

Placeholder placeholder_of(std::string_view inside) {
  const std::size_t colon = inside.rfind(':');
  if (colon == std::string_view::npos) return {inside, ".4g"};
  const std::string_view format = inside.substr(colon + 1);
  // A colon may also stand in a name: energy["static: L2"].
  if (format.find_first_not_of("0123456789.,+-efg") != std::string_view::npos)
    return {inside, ".4g"};
  return {inside.substr(0, colon), std::string(format)};
}

std::string formatted(double value, const std::string& format) {
  if (format == ",") return with_thousands(static_cast<std::int64_t>(std::llround(value)));
  const std::string text = fmt::format(fmt::runtime("{:" + format + "}"), value);
  return text.find_first_not_of("-0.") == std::string::npos && text.starts_with('-')
             ? text.substr(1)  // not "-0"
             : text;
}

}  // namespace

struct Expressions::Interpreter {
  lua_State* lua = nullptr;
  std::vector<std::string> groups;
  FigureLookup lookup;
  std::exception_ptr thrown;  // in a function of ours that Lua had called
  std::string hint;
  std::string file;

  Interpreter(std::vector<std::string> known, FigureLookup find)
      : lua(luaL_newstate()), groups(std::move(known)), lookup(std::move(find)) {
    if (lua == nullptr) throw Error("cannot start Lua: out of memory");
    for (const luaL_Reg& library :
         {luaL_Reg{LUA_GNAME, luaopen_base}, luaL_Reg{LUA_MATHLIBNAME, luaopen_math},
          luaL_Reg{LUA_TABLIBNAME, luaopen_table}}) {
      luaL_requiref(lua, library.name, library.func, 1);
      lua_pop(lua, 1);
    }
    luaL_loadbufferx(lua, kMeasurePrelude, sizeof(kMeasurePrelude) - 1, "=prelude", "t");
    lua_newtable(lua);
    for (const std::string& group : groups) {
      lua_pushboolean(lua, 1);
      lua_setfield(lua, -2, group.c_str());
    }
    push_function(find_figure);
    push_function(matches);
    push_function(suggest);
    const int status = lua_pcall(lua, 4, 3, 0);
    RADDLE_ASSERT(status == LUA_OK);
    lua_setfield(lua, LUA_REGISTRYINDEX, "seal");
    lua_setfield(lua, LUA_REGISTRYINDEX, "value_of");
    lua_setfield(lua, LUA_REGISTRYINDEX, "language");
  }
  ~Interpreter() { lua_close(lua); }
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  void push_function(lua_CFunction function) {
    lua_pushlightuserdata(lua, this);
    lua_pushcclosure(lua, function, 1);
  }
  static Interpreter& self(lua_State* lua) {
    return *static_cast<Interpreter*>(lua_touserdata(lua, lua_upvalueindex(1)));
  }

  // Lua leaves a function by longjmp, so nothing with a destructor may be alive at lua_error.
  static int find_figure(lua_State* lua) {
    Interpreter& me = self(lua);
    const int parts = lua_gettop(lua);
    for (int i = 1; i <= parts; ++i) luaL_checkstring(lua, i);
    try {
      std::vector<std::string> path;
      for (int i = 1; i <= parts; ++i) path.emplace_back(lua_tostring(lua, i));
      push_series(lua, me.lookup(path));
      return 1;
    } catch (const Error& error) {
      lua_pushstring(lua, error.what());
      me.hint = error.hint();
    } catch (...) {
      me.thrown = std::current_exception();
      lua_pushstring(lua, "");
    }
    return lua_error(lua);
  }

  static int matches(lua_State* lua) {
    lua_pushboolean(lua,
                    matches_wildcard(luaL_checkstring(lua, 1), luaL_checkstring(lua, 2)) ? 1 : 0);
    return 1;
  }

  // (message, name, known names): fails with the nearest of them for a hint.
  static int suggest(lua_State* lua) {
    self(lua).hint = suggestion(luaL_checkstring(lua, 2), texts_at(lua, 3));
    lua_settop(lua, 1);
    return lua_error(lua);
  }

  // What is on the stack: a message and the line of the file, "message\nLINE".
  [[noreturn]] void fail(unsigned line) {
    std::string message = lua_tostring(lua, -1);
    lua_settop(lua, 0);
    if (thrown) std::rethrow_exception(std::exchange(thrown, nullptr));
    const std::size_t newline = message.rfind('\n');
    if (newline != std::string::npos) {
      const int found = std::atoi(message.c_str() + newline + 1);
      if (found > 0) line = static_cast<unsigned>(found);
      message.resize(newline);
    }
    throw Error(message, spec_place(file, line), std::exchange(hint, {}));
  }

  // Leaves `results` values on the stack. Empty lines in front give Lua the lines of the file.
  void run(const SpecText& text, std::string_view before, int results) {
    lua_settop(lua, 0);
    hint.clear();
    const std::string source =
        std::string(text.line > 0 ? text.line - 1 : 0, '\n') + std::string(before) + text.text;
    lua_pushcfunction(lua, add_line);
    if (luaL_loadbufferx(lua, source.data(), source.size(), kChunk, "t") != LUA_OK) {
      // "claim:12: unexpected symbol near …"
      std::string message = lua_tostring(lua, -1);
      const std::size_t end = message.find(": ");
      const int line = std::atoi(message.c_str() + std::string_view(kChunk).size());
      message = fmt::format("{}\n{}", message.substr(end + 2), line);
      lua_pushlstring(lua, message.data(), message.size());
      fail(text.line);
    }
    lua_getfield(lua, LUA_REGISTRYINDEX, "language");
    lua_setupvalue(lua, -2, 1);
    lua_sethook(lua, stop_endless, LUA_MASKCOUNT, kMaxSteps);
    if (lua_pcall(lua, 0, results, 1) != LUA_OK) fail(text.line);
  }

  Series evaluate(const SpecText& text) {
    run(text, is_statement(text.text) ? "" : "return ", 1);
    lua_getfield(lua, LUA_REGISTRYINDEX, "value_of");
    lua_rotate(lua, -2, 1);
    if (lua_pcall(lua, 1, 1, 1) != LUA_OK) fail(text.line);
    Series series = series_at(lua, -1);
    lua_settop(lua, 0);
    return series;
  }
};

Expressions::Expressions(std::vector<std::string> groups, FigureLookup lookup)
    : interpreter_(std::make_unique<Interpreter>(std::move(groups), std::move(lookup))) {}

Expressions::~Expressions() = default;

void Expressions::define(const SpecText& functions, const std::string& file) {
  interpreter_->file = file;
  interpreter_->run(functions, "", 0);
  lua_getfield(interpreter_->lua, LUA_REGISTRYINDEX, "seal");
  lua_call(interpreter_->lua, 0, 0);
}

Series Expressions::evaluate(const SpecText& expression, const std::string& file) {
  interpreter_->file = file;
  return interpreter_->evaluate(expression);
}

std::string Expressions::filled_in(const SpecText& text, const std::string& file) {
  std::string filled;
  const std::string_view all = text.text;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool doubled = i + 1 < all.size() && all[i] == all[i + 1];
    if (all[i] != '{' && all[i] != '}') {
      filled += all[i] == '\n' ? ' ' : all[i];
    } else if (doubled) {
      filled += all[i++];
    } else {
      std::size_t end = i;
      for (int depth = 0; end < all.size(); ++end) {
        depth += all[end] == '{' ? 1 : all[end] == '}' ? -1 : 0;
        if (depth <= 0) break;
      }
      const auto line =
          text.line + static_cast<unsigned>(std::ranges::count(all.substr(0, i), '\n'));
      if (all[i] == '}' || end == all.size())
        throw Error("unmatched brace", spec_place(file, line), "write {{ for a brace");
      const Placeholder place = placeholder_of(all.substr(i + 1, end - i - 1));
      const Series value = evaluate({std::string(place.expression), line}, file);
      if (value.values.size() != 1)
        throw Error(
            fmt::format("'{}' has {} values; expected one", place.expression, value.values.size()),
            spec_place(file, line));
      filled += formatted(value.values[0], place.format);
      i = end;
    }
  }
  return filled;
}

}  // namespace raddle::experiment

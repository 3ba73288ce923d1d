#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>

#include "lang/e/interpreter_state.h"

namespace raddle::e {

void Interpreter::run_multi(const Statement& statement) {
  const Value source = evaluate(*statement.value);
  if (fibers() == 0 || !somebody_takes_part()) return;
  const std::vector<std::size_t> indices = indices_of(*statement.target);
  const std::size_t shared = shared_index(*statement.target);
  for (std::size_t i = 0; i < fibers(); ++i) {
    if (!takes_part(i)) continue;
    const std::size_t index = indices.size() == 1 ? indices[0] : indices[i];
    log_multi({shared, index}, statement.multi, statement.position);
    std::int64_t& word = memory_[shared][index];
    word = apply(statement.multi, word, source.at(i));
  }
}

// p_i := old op v_0 op … op v_{i-1}, in ascending order of the fibers that have the same target.
void Interpreter::run_prefix(const Statement& statement) {
  const Value source = evaluate(*statement.value);
  if (fibers() == 0 || !somebody_takes_part()) return;
  const std::vector<std::size_t> indices = indices_of(*statement.target);
  const std::size_t shared = shared_index(*statement.target);
  const Expr& result = *statement.operands[0];
  // Where the prefixes go is settled before the targets change.
  std::vector<std::size_t> places;
  if (result.symbol->kind != SymbolKind::kFiber) places = indices_of(result);
  Value prefixes{true, 0, std::vector<std::int64_t>(fibers())};
  for (std::size_t i = 0; i < fibers(); ++i) {
    if (!takes_part(i)) continue;
    const std::size_t index = indices.size() == 1 ? indices[0] : indices[i];
    log_read({shared, index}, statement.position);
    log_write({shared, index}, statement.position);
    std::int64_t& word = memory_[shared][index];
    const std::int64_t old = word;
    word = apply(statement.multi, word, source.at(i));
    prefixes.lanes[i] = statement.inclusive ? word : old;
  }
  if (places.empty()) {
    store(result, prefixes);
    return;
  }
  const std::size_t destination = shared_index(result);
  for (std::size_t i = fibers(); i-- > 0;) {
    if (!takes_part(i)) continue;
    const std::size_t place = places.size() == 1 ? places[0] : places[i];
    log_write({destination, place}, statement.position);
    memory_[destination][place] = prefixes.lanes[i];
  }
}

// Fibers whose condition holds put their value after those of lower number; the counter goes on
// from what it held. A partition does the same for the other fibers with a second destination.
void Interpreter::run_compaction(const Statement& statement) {
  const Value condition = evaluate(*statement.target);
  const Value source = evaluate(*statement.value);
  struct Side {
    const Expr* destination;
    std::size_t counter;
    std::size_t counter_index;
    std::int64_t count;
  };
  std::vector<Side> sides;
  for (std::size_t i = 0; i + 1 < statement.operands.size(); i += 2) {
    const Expr& counter = *statement.operands[i + 1];
    const std::size_t index = indices_of(counter)[0];
    sides.push_back({statement.operands[i].get(), shared_index(counter), index,
                     memory_[shared_index(counter)][index]});
  }
  for (std::size_t i = 0; i < fibers(); ++i) {
    if (!takes_part(i)) continue;
    const std::size_t which = condition.at(i) != 0 ? 0 : 1;
    if (which >= sides.size()) continue;
    Side& side = sides[which];
    std::vector<std::int64_t>& words = memory_[shared_index(*side.destination)];
    if (side.count < 0 || side.count >= static_cast<std::int64_t>(words.size())) {
      fail(side.destination->position, fmt::format("index {} is outside {}[{}]", side.count,
                                                   side.destination->name, words.size()));
    }
    const auto place = static_cast<std::size_t>(side.count++);
    log_write({shared_index(*side.destination), place}, statement.position);
    words[place] = source.at(i);
  }
  for (const Side& side : sides) {
    log_read({side.counter, side.counter_index}, statement.position);
    log_write({side.counter, side.counter_index}, statement.position);
    memory_[side.counter][side.counter_index] = side.count;
  }
}

void Interpreter::run_split(const Statement& statement) {
  const Value condition = evaluate(*statement.value);
  const Flow parent = flow_;
  std::vector<AccessLog> logs(2);
  std::vector<std::vector<std::int64_t>> fibers_after = flow_.fibers;
  for (std::size_t branch = 0; branch < statement.body.size(); ++branch) {
    flow_ = parent;
    flow_.log = &logs[branch];
    flow_.parents.clear();
    for (std::size_t i = 0; i < static_cast<std::size_t>(parent.thickness); ++i) {
      if ((condition.at(i) != 0) == (branch == 0)) {
        flow_.parents.push_back(static_cast<std::int64_t>(i));
      }
    }
    const std::vector<std::int64_t> members = flow_.parents;
    flow_.thickness = static_cast<std::int64_t>(members.size());
    if (members.empty()) continue;
    for (const auto& symbol : statement.captured) {
      std::vector<std::int64_t> lanes;
      for (const std::int64_t member : members) {
        lanes.push_back(parent.fibers[symbol->id][static_cast<std::size_t>(member)]);
      }
      flow_.fibers[symbol->id] = std::move(lanes);
    }
    run(*statement.body[branch]);
    for (const auto& symbol : statement.captured) {
      for (std::size_t i = 0; i < members.size(); ++i) {
        fibers_after[symbol->id][static_cast<std::size_t>(members[i])] =
            flow_.fibers[symbol->id][i];
      }
    }
  }
  flow_ = parent;
  flow_.fibers = std::move(fibers_after);
  join(logs);
}

void Interpreter::run_par(const Statement& statement) {
  const Flow parent = flow_;
  std::vector<AccessLog> logs(statement.body.size());
  for (std::size_t i = 0; i < statement.body.size(); ++i) {
    flow_ = parent;
    flow_.thickness = 1;
    flow_.parents.clear();
    flow_.log = &logs[i];
    run(*statement.body[i]);
  }
  flow_ = parent;
  join(logs);
}

void Interpreter::run_par_for(const Statement& statement) {
  const std::int64_t count = std::max<std::int64_t>(0, scalar_of(*statement.value));
  if (count > limits_.thickness) {
    fail(statement.value->position, fmt::format("{} flows are more than can run", count));
  }
  const Flow parent = flow_;
  std::vector<AccessLog> logs(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < logs.size(); ++i) {
    flow_ = parent;
    flow_.thickness = 1;
    flow_.parents.clear();
    flow_.log = &logs[i];
    flow_.commons[statement.variable->id] = static_cast<std::int64_t>(i);
    run(*statement.body[0]);
  }
  flow_ = parent;
  join(logs);
}

// Turns may run in any groups, so all of them count as running at the same time.
void Interpreter::run_par_loop(const Statement& statement) {
  run_all(statement.init);
  std::deque<AccessLog> logs;
  for (;;) {
    run_calls(*statement.value);
    if (scalar_of(*statement.value) == 0) break;
    if (++statements_ > limits_.statements) fail(statement.position, "the loop does not terminate");
    const Flow parent = flow_;
    flow_.thickness = 1;
    flow_.parents.clear();
    flow_.log = &logs.emplace_back();
    run(*statement.body[0]);
    flow_ = parent;
    run_all(statement.step);
  }
  std::vector<AccessLog> all(std::make_move_iterator(logs.begin()),
                             std::make_move_iterator(logs.end()));
  join(all);
}

// Flows that run at the same time may read the same words and add to the same counters, but what
// one of them writes no other may touch: which came first would decide the result.
void Interpreter::join(std::vector<AccessLog>& logs) {
  AccessLog all;
  for (AccessLog& log : logs) {
    for (const auto& [word, access] : log) {
      const auto [place, fresh] = all.try_emplace(word, access);
      if (fresh) continue;
      Access& other = place->second;
      const bool both_read =
          !access.write && !other.write && access.multi == -1 && other.multi == -1;
      const bool both_multi = access.multi >= 0 && access.multi == other.multi && !access.read &&
                              !access.write && !other.read && !other.write;
      if (!both_read && !both_multi) {
        fail(access.position,
             fmt::format("two flows that run at the same time use {}[{}], and one changes it; the "
                         "other use is on {}",
                         program_.shared[word.first]->name, word.second,
                         program_.map.line_text(other.position.line, access.position)),
             "let the flows join before, or give each its own place");
      }
      other.read = other.read || access.read;
    }
  }
  if (flow_.log == nullptr) return;
  for (const auto& [word, access] : all) {
    Access& mine = (*flow_.log)[word];
    mine.read = mine.read || access.read;
    mine.write = mine.write || access.write;
    if (access.multi != -1)
      mine.multi = mine.multi == -1 || mine.multi == access.multi ? access.multi : -2;
    mine.position = access.position;
  }
}

void Interpreter::log_read(Word word, Position position) {
  if (flow_.log == nullptr) return;
  Access& access = (*flow_.log)[word];
  access.read = true;
  access.position = position;
}

void Interpreter::log_write(Word word, Position position) {
  if (flow_.log == nullptr) return;
  Access& access = (*flow_.log)[word];
  access.write = true;
  access.position = position;
}

void Interpreter::log_multi(Word word, MultiOperator op, Position position) {
  if (flow_.log == nullptr) return;
  Access& access = (*flow_.log)[word];
  const int number = static_cast<int>(op);
  access.multi = access.multi == -1 || access.multi == number ? number : -2;
  access.position = position;
}

}  // namespace raddle::e

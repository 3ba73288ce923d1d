// FFT: the radix-√n six-step transform of Bailey (1990), as SPLASH-2 has it. The points are a
// square matrix: it is transposed, its rows are transformed and turned by roots of unity, it is
// transposed again, its rows are transformed, it is transposed back and copied. An iteration is a
// butterfly of a row, or a point that is moved; a thread does `grain` of them. Rows are dealt out
// to the nodes; transpositions send every node's part of every row to all others. Of the rows of a
// chunk one is transformed after the other, so that it stays in the cache from stage to stage.
#include <algorithm>
#include <complex>
#include <numbers>
#include <vector>

#include "application.h"

using namespace application;

namespace {

struct Point {
  double re, im;
  friend Point operator+(Point a, Point b) { return {a.re + b.re, a.im + b.im}; }
  friend Point operator-(Point a, Point b) { return {a.re - b.re, a.im - b.im}; }
  friend Point operator*(Point a, Point b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
};

Point root_of_unity(std::size_t power, std::size_t n) {
  const double angle =
      -2 * std::numbers::pi * static_cast<double>(power % n) / static_cast<double>(n);
  return {std::cos(angle), std::sin(angle)};
}

// A square of points by rows, each longer by a line of the cache than it need be: columns of a
// power of two would lie in the same few sets.
struct Square {
  explicit Square(std::size_t size) : side(size), points(size * (size + kPadding)) {}
  Point* row(std::size_t r) { return &points[r * (side + kPadding)]; }
  const Point* row(std::size_t r) const { return &points[r * (side + kPadding)]; }

  static constexpr std::size_t kPadding = 2;
  std::size_t side;
  std::vector<Point> points;
};

constexpr std::size_t kChunks = 32;  // of rows
constexpr std::size_t kPhases = 2;   // each transposes the points and transforms the rows

struct Transform {
  std::size_t n, side, stages;  // stages of a row
  Square input;
  std::vector<Square> rows;  // of each phase, transformed in place
  Square back, result;       // transposed again, and copied
  std::vector<Point> roots;  // of a row
  // The place of each coefficient of a transformed row: its bits in reverse order.
  std::vector<std::size_t> reversed;
  Square turns;  // for each point of the first phase

  explicit Transform(std::size_t size)
      : n(size),
        side(side_of(size)),
        stages(0),
        input(side),
        rows(kPhases, Square(side)),
        back(side),
        result(side),
        roots(side / 2),
        reversed(side),
        turns(side) {
    while (std::size_t{1} << stages < side) ++stages;
    for (std::size_t i = 0; i < side; ++i) {
      for (std::size_t bit = 0; bit < stages; ++bit)
        reversed[i] |= (i >> bit & 1) << (stages - 1 - bit);
    }
    Random random(2);
    for (std::size_t i = 0; i < n; ++i)
      input.row(i / side)[i % side] = {random.uniform() - 0.5, random.uniform() - 0.5};
    for (std::size_t i = 0; i < side / 2; ++i) roots[i] = root_of_unity(i, side);
    for (std::size_t r = 0; r < side; ++r) {
      for (std::size_t at = 0; at < side; ++at)
        turns.row(r)[at] = root_of_unity(r * reversed[at], n);
    }
  }
  static std::size_t side_of(std::size_t points) {
    std::size_t side = 1;
    while (side * side < points) side *= 2;
    return side;
  }

  // Butterfly b of a stage works on points i and i + span of its row.
  std::size_t span_of(std::size_t stage) const { return side / 2 >> stage; }
  static std::size_t upper(std::size_t b, std::size_t span) {
    return b / span * 2 * span + b % span;
  }
  static std::size_t butterfly_of(std::size_t i, std::size_t span) {
    return i / (2 * span) * span + i % span;
  }

  // What transposition number `turn` takes: the points of a column from row `first` on.
  const Square& before(std::size_t turn) const { return turn == 0 ? input : rows[turn - 1]; }
  Square& after(std::size_t turn) { return turn < kPhases ? rows[turn] : back; }
  std::size_t column(std::size_t turn, std::size_t row) const {
    return turn == 0 ? row : reversed[row];
  }
  // Points first to last of a row of the transposed square.
  void transpose(std::size_t turn, std::size_t row, std::size_t first, std::size_t last) {
    const Square& from = before(turn);
    Point* to = after(turn).row(row);
    const std::size_t from_column = column(turn, row);
    for (std::size_t i = first; i < last; ++i) to[i] = from.row(i)[from_column];
  }
  void butterflies(std::size_t phase, std::size_t row, std::size_t stage, std::size_t first,
                   std::size_t last) {
    Point* points = rows[phase].row(row);
    const Point* turn = turns.row(row);
    const std::size_t span = span_of(stage);
    const bool turned = phase == 0 && span == 1;
    for (std::size_t b = first; b < last; ++b) {
      Point &u = points[upper(b, span)], &v = points[upper(b, span) + span];
      const Point sum = u + v;
      const Point difference = (u - v) * roots[b % span * (side / 2 / span)];
      u = turned ? sum * turn[2 * b] : sum;
      v = turned ? difference * turn[2 * b + 1] : difference;
    }
  }
  void copy(std::size_t row, std::size_t first, std::size_t last) {
    std::copy(back.row(row) + first, back.row(row) + last, result.row(row) + first);
  }
};

void transform(Transform& t) {
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    for (std::size_t row = 0; row < t.side; ++row) t.transpose(phase, row, 0, t.side);
    for (std::size_t row = 0; row < t.side; ++row) {
      for (std::size_t stage = 0; stage < t.stages; ++stage)
        t.butterflies(phase, row, stage, 0, t.side / 2);
    }
  }
  for (std::size_t row = 0; row < t.side; ++row) t.transpose(kPhases, row, 0, t.side);
  for (std::size_t row = 0; row < t.side; ++row) t.copy(row, 0, t.side);
}

// Calls use(consumer) once for each different consumer of some points of a row.
template <class ConsumerOf, class Use>
void for_each_consumer(std::span<const std::size_t> points, ConsumerOf consumer_of, Use use) {
  std::vector<std::size_t> consumers;
  for (const std::size_t point : points) consumers.push_back(consumer_of(point));
  std::sort(consumers.begin(), consumers.end());
  consumers.erase(std::unique(consumers.begin(), consumers.end()), consumers.end());
  for (const std::size_t each : consumers) use(each);
}

// The data-driven program: how threads cut rows into pieces of `grain`, and what follows what.
class ThreadedTransform {
 public:
  ThreadedTransform(Transform& transform, std::size_t grain)
      : t_(transform),
        grain_(grain),
        parts_(divide_up(t_.side, grain)),
        pieces_(divide_up(t_.side / 2, grain)) {}

  void run() {
    ddm::Program<> program("fft");
    auto turn = add_transposition(program, 0);
    for (std::size_t phase = 0; phase < kPhases; ++phase) {
      auto rows = add_rows(program, phase);
      connect(turn, rows, phase);
      turn = add_transposition(program, phase + 1);
      connect(rows, turn, phase);
    }
    auto copy = program.thread(
        "copy", ddm::range(t_.side, parts_),
        [this](std::size_t row, std::size_t part) { t_.copy(row, part * grain_, end(part)); });
    copy.on(
        [this](std::size_t row, std::size_t, int nodes) { return share_of(row, t_.side, nodes); });
    copy.reads([this](std::size_t row, std::size_t part) {
      return ddm::data(piece_of(t_.back, row, part));
    });
    turn.then(copy).carries([this](std::size_t row, std::size_t part) {
      return ddm::data(piece_of(t_.back, row, part));
    });
    program.run();
    share(
        t_.side, [this](std::size_t row, int nodes) { return share_of(row, t_.side, nodes); },
        [this](std::size_t row) { return ddm::data(std::span(t_.result.row(row), t_.side)); });
  }

 private:
  using Turn = ddm::Thread<ddm::NoFrame, 2>;
  using Rows = ddm::Thread<ddm::NoFrame, 3>;

  std::size_t end(std::size_t part) const { return std::min(t_.side, (part + 1) * grain_); }
  std::span<Point> piece_of(Square& square, std::size_t row, std::size_t part) const {
    return {square.row(row) + part * grain_, end(part) - part * grain_};
  }
  // Both points of each butterfly of a piece.
  std::vector<std::size_t> points_of(std::size_t stage, std::size_t piece) const {
    std::vector<std::size_t> points;
    const std::size_t span = t_.span_of(stage);
    for (std::size_t b = piece * grain_; b < std::min(t_.side / 2, (piece + 1) * grain_); ++b) {
      points.push_back(Transform::upper(b, span));
      points.push_back(Transform::upper(b, span) + span);
    }
    return points;
  }

  // A piece of a row is gathered where it comes from, and goes to the row's node as a whole.
  Turn add_transposition(ddm::Program<>& program, std::size_t number) {
    auto turn =
        program.thread("transpose" + std::to_string(number + 1), ddm::range(t_.side, parts_),
                       [this, number](std::size_t row, std::size_t part) {
                         t_.transpose(number, row, part * grain_, end(part));
                       });
    turn.on([this](std::size_t, std::size_t part, int nodes) {
      return share_of(part * grain_, t_.side, nodes);
    });
    turn.reads([this, number](std::size_t row, std::size_t part) {
      std::vector<ddm::Operand> reads;
      for (std::size_t i = part * grain_; i < end(part); ++i)
        reads.push_back(ddm::data(t_.before(number).row(i)[t_.column(number, row)])[0]);
      return reads;
    });
    return turn;
  }

  Rows add_rows(ddm::Program<>& program, std::size_t phase) {
    auto rows =
        program.thread("rows" + std::to_string(phase + 1), ddm::range(t_.side, t_.stages, pieces_),
                       [this, phase](std::size_t row, std::size_t stage, std::size_t piece) {
                         t_.butterflies(phase, row, stage, piece * grain_,
                                        std::min(t_.side / 2, (piece + 1) * grain_));
                       });
    rows.on([side = t_.side](std::size_t row, std::size_t, std::size_t, int nodes) {
      return share_of(row, side, nodes);
    });
    rows.reads([this, phase](std::size_t row, std::size_t stage, std::size_t piece) {
      const std::size_t span = t_.span_of(stage);
      std::vector<ddm::Operand> reads;
      for (const std::size_t point : points_of(stage, piece)) {
        reads.push_back(ddm::data(t_.rows[phase].row(row)[point])[0]);
        if (phase == 0 && span == 1) reads.push_back(ddm::data(t_.turns.row(row)[point])[0]);
        const std::size_t root = point % span * (t_.side / 2 / span);
        if (point / span % 2 == 0) reads.push_back(ddm::data(t_.roots[root])[0]);
      }
      return reads;
    });
    rows.then(rows, [this](std::size_t row, std::size_t stage, std::size_t piece, ddm::To<3> to) {
      if (stage + 1 == t_.stages) return;
      for_each_consumer(
          points_of(stage, piece),
          [&](std::size_t point) {
            return Transform::butterfly_of(point, t_.span_of(stage + 1)) / grain_;
          },
          [&](std::size_t next) { to(row, stage + 1, next); });
    });
    auto done = program.thread("row_done" + std::to_string(phase + 1), ddm::range(t_.side),
                               [](std::size_t) {});
    done.on([side = t_.side](std::size_t row, int nodes) { return share_of(row, side, nodes); });
    rows.then(done, [this](std::size_t row, std::size_t stage, std::size_t, ddm::To<1> to) {
      if (stage + 1 == t_.stages) to(row);
    });
    const std::size_t chunk = divide_up(t_.side, kChunks);
    done.then(rows, [this, chunk](std::size_t row, ddm::To<3> to) {
      if ((row + 1) % chunk == 0 || row + 1 == t_.side) return;
      for (std::size_t piece = 0; piece < pieces_; ++piece) to(row + 1, 0, piece);
    });
    return rows;
  }

  void connect(Turn& turn, Rows& rows, std::size_t phase) {
    turn.then(rows,
              [this](std::size_t row, std::size_t part, ddm::To<3> to) {
                std::vector<std::size_t> points;
                for (std::size_t i = part * grain_; i < end(part); ++i) points.push_back(i);
                for_each_consumer(
                    points,
                    [&](std::size_t point) {
                      return Transform::butterfly_of(point, t_.span_of(0)) / grain_;
                    },
                    [&](std::size_t piece) { to(row, 0, piece); });
              })
        .carries([this, phase](std::size_t row, std::size_t part) {
          return ddm::data(piece_of(t_.rows[phase], row, part));
        });
  }

  // Coefficient k of a row is in row k of the transposed square, in the part that this row is in.
  void connect(Rows& rows, Turn& turn, std::size_t phase) {
    rows.then(turn,
              [this](std::size_t row, std::size_t stage, std::size_t piece, ddm::To<2> to) {
                if (stage + 1 < t_.stages) return;
                for (const std::size_t point : points_of(stage, piece))
                  to(t_.reversed[point], row / grain_);
              })
        .carries([this, phase](std::size_t row, std::size_t, std::size_t, std::size_t to_row,
                               std::size_t) {
          return ddm::data(t_.rows[phase].row(row)[t_.reversed[to_row]]);
        });
  }

  Transform& t_;
  std::size_t grain_, parts_, pieces_;
};

bool check(const Transform& t) {
  Transform plain(t.n);
  transform(plain);
  for (std::size_t i = 0; i < t.n; ++i) {
    const Point &a = t.result.row(i / t.side)[i % t.side],
                &b = plain.result.row(i / t.side)[i % t.side];
    if (a.re != b.re || a.im != b.im) return false;
  }
  // Some coefficients from their definition.
  for (const std::size_t k : {std::size_t{3}, t.side, t.n - 1}) {
    std::complex<double> sum = 0;
    for (std::size_t i = 0; i < t.n; ++i) {
      const Point x = t.input.row(i / t.side)[i % t.side], root = root_of_unity(k * i, t.n);
      sum += std::complex(x.re, x.im) * std::complex(root.re, root.im);
    }
    const Point got = t.result.row(k / t.side)[k % t.side];
    if (std::abs(sum - std::complex(got.re, got.im)) >= 1e-9 * static_cast<double>(t.n))
      return false;
  }
  return true;
}

}  // namespace

int main(int count, char** words) {
  const Arguments arguments = parse(count, words, {65536, 1048576});
  const std::size_t side = Transform::side_of(arguments.size);
  if (side * side != arguments.size || side < 4) {
    std::fprintf(stderr, "size=%zu: must be a power of four, at least 16\n", arguments.size);
    return 2;
  }
  Transform t(arguments.size);
  if (arguments.sequential) {
    run_sequentially([&] { transform(t); });
  } else {
    ThreadedTransform(t, arguments.grain).run();
  }
  return finish("fft", arguments, check(t), digest(std::span<const Point>(t.result.points)));
}

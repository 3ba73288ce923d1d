// Cholesky: factorisation of a sparse symmetric matrix, L·Lᵀ = A, in panels of columns with the
// same rows (supernodes), by fan-out: a panel that is finished updates all later ones that it has
// rows in. An iteration is one row of a panel that is updated or finished; a thread does `grain` of
// them. The updates of the same rows follow each other, in the order of the columns they come from.
#include <array>

#include "sparse_matrix.h"

using namespace application;

namespace {

// The square on top of panel `p`.
void factor_diagonal(SparseMatrix& m, std::size_t p) {
  const std::size_t width = m.panels[p].width;
  for (std::size_t k = 0; k < width; ++k) {
    double* pivot = m.row(p, k);
    double square = pivot[k];
    for (std::size_t i = 0; i < k; ++i) square -= pivot[i] * pivot[i];
    pivot[k] = std::sqrt(square);
    for (std::size_t r = k + 1; r < width; ++r) {
      double* row = m.row(p, r);
      double value = row[k];
      for (std::size_t i = 0; i < k; ++i) value -= row[i] * pivot[i];
      row[k] = value / pivot[k];
    }
  }
}

void solve_row(SparseMatrix& m, std::size_t p, std::size_t r) {
  double* row = m.row(p, r);
  for (std::size_t k = 0; k < m.panels[p].width; ++k) {
    const double* pivot = m.row(p, k);
    double value = row[k];
    for (std::size_t i = 0; i < k; ++i) value -= row[i] * pivot[i];
    row[k] = value / pivot[k];
  }
}

// Panel `to` loses what its rows have in common in panel `from`: rows `first_column` to
// `last_column` of `from` are columns of `to`, and each row from there on is some row of `to`.
struct Update {
  std::uint32_t from, to;
  std::uint32_t first_column, last_column;
  std::size_t places;                 // for each row from first_column on: which row of `to`
  std::uint32_t first_row, last_row;  // those that this thread does
  std::uint32_t block;
};

void update_row(SparseMatrix& m, const std::vector<std::uint32_t>& places, const Update& update,
                std::size_t r) {
  const Panel& from = m.panels[update.from];
  const double* source = m.row(update.from, r);
  double* target = m.row(update.to, places[update.places + r - update.first_column]);
  const std::size_t last = std::min<std::size_t>(update.last_column, r + 1);
  for (std::size_t c = update.first_column; c < last; ++c) {
    const double* other = m.row(update.from, c);
    double sum = 0;
    for (std::size_t i = 0; i < from.width; ++i) sum += source[i] * other[i];
    target[from.rows[c] - m.panels[update.to].first] -= sum;
  }
}

// All updates of whole panels, in the order of the panels they come from.
struct Symbolic {
  std::vector<std::uint32_t> places;
  std::vector<Update> updates;
  std::vector<std::size_t> first_update;  // of a panel

  explicit Symbolic(const SparseMatrix& m) {
    for (std::uint32_t p = 0; p < m.panels.size(); ++p) {
      first_update.push_back(updates.size());
      const auto& rows = m.panels[p].rows;
      for (auto c = static_cast<std::uint32_t>(m.panels[p].width); c < rows.size();) {
        const std::uint32_t to = m.panel_of[rows[c]];
        std::uint32_t last = c;
        while (last < rows.size() && m.panel_of[rows[last]] == to) ++last;
        updates.push_back(
            {p, to, c, last, places.size(), c, static_cast<std::uint32_t>(rows.size()), 0});
        const auto& target = m.panels[to].rows;
        std::size_t place = 0;
        for (std::size_t r = c; r < rows.size(); ++r) {
          while (target[place] != rows[r]) ++place;
          places.push_back(static_cast<std::uint32_t>(place));
        }
        c = last;
      }
    }
    first_update.push_back(updates.size());
  }
};

void factor(SparseMatrix& m, const Symbolic& symbolic) {
  for (std::size_t p = 0; p < m.panels.size(); ++p) {
    factor_diagonal(m, p);
    for (std::size_t r = m.panels[p].width; r < m.panels[p].rows.size(); ++r) solve_row(m, p, r);
    for (std::size_t u = symbolic.first_update[p]; u < symbolic.first_update[p + 1]; ++u) {
      const Update& update = symbolic.updates[u];
      for (std::size_t r = update.first_row; r < update.last_row; ++r)
        update_row(m, symbolic.places, update, r);
    }
  }
}

// Threads of the program: panels in blocks of rows, the first of which is the square on top.
struct Blocks {
  struct Block {
    std::uint32_t panel, first, last, number;  // rows; number within the panel
  };
  std::vector<Block> blocks;
  std::vector<std::uint32_t> first_block;  // of a panel
  std::vector<Update> updates;             // by block, each by the panel it comes from
  Lists to_updates;                        // of a block

  Blocks(const SparseMatrix& m, const Symbolic& symbolic, std::size_t grain) {
    for (std::uint32_t p = 0; p < m.panels.size(); ++p) {
      first_block.push_back(static_cast<std::uint32_t>(blocks.size()));
      const auto rows = m.panels[p].rows.size();
      std::size_t first = 0;
      for (std::uint32_t number = 0; first < rows; ++number) {
        const std::size_t last = number == 0 ? m.panels[p].width : std::min(rows, first + grain);
        blocks.push_back(
            {p, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last), number});
        first = last;
      }
    }
    for (const Update& whole : symbolic.updates) {
      Update part = whole;
      for (std::uint32_t r = whole.first_row; r < whole.last_row; r = part.last_row) {
        const auto place = [&](std::uint32_t row) {
          return symbolic.places[whole.places + row - whole.first_column];
        };
        part.first_row = r;
        part.block = block_at(m, whole.to, place(r), grain);
        part.last_row = r + 1;
        while (part.last_row < whole.last_row && place(part.last_row) < blocks[part.block].last)
          ++part.last_row;
        updates.push_back(part);
      }
    }
    std::sort(updates.begin(), updates.end(), [](const Update& a, const Update& b) {
      return a.block != b.block ? a.block < b.block : a.from < b.from;
    });
    to_updates.resize(blocks.size());
    for (std::uint32_t u = 0; u < updates.size(); ++u) {
      const Update& update = updates[u];
      for (std::uint32_t r = update.first_column; r < update.last_column; ++r)
        to_updates[block_at(m, update.from, r, grain)].push_back(u);
      for (std::uint32_t r = update.first_row; r < update.last_row; ++r)
        to_updates[block_at(m, update.from, r, grain)].push_back(u);
    }
    make_unique(to_updates);
  }

  [[nodiscard]] std::uint32_t block_at(const SparseMatrix& m, std::uint32_t panel, std::size_t row,
                                       std::size_t grain) const {
    const std::size_t width = m.panels[panel].width;
    return first_block[panel] +
           static_cast<std::uint32_t>(row < width ? 0 : 1 + (row - width) / grain);
  }
  [[nodiscard]] bool is_last_of_block(std::size_t u) const {
    return u + 1 == updates.size() || updates[u + 1].block != updates[u].block;
  }
  // Each half of the cube belongs to half of the nodes, as long as there are several; the blocks of
  // a plane that separates halves are dealt out to the nodes of both.
  [[nodiscard]] int node_of(const SparseMatrix& m, std::size_t block, int nodes) const {
    const Panel& panel = m.panels[blocks[block].panel];
    int low = 0;
    int high = nodes;
    for (std::size_t level = panel.depth; level-- > 0 && high - low > 1;)
      (panel.path >> level & 1 ? low : high) = (low + high) / 2;
    return low + static_cast<int>((blocks[block].panel + blocks[block].number) %
                                  static_cast<std::size_t>(high - low));
  }
};

void factor_by_threads(SparseMatrix& m, const Symbolic& symbolic, std::size_t grain) {
  const Blocks plan(m, symbolic, grain);
  const auto rows_of = [&m](std::size_t panel, std::size_t first, std::size_t last) {
    return ddm::data(std::span(m.row(panel, first), (last - first) * m.panels[panel].width));
  };
  const auto block_rows = [&plan, rows_of](std::size_t b) {
    return rows_of(plan.blocks[b].panel, plan.blocks[b].first, plan.blocks[b].last);
  };

  ddm::Program<> program("cholesky");
  auto update = program.thread("update", ddm::range(plan.updates.size()), [&](std::size_t u) {
    const Update& each = plan.updates[u];
    for (std::size_t r = each.first_row; r < each.last_row; ++r)
      update_row(m, symbolic.places, each, r);
  });
  auto diagonal = program.thread("diagonal", ddm::range(m.panels.size()),
                                 [&](std::size_t p) { factor_diagonal(m, p); });
  auto solve = program.thread("solve", ddm::range(plan.blocks.size()), [&](std::size_t b) {
    const auto& block = plan.blocks[b];
    for (std::size_t r = block.first; r < block.last; ++r) solve_row(m, block.panel, r);
  });
  solve.where([&plan](std::size_t b) { return plan.blocks[b].number > 0; });

  update.on(
      [&](std::size_t u, int nodes) { return plan.node_of(m, plan.updates[u].block, nodes); });
  diagonal.on(
      [&](std::size_t p, int nodes) { return plan.node_of(m, plan.first_block[p], nodes); });
  solve.on([&](std::size_t b, int nodes) { return plan.node_of(m, b, nodes); });

  update.reads([&, rows_of](std::size_t u) {
    const Update& each = plan.updates[u];
    const auto place = [&](std::size_t row) {
      return symbolic.places[each.places + row - each.first_column];
    };
    return std::array{rows_of(each.to, place(each.first_row), place(each.last_row - 1) + 1)[0],
                      rows_of(each.from, each.first_row, each.last_row)[0],
                      rows_of(each.from, each.first_column, each.last_column)[0]};
  });
  diagonal.reads([&, block_rows](std::size_t p) { return block_rows(plan.first_block[p]); });
  solve.reads([&, block_rows](std::size_t b) {
    return std::array{block_rows(b)[0], block_rows(plan.first_block[plan.blocks[b].panel])[0]};
  });

  update.then(update, [&plan](std::size_t u, ddm::To<1> to) {
    if (!plan.is_last_of_block(u)) to(u + 1);
  });
  update.then(diagonal, [&plan](std::size_t u, ddm::To<1> to) {
    const auto& block = plan.blocks[plan.updates[u].block];
    if (plan.is_last_of_block(u) && block.number == 0) to(block.panel);
  });
  update.then(solve, [&plan](std::size_t u, ddm::To<1> to) {
    const std::uint32_t block = plan.updates[u].block;
    if (plan.is_last_of_block(u) && plan.blocks[block].number > 0) to(block);
  });
  diagonal
      .then(solve,
            [&plan](std::size_t p, ddm::To<1> to) {
              for (std::size_t b = plan.first_block[p] + 1;
                   b < plan.blocks.size() && plan.blocks[b].panel == p; ++b)
                to(b);
            })
      .carries([&plan, block_rows](std::size_t p) { return block_rows(plan.first_block[p]); });
  solve
      .then(update,
            [&plan](std::size_t b, ddm::To<1> to) {
              for (const std::uint32_t u : plan.to_updates[b]) to(u);
            })
      .carries(block_rows);
  program.run();
  share(
      plan.blocks.size(), [&](std::size_t b, int nodes) { return plan.node_of(m, b, nodes); },
      block_rows);
}

// y = L·(Lᵀ·x)
std::vector<double> multiply_factors(const SparseMatrix& m, const std::vector<double>& x) {
  std::vector<double> inner(m.n), result(m.n);
  for (std::size_t p = 0; p < m.panels.size(); ++p) {
    const Panel& panel = m.panels[p];
    for (std::size_t r = 0; r < panel.rows.size(); ++r) {
      for (std::size_t c = 0; c < std::min(panel.width, r + 1); ++c)
        inner[panel.first + c] += m.row(p, r)[c] * x[panel.rows[r]];
    }
  }
  for (std::size_t p = 0; p < m.panels.size(); ++p) {
    const Panel& panel = m.panels[p];
    for (std::size_t r = 0; r < panel.rows.size(); ++r) {
      for (std::size_t c = 0; c < std::min(panel.width, r + 1); ++c)
        result[panel.rows[r]] += m.row(p, r)[c] * inner[panel.first + c];
    }
  }
  return result;
}

// The same bits as the plain program's; and (L·Lᵀ − A)·x is zero to rounding for random x.
bool check(const SparseMatrix& m) {
  SparseMatrix plain(m.side);
  factor(plain, Symbolic(plain));
  if (m.values != plain.values) return false;
  Random random(8);
  for (int repeated = 0; repeated < 4; ++repeated) {
    std::vector<double> x(m.n);
    for (double& each : x) each = random.uniform() - 0.5;
    const std::vector<double> product = multiply_factors(m, x);
    for (std::size_t column = 0; column < m.n; ++column) {
      double expected = m.diagonal(column) * x[column];
      m.for_each_neighbour(column, [&](std::uint32_t other) { expected -= x[other]; });
      if (!(std::abs(product[column] - expected) < 1e-12)) return false;
    }
  }
  return true;
}

}  // namespace

int main(int count, char** words) {
  const Arguments arguments = parse(count, words, {16, 24});
  SparseMatrix matrix(arguments.size);
  const Symbolic symbolic(matrix);
  if (arguments.sequential) {
    run_sequentially([&] { factor(matrix, symbolic); });
  } else {
    factor_by_threads(matrix, symbolic, arguments.grain);
  }
  return finish("cholesky", arguments, check(matrix),
                digest(std::span<const double>(matrix.values)));
}

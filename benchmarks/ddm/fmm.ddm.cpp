// FMM: the field of charges in the plane by the adaptive fast multipole method (Carrier, Greengard
// and Rokhlin 1988), as SPLASH-2 has it. Two clusters of particles lie in a quadtree; boxes get
// multipole expansions from the leaves up, take from boxes at a distance what these mean for them,
// pass it down, and every particle adds what its neighbours do. An iteration is one box on the way
// up and down, one source of a box in between, one particle at the end; a thread does `grain` of
// them. The sources of a box follow each other, as they share its expansion. Particles are dealt
// out by what they and the boxes that they begin cost (costzones).
#include "fmm_tree.h"

using namespace application;

namespace {

constexpr std::size_t kTerms = 16;
constexpr std::size_t kLength = kTerms + 1;  // of an expansion; 0 is the charge, or unused

struct Field {
  Tree tree;
  std::vector<Complex> multipoles, far, locals;  // kLength for each box
  std::vector<Complex> result;                   // for each particle
  double binomial[2 * kTerms][kLength] = {};

  explicit Field(std::size_t size)
      : tree(size),
        multipoles(tree.boxes.size() * kLength),
        far(multipoles.size()),
        locals(multipoles.size()),
        result(size) {
    for (std::size_t n = 0; n < 2 * kTerms; ++n) {
      for (std::size_t k = 0; k <= std::min(n, kTerms); ++k)
        binomial[n][k] =
            k == 0 || k == n ? 1 : binomial[n - 1][k - 1] + (k < n ? binomial[n - 1][k] : 0);
    }
  }
  std::span<Complex> of(std::vector<Complex>& all, std::size_t box, std::size_t count = 1) {
    return std::span(all).subspan(box * kLength, count * kLength);
  }

  // The multipole expansion of a box: of its particles, or of its children's expansions.
  void go_up(std::size_t b) {
    const Box& box = tree.boxes[b];
    Complex* sum = &multipoles[b * kLength];
    for (std::size_t k = 0; k < kLength; ++k) sum[k] = {0, 0};
    if (box.children == 0) {
      for (std::size_t i = box.first; i < box.last; ++i) {
        const Complex z = tree.particles[i].position - box.centre;
        const double charge = tree.particles[i].charge;
        sum[0].re += charge;
        Complex power = z;
        for (std::size_t k = 1; k < kLength; ++k) {
          sum[k] = sum[k] - power * (charge / static_cast<double>(k));
          power = power * z;
        }
      }
    }
    for (std::size_t c = box.first_child; c < box.first_child + box.children; ++c) {
      const Complex* child = &multipoles[c * kLength];
      Complex powers[kLength];
      fill_powers(tree.boxes[c].centre - box.centre, powers);
      sum[0] = sum[0] + child[0];
      for (std::size_t l = 1; l < kLength; ++l) {
        Complex term = powers[l] * (-child[0].re / static_cast<double>(l));
        for (std::size_t k = 1; k <= l; ++k)
          term = term + child[k] * powers[l - k] * binomial[l - 1][k - 1];
        sum[l] = sum[l] + term;
      }
    }
  }

  // What source number s of a box, far away, adds to its local expansion.
  void take(std::size_t b, std::size_t s) {
    const auto& sources = tree.sources[b];
    const Complex centre = tree.boxes[b].centre;
    Complex* sum = &far[b * kLength];
    if (s < sources.expansions) {
      add_expansion(sources.boxes[s], centre, sum);
      return;
    }
    const Box& leaf = tree.boxes[sources.boxes[s]];
    for (std::size_t i = leaf.first; i < leaf.last; ++i) {
      const Complex inverse = reciprocal(tree.particles[i].position - centre);
      Complex power = inverse;
      for (std::size_t l = 1; l < kLength; ++l) {
        sum[l] = sum[l] - power * (tree.particles[i].charge / static_cast<double>(l));
        power = power * inverse;
      }
    }
  }
  void add_expansion(std::size_t source, Complex centre, Complex* sum) const {
    const Complex* multipole = &multipoles[source * kLength];
    Complex powers[kLength], terms[kLength];
    fill_powers(reciprocal(tree.boxes[source].centre - centre), powers);
    for (std::size_t k = 1; k < kLength; ++k)
      terms[k] = multipole[k] * powers[k] * (k % 2 == 0 ? 1.0 : -1.0);
    for (std::size_t l = 1; l < kLength; ++l) {
      Complex term{-multipole[0].re / static_cast<double>(l), 0};
      for (std::size_t k = 1; k < kLength; ++k) term = term + terms[k] * binomial[l + k - 1][k - 1];
      sum[l] = sum[l] + term * powers[l];
    }
  }

  // The local expansion of a box: what came from afar, and its parent's about another centre.
  void go_down(std::size_t b) {
    const Box& box = tree.boxes[b];
    Complex* sum = &locals[b * kLength];
    for (std::size_t l = 1; l < kLength; ++l) sum[l] = far[b * kLength + l];
    if (box.level <= kTopLevel) return;
    const Complex* parent = &locals[box.parent * kLength];
    Complex powers[kLength];
    fill_powers(box.centre - tree.boxes[box.parent].centre, powers);
    for (std::size_t l = 1; l < kLength; ++l) {
      for (std::size_t k = l; k < kLength; ++k)
        sum[l] = sum[l] + parent[k] * powers[k - l] * binomial[k][l];
    }
  }

  void evaluate(std::size_t i) {
    const std::size_t leaf = tree.leaf_of[i];
    const Complex position = tree.particles[i].position;
    Complex sum{0, 0};
    const Complex* local = &locals[leaf * kLength];
    const Complex z = position - tree.boxes[leaf].centre;
    for (std::size_t l = kTerms; l >= 1; --l) sum = sum * z + local[l] * static_cast<double>(l);
    for (const std::uint32_t box : tree.finer[leaf]) {
      const Complex* multipole = &multipoles[box * kLength];
      const Complex inverse = reciprocal(position - tree.boxes[box].centre);
      Complex series{0, 0};
      for (std::size_t k = kTerms; k >= 1; --k)
        series = (series + multipole[k] * static_cast<double>(k)) * inverse;
      sum = sum + (Complex{multipole[0].re, 0} - series) * inverse;
    }
    for (const std::uint32_t near : tree.neighbours[leaf]) {
      for (std::size_t j = tree.boxes[near].first; j < tree.boxes[near].last; ++j) {
        if (j == i) continue;
        sum = sum + reciprocal(position - tree.particles[j].position) * tree.particles[j].charge;
      }
    }
    result[i] = sum;
  }

 private:
  static void fill_powers(Complex z, Complex* powers) {
    powers[0] = {1, 0};
    for (std::size_t k = 1; k < kLength; ++k) powers[k] = powers[k - 1] * z;
  }
};

void compute(Field& field) {
  const Tree& tree = field.tree;
  for (std::size_t b = tree.boxes.size(); b-- > tree.top;) field.go_up(b);
  for (std::size_t b = tree.top; b < tree.boxes.size(); ++b) {
    for (std::size_t s = 0; s < tree.sources[b].boxes.size(); ++s) field.take(b, s);
  }
  for (std::size_t b = tree.top; b < tree.boxes.size(); ++b) field.go_down(b);
  for (std::size_t i = 0; i < tree.particles.size(); ++i) field.evaluate(i);
}

// Threads of the program: boxes of one level in groups of `grain`, and who needs which group.
struct Groups {
  struct Group {
    std::uint32_t first, count;
  };
  std::vector<Group> groups;
  std::vector<std::uint32_t> of;  // box
  Lists to_parents, to_takers, to_children, to_particles, to_distant_particles;
  std::size_t parts = 1;  // of the longest list of sources

  Groups(const Tree& tree, std::size_t grain) : of(tree.boxes.size()) {
    for (std::size_t b = tree.top; b < tree.boxes.size();) {
      std::uint32_t count = 0;
      while (b + count < tree.boxes.size() && count < grain &&
             tree.boxes[b + count].level == tree.boxes[b].level) {
        of[b + count++] = static_cast<std::uint32_t>(groups.size());
      }
      groups.push_back({static_cast<std::uint32_t>(b), count});
      b += count;
    }
    for (Lists* lists :
         {&to_parents, &to_takers, &to_children, &to_particles, &to_distant_particles})
      lists->resize(groups.size());
    for (const auto& each : tree.sources)
      parts = std::max(parts, divide_up(each.boxes.size(), grain));
    for (std::size_t b = tree.top; b < tree.boxes.size(); ++b) {
      if (tree.boxes[b].level > kTopLevel) {
        to_parents[of[b]].push_back(of[tree.boxes[b].parent]);
        to_children[of[tree.boxes[b].parent]].push_back(of[b]);
      }
      for (std::size_t s = 0; s < tree.sources[b].expansions; ++s)
        to_takers[of[tree.sources[b].boxes[s]]].push_back(
            static_cast<std::uint32_t>(b * parts + s / grain));
    }
    for (std::size_t i = 0; i < tree.particles.size(); ++i) {
      const auto thread = static_cast<std::uint32_t>(i / grain);
      const std::size_t leaf = tree.leaf_of[i];
      if (leaf >= tree.top) to_particles[of[leaf]].push_back(thread);
      for (const std::uint32_t box : tree.finer[leaf])
        to_distant_particles[of[box]].push_back(thread);
    }
    for (Lists* lists :
         {&to_parents, &to_takers, &to_children, &to_particles, &to_distant_particles})
      make_unique(*lists);
  }
};

// In terms of an expansion: a pair of expansions has all of both, a pair of particles a division.
CostZones zones_of(const Tree& tree) {
  constexpr double kPair = 8, kSeries = kTerms, kExpansions = kTerms * kTerms;
  std::vector<double> costs(tree.particles.size());
  const auto particles_in = [&tree](std::size_t b) {
    return static_cast<double>(tree.boxes[b].last - tree.boxes[b].first);
  };
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const std::size_t leaf = tree.leaf_of[i];
    costs[i] = kSeries * (2 + static_cast<double>(tree.finer[leaf].size()));
    for (const std::uint32_t near : tree.neighbours[leaf]) costs[i] += kPair * particles_in(near);
  }
  for (std::size_t b = tree.top; b < tree.boxes.size(); ++b) {
    const auto& sources = tree.sources[b];
    double cost = kExpansions * (1 + static_cast<double>(sources.expansions) +
                                 static_cast<double>(tree.boxes[b].children) / 2);
    for (std::size_t s = sources.expansions; s < sources.boxes.size(); ++s)
      cost += kSeries * particles_in(sources.boxes[s]);
    costs[tree.boxes[b].first] += cost;
  }
  return CostZones(costs);
}

void compute_by_threads(Field& field, std::size_t grain) {
  Tree& tree = field.tree;
  const std::size_t n = tree.particles.size();
  const CostZones zones = zones_of(tree);
  const auto on_zone = [&zones, n, grain](std::size_t t, int nodes) {
    return zones.node_of(t * grain, std::min(n, (t + 1) * grain), nodes);
  };
  const Groups plan(tree, grain);
  const auto each_of = [&plan](std::size_t g, auto use) {
    const auto [first, count] = plan.groups[g];
    for (std::size_t b = first; b < first + count; ++b) use(b);
  };
  const auto parts_of = [&tree, grain](std::size_t b) {
    return divide_up(tree.sources[b].boxes.size(), grain);
  };
  const auto particles_of = [&tree](std::size_t b) {
    return ddm::data(
        std::span(tree.particles)
            .subspan(tree.boxes[b].first, tree.boxes[b].last - tree.boxes[b].first))[0];
  };
  const auto expansion = [&field](std::vector<Complex>& all, std::size_t b) {
    return ddm::data(field.of(all, b))[0];
  };
  const auto follow = [](const Lists& lists) {
    return [&lists](std::size_t i, ddm::To<1> to) {
      for (const std::uint32_t each : lists[i]) to(each);
    };
  };

  ddm::Program<> program("fmm");
  auto up = program.thread("up", ddm::range(plan.groups.size()), [&](std::size_t g) {
    each_of(g, [&](std::size_t b) { field.go_up(b); });
  });
  auto take = program.thread("take", ddm::range(tree.boxes.size(), plan.parts),
                             [&, grain](std::size_t b, std::size_t part) {
                               const std::size_t all = tree.sources[b].boxes.size();
                               for (std::size_t s = part * grain;
                                    s < std::min(all, (part + 1) * grain); ++s)
                                 field.take(b, s);
                             });
  auto down = program.thread("down", ddm::range(plan.groups.size()), [&](std::size_t g) {
    each_of(g, [&](std::size_t b) { field.go_down(b); });
  });
  auto evaluate =
      program.thread("evaluate", ddm::range(divide_up(n, grain)), [&, n, grain](std::size_t t) {
        for (std::size_t i = t * grain; i < std::min(n, (t + 1) * grain); ++i) field.evaluate(i);
      });

  take.where([=](std::size_t b, std::size_t part) { return part < parts_of(b); });
  // A box is where its first particle is; these are shared out as they lie in the tree.
  const auto on_box = [&tree, &zones](std::size_t b, int nodes) {
    const std::size_t first = tree.boxes[b].first;
    return zones.node_of(first, first + 1, nodes);
  };
  evaluate.on(on_zone);
  const auto on_group = [&plan, on_box](std::size_t g, int nodes) {
    return on_box(plan.groups[g].first, nodes);
  };
  up.on(on_group);
  down.on(on_group);
  take.on([on_box](std::size_t b, std::size_t, int nodes) { return on_box(b, nodes); });

  up.reads([&, each_of, particles_of, expansion](std::size_t g) {
    std::vector<ddm::Operand> reads;
    each_of(g, [&](std::size_t b) {
      const Box& box = tree.boxes[b];
      if (box.children == 0) reads.push_back(particles_of(b));
      for (std::size_t c = box.first_child; c < box.first_child + box.children; ++c)
        reads.push_back(expansion(field.multipoles, c));
    });
    return reads;
  });
  take.reads([&, grain, particles_of, expansion](std::size_t b, std::size_t part) {
    std::vector<ddm::Operand> reads{expansion(field.far, b)};
    const auto& sources = tree.sources[b];
    for (std::size_t s = part * grain; s < std::min(sources.boxes.size(), (part + 1) * grain); ++s)
      reads.push_back(s < sources.expansions ? expansion(field.multipoles, sources.boxes[s])
                                             : particles_of(sources.boxes[s]));
    return reads;
  });
  down.reads([&, each_of, expansion](std::size_t g) {
    std::vector<ddm::Operand> reads;
    each_of(g, [&](std::size_t b) {
      reads.push_back(expansion(field.far, b));
      if (tree.boxes[b].level > kTopLevel)
        reads.push_back(expansion(field.locals, tree.boxes[b].parent));
    });
    return reads;
  });
  evaluate.reads([&, n, grain, particles_of, expansion](std::size_t t) {
    std::vector<ddm::Operand> reads;
    for (std::size_t i = t * grain; i < std::min(n, (t + 1) * grain); ++i) {
      const std::size_t leaf = tree.leaf_of[i];
      if (i > t * grain && leaf == tree.leaf_of[i - 1]) continue;
      reads.push_back(expansion(field.locals, leaf));
      for (const std::uint32_t near : tree.neighbours[leaf]) reads.push_back(particles_of(near));
      for (const std::uint32_t box : tree.finer[leaf])
        reads.push_back(expansion(field.multipoles, box));
    }
    return reads;
  });

  const auto group_data = [&field, &plan](std::vector<Complex>& all) {
    return [&field, &plan, &all](std::size_t g) {
      return ddm::data(field.of(all, plan.groups[g].first, plan.groups[g].count));
    };
  };
  up.then(up, follow(plan.to_parents)).carries(group_data(field.multipoles));
  up.then(take, [&plan](std::size_t g, ddm::To<2> to) {
      for (const std::uint32_t each : plan.to_takers[g]) to(each / plan.parts, each % plan.parts);
    }).carries(group_data(field.multipoles));
  if (plan.parts > 1) take.then(take, ddm::offset(0, 1));
  take.then(down,
            [&plan, parts_of](std::size_t b, std::size_t part, ddm::To<1> to) {
              if (part + 1 == parts_of(b)) to(plan.of[b]);
            })
      .carries([&field](std::size_t b, std::size_t) { return ddm::data(field.of(field.far, b)); });
  down.then(down, follow(plan.to_children)).carries(group_data(field.locals));
  down.then(evaluate, follow(plan.to_particles)).carries(group_data(field.locals));
  up.then(evaluate, follow(plan.to_distant_particles)).carries(group_data(field.multipoles));
  program.run();
  share(divide_up(n, grain), on_zone, [&field, n, grain](std::size_t t) {
    return ddm::data(std::span(field.result).subspan(t * grain, std::min(grain, n - t * grain)));
  });
}

// The same bits as the plain program's; and for some particles, the sum over all others: the
// greatest error must be below 1e-6 of the mean field there (it is some 1e-8).
bool check(const Field& field) {
  Field plain(field.result.size());
  compute(plain);
  if (std::memcmp(plain.result.data(), field.result.data(),
                  plain.result.size() * sizeof(Complex)) != 0)
    return false;
  const auto& particles = field.tree.particles;
  const std::size_t step = divide_up(particles.size(), 64);
  double worst = 0, sum = 0, samples = 0;
  for (std::size_t i = 0; i < particles.size(); i += step) {
    Complex exact{0, 0};
    for (std::size_t j = 0; j < particles.size(); ++j) {
      if (j == i) continue;
      exact =
          exact + reciprocal(particles[i].position - particles[j].position) * particles[j].charge;
    }
    const Complex error = exact - field.result[i];
    worst = std::max(worst, std::hypot(error.re, error.im));
    sum += std::hypot(exact.re, exact.im);
    samples += 1;
  }
  return worst < 1e-6 * (sum / samples);
}

}  // namespace

int main(int count, char** words) {
  const Arguments arguments = parse(count, words, {16384, 262144});
  if (arguments.size < 64) {
    std::fprintf(stderr, "size=%zu: must be at least 64\n", arguments.size);
    return 2;
  }
  Field field(arguments.size);
  if (arguments.sequential) {
    run_sequentially([&] { compute(field); });
  } else {
    compute_by_threads(field, arguments.grain);
  }
  return finish("fmm", arguments, check(field), digest(std::span<const Complex>(field.result)));
}

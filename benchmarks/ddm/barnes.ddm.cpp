// Barnes: gravity between bodies by the Barnes-Hut method, one time step. Space is cut into 64
// cells; a tree of each is built by itself, a small tree joins them, and every body walks them. An
// iteration is the force on one body; a thread does `grain` of them. Bodies are dealt out by what
// they cost, as if a step had been done before (costzones).
#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "application.h"

using namespace application;

namespace {

constexpr std::size_t kCells = 64;  // 4 × 4 × 4
constexpr double kOpening = 0.7, kSoftening = 0.05, kTimeStep = 0.01;
constexpr std::size_t kMostDepth = 40;

struct Vector {
  double x, y, z;
};

struct Body {
  Vector position, velocity;
  double mass;
};

// A node of an octree: a body, or the bodies of a cube taken together.
struct Node {
  Vector centre;  // of mass
  double mass;
  double width;
  std::int32_t first_child;  // of eight in the same tree; -1: a body, -2: empty
  std::int32_t body;
};

struct Tree {
  std::vector<Node> nodes;  // room for as many as there may be, so that it can be sent as it is
  std::size_t used = 0;

  [[nodiscard]] std::span<const Node> all() const { return std::span(nodes).first(used); }
  void add(const Node& node) {
    if (used == nodes.size()) throw std::length_error("barnes: bodies lie too close to each other");
    nodes[used++] = node;
  }
};

struct Galaxy {
  std::size_t n;
  std::vector<Body> bodies;
  std::vector<Vector> forces;
  std::array<std::vector<std::uint32_t>, kCells> members;
  std::array<Tree, kCells> trees;
  std::array<Node, kCells> roots{};

  explicit Galaxy(std::size_t size) : n(size), bodies(size), forces(size) {
    Random random(5);
    std::vector<Body> unsorted(n);
    for (Body& body : unsorted) {
      body.position = {random.uniform(), random.uniform(), random.uniform()};
      body.velocity = {0, 0, 0};
      body.mass = 1.0 / static_cast<double>(n);
    }
    // Bodies lie in memory as they lie in space, as after a step of costzones.
    std::sort(unsorted.begin(), unsorted.end(), [](const Body& a, const Body& b) {
      return cell_of(a.position) < cell_of(b.position);
    });
    bodies = unsorted;
    for (std::size_t i = 0; i < n; ++i)
      members[cell_of(bodies[i].position)].push_back(static_cast<std::uint32_t>(i));
    // A tree has at most two inner nodes for each body down to the depth that separates them.
    for (std::size_t c = 0; c < kCells; ++c) trees[c].nodes.resize(64 + members[c].size() * 32);
  }
  static std::size_t cell_of(const Vector& p) {
    const auto slice = [](double v) {
      return std::min<std::size_t>(3, static_cast<std::size_t>(v * 4));
    };
    return (slice(p.x) * 4 + slice(p.y)) * 4 + slice(p.z);
  }
  static Vector corner(std::size_t c) {
    return {static_cast<double>(c / 16) * 0.25, static_cast<double>(c / 4 % 4) * 0.25,
            static_cast<double>(c % 4) * 0.25};
  }

  void insert(Tree& tree, std::uint32_t body, Vector low) {
    std::size_t at = 0;
    double width = 0.25;
    for (std::size_t depth = 0; depth < kMostDepth; ++depth) {
      Node& node = tree.nodes[at];
      if (node.first_child == -2) {
        node.first_child = -1;
        node.body = static_cast<std::int32_t>(body);
        return;
      }
      std::int32_t pushed = -1;
      if (node.first_child == -1) {
        pushed = node.body;
        const auto children = static_cast<std::int32_t>(tree.used);
        for (int i = 0; i < 8; ++i) tree.add({{0, 0, 0}, 0, width / 2, -2, -1});
        tree.nodes[at].first_child = children;
        tree.nodes[at].body = -1;
      }
      width /= 2;
      const Vector middle{low.x + width, low.y + width, low.z + width};
      const auto octant = [&](const Vector& p) {
        return (p.x >= middle.x ? 4u : 0u) + (p.y >= middle.y ? 2u : 0u) +
               (p.z >= middle.z ? 1u : 0u);
      };
      const std::int32_t children = tree.nodes[at].first_child;
      if (pushed >= 0) {
        Node& child = tree.nodes[static_cast<std::size_t>(children) +
                                 octant(bodies[static_cast<std::size_t>(pushed)].position)];
        child.first_child = -1;
        child.body = pushed;
      }
      const unsigned side = octant(bodies[body].position);
      low = {low.x + (side & 4 ? width : 0), low.y + (side & 2 ? width : 0),
             low.z + (side & 1 ? width : 0)};
      at = static_cast<std::size_t>(children) + side;
    }
  }

  void sum_up(Tree& tree) {
    for (std::size_t i = tree.used; i-- > 0;) {
      Node& node = tree.nodes[i];
      if (node.first_child == -2) continue;
      if (node.first_child == -1) {
        node.centre = bodies[static_cast<std::size_t>(node.body)].position;
        node.mass = bodies[static_cast<std::size_t>(node.body)].mass;
        continue;
      }
      Vector centre{0, 0, 0};
      double mass = 0;
      for (int k = 0; k < 8; ++k) {
        const Node& child = tree.nodes[static_cast<std::size_t>(node.first_child + k)];
        if (child.first_child == -2) continue;
        mass += child.mass;
        centre = {centre.x + child.mass * child.centre.x, centre.y + child.mass * child.centre.y,
                  centre.z + child.mass * child.centre.z};
      }
      node.mass = mass;
      node.centre = {centre.x / mass, centre.y / mass, centre.z / mass};
    }
  }

  void build(std::size_t c) {
    Tree& tree = trees[c];
    tree.add({{0, 0, 0}, 0, 0.25, -2, -1});
    for (const std::uint32_t body : members[c]) insert(tree, body, corner(c));
    sum_up(tree);
    roots[c] = tree.nodes[0];
  }

  static bool is_far(const Node& node, const Vector& p) {
    const double dx = node.centre.x - p.x, dy = node.centre.y - p.y, dz = node.centre.z - p.z;
    return node.width * node.width < kOpening * kOpening * (dx * dx + dy * dy + dz * dz);
  }
  static void attract(const Node& node, const Vector& p, Vector& force) {
    const double dx = node.centre.x - p.x, dy = node.centre.y - p.y, dz = node.centre.z - p.z;
    const double distance2 = dx * dx + dy * dy + dz * dz + kSoftening * kSoftening;
    const double pull = node.mass / (distance2 * std::sqrt(distance2));
    force = {force.x + pull * dx, force.y + pull * dy, force.z + pull * dz};
  }

  // Nodes that a body looks at.
  [[nodiscard]] std::size_t visits(const Tree& tree, std::size_t at, const Vector& p) const {
    const Node& node = tree.nodes[at];
    std::size_t sum = 1;
    if (node.first_child < 0 || is_far(node, p)) return sum;
    for (int k = 0; k < 8; ++k)
      sum += visits(tree, static_cast<std::size_t>(node.first_child + k), p);
    return sum;
  }
  [[nodiscard]] double cost(std::size_t body) const {
    std::size_t sum = 0;
    for (const Tree& tree : trees) sum += visits(tree, 0, bodies[body].position);
    return static_cast<double>(sum);
  }

  void walk(const Tree& tree, std::size_t at, std::size_t self, const Vector& p,
            Vector& force) const {
    const Node& node = tree.nodes[at];
    if (node.first_child == -2 || node.body == static_cast<std::int32_t>(self)) return;
    if (node.first_child == -1 || is_far(node, p)) {
      attract(node, p, force);
      return;
    }
    for (int k = 0; k < 8; ++k)
      walk(tree, static_cast<std::size_t>(node.first_child + k), self, p, force);
  }

  void move(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const Vector p = bodies[i].position;
      Vector force{0, 0, 0};
      for (std::size_t c = 0; c < kCells; ++c) {
        const Node& root = roots[c];
        if (root.first_child == -2) continue;
        if (root.first_child >= 0 && is_far(root, p)) {
          attract(root, p, force);
        } else {
          walk(trees[c], 0, i, p, force);
        }
      }
      forces[i] = force;
    }
  }
  // Positions change only when nobody looks at them any more.
  void step(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      Body& body = bodies[i];
      body.velocity = {body.velocity.x + forces[i].x * kTimeStep,
                       body.velocity.y + forces[i].y * kTimeStep,
                       body.velocity.z + forces[i].z * kTimeStep};
      body.position = {body.position.x + body.velocity.x * kTimeStep,
                       body.position.y + body.velocity.y * kTimeStep,
                       body.position.z + body.velocity.z * kTimeStep};
    }
  }
};

void simulate(Galaxy& galaxy) {
  for (std::size_t c = 0; c < kCells; ++c) galaxy.build(c);
  galaxy.move(0, galaxy.n);
  galaxy.step(0, galaxy.n);
}

CostZones zones_of(std::size_t size) {
  Galaxy before(size);
  for (std::size_t c = 0; c < kCells; ++c) before.build(c);
  std::vector<double> costs;
  for (std::size_t i = 0; i < size; ++i) costs.push_back(before.cost(i));
  return CostZones(costs);
}

void simulate_by_threads(Galaxy& galaxy, std::size_t grain) {
  const std::size_t n = galaxy.n, threads = divide_up(n, grain);
  const CostZones zones = zones_of(n);
  const auto on_zone = [&zones, n, grain](std::size_t t, int nodes) {
    return zones.node_of(t * grain, std::min(n, (t + 1) * grain), nodes);
  };
  ddm::Program<> program("barnes");
  auto build = program.thread("build", ddm::range(kCells), [&](std::size_t c) { galaxy.build(c); });
  auto force = program.thread("force", ddm::range(threads), [&, n, grain](std::size_t t) {
    galaxy.move(t * grain, std::min(n, (t + 1) * grain));
  });
  auto step = program.thread("step", ddm::range(threads), [&, n, grain](std::size_t t) {
    galaxy.step(t * grain, std::min(n, (t + 1) * grain));
  });
  force.on(on_zone);
  step.on(on_zone);
  const auto own_bodies = [&, n, grain](std::size_t t) {
    const std::size_t first = t * grain, count = std::min(grain, n - first);
    return std::span(galaxy.bodies).subspan(first, count);
  };
  build.reads([&](std::size_t c) {
    std::vector<ddm::Operand> reads{ddm::data(std::span(galaxy.members[c]))[0]};
    if (!galaxy.members[c].empty()) {
      reads.push_back(ddm::data(
          std::span(galaxy.bodies).subspan(galaxy.members[c][0], galaxy.members[c].size()))[0]);
    }
    return reads;
  });
  // What is known to be read: the bodies themselves, the roots, and the tree they are in.
  force.reads([&, own_bodies](std::size_t t) {
    std::vector<ddm::Operand> reads{ddm::data(own_bodies(t))[0],
                                    ddm::data(std::span(galaxy.roots))[0]};
    const std::size_t cell = Galaxy::cell_of(own_bodies(t)[0].position);
    reads.push_back(ddm::data(galaxy.trees[cell].all())[0]);
    return reads;
  });
  step.reads([&, own_bodies, n, grain](std::size_t t) {
    return ddm::data(own_bodies(t),
                     std::span(galaxy.forces).subspan(t * grain, std::min(grain, n - t * grain)));
  });
  build.then(force, ddm::all).carries([&](std::size_t c) {
    return ddm::data(galaxy.roots[c], galaxy.trees[c].used, std::span(galaxy.trees[c].nodes));
  });
  force.then(step, ddm::all);
  program.run();
  share(threads, on_zone, [own_bodies](std::size_t t) { return ddm::data(own_bodies(t)); });
}

bool check(const Galaxy& galaxy) {
  Galaxy plain(galaxy.n);
  simulate(plain);
  for (std::size_t i = 0; i < galaxy.n; ++i) {
    const Vector &a = galaxy.bodies[i].position, &b = plain.bodies[i].position;
    if (a.x != b.x || a.y != b.y || a.z != b.z) return false;
  }
  // Against the sum over all pairs.
  const Galaxy input(galaxy.n);
  Vector exact{0, 0, 0};
  for (std::size_t j = 1; j < input.n; ++j) {
    Galaxy::attract({input.bodies[j].position, input.bodies[j].mass, 0, -1, 0},
                    input.bodies[0].position, exact);
  }
  const Vector& got = plain.forces[0];
  const double size = std::sqrt(exact.x * exact.x + exact.y * exact.y + exact.z * exact.z);
  return std::abs(got.x - exact.x) + std::abs(got.y - exact.y) + std::abs(got.z - exact.z) <
         0.1 * size;
}

}  // namespace

int main(int count, char** words) {
  const Arguments arguments = parse(count, words, {16384, 262144});
  Galaxy galaxy(arguments.size);
  if (arguments.sequential) {
    run_sequentially([&] { simulate(galaxy); });
  } else {
    simulate_by_threads(galaxy, arguments.grain);
  }
  return finish("barnes", arguments, check(galaxy), digest(std::span<const Body>(galaxy.bodies)));
}

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "report/charts/svg_axes.h"
#include "report/charts/svg_palette.h"
#include "report/charts/svg_path.h"
#include "report/charts/svg_text.h"
#include "report/fabric/mapping_drawing.h"
#include "report/fabric/node_text.h"
#include "report/fabric/route_lanes.h"

namespace raddle::report {

namespace {

using namespace machine::cgra;

constexpr double kMargin = 16;
constexpr double kHeadHeight = 46;
constexpr double kUnitWidth = 74;
constexpr double kUnitHeight = 40;
constexpr double kLanePitch = 4.5;
constexpr double kChannelEdge = 7;  // beside the first and last lane
constexpr double kPortLength = 34;  // of a port, across the edge
constexpr double kBorder = 10;      // what rings of a torus stick out
constexpr double kArrow = 5.5;
constexpr double kRouteWidth = 1.7;
constexpr double kCorner = 4;
constexpr double kMinSheet = 460;

// Where tiles and channels lie.
class Geometry {
 public:
  Geometry(const Grid& grid, const RouteLanes& lanes) : grid_(grid), lanes_(lanes) {
    for (std::uint32_t column = 0; column < grid.columns(); ++column)
      column_.push_back(column_.empty() ? 0 : column_.back() + width_before(false, column));
    for (std::uint32_t row = 0; row < grid.rows(); ++row)
      row_.push_back(row_.empty() ? 0 : row_.back() + width_before(true, row));
  }

  void move_to(double x, double y) { origin_ = {x, y}; }
  double width() const { return column_.back() + kUnitWidth + channel(false, last_column()); }
  double height() const { return row_.back() + kUnitHeight + channel(true, last_row()); }

  Box unit(std::uint32_t tile) const {
    return {origin_.x + column_[grid_.column_of(tile)], origin_.y + row_[grid_.row_of(tile)],
            kUnitWidth, kUnitHeight};
  }
  // The coordinate across a run: its y along a row, its x down a column.
  double lane(std::uint32_t net, const RouteRun& run) const {
    const auto channel = static_cast<std::size_t>(run.channel);
    const double first = run.across ? origin_.y + row_[channel] + kUnitHeight
                                    : origin_.x + column_[channel] + kUnitWidth;
    return first + kChannelEdge + kLanePitch * (lanes_.lane(net, run) + 0.5);
  }
  double border(const RouteRun& run, std::int32_t place) const {
    const bool before = place < 0;
    if (run.across) return before ? origin_.x - kBorder : origin_.x + width() + kBorder;
    return before ? origin_.y - kBorder : origin_.y + height() + kBorder;
  }
  // A port lies across the end of the channel that it sends into.
  Box port(std::uint32_t port) const {
    const std::uint32_t tile = grid_.ports()[port].tile;
    const Box beside = unit(tile);
    if (grid_.ports()[port].edge == Edge::kLeft) {
      const double size = channel(true, grid_.row_of(tile));
      return {origin_.x - kBorder - kPortLength, beside.bottom() + 1, kPortLength, size - 2};
    }
    const double size = channel(false, grid_.column_of(tile));
    return {beside.right() + 1, origin_.y - kBorder - kPortLength * 0.6, size - 2,
            kPortLength * 0.6};
  }

 private:
  std::uint32_t last_column() const { return grid_.columns() - 1; }
  std::uint32_t last_row() const { return grid_.rows() - 1; }
  double channel(bool across, std::uint32_t number) const {
    const double lanes = lanes_.lanes(across, static_cast<std::int32_t>(number));
    return std::max(14.0, 2 * kChannelEdge + kLanePitch * lanes);
  }
  double width_before(bool across, std::uint32_t number) const {
    return (across ? kUnitHeight : kUnitWidth) + channel(across, number - 1);
  }

  const Grid& grid_;
  const RouteLanes& lanes_;
  Point origin_;
  std::vector<double> column_;  // left end of the units
  std::vector<double> row_;     // upper end
};

class Drawing {
 public:
  Drawing(const DataflowGraph& graph, const Grid& grid, const Mapping& mapping,
          const LocationText& location_text)
      : graph_(graph),
        grid_(grid),
        mapping_(mapping),
        location_text_(location_text),
        lanes_(graph, grid, mapping),
        geometry_(grid, lanes_),
        node_on_(grid.units().size(), kFree),
        below_(grid.units().size()),
        beside_(grid.units().size()) {
    for (std::uint32_t replica = 0; replica < mapping.replicas.size(); ++replica) {
      for (std::uint32_t node = 0; node < graph.nodes.size(); ++node) {
        if (graph.nodes[node].unit != UnitClass::kPort)
          node_on_[mapping.replicas[replica].unit[node]] = net_of(replica, node);
      }
    }
    for_each_way([this](std::uint32_t net, const Way& way) {
      add_pin(replica_of(net), node_of(net), way.runs.front(), net);
      add_pin(replica_of(net), way.to, way.runs.back(), net);
    });
  }

  std::string svg() {
    const std::vector<LegendEntry> legend = legend_of();
    ChartFrame frame{.title = graph_.name + " on the grid", .subtitle = subtitle()};
    const double left = kMargin + kPortLength + kBorder;
    frame.width = std::max(kMinSheet, left + geometry_.width() + kBorder + kMargin);
    const double legend_height = unit_legend_height(legend, frame.width - 2 * kMargin);
    const double top = kMargin + kHeadHeight + legend_height + 8 + kPortLength + kBorder;
    frame.height = top + geometry_.height() + kBorder + kMargin;
    geometry_.move_to(left, top);
    SvgCanvas canvas(frame);
    draw_head(canvas, frame, {}, LegendMark::kBar);
    draw_unit_legend(
        canvas, {kMargin, kMargin + kHeadHeight, frame.width - 2 * kMargin, legend_height}, legend);
    for (std::uint32_t unit = 0; unit < grid_.units().size(); ++unit) draw_unit(canvas, unit);
    for (std::uint32_t port = 0; port < grid_.ports().size(); ++port) draw_port(canvas, port);
    draw_routes(canvas);
    return canvas.finish(
        fmt::format("{} by {} tiles with {}.", grid_.columns(), grid_.rows(), subtitle()));
  }

 private:
  static constexpr std::uint32_t kFree = ~0u;

  // To one receiver of a net.
  struct Way {
    std::uint32_t to = 0;
    bool temporal = false;  // to another thread
    std::vector<RouteRun> runs;
  };

  // A net is what a node of a replica sends.
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(graph_.nodes.size()); }
  std::uint32_t net_of(std::uint32_t replica, std::uint32_t node) const {
    return replica * nodes() + node;
  }
  std::uint32_t replica_of(std::uint32_t net) const { return net / nodes(); }
  std::uint32_t node_of(std::uint32_t net) const { return net % nodes(); }

  // Calls `visit` with net and way for every input that takes links to reach.
  template <typename Visit>
  void for_each_way(const Visit& visit) const {
    for (std::uint32_t replica = 0; replica < mapping_.replicas.size(); ++replica) {
      for (std::uint32_t to = 0; to < nodes(); ++to) {
        for (std::size_t i = 0; i < graph_.nodes[to].inputs.size(); ++i) {
          const Input& input = graph_.nodes[to].inputs[i];
          Way way{to, input.shift != 0, runs_of(grid_, mapping_.replicas[replica].paths[to][i])};
          if (!way.runs.empty()) visit(net_of(replica, input.from), way);
        }
      }
    }
  }

  // Where routes touch a unit: below it for runs along the row, beside it for those down the
  // column. One pin for each net.
  void add_pin(std::uint32_t replica, std::uint32_t node, const RouteRun& run, std::uint32_t net) {
    if (graph_.nodes[node].unit == UnitClass::kPort) return;
    const std::uint32_t unit = mapping_.replicas[replica].unit[node];
    (run.across ? below_ : beside_)[unit].insert(net);
  }

  Point pin(std::uint32_t unit, bool below, std::uint32_t net) const {
    const std::set<std::uint32_t>& pins = (below ? below_ : beside_)[unit];
    const auto place = static_cast<double>(std::distance(pins.begin(), pins.find(net)) + 1) /
                       static_cast<double>(pins.size() + 1);
    const Box box = geometry_.unit(grid_.units()[unit].tile);
    if (below) return {box.x + box.width * place, box.bottom()};
    return {box.right(), box.y + box.height * place};
  }

  std::string subtitle() const {
    const std::size_t copies = mapping_.replicas.size();
    return fmt::format("{} {} of {} nodes on {} by {} tiles; {} links in use, longest way {} hops",
                       copies, copies == 1 ? "copy" : "copies", graph_.nodes.size(),
                       grid_.columns(), grid_.rows(), mapping_.links_used, mapping_.longest_route);
  }

  std::vector<LegendEntry> legend_of() const {
    std::vector<LegendEntry> legend;
    const UnitCounts needed = graph_.units_needed();
    for (std::size_t c = 0; c < kUnitClasses; ++c) {
      const auto unit = static_cast<UnitClass>(c);
      if (grid_.unit_count(unit) == 0) continue;
      legend.push_back(
          {unit, fmt::format("{} {} of {}", name_of(unit), needed[c] * mapping_.replicas.size(),
                             grid_.unit_count(unit))});
    }
    legend.push_back({UnitClass::kPort, "port"});
    return legend;
  }

  std::string colour_of(std::uint32_t replica, std::uint32_t node) const {
    // A lighter or darker tint for every net.
    const double shade = std::fmod(node * 0.618034, 1.0) * 0.5 - 0.22;
    if (mapping_.replicas.size() > 1) return shaded(many_colour(replica), shade);
    return shaded(series_colour(series_of(graph_.nodes[node].unit)).light, shade);
  }

  void draw_unit(SvgCanvas& canvas, std::uint32_t number) {
    const Unit& unit = grid_.units()[number];
    const Box box = geometry_.unit(unit.tile);
    const std::string shape = rounded_box(box, 6);
    const double x = box.x + box.width / 2;
    const double y = box.y + box.height / 2;
    if (node_on_[number] == kFree) {
      const std::string name(name_of(unit.unit_class));
      canvas.open_series(series_of(unit.unit_class));
      canvas.fill(shape, 0.05, "unit free", fmt::format("{}, not in use", name));
      canvas.stroke(shape, 0.6, "frame", "2 3");
      canvas.close_group();
      canvas.text(x, y, name,
                  {.size = 9, .anchor = Anchor::kMiddle, .muted = true, .css_class = "free-name"});
      return;
    }
    const std::uint32_t replica = replica_of(node_on_[number]);
    const Node& node = graph_.nodes[node_of(node_on_[number])];
    std::string tooltip = node_tooltip(node, location_text_);
    if (mapping_.replicas.size() > 1) tooltip += fmt::format(", copy {}", replica + 1);
    canvas.open_series(series_of(unit.unit_class));
    canvas.fill(shape, 0.26, "unit used", tooltip);
    canvas.stroke(shape, 1.4, "frame");
    canvas.close_group();
    draw_labels(canvas, box, node, replica);
  }

  void draw_labels(SvgCanvas& canvas, const Box& box, const Node& node, std::uint32_t replica) {
    const double x = box.x + box.width / 2;
    const double y = box.y + box.height / 2;
    const std::string title = node_title(node);
    const std::string place = node_place(node, location_text_);
    const std::string line =
        place.substr(place.rfind(':') == std::string::npos ? 0 : place.rfind(':'));
    const bool copies = mapping_.replicas.size() > 1;
    const bool one_line = place.empty() && !copies;
    canvas.text(x, one_line ? y : y - 7, fitted_text(title, 10, box.width - 6),
                {.size = 10, .anchor = Anchor::kMiddle, .css_class = "name"}, title);
    const double half = copies ? box.width / 2 - 6 : box.width - 6;
    canvas.text(copies ? box.right() - 6 : x, y + 9, fitted_text(line, 9, half),
                {.size = 9,
                 .anchor = copies ? Anchor::kEnd : Anchor::kMiddle,
                 .muted = true,
                 .css_class = "place"},
                place);
    if (!copies) return;
    // Which copy it belongs to, in the colour of its routes.
    canvas.open_tint("copy", many_colour(replica), {});
    canvas.fill(rounded_box({box.x + 5, y + 3.5, 17, 12}, 6), 1, "copy-box");
    canvas.close_group();
    canvas.text(box.x + 13.5, y + 9.5, fmt::format("{}", replica + 1),
                {.size = 8.5,
                 .anchor = Anchor::kMiddle,
                 .bold = true,
                 .css_class = "copy-name",
                 .fill = "#ffffff"});
  }

  void draw_port(SvgCanvas& canvas, std::uint32_t number) {
    const Box box = geometry_.port(number);
    canvas.open_series(series_of(UnitClass::kPort));
    canvas.fill(rounded_box(box, 5), 0.3, "port", fmt::format("port {}", number));
    canvas.stroke(rounded_box(box, 5), 1.2, "frame");
    canvas.close_group();
    const std::string text = fmt::format("{}", number);
    canvas.text(box.x + box.width / 2, box.y + box.height / 2, fitted_text(text, 9, box.width - 2),
                {.size = 9, .anchor = Anchor::kMiddle, .css_class = "port-name"});
  }

  // The end of a route at a unit or port: the point there, and on the first lane if that is apart.
  std::vector<Point> end_of(std::uint32_t replica, std::uint32_t node, const RouteRun& run,
                            std::uint32_t net) const {
    const std::uint32_t place = mapping_.replicas[replica].unit[node];
    const double lane = geometry_.lane(net, run);
    if (graph_.nodes[node].unit == UnitClass::kPort) {
      const Box box = geometry_.port(place);
      return {run.across ? Point{box.right(), lane} : Point{lane, box.bottom()}};
    }
    const Point touch = pin(place, run.across, net);
    return {touch, run.across ? Point{touch.x, lane} : Point{lane, touch.y}};
  }

  // All ways of a net are one group, so that they have one tooltip.
  void draw_routes(SvgCanvas& canvas) {
    std::map<std::uint32_t, std::vector<Way>> nets;
    for_each_way([&](std::uint32_t net, const Way& way) { nets[net].push_back(way); });
    for (const auto& [net, ways] : nets) {
      std::string tooltip = node_title(graph_.nodes[node_of(net)]) + " to ";
      for (const Way& way : ways)
        tooltip += (&way == ways.data() ? "" : ", ") + node_title(graph_.nodes[way.to]);
      canvas.open_tint("net", colour_of(replica_of(net), node_of(net)), tooltip);
      for (const Way& way : ways) draw_way(canvas, net, way);
      canvas.close_group();
    }
  }

  void draw_way(SvgCanvas& canvas, std::uint32_t net, const Way& way) {
    const std::string_view dashes = way.temporal ? "6 3.5" : "";
    const auto on_lane = [&](const RouteRun& run, double along) {
      return run.across ? Point{along, geometry_.lane(net, run)}
                        : Point{geometry_.lane(net, run), along};
    };
    std::vector<Point> line = end_of(replica_of(net), node_of(net), way.runs.front(), net);
    for (std::size_t i = 0; i + 1 < way.runs.size(); ++i) {
      const RouteRun& run = way.runs[i];
      const RouteRun& next = way.runs[i + 1];
      if (run.jump) {
        line.push_back(on_lane(run, geometry_.border(run, run.to)));
        canvas.stroke(rounded_line(line, kCorner), kRouteWidth, "route", dashes);
        line.assign(1, on_lane(next, geometry_.border(next, next.from)));
      } else if (run.across != next.across) {
        line.push_back(on_lane(run, geometry_.lane(net, next)));
      }
    }
    const std::vector<Point> end = end_of(replica_of(net), way.to, way.runs.back(), net);
    line.insert(line.end(), end.rbegin(), end.rend());
    canvas.stroke(rounded_line(line, kCorner), kRouteWidth, "route", dashes);
    canvas.fill(arrow_head(line[line.size() - 2], line.back(), kArrow), 1, "arrow");
  }

  const DataflowGraph& graph_;
  const Grid& grid_;
  const Mapping& mapping_;
  const LocationText& location_text_;
  RouteLanes lanes_;
  Geometry geometry_;
  std::vector<std::uint32_t> node_on_;           // by unit: replica and node
  std::vector<std::set<std::uint32_t>> below_;   // by unit: nets
  std::vector<std::set<std::uint32_t>> beside_;  // by unit: nets
};

}  // namespace

std::string mapping_svg(const DataflowGraph& graph, const Grid& grid, const Mapping& mapping,
                        const LocationText& location_text) {
  return Drawing(graph, grid, mapping, location_text).svg();
}

}  // namespace raddle::report

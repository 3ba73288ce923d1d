#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "machine/cgra/compile/graph_paths.h"
#include "report/charts/svg_axes.h"
#include "report/charts/svg_path.h"
#include "report/charts/svg_text.h"
#include "report/fabric/dataflow_drawing.h"
#include "report/fabric/layered_layout.h"
#include "report/fabric/node_text.h"

namespace raddle::report {

namespace {

using namespace machine::cgra;

constexpr double kMargin = 16;
constexpr double kTitleSize = 11;
constexpr double kPlaceSize = 9;
constexpr double kMinWidth = 58;
constexpr double kMaxWidth = 190;
constexpr double kArrow = 6.5;
constexpr double kLoop = 26;  // beside a node that sends to itself
constexpr double kHeadHeight = 46;
constexpr double kMinSheet = 460;

struct Line {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int32_t shift = 0;
  bool control = false;
  bool upwards = false;  // laid out from the receiver down to the sender
};

class Drawing {
 public:
  Drawing(const DataflowGraph& graph, const LocationText& location_text)
      : graph_(graph), location_text_(location_text) {
    collect_lines();
    layered_.most_in_layer =
        std::max(8u, static_cast<std::uint32_t>(
                         std::ceil(1.3 * std::sqrt(static_cast<double>(graph_.nodes.size())))));
    for (const Node& node : graph_.nodes) layered_.nodes.push_back(size_of(node));
    layout_ = lay_out(layered_);
    part_line_ends();
  }

  std::string svg() {
    double right = layout_.width;
    for (const Loop& loop : loops_)
      right = std::max(right, box_of(loop.node).right() - origin_.x + kLoop + 8);
    const std::vector<LegendEntry> legend = legend_of();
    ChartFrame frame{.title = graph_.name, .subtitle = subtitle()};
    frame.width = std::max({kMinSheet, right + 2 * kMargin});
    const double legend_height = unit_legend_height(legend, frame.width - 2 * kMargin);
    origin_ = {(frame.width - right) / 2, kMargin + kHeadHeight + legend_height + 10};
    frame.height = origin_.y + layout_.height + kMargin;
    SvgCanvas canvas(frame);
    draw_head(canvas, frame, {}, LegendMark::kBar);
    draw_unit_legend(
        canvas, {kMargin, kMargin + kHeadHeight, frame.width - 2 * kMargin, legend_height}, legend);
    draw_lines(canvas);
    for (std::uint32_t node = 0; node < graph_.nodes.size(); ++node) draw_node(canvas, node);
    draw_shifts(canvas);
    return canvas.finish(
        fmt::format("Dataflow graph of {} nodes and {} edges, {} of them between "
                    "threads.",
                    graph_.nodes.size(), lines_.size() + loops_.size(), threads_apart()));
  }

 private:
  struct Loop {
    std::uint32_t node = 0;
    std::int32_t shift = 0;
  };
  struct ShiftLabel {
    Point centre;
    std::int32_t shift = 0;
  };

  LayeredNode size_of(const Node& node) const {
    const std::string place = node_place(node, location_text_);
    const double width =
        std::max(text_width(node_title(node), kTitleSize), text_width(place, kPlaceSize)) + 20;
    return {std::clamp(width, kMinWidth, kMaxWidth), place.empty() ? 26.0 : 36.0};
  }

  // Values of a node run together, its order tokens too, and every edge between threads alone.
  void collect_lines() {
    const auto nodes = static_cast<std::uint32_t>(graph_.nodes.size());
    std::size_t number = 0;
    const std::vector<GraphEdge> edges = edges_of(graph_);
    for (std::uint32_t to = 0; to < nodes; ++to) {
      const Node& node = graph_.nodes[to];
      if (loops_to_itself(node)) loops_.push_back({to, node.loop_shift});
      for (const Input& input : node.inputs) {
        const GraphEdge& edge = edges[number++];
        if (input.from == to) {
          loops_.push_back({to, input.shift});
          continue;
        }
        const bool alone = input.shift != 0 || !edge.forward;
        lines_.push_back({input.from, to, input.shift, input.control, !edge.forward});
        const auto own = static_cast<std::uint32_t>(2 * nodes + lines_.size());
        const std::uint32_t bundle = alone ? own : input.control ? nodes + input.from : input.from;
        if (edge.forward)
          layered_.edges.push_back({input.from, to, bundle});
        else
          layered_.edges.push_back({to, input.from, bundle});
      }
    }
  }

  // Several lines that reach a node do so side by side, in the order in which they come.
  void part_line_ends() {
    for (std::uint32_t node = 0; node < graph_.nodes.size(); ++node) {
      std::vector<std::size_t> arriving;
      for (std::size_t i = 0; i < layered_.edges.size(); ++i) {
        if (layered_.edges[i].to == node) arriving.push_back(i);
      }
      const auto comes_from = [&](std::size_t i) {
        return std::pair(lines_[i].upwards, layout_.lines[i][layout_.lines[i].size() - 2].x);
      };
      std::stable_sort(arriving.begin(), arriving.end(),
                       [&](std::size_t a, std::size_t b) { return comes_from(a) < comes_from(b); });
      const double room = layered_.nodes[node].width - 20;
      const double step = std::min(12.0, room / static_cast<double>(arriving.size()));
      for (std::size_t i = 0; i < arriving.size(); ++i) {
        layout_.lines[arriving[i]].back().x +=
            (static_cast<double>(i) - static_cast<double>(arriving.size() - 1) / 2) * step;
      }
    }
    // Order tokens and tokens between threads leave beside the values.
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      Point& start = layout_.lines[i].front();
      const double quarter = layered_.nodes[layered_.edges[i].from].width / 4;
      if (lines_[i].shift != 0 || lines_[i].upwards)
        start.x += quarter;
      else if (lines_[i].control)
        start.x -= quarter;
    }
  }

  std::size_t threads_apart() const {
    const auto temporal = [](const Line& line) { return line.shift != 0; };
    return static_cast<std::size_t>(std::count_if(lines_.begin(), lines_.end(), temporal)) +
           loops_.size();
  }

  std::string subtitle() const {
    std::string text =
        fmt::format("{} nodes, {} edges", graph_.nodes.size(), lines_.size() + loops_.size());
    if (threads_apart() > 0) text += "; dashed: to another thread";
    const auto control = [](const Line& line) { return line.control; };
    if (std::any_of(lines_.begin(), lines_.end(), control)) text += "; dotted: order only";
    return text;
  }

  std::vector<LegendEntry> legend_of() const {
    std::vector<LegendEntry> legend;
    for (std::size_t c = 0; c <= kUnitClasses; ++c) {
      const auto unit = static_cast<UnitClass>(c);
      const auto nodes = std::count_if(graph_.nodes.begin(), graph_.nodes.end(),
                                       [unit](const Node& node) { return node.unit == unit; });
      if (nodes == 0) continue;
      legend.push_back(
          {unit, unit == UnitClass::kPort ? "port" : fmt::format("{} {}", nodes, name_of(unit))});
    }
    return legend;
  }

  Point on_sheet(const Point& point) const { return {point.x + origin_.x, point.y + origin_.y}; }

  Box box_of(std::uint32_t node) const {
    const Point centre = on_sheet(layout_.centres[node]);
    const LayeredNode& size = layered_.nodes[node];
    return {centre.x - size.width / 2, centre.y - size.height / 2, size.width, size.height};
  }

  // Edges have the colour of what they come from; those between threads that of elevators.
  void draw_lines(SvgCanvas& canvas) {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const Line& line = lines_[i];
      std::vector<Point> points;
      for (const Point& point : layout_.lines[i]) points.push_back(on_sheet(point));
      const bool temporal = line.shift != 0;
      const std::size_t skipped = layout_.shared[i] > 0 && !temporal ? layout_.shared[i] - 1 : 0;
      canvas.open_series(series_of(temporal ? UnitClass::kControl : graph_.nodes[line.from].unit));
      if (line.upwards) std::reverse(points.begin(), points.end());
      const Point tip = points.back();
      const double direction = line.upwards ? -1 : 1;
      points.back().y -= direction * kArrow * 0.8;
      const std::string path = flowing_line(std::span(points).subspan(skipped));
      if (temporal)
        canvas.stroke(path, 2.2, "edge temporal", "7 4");
      else if (line.control)
        canvas.stroke(path, 1.3, "edge order", "1.5 4");
      else
        canvas.stroke(path, 1.5, "edge");
      canvas.fill(arrow_head({tip.x, tip.y - direction * 20}, tip, kArrow), 1, "arrow");
      canvas.close_group();
      if (line.shift == 0) continue;
      const Point middle = middle_of(points);
      shifts_.push_back({{middle.x + 18, middle.y}, line.shift});
    }
    for (const Loop& loop : loops_) draw_loop(canvas, loop);
  }

  static Point middle_of(std::span<const Point> points) {
    const std::size_t half = points.size() / 2;
    const Point& a = points[half - 1];
    const Point& b = points[half];
    return {(a.x + b.x) / 2, (a.y + b.y) / 2};
  }

  void draw_loop(SvgCanvas& canvas, const Loop& loop) {
    const Box box = box_of(loop.node);
    const double top = box.y + box.height * 0.3;
    const double bottom = box.y + box.height * 0.7;
    canvas.open_series(series_of(UnitClass::kControl));
    canvas.stroke(
        fmt::format("M{0} {1}C{2} {3} {2} {4} {5} {6}", svg_number(box.right()), svg_number(bottom),
                    svg_number(box.right() + kLoop), svg_number(bottom + 12), svg_number(top - 12),
                    svg_number(box.right() + 4), svg_number(top)),
        2.2, "edge temporal", "7 4");
    canvas.fill(arrow_head({box.right() + 10, top - 4}, {box.right(), top}, kArrow), 1, "arrow");
    canvas.close_group();
    if (loop.shift != 0)
      shifts_.push_back({{box.right() + kLoop * 0.72, box.y + box.height / 2}, loop.shift});
  }

  void draw_node(SvgCanvas& canvas, std::uint32_t number) {
    const Node& node = graph_.nodes[number];
    const Box box = box_of(number);
    const bool round = node.unit == UnitClass::kPort || node.kind == NodeKind::kElevator;
    const std::string shape = rounded_box(box, round ? box.height / 2 : 6);
    canvas.open_group("node");
    canvas.open_series(series_of(node.unit));
    canvas.fill(shape, 0.18, "tint", node_tooltip(node, location_text_));
    canvas.stroke(shape, 1.5, "frame");
    canvas.close_group();
    const std::string title = node_title(node);
    const std::string place = node_place(node, location_text_);
    const double x = box.x + box.width / 2;
    const double y = box.y + box.height / 2;
    canvas.text(x, place.empty() ? y : y - 6, fitted_text(title, kTitleSize, box.width - 8),
                {.size = kTitleSize, .anchor = Anchor::kMiddle, .css_class = "name"}, title);
    canvas.text(
        x, y + 8, fitted_text(place, kPlaceSize, box.width - 8),
        {.size = kPlaceSize, .anchor = Anchor::kMiddle, .muted = true, .css_class = "place"},
        place);
    canvas.close_group();
  }

  void draw_shifts(SvgCanvas& canvas) {
    for (const ShiftLabel& label : shifts_) {
      const std::string text = shift_text(label.shift);
      const double width = text_width(text, 10) + 8;
      const Box box{label.centre.x - width / 2, label.centre.y - 7, width, 14};
      canvas.open_series(series_of(UnitClass::kControl));
      canvas.fill(rounded_box(box, 7), 1, "shift-box",
                  fmt::format("to the thread {} places later", text));
      canvas.text(label.centre.x, label.centre.y, text,
                  {.size = 10,
                   .anchor = Anchor::kMiddle,
                   .bold = true,
                   .css_class = "on shift",
                   .fill = "#10141a"});
      canvas.close_group();
    }
  }

  const DataflowGraph& graph_;
  const LocationText& location_text_;
  LayeredGraph layered_;
  LayeredLayout layout_;
  Point origin_;
  std::vector<Line> lines_;  // as layered_.edges
  std::vector<Loop> loops_;
  std::vector<ShiftLabel> shifts_;
};

}  // namespace

std::string dataflow_svg(const DataflowGraph& graph, const LocationText& location_text) {
  return Drawing(graph, location_text).svg();
}

}  // namespace raddle::report

// A grid of cells coloured by value, such as the units of a fabric or two swept parameters, with a
// colour bar. Cells without a value are grey.
#pragma once

#include <string>
#include <vector>

#include "report/charts/svg_canvas.h"
#include "report/charts/svg_scale.h"

namespace raddle::report {

struct HeatMap {
  ChartFrame frame;
  ChartAxis values;  // of the colour bar
  std::string column_title, row_title;
  std::vector<std::string> columns;
  std::vector<std::string> rows;           // from the top
  std::vector<std::vector<double>> cells;  // cells[row][column]; missing ones and NaN are grey
};

std::string svg_of(const HeatMap& map);

}  // namespace raddle::report

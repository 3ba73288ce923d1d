// What must hold of every chart, whatever its data: well-formed, described, nothing drawn outside
// or over other text.
#pragma once

#include <string>
#include <vector>

#include "report/charts/svg_canvas.h"
#include "report/xml_reader.h"

namespace raddle::report {

// Reads a chart and reports as a test failure what is wrong with it.
XmlElement checked_svg(const std::string& svg);

// Texts of one class, in the order of the document: "tick", "value", "name" …
std::vector<std::string> texts_of(const XmlElement& svg, const std::string& css_class);

Box box_of(const XmlElement& rectangle);

}  // namespace raddle::report

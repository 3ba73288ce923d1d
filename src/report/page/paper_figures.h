// Figures of a paper drawn from measured values, as SVG files.
#pragma once

#include <string>

#include "experiment/claim_judgement.h"

namespace raddle::report {

// The groups hold all that the figure needs. Throws Error when the place cannot be written.
void write_paper_figure(const experiment::PaperFigure& figure, experiment::MeasuredGroups& groups,
                        const std::string& file);
std::string paper_figure_svg(const experiment::PaperFigure& figure,
                             experiment::MeasuredGroups& groups);

}  // namespace raddle::report

// A picture of curves as SVG, which any browser shows.
#ifndef DFRUN_SRC_RUNS_SVG_PLOT_H_
#define DFRUN_SRC_RUNS_SVG_PLOT_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/runs/curves.h"

namespace dfrun {

struct PlottedRun {
  std::string name;  // in the legend
  std::map<std::string, Curve> curves;
};

// Draws a panel a metric, in which each run that has it is a curve; a run has the same colour in all panels, and the
// legend names it. A curve has a gap where a value is not finite or, with `is_log`, not above 0. Curves have at most
// some 2,000 points each. The text is whole: it needs no script, no font and no other file, and names in it may hold
// anything.
// Thread safety: any thread.
std::string DrawSvg(const std::vector<PlottedRun>& runs, const std::vector<std::string>& metrics, bool is_log);

// The text with the characters of markup as XML writes them, and those that it cannot hold as escapes.
std::string XmlText(std::string_view text);

}  // namespace dfrun

#endif  // DFRUN_SRC_RUNS_SVG_PLOT_H_

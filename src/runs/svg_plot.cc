#include "src/runs/svg_plot.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "src/base/printable.h"
#include "src/base/status.h"
#include "src/runs/axis.h"

namespace dfrun {
namespace {

// Sizes in pixels.
constexpr double kWidth = 960;
constexpr double kLeft = 90;    // left end of the area of curves: labels stand before it
constexpr double kRight = 940;  // its right end
constexpr double kPanel = 300;  // from the top of a panel to that of the next
constexpr double kTop = 34;     // top of the area of curves, in its panel
constexpr double kArea = 220;   // height of the area of curves
constexpr double kLegendRow = 18;
constexpr double kMargin = 12;
constexpr size_t kMaxPoints = 2000;
constexpr int kTicksAcross = 8;
constexpr int kTicksUp = 5;

std::string Pixels(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, 2);
  return std::string(text, end);
}

// Ten colours that are told apart well, then others by turns of the golden angle.
std::string ColourOf(size_t run) {
  constexpr std::string_view kColours[] = {"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd",
                                           "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf"};
  if (run < std::size(kColours)) return std::string(kColours[run]);
  constexpr double kGoldenAngle = 137.508;
  return StrCat("hsl(", static_cast<int>(std::fmod(static_cast<double>(run) * kGoldenAngle, 360)), ",70%,40%)");
}

struct Extent {
  double least = 0;
  double most = 0;

  void Take(double value, bool is_first) {
    least = is_first ? value : std::min(least, value);
    most = is_first ? value : std::max(most, value);
  }
};

std::string TextAt(double x, double y, std::string_view anchor, std::string_view text) {
  return StrCat("<text x=\"", Pixels(x), "\" y=\"", Pixels(y), "\" text-anchor=\"", anchor, "\">", XmlText(text),
                "</text>\n");
}

std::string LineBetween(double x1, double y1, double x2, double y2, std::string_view colour) {
  return StrCat("<line x1=\"", Pixels(x1), "\" y1=\"", Pixels(y1), "\" x2=\"", Pixels(x2), "\" y2=\"", Pixels(y2),
                "\" stroke=\"", colour, "\"/>\n");
}

// The curves of one metric.
class Panel {
 public:
  Panel(const std::vector<PlottedRun>& runs, const std::string& metric, bool is_log, double top)
      : metric_(metric), is_log_(is_log), top_(top) {
    for (const PlottedRun& run : runs) {
      const auto curve = run.curves.find(metric);
      curves_.push_back(curve == run.curves.end() ? Curve() : ThinOut(curve->second, kMaxPoints));
      names_.push_back(run.name);
    }
    Measure();
  }

  std::string Draw() const {
    std::string svg = StrCat("<g>\n<text x=\"", Pixels(kLeft), "\" y=\"", Pixels(top_ + 20), "\" font-weight=\"bold\">",
                             XmlText(metric_), "</text>\n");
    if (!has_points_) return svg + TextAt(kLeft, top_ + kTop + 20, "start", "no points") + "</g>\n";
    const Axis across(steps_.least, steps_.most, /*is_log=*/false);
    const Axis up(values_.least, values_.most, is_log_);
    svg += Grid(across, up);
    for (size_t run = 0; run < curves_.size(); ++run) svg += Draw(run, across, up);
    return svg + "</g>\n";
  }

 private:
  bool IsShown(double value) const { return std::isfinite(value) && (!is_log_ || value > 0); }
  static double X(const Axis& across, double step) { return kLeft + across.PositionOf(step) * (kRight - kLeft); }
  double Y(const Axis& up, double value) const { return top_ + kTop + (1 - up.PositionOf(value)) * kArea; }

  void Measure() {
    for (const Curve& curve : curves_) {
      for (const CurvePoint& point : curve) {
        if (!IsShown(point.value)) continue;
        steps_.Take(static_cast<double>(point.step), !has_points_);
        values_.Take(point.value, !has_points_);
        has_points_ = true;
      }
    }
  }

  std::string Grid(const Axis& across, const Axis& up) const {
    const double bottom = top_ + kTop + kArea;
    std::string svg;
    for (const AxisTick& tick : across.Ticks(kTicksAcross)) {
      const double x = X(across, tick.value);
      svg += LineBetween(x, top_ + kTop, x, bottom, "#e5e5e5") + TextAt(x, bottom + 16, "middle", tick.label);
    }
    for (const AxisTick& tick : up.Ticks(kTicksUp)) {
      const double y = Y(up, tick.value);
      svg += LineBetween(kLeft, y, kRight, y, "#e5e5e5") + TextAt(kLeft - 6, y + 4, "end", tick.label);
    }
    return svg + LineBetween(kLeft, bottom, kRight, bottom, "#444444") +
           LineBetween(kLeft, top_ + kTop, kLeft, bottom, "#444444") + TextAt(kRight, bottom + 32, "end", "step");
  }

  // Draws a run's curve in pieces between its gaps; a piece of one point is a dot.
  std::string Draw(size_t run, const Axis& across, const Axis& up) const {
    const std::string colour = ColourOf(run);
    std::string path, dots, piece;
    int points = 0;
    const auto end_piece = [&] {
      if (points > 1) path += piece;
      points = 0;
      piece.clear();
    };
    const Curve& curve = curves_[run];
    for (size_t i = 0; i < curve.size(); ++i) {
      if (!IsShown(curve[i].value)) {
        end_piece();
        continue;
      }
      const std::string x = Pixels(X(across, static_cast<double>(curve[i].step)));
      const std::string y = Pixels(Y(up, curve[i].value));
      piece += StrCat(points == 0 ? "M" : "L", x, " ", y);
      ++points;
      const bool is_last = i + 1 == curve.size() || !IsShown(curve[i + 1].value);
      if (points == 1 && is_last)
        dots += StrCat("<circle cx=\"", x, "\" cy=\"", y, "\" r=\"3\" fill=\"", colour, "\"/>\n");
    }
    end_piece();
    if (path.empty()) return dots;
    return StrCat("<path d=\"", path, "\" fill=\"none\" stroke=\"", colour, "\" stroke-width=\"1.5\"><title>",
                  XmlText(names_[run]), "</title></path>\n", dots);
  }

  const std::string& metric_;
  const bool is_log_;
  const double top_;
  std::vector<std::string> names_;  // by run
  std::vector<Curve> curves_;       // by run; empty: it has no such metric
  bool has_points_ = false;
  Extent steps_;
  Extent values_;
};

std::string Legend(const std::vector<PlottedRun>& runs) {
  std::string svg;
  for (size_t run = 0; run < runs.size(); ++run) {
    const double y = kMargin + kLegendRow * (static_cast<double>(run) + 0.5);
    svg += StrCat("<line x1=\"", Pixels(kLeft), "\" y1=\"", Pixels(y), "\" x2=\"", Pixels(kLeft + 24), "\" y2=\"",
                  Pixels(y), "\" stroke=\"", ColourOf(run), "\" stroke-width=\"3\"/>\n",
                  TextAt(kLeft + 32, y + 4, "start", runs[run].name));
  }
  return svg;
}

}  // namespace

std::string DrawSvg(const std::vector<PlottedRun>& runs, const std::vector<std::string>& metrics, bool is_log) {
  double top = 2 * kMargin + kLegendRow * static_cast<double>(runs.size());
  const std::string height = Pixels(top + kPanel * static_cast<double>(metrics.size()));
  std::string svg = StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", Pixels(kWidth), "\" height=\"", height,
                           "\" viewBox=\"0 0 ", Pixels(kWidth), " ", height,
                           "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
                           "fill=\"white\"/>\n",
                           Legend(runs));
  for (const std::string& metric : metrics) {
    svg += Panel(runs, metric, is_log, top).Draw();
    top += kPanel;
  }
  return svg + "</svg>\n";
}

std::string XmlText(std::string_view text) {
  std::string out;
  for (const char c : PrintableLine(text)) {
    out += c == '&'   ? std::string("&amp;")
           : c == '<' ? std::string("&lt;")
           : c == '>' ? std::string("&gt;")
           : c == '"' ? std::string("&quot;")
                      : std::string(1, c);
  }
  return out;
}

}  // namespace dfrun

// An axis of a plot: what of a range of numbers stands where, and the numbers that are written beside it.
#ifndef DFRUN_SRC_RUNS_AXIS_H_
#define DFRUN_SRC_RUNS_AXIS_H_

#include <string>
#include <vector>

namespace dfrun {

struct AxisTick {
  double value = 0;
  std::string label;  // the shortest text that reads back as the value
};

// Thread safety: const methods from any thread.
class Axis {
 public:
  // The range from `least` to `most`, both finite, as the axis shows it: one of no length is widened. A logarithmic
  // axis takes numbers above 0 alone.
  Axis(double least, double most, bool is_log);

  // 0 for the least number of the range, 1 for the largest one.
  double PositionOf(double value) const;
  // Multiples of 1, 2 or 5 times a power of ten within the range, about `count` of them. Of a logarithmic axis powers
  // of ten; 2 and 5 times those too where there are few.
  std::vector<AxisTick> Ticks(int count) const;

 private:
  std::vector<AxisTick> LogTicks(int count) const;

  double least_;  // on a logarithmic axis this and the next are logarithms to the base 10
  double most_;
  bool is_log_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_RUNS_AXIS_H_

// Numbers of lines that people read.
#ifndef DFRUN_SRC_JOB_ROUNDED_H_
#define DFRUN_SRC_JOB_ROUNDED_H_

#include <cmath>

namespace dfrun {

// The nearest multiple of a thousandth.
inline double Rounded(double value) {
  return std::round(value * 1e3) / 1e3;
}

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_ROUNDED_H_

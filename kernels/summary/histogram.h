// The histogram of TensorBoard: buckets that grow by a tenth each, the same for all tensors.
#ifndef DFRUN_KERNELS_SUMMARY_HISTOGRAM_H_
#define DFRUN_KERNELS_SUMMARY_HISTOGRAM_H_

#include <vector>

#include "src/storage/summary.pb.h"

namespace dfrun {

class Histogram {
 public:
  Histogram();
  // A finite number.
  void Add(double value);
  // Runs of empty buckets become one.
  void ToProto(proto::HistogramProto* message) const;

 private:
  double min_;
  double max_;
  double count_ = 0;
  double sum_ = 0;
  double sum_of_squares_ = 0;
  std::vector<double> buckets_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_SUMMARY_HISTOGRAM_H_

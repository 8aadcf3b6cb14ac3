// The histogram of TensorBoard: buckets that grow by a tenth each, the same for all tensors.
//
// Bins are its new form: a row [left edge, right edge, count] each, of float64. Rows of several tensors can be added,
// because their edges are those of the buckets but for the least and the greatest number.
#ifndef DFRUN_KERNELS_SUMMARY_HISTOGRAM_H_
#define DFRUN_KERNELS_SUMMARY_HISTOGRAM_H_

#include <string>
#include <vector>

#include "src/framework/values/tensor.h"
#include "src/storage/summary.pb.h"

namespace dfrun {

class Histogram {
 public:
  Histogram();
  // A finite number.
  void Add(double value);
  // Adds each element of a tensor of real numbers that is finite.
  void AddFinite(const Tensor& values);
  // Adds what ToBins() gave.
  void AddBins(const Tensor& bins);
  // Runs of empty buckets become one.
  void ToProto(proto::HistogramProto* message) const;
  // [k, 3]: the buckets with a number in them, in their order, the first from the least and the last to the greatest
  // number.
  Tensor ToBins() const;
  // [k, 3]: as ToBins(), with a row of count 0 for each run of empty buckets between others, so that each row begins
  // where the one before ends. Where all numbers are one, its bin is 1 wide.
  Tensor ToRows() const;

 private:
  Tensor Rows(bool with_empty) const;

  double min_;
  double max_;
  double count_ = 0;
  double sum_ = 0;
  double sum_of_squares_ = 0;
  std::vector<double> buckets_;
};

// Adds the value of TensorFlow's histogram summary. InvalidArgument where a number is not finite.
Status AddHistogram(const std::string& tag, const Tensor& values, proto::Summary& summary);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_SUMMARY_HISTOGRAM_H_

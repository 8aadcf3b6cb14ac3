// Collects the fetches of many steps into one array for each name.
//
// A step's values are the next part of the arrays: where they have one row a sample the rows follow each other, else
// the values are stacked along a new first axis, by step. Either way an array's elements lie in the order in which the
// steps gave them, so that they can be written as they come (ArrayStore).
#ifndef DFRUN_SRC_JOB_FETCHED_ARRAYS_H_
#define DFRUN_SRC_JOB_FETCHED_ARRAYS_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "src/framework/values/tensor.h"
#include "src/training/fetch_rows.h"

namespace dfrun {

struct ArrayInfo {
  std::string name;
  DType dtype = DType::kInvalid;
  Shape shape;
};

// Takes the elements of arrays in row-major order.
// Thread safety: one thread.
class ArrayStore {
 public:
  virtual ~ArrayStore() = default;
  // Begins the arrays. Called once, before all else.
  virtual Status Begin(const std::vector<ArrayInfo>& arrays) = 0;
  // The next elements of an array, of its dtype, in host memory.
  virtual Status Append(size_t array, const Tensor& elements) = 0;
  // Ends the arrays: there are no more elements.
  virtual Status End() = 0;
};

// The number of steps to come.
struct StepCounts {
  int64_t passes = 1;   // 1 adds no axis
  int64_t steps = 1;    // steps a pass; 1 adds no axis
  int64_t samples = 0;  // samples a pass; 0: its steps are not batches of samples
};

// Thread safety: one thread. After an error only the destructor is called.
class FetchedArrays {
 public:
  // `rows`: of each name, or none. `store` must outlive this object, and the caller calls its End(). `say` is told how
  // values without a row for each sample are stacked, and where a value's shape decided.
  FetchedArrays(std::vector<std::string> names, std::vector<FetchRows> rows, const StepCounts& counts,
                ArrayStore& store, std::function<void(const std::string&)> say);

  // Adds the fetches of the next step, which had so many samples. InvalidArgument, BadSpec in a pass over samples,
  // where a value has another shape than the first step's had, but for the number of rows where those are the samples'.
  Status Add(std::span<const Tensor> values, int64_t samples);

 private:
  Status Begin(std::span<const Tensor> values, int64_t samples);
  FetchRows Decide(size_t fetch, const Tensor& value, int64_t samples) const;
  Result<Shape> WholeShape(FetchRows rows, const Shape& first) const;
  Status CheckAlike(size_t fetch, const Shape& shape, int64_t samples) const;
  bool HasSteps() const { return counts_.samples > 0 && counts_.steps > 1; }

  const std::vector<std::string> names_;
  std::vector<FetchRows> rows_;  // by name
  const StepCounts counts_;
  ArrayStore& store_;
  const std::function<void(const std::string&)> say_;
  std::vector<Shape> first_;  // by name: shape of the first step's value
  int64_t added_ = 0;         // steps
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_FETCHED_ARRAYS_H_

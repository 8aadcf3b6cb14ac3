// Arrays in memory: all of their elements, or the first for a message.
#ifndef DFRUN_SRC_JOB_KEPT_ARRAYS_H_
#define DFRUN_SRC_JOB_KEPT_ARRAYS_H_

#include <limits>
#include <string>
#include <vector>

#include "src/job/fetched_arrays.h"

namespace dfrun {

// A store of arrays in memory.
// Thread safety: one thread.
class KeptArrays final : public ArrayStore {
 public:
  static constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
  // The elements that ToString() shows, and one more that tells it that there are more.
  static constexpr int64_t kShown = 9;

  // Keeps so many elements of each array.
  explicit KeptArrays(int64_t most = kAll) : most_(most) {}

  Status Begin(const std::vector<ArrayInfo>& arrays) override;
  Status Append(size_t array, const Tensor& elements) override;
  // Cuts an array that lacks elements to the whole rows of its first axis.
  Status End() override;

  // Returns the arrays, if they are kept whole. Call after End().
  const std::vector<Tensor>& values() const { return values_; }
  // "float32[10007,2] 1 2 3 ...".
  std::string Text(size_t array) const;

 private:
  const int64_t most_;
  std::vector<ArrayInfo> arrays_;
  std::vector<Tensor> values_;     // flat until End(), and after it where not all are kept
  std::vector<int64_t> appended_;  // elements, kept or not
};

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_KEPT_ARRAYS_H_

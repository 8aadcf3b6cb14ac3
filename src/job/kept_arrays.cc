#include "src/job/kept_arrays.h"

#include <algorithm>

namespace dfrun {

Status KeptArrays::Begin(const std::vector<ArrayInfo>& arrays) {
  arrays_ = arrays;
  appended_.assign(arrays.size(), 0);
  for (const ArrayInfo& array : arrays) {
    const Shape kept({std::min(most_, array.shape.num_elements())});
    DF_ASSIGN(Tensor value, Tensor::Allocate(SystemAllocator(), array.dtype, kept));
    values_.push_back(std::move(value));
  }
  return Status();
}

Status KeptArrays::Append(size_t array, const Tensor& elements) {
  Tensor& value = values_[array];
  const int64_t count = elements.num_elements();
  const int64_t begin = std::min(appended_[array], value.num_elements());
  const int64_t kept = std::min(count, value.num_elements() - begin);
  Tensor to = value.SliceRows(begin, begin + kept);
  CopyElements(elements.Reshaped(Shape({count})).SliceRows(0, kept), to);
  appended_[array] += count;
  return Status();
}

Status KeptArrays::End() {
  for (size_t i = 0; i < arrays_.size(); ++i) {
    Shape& shape = arrays_[i].shape;
    const int64_t elements = shape.num_elements();
    if (appended_[i] < elements) shape.set_dim(0, appended_[i] / (elements / shape[0]));
    if (shape.num_elements() > most_) continue;
    values_[i] = values_[i].SliceRows(0, shape.num_elements()).Reshaped(shape);
  }
  return Status();
}

std::string KeptArrays::Text(size_t array) const {
  const Tensor& value = values_[array];
  const std::string text = value.ToString();
  const size_t head = StrCat(value.dtype(), value.shape()).size();
  return StrCat(value.dtype(), arrays_[array].shape, text.substr(head));
}

}  // namespace dfrun

#include "src/job/job_observer.h"

#include "src/framework/values/element_types.h"

namespace dfrun {

bool IsNumber(const Tensor& value) {
  return value.num_elements() == 1 && IsPlain(value.dtype()) && !IsComplex(value.dtype());
}

double ToDouble(const Tensor& number) {
  double value = 0;
  VisitDType<bool, DF_REAL>(
      number.dtype(), [&](auto tag) { value = static_cast<double>(number.scalar<typename decltype(tag)::type>()); });
  return value;
}

}  // namespace dfrun

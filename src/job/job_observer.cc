#include "src/job/job_observer.h"

namespace dfrun {

bool IsNumber(const Tensor& value) {
  return value.num_elements() == 1 && IsPlain(value.dtype()) && !IsComplex(value.dtype());
}

}  // namespace dfrun

#include "kernels/math/functions/cast.h"

namespace dfrun {

CastRun FindCastFromComplex(DType from, DType to) {
  CastRun run = nullptr;
  VisitDType<std::complex<float>, std::complex<double>>(
      from, [&](auto tag) { run = FindCast<typename decltype(tag)::type>(to); });
  return run;
}

}  // namespace dfrun

#include "kernels/math/cast.h"

namespace dfrun {

CastRun FindCastFromReal(DType from, DType to) {
  CastRun run = nullptr;
  VisitDType<float16, bfloat16, float, double>(from,
                                               [&](auto tag) { run = FindCast<typename decltype(tag)::type>(to); });
  return run;
}

}  // namespace dfrun

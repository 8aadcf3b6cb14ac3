#include "kernels/math/functions/cast.h"
#include "src/framework/values/element_types.h"

namespace dfrun {

CastRun FindCastFromReal(DType from, DType to) {
  CastRun run = nullptr;
  VisitDType<DF_FLOATS>(from, [&](auto tag) { run = FindCast<typename decltype(tag)::type>(to); });
  return run;
}

}  // namespace dfrun

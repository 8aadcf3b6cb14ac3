#include "kernels/math/cast.h"

namespace dfrun {

CastRun FindCastFromInteger(DType from, DType to) {
  CastRun run = nullptr;
  VisitDType<bool, uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t, int64_t>(
      from, [&](auto tag) { run = FindCast<typename decltype(tag)::type>(to); });
  return run;
}

}  // namespace dfrun

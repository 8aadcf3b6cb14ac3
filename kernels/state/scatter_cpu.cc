#include "kernels/math/functors.h"
#include "kernels/state/scatter.h"

namespace dfrun {
namespace {

struct TakeNew {
  template <class T>
  T operator()(const T&, const T& update) const {
    return update;
  }
};

// Each op on rows and on slices, on refs and on handles.
#define DF_SCATTER(name, functor, ...)                           \
  CPU_KERNEL("Scatter" name, ScatterRows<functor>, __VA_ARGS__); \
  CPU_KERNEL_ATTR("ResourceScatter" name, "dtype", ScatterRows<functor>, __VA_ARGS__)
#define DF_SCATTER_ND(name, functor, ...)                            \
  CPU_KERNEL("ScatterNd" name, ScatterSlices<functor>, __VA_ARGS__); \
  CPU_KERNEL("ResourceScatterNd" name, ScatterSlices<functor>, __VA_ARGS__)
#define DF_REAL_TYPES \
  bfloat16, float16, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
#define DF_NUMBER_TYPES DF_REAL_TYPES, std::complex<float>, std::complex<double>

DF_SCATTER("Update", TakeNew, DF_NUMBER_TYPES, bool, std::string);
DF_SCATTER("Add", fn::Add, DF_NUMBER_TYPES);
DF_SCATTER("Sub", fn::Sub, DF_NUMBER_TYPES);
DF_SCATTER("Mul", fn::Mul, DF_NUMBER_TYPES);
DF_SCATTER("Div", fn::Div, DF_NUMBER_TYPES);
DF_SCATTER("Min", fn::Minimum, DF_REAL_TYPES);
DF_SCATTER("Max", fn::Maximum, DF_REAL_TYPES);
DF_SCATTER_ND("Update", TakeNew, DF_NUMBER_TYPES, bool, std::string);
DF_SCATTER_ND("Add", fn::Add, DF_NUMBER_TYPES, bool);
DF_SCATTER_ND("Sub", fn::Sub, DF_NUMBER_TYPES, bool);
DF_SCATTER_ND("Min", fn::Minimum, DF_REAL_TYPES);
DF_SCATTER_ND("Max", fn::Maximum, DF_REAL_TYPES);

#undef DF_SCATTER
#undef DF_SCATTER_ND
#undef DF_REAL_TYPES
#undef DF_NUMBER_TYPES

}  // namespace
}  // namespace dfrun

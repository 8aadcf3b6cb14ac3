#include "kernels/device/cpu_kernel.h"
#include "kernels/math/functions/functors.h"
#include "kernels/state/scatter.h"
#include "src/framework/values/element_types.h"
#include "src/framework/values/variant.h"

namespace dfrun {
namespace {

// Each op on rows and on slices, on refs and on handles.
#define DF_SCATTER(name, functor, ...)                           \
  CPU_KERNEL("Scatter" name, ScatterRows<functor>, __VA_ARGS__); \
  CPU_KERNEL_ATTR("ResourceScatter" name, "dtype", ScatterRows<functor>, __VA_ARGS__)
#define DF_SCATTER_ND(name, functor, ...)                            \
  CPU_KERNEL("ScatterNd" name, ScatterSlices<functor>, __VA_ARGS__); \
  CPU_KERNEL("ResourceScatterNd" name, ScatterSlices<functor>, __VA_ARGS__)

DF_SCATTER("Update", TakeUpdate, DF_NUMBERS, bool, std::string, Variant);
DF_SCATTER("Add", fn::Add, DF_NUMBERS);
DF_SCATTER("Sub", fn::Sub, DF_NUMBERS);
DF_SCATTER("Mul", fn::Mul, DF_NUMBERS);
DF_SCATTER("Div", fn::Div, DF_NUMBERS);
DF_SCATTER("Min", fn::Minimum, DF_REAL);
DF_SCATTER("Max", fn::Maximum, DF_REAL);
DF_SCATTER_ND("Update", TakeUpdate, DF_NUMBERS, bool, std::string);
DF_SCATTER_ND("Add", fn::Add, DF_NUMBERS, bool);
DF_SCATTER_ND("Sub", fn::Sub, DF_NUMBERS, bool);
DF_SCATTER_ND("Min", fn::Minimum, DF_REAL);
DF_SCATTER_ND("Max", fn::Maximum, DF_REAL);

#undef DF_SCATTER
#undef DF_SCATTER_ND

}  // namespace
}  // namespace dfrun

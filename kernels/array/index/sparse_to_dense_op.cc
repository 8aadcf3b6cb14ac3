#include "kernels/array/int_values.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

OP("SparseToDense")
    .Input("sparse_indices: Tindices")
    .Input("output_shape: Tindices")
    .Input("sparse_values: T")
    .Input("default_value: T")
    .Output("dense: T")
    .Attr("validate_indices: bool = true")
    .Attr("T: type")
    .Attr("Tindices: {int32, int64}")
    .Shape([](InferenceContext& c) -> Status {
      DF_TRY(c.WithRank(1, 1).status());
      if (const Tensor* shape = c.input_value(1)) DF_TRY(ShapeValue(*shape, "the output's shape").status());
      c.set_output(0, c.input_as_shape(1));
      return Status();
    })
    .Gradient([](GradientBuilder& g) {
      const Output zero = g.Const(Tensor::Scalar<int32_t>(0));
      const Output one = g.Const(Tensor::Scalar<int32_t>(1));
      const auto sum = [&](Output x) { return g.Op("Sum", x, g.Op("Range", zero, g.Op("Rank", x), one)); };
      Output indices = g.x(0);
      if (g.shape(indices).rank() != 2) {  // a vector, or not known
        const Output depth = g.Op("Size", g.x(1));
        indices = g.Op("Reshape", indices, g.AddNode("Pack", {g.Const(Tensor::Scalar<int32_t>(-1)), depth}, {}));
      }
      // Repeated coordinates keep their last value only. Scattering the values' numbers in the same way finds it.
      const Output all = g.Op("GatherNd", g.dy(0), indices);
      const Output numbers = g.Op("Range", zero, g.Op("Size", all), one);
      const AttrMap checked = {{"validate_indices", g.attr<bool>("validate_indices")}};
      const Output winners =
          g.Op("SparseToDense", checked, indices, g.x(1), numbers, g.Const(Tensor::Scalar<int32_t>(-1)));
      const Output stands = g.Op("Equal", g.Op("GatherNd", winners, indices), numbers);
      const Output picked = g.Op("SelectV2", stands, all, g.ScalarLike(all, 0));
      if (g.shape(g.x(2)).rank() == 0) {
        g.dx(2) = sum(picked);
      } else {
        g.dx(2) = picked;
      }
      g.dx(3) = g.Op("Sub", sum(g.dy(0)), sum(picked));
    })
    .Cost(CopyCost())
    .Doc("The values at the given coordinates of a tensor that holds the default value elsewhere.");

}  // namespace
}  // namespace dfrun

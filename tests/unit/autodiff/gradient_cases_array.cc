#include "tests/unit/autodiff/gradient_cases.h"

namespace dfrun::testing {
namespace {

std::vector<GradientCase> ArrayCases() {
  return {
      {"BroadcastTo", {U({3, 1}), Ints({2, 3, 4})}},
      {"BroadcastTo", {U({}), Ints({2})}},
      {"Cast", {U({2, 3})}, {{"DstT", DType::kDouble}}},
      {"Concat", {Int(1), U({2, 3}), V({2, 1})}},
      {"ConcatV2", {U({2, 3}), V({2, 1}), Int(-1)}},
      {"ConcatV2", {U({1, 2}), V({3, 2}), U({2, 2}, 2, 3), Int(0)}},
      {"ConjugateTranspose", {U({2, 3, 4}), Ints({2, 0, 1})}},
      {"DynamicPartition", {U({4, 2}), Ints({1, 0, 1, 2})}, {{"num_partitions", 3}}},
      {"DynamicStitch", {Ints({0, 2}), Ints({1, 3}), U({2, 3}), V({2, 3})}, {{"N", 2}}},
      {"EnsureShape", {U({2, 3})}, {{"shape", PartialShape{2, -1}}}},
      {"ExpandDims", {U({2, 3}), Int(1)}},
      {"ExpandDims", {U({2, 3}), Int(-1)}},
      {"Fill", {Ints({2, 3}), U({})}},
      {"Gather", {U({4, 3}), Ints({2, 0, 2})}},
      {"Gather", {U({4}), Shaped(Shape({2, 2}), {1, 1, 3, 0})}},
      {"GatherNd", {U({3, 4, 2}), Shaped(Shape({2, 2}), {0, 1, 2, 3})}},
      {"GatherNd", {U({3, 2}), Shaped(Shape({3, 1}), {1, 1, 0})}},
      {"GatherV2", {U({4, 3}), Ints({2, 0, 2}), Int(0)}},
      {"GatherV2", {U({2, 4, 3}), Ints({3, 0, 3}), Int(1)}},
      {"GatherV2", {U({2, 4, 3}), Shaped(Shape({2, 2}), {1, 0, 2, 2}), Int(-1)}},
      {"GatherV2", {U({2, 4, 3}), Shaped(Shape({2, 2}), {1, 1, 3, 0}), Int(1)}, {{"batch_dims", 1}}},
      {"GatherV2", {U({2, 2, 3}), Shaped(Shape({2, 2, 1}), {1, 0, 2, 2}), Int(2)}, {{"batch_dims", -2}}},
      {"GatherV2", {U({2, 3, 4}), Shaped(Shape({2, 2}), {1, 0, 2, 2}), Int(2)}, {{"batch_dims", 1}}},
      {"Identity", {U({2, 3})}},
      {"IdentityN", {U({2, 3}), V({4})}},
      {"LinSpace", {Num(-0.5), Num(2), Int(5)}},
      {"LinSpace", {Num(-0.5), Num(2), Int(1)}},
      {"OneHot", {Ints({1, 3, -1, 0}), Int(3), Num(0.5), Num(-2)}},
      {"OneHot", {Shaped(Shape({2, 2}), {1, 2, 0, 0}), Int(3), Num(0.5), Num(-2)}, {{"axis", 0}}},
      {"Pack", {U({2, 3}), V({2, 3})}},
      {"Pack", {U({2, 3}), V({2, 3})}, {{"axis", -1}}},
      {"Pad", {U({2, 3}), Shaped(Shape({2, 2}), {1, 0, 2, 1})}},
      {"PadV2", {U({2, 3}), Shaped(Shape({2, 2}), {0, 1, 1, 1}), Num(0.5)}},
      {"ParallelDynamicStitch", {Ints({0, 2}), Ints({1, 3}), U({2, 3}), V({2, 3})}, {{"N", 2}}},
      {"PlaceholderWithDefault", {U({2, 3})}, {{"shape", PartialShape{2, 3}}}},
      {"Range", {Num(0.5), Num(3.2), Num(0.6)}},
      {"Range", {Num(0.5), Num(-1), Num(-0.4)}},
      {"Reshape", {U({2, 3}), Ints({3, -1})}},
      {"Roll", {U({3, 4}), Ints({1, -2}), Ints({0, 1})}},
      {"ScatterNd", {Shaped(Shape({3, 1}), {3, 0, 3}), U({3, 2}), Ints({5, 2})}},
      {"Slice", {U({3, 4}), Ints({1, 0}), Ints({2, -1})}},
      {"Split", {Int(1), U({2, 6})}, {{"num_split", 3}}},
      {"SplitV", {U({2, 6}), Tensor::Vector<int64_t>({1, 2, 3}), Int(1)}, {{"num_split", 3}}},
      {"Squeeze", {U({2, 1, 3, 1})}},
      {"Squeeze", {U({2, 1, 3, 1})}, {{"squeeze_dims", IntList{-1}}}},
      {"StridedSlice", {U({4, 5}), Ints({1, 4}), Ints({4, 0}), Ints({2, -2})}},
      {"StridedSlice", {U({4, 5}), Ints({1, 0}), Ints({2, 3}), Ints({1, 1})}, {{"shrink_axis_mask", 1}}},
      {"StridedSlice", {U({4, 5}), Ints({0, 1}), Ints({0, 4}), Ints({1, 1})}, {{"begin_mask", 1}, {"end_mask", 1}}},
      {"StridedSlice",
       {U({2, 3}), Ints({0, 0, 1}), Ints({0, 0, 3}), Ints({1, 1, 1})},
       {{"ellipsis_mask", 1}, {"new_axis_mask", 2}}},
      {"StridedSliceGrad", {Ints({4, 5}), Ints({1, 4}), Ints({4, 0}), Ints({2, -2}), U({2, 2})}},
      {"TensorScatterAdd", {U({4, 2}), Shaped(Shape({3, 1}), {3, 0, 3}), V({3, 2})}},
      {"TensorScatterMax", {U({4, 2}), Shaped(Shape({3, 1}), {3, 0, 3}), V({3, 2})}},
      {"TensorScatterMin", {U({4, 2}), Shaped(Shape({3, 2}), {3, 0, 3, 1, 0, 0}), V({3})}},
      {"TensorScatterSub", {U({4, 2}), Shaped(Shape({3, 1}), {3, 0, 3}), V({3, 2})}},
      {"TensorScatterUpdate", {U({4, 2}), Shaped(Shape({2, 1}), {3, 0}), V({2, 2})}},
      {"Tile", {U({2, 3}), Ints({2, 3})}},
      {"Transpose", {U({2, 3, 4}), Ints({2, 0, 1})}},
      {"Unpack", {U({2, 3})}, {{"num", 2}}},
      {"Unpack", {U({2, 3})}, {{"num", 3}, {"axis", 1}}},
  };
}

const GradientCases array(ArrayCases);
const UncheckedGradient prevent_gradient("PreventGradient", "its gradient is an error");

}  // namespace
}  // namespace dfrun::testing

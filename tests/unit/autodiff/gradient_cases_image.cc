#include "tests/unit/autodiff/gradient_cases.h"

namespace dfrun::testing {
namespace {

std::vector<GradientCase> SpaceCases() {
  const Tensor borders = Shaped(Shape({2, 2}), {1, 0, 0, 1});
  return {
      {"BatchToSpace", {U({4, 2, 3, 1}), borders}, {{"block_size", 2}}},
      {"BatchToSpaceND", {U({6, 2, 3, 2}), Ints({2, 3}), borders}},
      {"DepthToSpace", {U({1, 2, 1, 8})}, {{"block_size", 2}}},
      {"DepthToSpace", {U({1, 8, 2, 1})}, {{"block_size", 2}, {"data_format", "NCHW"}}},
      {"SpaceToBatch", {U({1, 3, 3, 2}), borders}, {{"block_size", 2}}},
      {"SpaceToBatchND", {U({2, 3, 2, 2}), Ints({2, 3}), borders}},
      {"SpaceToDepth", {U({1, 4, 2, 2})}, {{"block_size", 2}}},
      {"SpaceToDepth", {U({1, 2, 2, 4})}, {{"block_size", 2}, {"data_format", "NCHW"}}},
  };
}

std::vector<GradientCase> ImageCases() {
  const IntList one = {1, 1, 1, 1};
  return {
      {"ExtractImagePatches",
       {U({2, 4, 3, 2})},
       {{"ksizes", IntList{1, 2, 2, 1}}, {"strides", one}, {"rates", one}, {"padding", "VALID"}}},
      {"ExtractImagePatches",
       {U({1, 4, 5, 1})},
       {{"ksizes", IntList{1, 3, 2, 1}},
        {"strides", IntList{1, 2, 1, 1}},
        {"rates", IntList{1, 1, 2, 1}},
        {"padding", "SAME"}}},
      {"ResizeBilinearGrad", {U({1, 3, 5, 2}), V({1, 2, 3, 2})}, {}, {}, {}, false, DType::kFloat},
      {"ResizeBilinearGrad",
       {U({1, 3, 5, 1}), V({1, 4, 2, 1})},
       {{"half_pixel_centers", true}},
       {},
       {},
       false,
       DType::kFloat},
      {"ResizeNearestNeighborGrad", {U({2, 3, 5, 2}), Ints({2, 3})}},
      {"ResizeNearestNeighborGrad", {U({1, 3, 5, 1}), Ints({2, 2})}, {{"half_pixel_centers", true}}},
      {"ResizeNearestNeighbor", {U({2, 2, 3, 2}), Ints({3, 5})}},
      {"ResizeNearestNeighbor", {U({1, 4, 3, 1}), Ints({2, 2})}, {{"align_corners", true}}},
      {"ResizeNearestNeighbor", {U({1, 2, 2, 1}), Ints({3, 5})}, {{"half_pixel_centers", true}}},
  };
}

const GradientCases space(SpaceCases);
const GradientCases images(ImageCases);

}  // namespace
}  // namespace dfrun::testing

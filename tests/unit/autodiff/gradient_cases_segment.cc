#include "tests/unit/autodiff/gradient_cases.h"

namespace dfrun::testing {
namespace {

std::vector<GradientCase> SegmentCases() {
  const Tensor ids = Ints({0, 0, 1, 3, 3});
  return {
      {"SegmentMax", {U({5, 2}), ids}},
      {"SegmentMean", {U({5, 2}), ids}},
      {"SegmentMean", {U({5}), ids}},
      {"SegmentMin", {U({5, 2}), ids}},
      {"SegmentProd", {U({5, 2}, 0.5, 2), ids}},
      {"SegmentProd", {Shaped<double>(Shape({5}), {2, 0, 3, 1.5, -1}), ids}},
      {"SegmentProd", {Shaped<double>(Shape({5}), {0, 0, 3, 0, 0}), ids}},
      {"SegmentSum", {U({5, 2, 2}), ids}},
  };
}

std::vector<GradientCase> UnsortedSegmentCases() {
  const Tensor ids = Ints({2, 0, -1, 2, 0});
  return {
      {"UnsortedSegmentMax", {U({5, 2}), ids, Int(3)}},
      {"UnsortedSegmentMin", {U({5, 2}), ids, Int(3)}},
      {"UnsortedSegmentProd", {U({5, 2}, 0.5, 2), ids, Int(4)}},
      {"UnsortedSegmentProd", {Shaped<double>(Shape({5}), {2, 0, 3, 1.5, -1}), ids, Int(3)}},
      {"UnsortedSegmentProd", {Shaped<double>(Shape({5}), {0, 0, 3, 0, 2}), ids, Int(3)}},
      {"UnsortedSegmentProd", {U({2, 2, 2}, 0.5, 2), Shaped<int32_t>(Shape({2, 2}), {1, 0, 0, 1}), Int(2)}},
      {"UnsortedSegmentSum", {U({4, 3}), Ints({2, 0, 2, -1}), Int(4)}},
      {"UnsortedSegmentSum", {U({2, 2, 2}), Shaped<int32_t>(Shape({2, 2}), {1, 0, 0, 1}), Int(2)}},
  };
}

std::vector<GradientCase> SparseSegmentCases() {
  std::vector<GradientCase> all;
  const Tensor indices = Ints({3, 0, 3, 1, 0});
  const Tensor ids = Ints({0, 0, 1, 1, 2});
  for (const char* op : {"SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"}) {
    all.push_back({op, {U({4, 2}), indices, ids}});
    all.push_back({op, {U({4, 2}), indices, ids}, {{"sparse_gradient", true}}});
    all.push_back({std::string(op) + "WithNumSegments", {U({4, 2}), indices, ids, Int(4)}});
  }
  return all;
}

const GradientCases segments(SegmentCases);
const GradientCases unsorted_segments(UnsortedSegmentCases);
const GradientCases sparse_segments(SparseSegmentCases);

}  // namespace
}  // namespace dfrun::testing

#include "src/framework/op/cost.h"

#include <algorithm>
#include <cmath>

namespace dfrun {
namespace {

double SizeOfDim(const PartialShape& shape, int d) {
  if (!shape.known_rank()) return kUnknownCount;
  const int at = d < 0 ? d + shape.rank() : d;
  if (at < 0 || at >= shape.rank() || shape.dim(at) < 0) return kUnknownCount;
  return static_cast<double>(shape.dim(at));
}

double BytesOf(const TypedShape& value) {
  return ElementCount(value.shape) * static_cast<double>(DTypeSize(value.dtype));
}

}  // namespace

double ElementCount(const PartialShape& shape) {
  if (!shape.known_rank()) return kUnknownCount;
  double count = 1;
  for (int d = 0; d < shape.rank(); ++d) count *= SizeOfDim(shape, d);
  return count;
}

double CostContext::input_elements(int i) const {
  return ElementCount(input(i));
}
double CostContext::output_elements(int i) const {
  return ElementCount(output(i));
}
double CostContext::input_bytes(int i) const {
  return BytesOf(inputs_[static_cast<size_t>(i)]);
}
double CostContext::output_bytes(int i) const {
  return BytesOf(outputs_[static_cast<size_t>(i)]);
}

double CostContext::bytes_in(int first, int end) const {
  double bytes = 0;
  for (int i = first; i < end; ++i) bytes += input_bytes(i);
  return bytes;
}

double CostContext::bytes_out() const {
  double bytes = 0;
  for (int i = 0; i < num_outputs(); ++i) bytes += output_bytes(i);
  return bytes;
}

double CostContext::input_dim(int i, int d) const {
  return SizeOfDim(input(i), d);
}
double CostContext::output_dim(int i, int d) const {
  return SizeOfDim(output(i), d);
}

double CostContext::ProductOfAttr(std::string_view name) const {
  const AttrValue* value = attrs_.Find(name);
  const auto* sizes = value == nullptr ? nullptr : value->get<std::vector<int64_t>>();
  if (sizes == nullptr) return kUnknownCount;
  double product = 1;
  for (int64_t size : *sizes) product *= static_cast<double>(size);
  return product;
}

std::optional<OpCost> KnownCost(const CostFn& cost, const CostContext& node) {
  const OpCost c = cost(node);
  if (std::isnan(c.flops) || std::isnan(c.bytes_read) || std::isnan(c.bytes_written)) return std::nullopt;
  return c;
}

OpCost WholeCost(const CostContext& c, double flops) {
  return {flops, c.bytes_in(), c.bytes_out()};
}

CostFn NoCost() {
  return [](const CostContext&) { return OpCost(); };
}

CostFn ElementwiseCost(double flops_an_element) {
  return [flops_an_element](const CostContext& c) {
    return WholeCost(c, c.num_outputs() == 0 ? 0 : flops_an_element * c.output_elements(0));
  };
}

CostFn ScanCost(int input, double flops_an_element) {
  return [=](const CostContext& c) { return WholeCost(c, flops_an_element * c.input_elements(input)); };
}

CostFn CopyCost() {
  return [](const CostContext& c) { return WholeCost(c, 0); };
}

CostFn FillCost() {
  return [](const CostContext& c) { return OpCost{0, 0, c.bytes_out()}; };
}

CostFn PartCost(int input) {
  return [input](const CostContext& c) {
    const double parts = c.bytes_out();
    return OpCost{0, parts + c.bytes_in(0, input) + c.bytes_in(input + 1), parts};
  };
}

CostFn BehindHandleCost(int first) {
  return [first](const CostContext& c) {
    const double given = c.bytes_in(first);
    const double taken = c.bytes_out();
    return OpCost{0, given + taken, given + taken};
  };
}

CostFn SortCost(int input) {
  return [input](const CostContext& c) {
    const double n = c.input(input).rank() == 0 ? 1 : c.input_dim(input, -1);
    return WholeCost(c, c.input_elements(input) * (n > 1 ? std::log2(n) : n * 0));
  };
}

}  // namespace dfrun

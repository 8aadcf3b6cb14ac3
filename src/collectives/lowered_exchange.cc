#include "src/collectives/lowered_exchange.h"

#include <utility>

namespace dfrun {
namespace {

// Ports 0 to n-1 of the node.
std::vector<Output> Ports(Output node, int n) {
  std::vector<Output> ports;
  ports.reserve(static_cast<size_t>(n));
  for (int32_t port = 0; port < n; ++port) ports.push_back({node.node, port});
  return ports;
}

std::string BinaryOp(const std::string& merge) {
  return merge == "Mul" ? "Mul" : merge == "Min" ? "Minimum" : "Maximum";
}

}  // namespace

Output LoweredExchange::Fold(size_t i, const std::string& merge, const std::vector<Output>& values) {
  if (merge == "Add") return Add(i, "AddN", values);
  if (merge == "Mean") return DivideBySize(i, Fold(i, "Add", values));
  Output folded = values[0];
  for (size_t k = 1; k < values.size(); ++k) folded = Add(i, BinaryOp(merge), {folded, values[k]});
  return folded;
}

bool LoweredExchange::IsWorthParting() const {
  const PartialShape& shape = graph().shape(members()[0].value);
  for (const CollectiveMember& member : members()) {
    if (!(graph().shape(member.value) == shape)) return false;
  }
  const int64_t elements = shape.num_elements();  // -1 where it is not known
  return size() > 2 && elements * static_cast<int64_t>(DTypeSize(graph().dtype(members()[0].value))) >= kWholeBytes;
}

std::vector<Output> LoweredExchange::Reduce(const std::string& merge) {
  if (IsWorthParting()) return ReduceParts(merge);
  std::vector<Output> values;
  for (const CollectiveMember& member : members()) values.push_back(member.value);
  std::vector<Output> results;
  for (size_t i = 0; i < members().size(); ++i) results.push_back(Fold(i, merge, values));
  return results;
}

// parts[j][i]: what member j has of part i, which member i folds.
std::vector<Output> LoweredExchange::FoldParts(const std::string& merge,
                                               const std::vector<std::vector<Output>>& parts) {
  std::vector<Output> folded;
  for (size_t i = 0; i < members().size(); ++i) {
    std::vector<Output> values;
    values.reserve(parts.size());
    for (const std::vector<Output>& of_member : parts) values.push_back(of_member[i]);
    folded.push_back(Fold(i, merge, values));
  }
  return folded;
}

std::vector<Output> LoweredExchange::ReduceParts(const std::string& merge) {
  const PartialShape shape = graph().shape(members()[0].value);
  const int64_t elements = shape.num_elements();
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < size(); ++i) sizes.push_back((i + 1) * elements / size() - i * elements / size());
  std::vector<std::vector<Output>> parts;
  for (size_t j = 0; j < members().size(); ++j) {
    const Output flat = Add(j, "Reshape", {members()[j].value, Const(j, Tensor::Vector<int64_t>({-1}))});
    const Output part_sizes = Const(j, Tensor::Vector<int64_t>(std::span<const int64_t>(sizes)));
    const Output axis = Const(j, Tensor::Scalar<int32_t>(0));
    parts.push_back(Ports(Add(j, "SplitV", {flat, part_sizes, axis}, {{"num_split", size()}}), size()));
  }
  std::vector<Output> folded = FoldParts(merge, parts);
  std::vector<Output> results;
  for (size_t i = 0; i < members().size(); ++i) {
    std::vector<Output> inputs = folded;
    inputs.push_back(Const(i, Tensor::Scalar<int32_t>(0)));
    const Output flat = Add(i, "ConcatV2", std::move(inputs));
    const Output dims = Const(i, Tensor::Vector<int64_t>(std::span<const int64_t>(shape.dims())));
    results.push_back(Add(i, "Reshape", {flat, dims}));
  }
  return results;
}

std::vector<Output> LoweredExchange::Gather() {
  std::vector<Output> results;
  for (size_t i = 0; i < members().size(); ++i) {
    std::vector<Output> inputs;
    for (const CollectiveMember& member : members()) inputs.push_back(member.value);
    inputs.push_back(Const(i, Tensor::Scalar<int32_t>(0)));
    results.push_back(Add(i, size() == 1 ? "Identity" : "ConcatV2",
                          size() == 1 ? std::vector<Output>{members()[0].value} : std::move(inputs)));
  }
  return results;
}

std::vector<Output> LoweredExchange::Scatter(const std::string& merge) {
  std::vector<std::vector<Output>> parts;
  for (size_t j = 0; j < members().size(); ++j) {
    const Output axis = Const(j, Tensor::Scalar<int32_t>(0));
    parts.push_back(Ports(Add(j, "Split", {axis, members()[j].value}, {{"num_split", size()}}), size()));
  }
  return FoldParts(merge, parts);
}

}  // namespace dfrun

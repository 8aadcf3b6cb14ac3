#include "src/collectives/lowered_exchange.h"

#include <span>
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

// Returns part p of each member's value.
std::vector<Output> PartOf(const std::vector<std::vector<Output>>& all, size_t p) {
  std::vector<Output> values;
  values.reserve(all.size());
  for (const std::vector<Output>& parts : all) values.push_back(parts[p]);
  return values;
}

std::string BinaryOp(const std::string& merge) {
  return merge == "Mul" ? "Mul" : merge == "Min" ? "Minimum" : "Maximum";
}

}  // namespace

Output LoweredExchange::ReduceValues(size_t i, const std::string& merge, const std::vector<Output>& values) {
  if (merge == "Add") return Add(i, "AddN", values);
  if (merge == "Mean") return DivideBySize(i, ReduceValues(i, "Add", values));
  Output folded = values[0];
  for (size_t k = 1; k < values.size(); ++k) folded = Add(i, BinaryOp(merge), {folded, values[k]});
  return folded;
}

Output LoweredExchange::ReduceAll(size_t i, const std::string& merge, const std::vector<Output>& values) {
  const std::vector<ReduceGroup> groups = ReduceGroups(members().size());
  if (groups.size() == 1) return ReduceValues(i, merge, values);
  std::vector<Output> folded;
  for (const ReduceGroup& group : groups) {
    folded.push_back(ReduceValues(i, merge == "Mean" ? "Add" : merge, group.Of(values)));
  }
  return ReduceValues(i, merge, folded);
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
  const std::vector<ReduceGroup> groups = ReduceGroups(members().size());
  const bool in_parts = IsWorthParting();
  std::vector<Output> results;
  if (groups.size() == 1 && !in_parts) {
    std::vector<Output> values;
    for (const CollectiveMember& member : members()) values.push_back(member.value);
    for (size_t i = 0; i < members().size(); ++i) results.push_back(ReduceValues(i, merge, values));
    return results;
  }
  const std::vector<std::vector<Output>> folded = ReduceByGroups(merge, groups, Split(in_parts ? groups[0].size : 1));
  for (size_t i = 0; i < members().size(); ++i) results.push_back(Join(i, folded[i / groups[0].size]));
  return results;
}

std::vector<std::vector<Output>> LoweredExchange::Split(size_t num_parts) {
  std::vector<std::vector<Output>> parts;
  if (num_parts == 1) {
    for (const CollectiveMember& member : members()) parts.push_back({member.value});
    return parts;
  }
  const auto n = static_cast<int64_t>(num_parts);
  const int64_t elements = graph().shape(members()[0].value).num_elements();
  std::vector<int64_t> sizes;
  for (int64_t p = 0; p < n; ++p) sizes.push_back((p + 1) * elements / n - p * elements / n);
  for (size_t j = 0; j < members().size(); ++j) {
    const Output flat = Add(j, "Reshape", {members()[j].value, Const(j, Tensor::Vector<int64_t>({-1}))});
    const Output part_sizes = Const(j, Tensor::Vector<int64_t>(std::span<const int64_t>(sizes)));
    const Output axis = Const(j, Tensor::Scalar<int32_t>(0));
    const Output split = Add(j, "SplitV", {flat, part_sizes, axis}, {{"num_split", n}});
    parts.push_back(Ports(split, static_cast<int>(n)));
  }
  return parts;
}

std::vector<std::vector<Output>> LoweredExchange::ReduceByGroups(const std::string& merge,
                                                                 const std::vector<ReduceGroup>& groups,
                                                                 const std::vector<std::vector<Output>>& parts) {
  const bool is_last = groups.size() == 1;
  const std::string inner = merge == "Mean" && !is_last ? "Add" : merge;
  std::vector<std::vector<Output>> folded(groups.size());
  for (size_t k = 0; k < groups.size(); ++k) {
    const std::vector<std::vector<Output>> of_group = groups[k].Of(parts);
    for (size_t p = 0; p < parts[0].size(); ++p) {
      folded[k].push_back(ReduceValues(groups[k].Holder(p), inner, PartOf(of_group, p)));
    }
  }
  if (is_last) return folded;
  std::vector<std::vector<Output>> totals(groups.size());
  for (size_t k = 0; k < groups.size(); ++k) {
    for (size_t p = 0; p < parts[0].size(); ++p) {
      totals[k].push_back(ReduceValues(groups[k].Holder(p), merge, PartOf(folded, p)));
    }
  }
  return totals;
}

Output LoweredExchange::Join(size_t i, const std::vector<Output>& parts) {
  if (parts.size() == 1) return Add(i, "Identity", parts);
  const PartialShape shape = graph().shape(members()[0].value);
  std::vector<Output> inputs = parts;
  inputs.push_back(Const(i, Tensor::Scalar<int32_t>(0)));
  const Output flat = Add(i, "ConcatV2", std::move(inputs));
  const Output dims = Const(i, Tensor::Vector<int64_t>(std::span<const int64_t>(shape.dims())));
  return Add(i, "Reshape", {flat, dims});
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
  std::vector<Output> results;
  for (size_t i = 0; i < members().size(); ++i) results.push_back(ReduceAll(i, merge, PartOf(parts, i)));
  return results;
}

}  // namespace dfrun

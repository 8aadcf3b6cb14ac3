#include "src/training/gradient_buckets.h"

#include <algorithm>
#include <map>
#include <utility>

#include "src/graph/colocation_head.h"
#include "src/graph/graph_ops.h"

namespace dfrun {
namespace {

// Device constraints by replica; empty where one has none.
std::vector<std::string> DevicesOf(const Graph& graph, const ReplicatedGradient& gradient) {
  std::vector<std::string> devices;
  for (const Output value : gradient.values) {
    devices.push_back(HeadOfColocation(graph, graph.node(value.node)).device);
    if (devices.back().empty()) return {};
  }
  return devices;
}

// Returns -1 where it is not known.
int64_t GradientBytes(const Graph& graph, Output value) {
  const PartialShape& shape = graph.shape(value);
  return shape.IsFullyDefined() ? shape.num_elements() * static_cast<int64_t>(DTypeSize(graph.dtype(value))) : -1;
}

Output AxisOf(GraphOps& ops) {
  return ops.Const("axis", Tensor::Scalar<int32_t>(0));
}

class BucketReduction {
 public:
  BucketReduction(Graph& graph, const std::vector<ReplicatedGradient>& gradients,
                  const std::vector<MeanReader>& readers)
      : graph_(graph),
        gradients_(gradients),
        readers_(readers),
        means_(readers.size(), std::vector<Output>(gradients.size())) {}

  Status Reduce(const std::vector<size_t>& bucket) {
    return bucket.size() == 1 ? ReduceAlone(bucket[0]) : ReduceTogether(bucket);
  }
  std::vector<std::vector<Output>> TakeMeans() { return std::move(means_); }

 private:
  Status ReduceAlone(size_t i) {
    GraphOps ops(graph_, "train");
    const Output all = ops.Add(gradients_[i].name, "AllReduce", gradients_[i].values, {{"reduction", "Mean"}});
    for (size_t r = 0; r < readers_.size(); ++r) means_[r][i] = {all.node, readers_[r].replica};
    return ops.status();
  }

  Status ReduceTogether(const std::vector<size_t>& bucket) {
    const std::string scope = StrCat("train/bucket_", number_++);
    GraphOps ops(graph_, scope);
    std::vector<Output> joined;
    for (size_t replica = 0; replica < gradients_[bucket[0]].values.size(); ++replica)
      joined.push_back(Join(ops, bucket, replica));
    ops.set_device("");
    const Output all = ops.Add("gradients", "AllReduce", std::move(joined), {{"reduction", "Mean"}});
    for (size_t r = 0; r < readers_.size(); ++r) Split(ops, bucket, {all.node, readers_[r].replica}, r);
    return ops.status();
  }

  // Concatenates the replica's gradients of a bucket into one vector, on the device where they are.
  Output Join(GraphOps& ops, const std::vector<size_t>& bucket, size_t replica) {
    const auto gradient_of = [&](size_t i) { return gradients_[i].values[replica]; };
    ops.set_device(HeadOfColocation(graph_, graph_.node(gradient_of(bucket[0]).node)).device);
    std::vector<Output> parts;
    for (const size_t i : bucket) {
      const Output all = ops.Const("all", Tensor::Vector<int64_t>({-1}));
      parts.push_back(ops.Add("flat", "Reshape", {gradient_of(i), all}));
      Colocate(parts.back(), gradient_of(i));
    }
    parts.push_back(AxisOf(ops));
    const Output joined = ops.Add("joined", "ConcatV2", std::move(parts));
    Colocate(joined, gradient_of(bucket[0]));
    return joined;
  }

  // A task may have several devices.
  void Colocate(Output value, Output with) {
    if (value.valid()) graph_.mutable_node(value.node).colocate_with = graph_.node(with.node).name;
  }

  void Split(GraphOps& ops, const std::vector<size_t>& bucket, Output whole, size_t reader) {
    ops.set_device(readers_[reader].device);
    std::vector<int64_t> sizes;
    sizes.reserve(bucket.size());
    for (const size_t i : bucket) sizes.push_back(graph_.shape(gradients_[i].values[0]).num_elements());
    const Output of_parts = ops.Const("sizes", Tensor::Vector<int64_t>(std::span<const int64_t>(sizes)));
    const Output parts = ops.Add("parts", "SplitV", {whole, of_parts, AxisOf(ops)},
                                 {{"num_split", static_cast<int64_t>(bucket.size())}});
    int32_t port = 0;
    for (const size_t i : bucket) {
      const std::vector<int64_t> dims = graph_.shape(gradients_[i].values[0]).dims();
      const Output shape = ops.Const("shape", Tensor::Vector<int64_t>(std::span<const int64_t>(dims)));
      means_[reader][i] = ops.Add(gradients_[i].name, "Reshape", {{parts.node, port++}, shape});
    }
  }

  Graph& graph_;
  const std::vector<ReplicatedGradient>& gradients_;
  const std::vector<MeanReader>& readers_;
  std::vector<std::vector<Output>> means_;
  int number_ = 0;
};

}  // namespace

std::vector<std::vector<size_t>> AssignToBuckets(const Graph& graph, const std::vector<ReplicatedGradient>& gradients,
                                                 int64_t bucket_bytes) {
  struct Open {
    std::vector<size_t> members;
    int64_t bytes = 0;
  };
  std::map<std::pair<DType, std::vector<std::string>>, Open> open;
  std::vector<std::vector<size_t>> buckets;
  const auto close_all = [&] {
    for (auto& [shared, bucket] : open) buckets.push_back(std::move(bucket.members));
    open.clear();
  };
  for (size_t i = 0; i < gradients.size(); ++i) {
    const Output first = gradients[i].values[0];
    std::vector<std::string> devices = DevicesOf(graph, gradients[i]);
    const int64_t bytes = GradientBytes(graph, first);
    if (bucket_bytes > 0 && bytes >= bucket_bytes) close_all();
    if (bytes < 0 || bytes >= bucket_bytes || devices.empty()) {
      buckets.push_back({i});
      continue;
    }
    Open& bucket = open[{graph.dtype(first), std::move(devices)}];
    if (bucket.bytes + bytes > bucket_bytes) buckets.push_back(std::exchange(bucket, {}).members);
    bucket.members.push_back(i);
    bucket.bytes += bytes;
  }
  close_all();
  return buckets;
}

Result<std::vector<std::vector<Output>>> ReduceInBuckets(Graph& graph, const std::vector<ReplicatedGradient>& gradients,
                                                         int64_t bucket_bytes, const std::vector<MeanReader>& readers) {
  BucketReduction reduction(graph, gradients, readers);
  for (const std::vector<size_t>& bucket : AssignToBuckets(graph, gradients, bucket_bytes)) {
    DF_TRY(reduction.Reduce(bucket));
  }
  return reduction.TakeMeans();
}

}  // namespace dfrun

#include "src/training/mean_gradients.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "src/graph/wire_compression.h"
#include "src/training/gradient_buckets.h"
#include "src/training/narrow_values.h"

namespace dfrun {
namespace {

class Means {
 public:
  Means(JobGraphDraft& draft, const Replicas& replicas, bool sum_equal_rows)
      : graph_(draft.job.graph),
        replicas_(replicas),
        train_(*draft.spec.train),
        sum_equal_rows_(sum_equal_rows),
        means_(replicas.sites().size()) {}

  Result<std::vector<MeanGradients>> Add() {
    if (!replicas_.have_own_variables() && HasFlag("compress_gradients")) CompressGradients();
    for (size_t i = 0; i < means_.size(); ++i) DF_TRY(AddAt(i));
    if (AreCopied()) DF_TRY(ReduceAtSites());
    if (replicas_.loss_over().valid()) DF_TRY(DivideAll());
    return std::move(means_);
  }

 private:
  bool AreCopied() const { return means_.size() > 1 && !replicas_.have_own_variables(); }

  // The values, by replica, from which the mean at a site is made.
  std::vector<Output> OverAt(size_t site, Output of_replica) const {
    std::vector<Output> values = replicas_.Over(of_replica);
    return replicas_.have_own_variables() ? std::vector<Output>{values[site]} : values;
  }
  // Whether the strategy has the key, and it is set.
  bool HasFlag(std::string_view key) const {
    return train_.strategy.values().contains(key) && train_.strategy.flag(key);
  }

  // Marks gradients to travel compressed where they go to another rank.
  void CompressGradients() {
    const auto mark = [&](Output of_replica) {
      for (const Output gradient : replicas_.Over(of_replica)) MarkCompressed(graph_.mutable_node(gradient.node).attrs);
    };
    for (const auto& [variable, gradient] : replicas_.trained())
      mark(gradient.is_sparse ? gradient.values : gradient.dense);
  }

  // Adds everything that the site computes for itself alone.
  Status AddAt(size_t index) {
    const TrainingSite& site = replicas_.sites()[index];
    MeanGradients& means = means_[index];
    for (const auto& [variable, gradient] : replicas_.trained()) {
      const Node& here = graph_.node(site.Of(variable));
      if (gradient.is_sparse) {
        GraphOps ops(graph_, "train/" + here.name, here.device);
        DF_ASSIGN(const GradientRows rows, MeanRows(ops, gradient, index));
        const DType dtype = graph_.dtype({variable, 0});
        means.sparse[variable] = sum_equal_rows_ || dtype != SumDType(dtype) ? SumEqualRows(ops, rows) : rows;
        DF_TRY(ops.status());
      } else if (replicas_.have_own_variables()) {
        means.dense[variable] = OverAt(index, gradient.dense)[0];
      } else if (!AreCopied()) {
        DF_ASSIGN(means.dense[variable], DenseMean(here.name + "_gradient", gradient.dense, here.device));
      }
    }
    return Status();
  }

  // Makes quotients of the means: the mean of a sum's gradient by the mean of its divisor.
  Status DivideAll() {
    for (size_t i = 0; i < means_.size(); ++i) {
      const TrainingSite& site = replicas_.sites()[i];
      if (replicas_.have_own_variables()) divisors_.clear();
      for (auto& [variable, mean] : means_[i].dense) DF_TRY(Divide(i, graph_.node(site.Of(variable)).device, mean));
      for (auto& [variable, rows] : means_[i].sparse)
        DF_TRY(Divide(i, graph_.node(site.Of(variable)).device, rows.values));
    }
    return Status();
  }

  Status Divide(size_t site, const std::string& device, Output& mean) {
    GraphOps ops(graph_, "train", device);
    const auto [divisor, is_new] = divisors_.try_emplace(device);
    if (is_new) {
      const Output over = replicas_.loss_over();
      divisor->second = replicas_.have_own_variables() ? OverAt(site, over)[0] : replicas_.Mean(ops, "divisor", over);
    }
    const DType from = graph_.dtype(divisor->second);
    mean =
        ops.Add("quotient", "RealDiv", {mean, CastTo(ops, "divisor_cast", divisor->second, from, graph_.dtype(mean))});
    return ops.status();
  }

  // Returns the mean on `device`.
  Result<Output> DenseMean(const std::string& name, Output of_replica, const std::string& device) {
    if (HasFlag("allreduce")) return replicas_.AllReducedMean(graph_, name, of_replica, device);
    GraphOps ops(graph_, "train", device);
    const Output mean = replicas_.Mean(ops, name, of_replica);
    DF_TRY(ops.status());
    return mean;
  }

  // The rows of all replicas one after the other, their values in SumDType(), divided by the number of replicas.
  Result<GradientRows> MeanRows(GraphOps& ops, const GradientValue& gradient, size_t site) {
    DF_ASSIGN(std::vector<Output> indices, ValuesOf(gradient.indices, site));
    DF_ASSIGN(std::vector<Output> values, ValuesOf(gradient.values, site));
    const DType dtype = graph_.dtype(values[0]);
    const auto widen = [&](Output rows) { return CastTo(ops, "values_wide", rows, dtype, SumDType(dtype)); };
    if (values.size() == 1) return GradientRows{indices[0], widen(values[0])};
    const Output axis = ops.Const("axis", Tensor::Scalar<int32_t>(0));
    const Output count = ops.Const("replicas", ScalarOf(SumDType(dtype), replicas_.count()));
    indices.push_back(axis);
    values.push_back(axis);
    const Output all_indices = ops.Add("indices", "ConcatV2", std::move(indices));
    const Output all_values = widen(ops.Add("values_sum", "ConcatV2", std::move(values)));
    return GradientRows{all_indices, ops.Add("values", "RealDiv", {all_values, count})};
  }

  // Returns the values by replica. Where there are copies, all sites must get the same bits: no value is compressed on
  // its way, even if the model marks it so.
  Result<std::vector<Output>> ValuesOf(Output of_replica, size_t site = 0) {
    std::vector<Output> values = OverAt(site, of_replica);
    for (Output& value : values) {
      const Node& node = graph_.node(value.node);
      if (!AreCopied() || !IsMarkedCompressed(node)) continue;
      const std::string name = node.name;
      GraphOps ops(graph_, name, node.device);
      value = ops.Add("whole", "Identity", {value});
      DF_TRY(ops.status());
      if (node.device.empty()) graph_.mutable_node(value.node).colocate_with = name;
    }
    return values;
  }

  // The trained variables with a dense gradient, in the order in which the backward pass makes these.
  std::vector<Replicas::Trained> DenseInOrder() const {
    std::vector<Replicas::Trained> dense;
    for (const Replicas::Trained& trained : replicas_.trained()) {
      if (!trained.gradient.is_sparse) dense.push_back(trained);
    }
    std::stable_sort(dense.begin(), dense.end(), [](const Replicas::Trained& a, const Replicas::Trained& b) {
      return a.gradient.dense.node < b.gradient.dense.node;
    });
    return dense;
  }

  Status ReduceAtSites() {
    const std::vector<Replicas::Trained> dense = DenseInOrder();
    std::vector<ReplicatedGradient> gradients;
    for (const auto& [variable, gradient] : dense) {
      DF_ASSIGN(std::vector<Output> values, ValuesOf(gradient.dense));
      for (Output& value : values) {
        DF_ASSIGN(value, WidenWhereItIs(graph_, value));
      }
      gradients.push_back({graph_.node(variable).name + "_gradient", std::move(values)});
    }
    std::vector<MeanReader> readers;
    for (const TrainingSite& site : replicas_.sites())
      readers.push_back({replicas_.ReplicaOn(site.device), site.device});
    DF_ASSIGN(const auto means, ReduceInBuckets(graph_, gradients, train_.bucket_bytes, readers));
    for (size_t site = 0; site < means_.size(); ++site) {
      for (size_t i = 0; i < dense.size(); ++i) means_[site].dense[dense[i].variable] = means[site][i];
    }
    return Status();
  }

  Graph& graph_;
  const Replicas& replicas_;
  const TrainSpec& train_;
  const bool sum_equal_rows_;
  std::vector<MeanGradients> means_;        // by site
  std::map<std::string, Output> divisors_;  // means of Replicas::loss_over(), by device; of replicas alone those of one
};

}  // namespace

GradientRows SumEqualRows(GraphOps& ops, const GradientRows& rows) {
  const Output unique = ops.Add("unique", "Unique", {rows.indices});
  const auto vector = [&](const char* name, int32_t value) {
    return ops.Const(name, Tensor::Vector<int32_t>({value}));
  };
  const Output count =
      ops.Add("count", "StridedSlice",
              {ops.Add("unique_shape", "Shape", {unique}), vector("begin", 0), vector("end", 1), vector("stride", 1)},
              {{"shrink_axis_mask", int64_t{1}}});
  const Output index{unique.node, 1};
  return {unique, ops.Add("sums", "UnsortedSegmentSum", {rows.values, index, count})};
}

Result<std::vector<MeanGradients>> AddMeanGradients(JobGraphDraft& draft, const Replicas& replicas,
                                                    bool sum_equal_rows) {
  return Means(draft, replicas, sum_equal_rows).Add();
}

}  // namespace dfrun

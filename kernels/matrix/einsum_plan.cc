#include "kernels/matrix/einsum_plan.h"

#include <algorithm>

namespace dfrun {
namespace {

using Labels = std::vector<EinsumLabel>;

bool Has(const Labels& labels, EinsumLabel label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

Labels Distinct(const Labels& labels) {
  Labels distinct;
  for (EinsumLabel label : labels) {
    if (!Has(distinct, label)) distinct.push_back(label);
  }
  return distinct;
}

// The elements of `labels` that are in `others` too, or that are not.
Labels Only(Labels labels, const Labels& others) {
  std::erase_if(labels, [&](EinsumLabel label) { return !Has(others, label); });
  return labels;
}
Labels Without(Labels labels, const Labels& others) {
  std::erase_if(labels, [&](EinsumLabel label) { return Has(others, label); });
  return labels;
}

Labels Join(const Labels& a, const Labels& b, const Labels& c = {}) {
  Labels joined = a;
  joined.insert(joined.end(), b.begin(), b.end());
  joined.insert(joined.end(), c.begin(), c.end());
  return joined;
}

// A tensor whose dimensions have labels, some of them more than once.
class Layout {
 public:
  Layout(const Labels& labels, const std::map<EinsumLabel, int64_t>& sizes) : labels_(labels), sizes_(sizes) {
    int64_t stride = 1;
    for (size_t d = labels.size(); d-- > 0;) {
      strides_[labels[d]] += stride;
      stride *= sizes.at(labels[d]);
    }
  }

  // The stride of a label's index: a diagonal's where the label stands several times.
  int64_t stride(EinsumLabel label) const { return strides_.at(label); }
  bool has_diagonals() const { return strides_.size() < labels_.size(); }
  Shape shape() const {
    std::vector<int64_t> dims;
    for (EinsumLabel label : labels_) dims.push_back(sizes_.at(label));
    return Shape(std::span<const int64_t>(dims));
  }

 private:
  const Labels labels_;
  const std::map<EinsumLabel, int64_t>& sizes_;
  std::map<EinsumLabel, int64_t> strides_;
};

class Planner {
 public:
  explicit Planner(EinsumDims dims) : dims_(std::move(dims)) {}

  // `output` is known not to overflow; neither do products of labels that one operand has.
  EinsumPlan Plan(const std::vector<Shape>& inputs, const Shape& output) {
    plan_.output = output;
    plan_.is_empty = std::any_of(inputs.begin(), inputs.end(), [](const Shape& s) { return s.num_elements() == 0; });
    if (plan_.is_empty || output.num_elements() == 0) return std::move(plan_);
    for (size_t i = 0; i < inputs.size(); ++i) DropRepeated(dims_.inputs[i], inputs[i]);
    plan_.operands.resize(inputs.size());
    if (inputs.size() == 1) {
      PlanOne();
    } else {
      PlanProduct();
    }
    return std::move(plan_);
  }

 private:
  // A dimension along which the operand is repeated is none of its own: the label is then the other operand's alone.
  void DropRepeated(Labels& labels, const Shape& shape) {
    size_t kept = 0;
    for (size_t d = 0; d < labels.size(); ++d) {
      const bool repeated = shape.dim(static_cast<int>(d)) == 1 && dims_.sizes.at(labels[d]) != 1;
      if (!repeated) labels[kept++] = labels[d];
    }
    labels.resize(kept);
  }

  int64_t Count(const Labels& labels) const {
    int64_t count = 1;
    for (EinsumLabel label : labels) count *= dims_.sizes.at(label);
    return count;
  }

  void PlanOne() {
    const Labels kept = Distinct(dims_.output);
    PlanOperand(0, kept);
    plan_.result = Count(kept);
    PlanScatter(kept);
    EinsumOperand& operand = plan_.operands[0];
    if (operand.is_reduced) return;
    // One copy does both.
    const Layout from(dims_.inputs[0], dims_.sizes);
    for (size_t d = 0; d < kept.size(); ++d) plan_.scatter[d].from_stride = from.stride(kept[d]);
    operand.copied = false;
  }

  void PlanProduct() {
    const Labels& x = dims_.inputs[0];
    const Labels& y = dims_.inputs[1];
    const Labels kept = Distinct(dims_.output);
    const Labels batch = Only(Only(kept, x), y);
    Labels x_free = Without(Only(kept, x), y);
    Labels y_free = Without(Only(kept, y), x);
    const Labels common = Without(Only(Distinct(x), y), kept);
    plan_.swapped = Join(batch, x_free, y_free) != kept && Join(batch, y_free, x_free) == kept;
    const size_t left = plan_.swapped ? 1 : 0;
    if (plan_.swapped) std::swap(x_free, y_free);
    plan_.batch = Count(batch);
    plan_.product = {Count(x_free), Count(common), Count(y_free), false, false};
    plan_.product.transpose_a = PlanSide(left, Join(batch, x_free, common), Join(batch, common, x_free));
    plan_.product.transpose_b = PlanSide(1 - left, Join(batch, common, y_free), Join(batch, y_free, common));
    PlanScatter(Join(batch, x_free, y_free));
  }

  // Brings an operand into either order, and says whether into the second: that only where it saves the copy.
  bool PlanSide(size_t i, const Labels& order, const Labels& other_order) {
    PlanOperand(i, order);
    if (!plan_.operands[i].copied) return false;
    PlanOperand(i, other_order);
    if (!plan_.operands[i].copied) return true;
    PlanOperand(i, order);
    return false;
  }

  // The operand with the dimensions `order`, the others summed.
  void PlanOperand(size_t i, const Labels& order) {
    EinsumOperand operand;
    const Labels own = Distinct(dims_.inputs[i]);
    const Labels summed = Without(own, order);
    const Layout from(dims_.inputs[i], dims_.sizes);
    operand.copied = from.has_diagonals() || Without(own, summed) != order;
    const Labels dims = operand.copied ? Join(order, summed) : own;
    const Layout to(dims, dims_.sizes);
    for (EinsumLabel label : dims) {
      operand.copy.push_back({dims_.sizes.at(label), from.stride(label), to.stride(label)});
      operand.reduced.push_back(Has(summed, label));
    }
    operand.shape = to.shape();
    operand.is_reduced = !summed.empty();
    plan_.operands[i] = std::move(operand);
  }

  void PlanScatter(const Labels& result) {
    const Layout from(result, dims_.sizes);
    const Layout to(dims_.output, dims_.sizes);
    plan_.has_gaps = to.has_diagonals();
    plan_.in_order = result == dims_.output;
    for (EinsumLabel label : result) {
      plan_.scatter.push_back({dims_.sizes.at(label), from.stride(label), to.stride(label)});
    }
  }

  EinsumDims dims_;
  EinsumPlan plan_;
};

}  // namespace

Result<EinsumPlan> PlanEinsum(const EinsumEquation& equation, const std::vector<Shape>& inputs) {
  DF_ASSIGN(EinsumDims dims, MatchEinsum(equation, {inputs.begin(), inputs.end()}));
  DF_ASSIGN(const Shape output, dims.output_shape().ToShape());
  return Planner(std::move(dims)).Plan(inputs, output);
}

}  // namespace dfrun

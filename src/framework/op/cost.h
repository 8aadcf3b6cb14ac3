// The cost of a node: arithmetic operations and bytes moved, from attrs, dtypes and shapes alone.
//
// A figure for placement and planning, not a measurement. Operations are those of the op's definition: additions,
// multiplications, comparisons and calls of elementary functions count one each, in any dtype. Bytes are those that
// must be read and written at least once. A string counts as its object, a handle as its own size.
#ifndef DFRUN_SRC_FRAMEWORK_OP_COST_H_
#define DFRUN_SRC_FRAMEWORK_OP_COST_H_

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "src/framework/values/attr.h"
#include "src/framework/values/dtype.h"
#include "src/framework/values/shape.h"

namespace dfrun {

struct OpCost {
  double flops = 0;
  double bytes_read = 0;
  double bytes_written = 0;
  bool operator==(const OpCost& other) const = default;
};

// A count that shapes do not fix: NaN, as is all that is computed from it.
inline constexpr double kUnknownCount = std::numeric_limits<double>::quiet_NaN();

struct TypedShape {
  DType dtype = DType::kInvalid;
  PartialShape shape;
};

// A node as its cost function sees it. Counts may be kUnknownCount, so cost functions need not look for unknown sizes.
// The object refers to its arguments, which must outlive it.
// Thread safety: const methods from any thread.
class CostContext {
 public:
  CostContext(const AttrMap& attrs, std::span<const TypedShape> inputs, std::span<const TypedShape> outputs)
      : attrs_(attrs), inputs_(inputs), outputs_(outputs) {}

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  const PartialShape& input(int i) const { return inputs_[static_cast<size_t>(i)].shape; }
  const PartialShape& output(int i) const { return outputs_[static_cast<size_t>(i)].shape; }

  double input_elements(int i) const;
  double output_elements(int i) const;
  double input_bytes(int i) const;
  double output_bytes(int i) const;
  // The bytes of one element of an input.
  double element_bytes(int i) const { return static_cast<double>(DTypeSize(inputs_[static_cast<size_t>(i)].dtype)); }
  // The bytes of inputs [first, end); without an end, to the last.
  double bytes_in(int first = 0) const { return bytes_in(first, num_inputs()); }
  double bytes_in(int first, int end) const;
  double bytes_out() const;
  // The size of a dimension, counted from the last one where `d` is negative; unknown where there is no such dimension.
  double input_dim(int i, int d) const;
  double output_dim(int i, int d) const;

  // The attr; `absent` where the node does not have it as a T.
  template <class T>
  T attr(std::string_view name, T absent) const {
    const AttrValue* value = attrs_.Find(name);
    const T* typed = value == nullptr ? nullptr : value->get<T>();
    return typed == nullptr ? absent : *typed;
  }
  // The product of a list of integers, which is that of a window's sizes; unknown without the attr.
  double ProductOfAttr(std::string_view name) const;

 private:
  const AttrMap& attrs_;
  std::span<const TypedShape> inputs_;
  std::span<const TypedShape> outputs_;
};

using CostFn = std::function<OpCost(const CostContext&)>;

// The function's result; nothing where a figure of it is not known.
std::optional<OpCost> KnownCost(const CostFn& cost, const CostContext& node);

// The elements of any shape.
double ElementCount(const PartialShape& shape);

// Reads all inputs, writes all outputs, and computes `flops` in all.
OpCost WholeCost(const CostContext& c, double flops);

// Computes nothing and moves nothing: for ops that pass values on, control or name.
CostFn NoCost();
// Reads all inputs, writes all outputs, and computes so much for each element of output 0. The default.
CostFn ElementwiseCost(double flops_an_element = 1);
// Reads all inputs, writes all outputs, and computes so much for each element of input i: reductions, losses, searches.
CostFn ScanCost(int input = 0, double flops_an_element = 1);
// Moves all inputs and outputs and computes nothing.
CostFn CopyCost();
// Writes all outputs, and neither computes nor looks at the inputs' elements.
CostFn FillCost();
// Reads of input i only as much as all outputs hold: slices and gathers. Other inputs are read whole.
CostFn PartCost(int input = 0);
// Reads inputs from `first` on, and nothing of those before it, which are handles; writes all outputs.
CostFn BehindHandleCost(int first = 1);
// Sorts the vectors along the last dimension of input i: n log2 n comparisons each.
CostFn SortCost(int input = 0);

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_OP_COST_H_

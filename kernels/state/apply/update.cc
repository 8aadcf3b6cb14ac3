#include "kernels/state/apply/update.h"

#include <algorithm>
#include <span>
#include <vector>

#include "kernels/math/elementwise/elementwise.h"
#include "kernels/state/row_indices.h"

namespace dfrun {
namespace {

using VariableList = std::array<Variable*, VariableLocks::kMax>;

bool ReadFlag(KernelSetup& setup, const UpdateLayout& layout) {
  return layout.flag != nullptr && setup.attr<bool>(layout.flag);
}

Result<VariableList> ReadVariables(const OpContext& ctx, const UpdateLayout& layout) {
  VariableList list{};
  for (int i = 0; i < layout.variables; ++i) {
    DF_ASSIGN(list[i], VariableInput(ctx, i));
  }
  return list;
}

Status CheckSameShape(std::span<Variable* const> variables) {
  for (const Variable* variable : variables) {
    if (variable->value().shape() == variables[0]->value().shape()) continue;
    return InvalidArgument("the variable '", variables[0]->name(), "' has shape ", variables[0]->value().shape(),
                           ", but its slot '", variable->name(), "' has ", variable->value().shape());
  }
  return Status();
}

// Fills in the scalars; inputs beyond the indices of a sparse op (`indices` < 0: none) move down by one.
Status ReadScalars(const OpContext& ctx, const UpdateLoop& loop, int indices, UpdateArgs& args) {
  const UpdateLayout& layout = loop.layout;
  for (int i = layout.variables; i < ctx.num_inputs(); ++i) {
    if (i == layout.delta || i == indices) continue;
    const Tensor& scalar = ctx.input(i);
    if (scalar.shape().rank() != 0) {
      return InvalidArgument(ctx.node().op->name, ": input ", i, " must be a scalar, but has shape ", scalar.shape());
    }
    args.inputs[indices >= 0 && i > indices ? i - 1 : i] = scalar.raw();
  }
  const char* const refusal = loop.refuse == nullptr ? nullptr : loop.refuse(args, indices >= 0);
  if (refusal != nullptr) return InvalidArgument(ctx.node().op->name, ": ", refusal);
  return Status();
}

void SetRefOutput(OpContext& ctx, Variable* variable) {
  if (ctx.num_outputs() > 0) ctx.SetOutputRef(0, variable);
}

Status CheckHasRows(const Variable& variable, const UpdateLayout& layout) {
  const Shape& shape = variable.value().shape();
  if (shape.rank() == 0) return InvalidArgument("the variable '", variable.name(), "' is a scalar: it has no rows");
  if (layout.refuses_empty_rows && std::find(shape.dims().begin() + 1, shape.dims().end(), 0) != shape.dims().end()) {
    return InvalidArgument("the variable '", variable.name(), "' of shape ", shape, " has rows without elements");
  }
  return Status();
}

// Checks that `delta` has a row of the variable's for each index.
Status CheckRowUpdate(const Variable& variable, const Shape& delta, const Shape& indices) {
  Shape wanted = variable.value().shape();
  wanted.set_dim(0, indices.num_elements());
  if (indices.rank() == 1 && delta == wanted) return Status();
  return InvalidArgument("the variable '", variable.name(), "' has shape ", variable.value().shape(), ", so that ",
                         indices.num_elements(), " rows of it are ", wanted, ", but the update is ", delta,
                         " with indices ", indices);
}

}  // namespace

UpdateKernel::UpdateKernel(KernelSetup& setup, const UpdateLoop& loop)
    : loop_(loop), flag_(ReadFlag(setup, loop.layout)) {}

Status UpdateKernel::Compute(OpContext& ctx) {
  const UpdateLayout& layout = loop_.layout;
  DF_ASSIGN(const VariableList list, ReadVariables(ctx, layout));
  const std::span<Variable* const> variables(list.data(), static_cast<size_t>(layout.variables));
  const Tensor& delta = ctx.input(layout.delta);
  UpdateArgs args;
  args.flag = flag_;
  DF_TRY(ReadScalars(ctx, loop_, -1, args));

  const VariableLocks locks(variables);
  DF_TRY(locks.MakeWritable(variables, delta.dtype(), ctx.device()));
  DF_TRY(CheckSameShape(variables));
  if (!(delta.shape() == list[0]->value().shape())) {
    return InvalidArgument("the variable '", list[0]->name(), "' has shape ", list[0]->value().shape(),
                           ", but is to be updated by a tensor of shape ", delta.shape());
  }
  for (int i = 0; i < layout.variables; ++i) args.variables[i] = list[i]->mutable_value().raw();
  args.delta = delta.raw();
  DF_TRY(UpdateAll(ctx, args, delta.num_elements()));
  SetRefOutput(ctx, list[0]);
  return Status();
}

Status UpdateKernel::UpdateAll(OpContext& ctx, const UpdateArgs& args, int64_t n) const {
  ctx.pool().ParallelForEvenly(n, kElementBlock, kElementStep, [&](int64_t begin, int64_t end) {
    UpdateArgs part = args;
    for (int i = 0; i < loop_.layout.variables; ++i) {
      part.variables[i] = At(args.variables[i], begin, loop_.element_size);
    }
    part.delta = At(args.delta, begin, loop_.element_size);
    loop_.run(part, end - begin);
  });
  return Status();
}

SparseUpdateKernel::SparseUpdateKernel(KernelSetup& setup, const UpdateLoop& loop)
    : loop_(loop), flag_(ReadFlag(setup, loop.layout)) {}

Status SparseUpdateKernel::Compute(OpContext& ctx) {
  const UpdateLayout& layout = loop_.layout;
  DF_ASSIGN(const VariableList list, ReadVariables(ctx, layout));
  const std::span<Variable* const> variables(list.data(), static_cast<size_t>(layout.variables));
  const Tensor& delta = ctx.input(layout.delta);
  UpdateArgs args;
  args.flag = flag_;
  DF_TRY(ReadScalars(ctx, loop_, layout.delta + 1, args));

  const VariableLocks locks(variables);
  DF_TRY(locks.MakeWritable(variables, delta.dtype(), ctx.device()));
  DF_TRY(CheckSameShape(variables));
  DF_TRY(CheckHasRows(*list[0], layout));
  const Tensor& indices = ctx.input(layout.delta + 1);
  const Shape& shape = list[0]->value().shape();
  DF_TRY(CheckRowUpdate(*list[0], delta.shape(), indices.shape()));
  for (int i = 0; i < layout.variables; ++i) args.variables[i] = list[i]->mutable_value().raw();
  args.delta = delta.raw();
  DF_TRY(UpdateRows(ctx, {args, indices, shape[0], shape[0] == 0 ? 0 : shape.num_elements() / shape[0]}));
  SetRefOutput(ctx, list[0]);
  return Status();
}

Status SparseUpdateKernel::UpdateRows(OpContext& ctx, const RowUpdates& updates) const {
  DF_ASSIGN(const std::vector<int64_t> rows, ReadRowIndices(updates.indices, updates.rows));
  if (rows.empty()) return Status();
  const int64_t columns = updates.columns;
  // Threads take ranges of columns, so that the order of updates of an element is that of the rows.
  const int64_t block = std::max<int64_t>(64, kElementBlock / static_cast<int64_t>(rows.size()));
  ctx.pool().ParallelFor(columns, block, [&](int64_t begin, int64_t end) {
    UpdateArgs part = updates.args;
    for (size_t r = 0; r < rows.size(); ++r) {
      for (int i = 0; i < loop_.layout.variables; ++i) {
        part.variables[i] = At(updates.args.variables[i], rows[r] * columns + begin, loop_.element_size);
      }
      part.delta = At(updates.args.delta, static_cast<int64_t>(r) * columns + begin, loop_.element_size);
      loop_.run(part, end - begin);
    }
  });
  return Status();
}

}  // namespace dfrun

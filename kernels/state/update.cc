#include "kernels/state/update.h"

#include <algorithm>

#include "kernels/math/elementwise.h"
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

// That `delta` has a row of the variable's for each of `rows` indices.
Status CheckRowUpdate(const Variable& variable, size_t rows, const Shape& delta, const Shape& indices) {
  Shape wanted = variable.value().shape();
  wanted.set_dim(0, static_cast<int64_t>(rows));
  if (indices.rank() == 1 && delta == wanted) return Status();
  return InvalidArgument("the variable '", variable.name(), "' has shape ", variable.value().shape(), ", so that ",
                         rows, " rows of it are ", wanted, ", but the update is ", delta, " with indices ", indices);
}

}  // namespace

Status UpdateOnThreads(OpContext& ctx, const UpdateLoop& loop, const UpdateArgs& args, int64_t n) {
  ctx.pool().ParallelForEvenly(n, kElementBlock, kElementStep, [&](int64_t begin, int64_t end) {
    UpdateArgs part = args;
    for (int i = 0; i < loop.layout.variables; ++i) {
      part.variables[i] = At(args.variables[i], begin, loop.element_size);
    }
    part.delta = At(args.delta, begin, loop.element_size);
    loop.run(part, end - begin);
  });
  return Status();
}

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
  DF_TRY(loop_.update(ctx, loop_, args, delta.num_elements()));
  SetRefOutput(ctx, list[0]);
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
  DF_ASSIGN(const std::vector<int64_t> rows, ReadRowIndices(indices, list[0]->value().shape()[0]));
  DF_TRY(CheckRowUpdate(*list[0], rows.size(), delta.shape(), indices.shape()));
  UpdateRows(ctx, variables, rows, args);
  SetRefOutput(ctx, list[0]);
  return Status();
}

void SparseUpdateKernel::UpdateRows(OpContext& ctx, std::span<Variable* const> variables,
                                    const std::vector<int64_t>& rows, const UpdateArgs& args) const {
  if (rows.empty()) return;
  const Tensor& delta = ctx.input(loop_.layout.delta);
  const int64_t columns = delta.num_elements() / static_cast<int64_t>(rows.size());
  // Threads take ranges of columns, so that the order of updates of an element is that of the rows.
  const int64_t block = std::max<int64_t>(64, kElementBlock / static_cast<int64_t>(rows.size()));
  ctx.pool().ParallelFor(columns, block, [&](int64_t begin, int64_t end) {
    UpdateArgs part = args;
    for (size_t r = 0; r < rows.size(); ++r) {
      for (size_t i = 0; i < variables.size(); ++i) {
        part.variables[i] = At(variables[i]->mutable_value().raw(), rows[r] * columns + begin, loop_.element_size);
      }
      part.delta = At(delta.raw(), static_cast<int64_t>(r) * columns + begin, loop_.element_size);
      loop_.run(part, end - begin);
    }
  });
}

}  // namespace dfrun

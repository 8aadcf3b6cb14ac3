#include "kernels/device/cpu_kernel.h"
#include "kernels/lookup/lookup_table.h"

namespace dfrun {
namespace {

// HashTableV2, MutableHashTableV2 and MutableHashTableOfTensorsV2.
class TableKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit TableKernel(KernelSetup& setup) {
    const Result<RefPtr<LookupTable>> table = FindOrMake(setup);
    if (!table.ok()) {
      setup.Fail(table.status());
      return;
    }
    handle_ = Tensor::Scalar(ResourceHandle((*table)->name(), RefPtr<Resource>(table->get())));
  }
  Status Compute(OpContext& ctx) {
    ctx.SetOutput(0, handle_);
    return Status();
  }
  Tensor FixedOutput() const override { return handle_; }

 private:
  static Result<TableType> ReadType(KernelSetup& setup) {
    TableType type;
    type.key = setup.attr<DType>("key_dtype");
    type.value = setup.attr<DType>("value_dtype");
    type.is_mutable = setup.node().op->name != "HashTableV2";
    if (!setup.attrs().Has("value_shape")) return type;
    DF_ASSIGN(type.value_shape, setup.attr<PartialShape>("value_shape").ToShape());
    if (type.value_shape.rank() != 1) {
      return InvalidArgument("the values of a table of tensors must be vectors, but value_shape is ", type.value_shape);
    }
    return type;
  }

  static Result<RefPtr<LookupTable>> FindOrMake(KernelSetup& setup) {
    DF_ASSIGN(const TableType type, ReadType(setup));
    const auto shared_name = setup.attr<std::string>("shared_name");
    const std::string& name = shared_name.empty() ? setup.node().name : shared_name;
    DF_ASSIGN(const RefPtr<LookupTable> table,
              setup.device().containers().LookupOrCreate<LookupTable>(setup.attr<std::string>("container"), name,
                                                                      [&] { return LookupTable::Create(name, type); }));
    if (table->type() == type) return table;
    return InvalidArgument("the node ", setup.node().name, " shares the ", table->DebugString(),
                           ", which has another type");
  }

  Tensor handle_;
};

class FindKernel final : public Kernel {
 public:
  explicit FindKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const LookupTable* const table, TableInput(ctx, 0));
    if (table->type().value != ctx.node().outputs[0].dtype) {
      return InvalidArgument("the ", table->DebugString(), " is read as ", ctx.node().outputs[0].dtype);
    }
    DF_ASSIGN(const Shape shape, ValuesShape(ctx.input(1).shape(), table->type().value_shape));
    Tensor* found = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &found));
    return table->Find(ctx.input(1), ctx.input(2), found);
  }
};

// Ops that take a table, keys and values.
template <Status (LookupTable::*kFill)(const Tensor&, const Tensor&)>
class FillKernel final : public Kernel {
 public:
  explicit FillKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(LookupTable* const table, TableInput(ctx, 0));
    return (table->*kFill)(ctx.input(1), ctx.input(2));
  }
};

class RemoveKernel final : public Kernel {
 public:
  explicit RemoveKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(LookupTable* const table, TableInput(ctx, 0));
    if (ctx.input(1).shape().rank() == 0) return InvalidArgument("keys to remove must not be a scalar");
    return table->Remove(ctx.input(1));
  }
};

class SizeKernel final : public Kernel {
 public:
  explicit SizeKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const LookupTable* const table, TableInput(ctx, 0));
    Tensor* size = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &size));
    DF_ASSIGN(*size->data<int64_t>(), table->Size());
    return Status();
  }
};

class ExportKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit ExportKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const LookupTable* const table, TableInput(ctx, 0));
    if (table->type().key != ctx.node().outputs[0].dtype || table->type().value != ctx.node().outputs[1].dtype) {
      return InvalidArgument("the ", table->DebugString(), " is exported as ", ctx.node().outputs[0].dtype, " and ",
                             ctx.node().outputs[1].dtype);
    }
    Tensor keys;
    Tensor values;
    DF_TRY(table->Export(ctx.allocator(), &keys, &values));
    ctx.SetOutput(0, std::move(keys));
    ctx.SetOutput(1, std::move(values));
    return Status();
  }
};

CPU_KERNEL_ANY("HashTableV2", TableKernel);
CPU_KERNEL_ANY("MutableHashTableV2", TableKernel);
CPU_KERNEL_ANY("MutableHashTableOfTensorsV2", TableKernel);
CPU_KERNEL_ANY("LookupTableFindV2", FindKernel);
CPU_KERNEL_ANY("LookupTableInsertV2", FillKernel<&LookupTable::Insert>);
CPU_KERNEL_ANY("LookupTableImportV2", FillKernel<&LookupTable::Import>);
CPU_KERNEL_ANY("InitializeTableV2", FillKernel<&LookupTable::Initialize>);
CPU_KERNEL_ANY("LookupTableRemoveV2", RemoveKernel);
CPU_KERNEL_ANY("LookupTableSizeV2", SizeKernel);
CPU_KERNEL_ANY("LookupTableExportV2", ExportKernel);

}  // namespace
}  // namespace dfrun

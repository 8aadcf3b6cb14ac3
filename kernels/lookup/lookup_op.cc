// Tables from keys to values: the ops that make, fill and read them.
#include "kernels/state/device_resource_op.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

void MakesTable(OpBuilder& op) {
  op.Output("table_handle: resource").As(DeviceResource).Shape(ScalarOutputs());
  op.Attr("use_node_name_sharing: bool = false").Attr("key_dtype: type").Attr("value_dtype: type");
}

Status OneHandle(InferenceContext& c) {
  return c.WithRank(0, 0).status();
}

// A vector of keys, and as many values.
Status HandleKeysAndValues(InferenceContext& c) {
  DF_TRY(OneHandle(c));
  DF_ASSIGN(const PartialShape keys, c.WithRank(1, 1));
  DF_ASSIGN(const PartialShape values, c.WithRankAtLeast(2, 1));
  return values.known_rank() ? keys.Merge(PartialShape({values.dim(0)})).status() : Status();
}

void FillsTable(OpBuilder& op) {
  op.Input("table_handle: resource").Input("keys: Tin").Input("values: Tout").Attr("Tin: type").Attr("Tout: type");
  op.Stateful().GradientEnds(GradientFlow::kState);
}

OP("HashTableV2")
    .As(MakesTable)
    .HandleOf(HandleContent::Scalars())
    .Doc("A table that is filled once, by InitializeTableV2.");
OP("MutableHashTableV2").As(MakesTable).HandleOf(HandleContent::Scalars()).Doc("A table that may change.");
OP("MutableHashTableOfTensorsV2")
    .As(MakesTable)
    .Attr("value_shape: shape = []")
    .HandleOf(HandleContent::Attr("value_shape"))
    .Doc("A table that may change, whose values are tensors of one shape.");

OP("LookupTableInsertV2")
    .As(FillsTable)
    .Shape(&OneHandle)
    .Cost(ScanCost(1))
    .Doc("Adds keys to a mutable table, or gives them new values.");
OP("LookupTableImportV2")
    .As(FillsTable)
    .Shape(&HandleKeysAndValues)
    .Cost(ScanCost(1))
    .Doc("Makes keys and values all that a mutable table holds.");

OP("InitializeTableV2")
    .Input("table_handle: resource")
    .Input("keys: Tkey")
    .Input("values: Tval")
    .Attr("Tkey: type")
    .Attr("Tval: type")
    .Stateful()
    .GradientEnds(GradientFlow::kState)
    .Shape([](InferenceContext& c) -> Status {
      DF_TRY(OneHandle(c));
      DF_ASSIGN(const PartialShape keys, c.WithRank(1, 1));
      return keys.Merge(c.input(2)).status();
    })
    .Cost(ScanCost(1))
    .Doc("Fills a table that is filled once.");

OP("LookupTableFindV2")
    .Input("table_handle: resource")
    .Input("keys: Tin")
    .Input("default_value: Tout")
    .Output("values: Tout")
    .Attr("Tin: type")
    .Attr("Tout: type")
    .Stateful()
    .GradientEnds(GradientFlow::kState)
    .Shape([](InferenceContext& c) -> Status {
      DF_TRY(OneHandle(c));
      // A default value may be one for all keys or one for each.
      PartialShape value = c.handle_shape(0);
      if (!value.known_rank() && c.input(2).rank() == 0) value = PartialShape::Scalar();
      if (!c.input(1).known_rank() || !value.known_rank()) return Status();
      PartialShape values = c.input(1);
      for (int64_t size : value.dims()) values.Append(size);
      c.set_output(0, std::move(values));
      return Status();
    })
    .Cost(ScanCost(1))
    .Doc("The values of keys, and default_value for those that the table lacks.");

OP("LookupTableRemoveV2")
    .Input("table_handle: resource")
    .Input("keys: Tin")
    .Attr("Tin: type")
    .Stateful()
    .NotDifferentiable()
    .Shape([](InferenceContext& c) -> Status {
      DF_TRY(OneHandle(c));
      return c.WithRankAtLeast(1, 1).status();
    })
    .Cost(ScanCost(1))
    .Doc("Removes keys from a mutable table; those that it lacks are no error.");

OP("LookupTableSizeV2")
    .Input("table_handle: resource")
    .Output("size: int64")
    .Stateful()
    .NotDifferentiable()
    .Shape(ScalarOutputs())
    .Cost(NoCost())
    .Doc("How many keys the table holds.");

OP("LookupTableExportV2")
    .Input("table_handle: resource")
    .Output("keys: Tkeys")
    .Output("values: Tvalues")
    .Attr("Tkeys: type")
    .Attr("Tvalues: type")
    .Stateful()
    .GradientEnds(GradientFlow::kState)
    .Shape([](InferenceContext& c) -> Status {
      DF_TRY(OneHandle(c));
      PartialShape rows({PartialShape::kUnknown});
      c.set_output(0, rows);
      const PartialShape value = c.handle_shape(0);
      if (!value.known_rank()) return Status();
      for (int64_t size : value.dims()) rows.Append(size);
      c.set_output(1, std::move(rows));
      return Status();
    })
    .Cost(CopyCost())
    .Doc("All keys of the table, sorted, and their values.");

}  // namespace
}  // namespace dfrun

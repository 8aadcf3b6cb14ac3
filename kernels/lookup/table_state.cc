// The checkpointed state of tables from keys to values.
#include "kernels/lookup/lookup_table.h"
#include "kernels/state/object_state.h"

namespace dfrun {
namespace {

std::vector<StatePart> PartsOf(DType key, DType value, const PartialShape& value_shape) {
  PartialShape values({PartialShape::kUnknown});
  for (const int64_t size : value_shape.dims()) values.Append(size);
  return {{"initialized", DType::kBool, PartialShape::Scalar()},
          {"keys", key, PartialShape({PartialShape::kUnknown})},
          {"values", value, values}};
}

Result<std::vector<StatePart>> PartsOfTable(const AttrMap& attrs) {
  DF_ASSIGN(const DType key, attrs.Get<DType>("key_dtype"));
  DF_ASSIGN(const DType value, attrs.Get<DType>("value_dtype"));
  DF_TRY(CheckKeepable(key, "its keys are"));
  DF_TRY(CheckKeepable(value, "its values are"));
  DF_ASSIGN(const PartialShape value_shape, attrs.GetOr<PartialShape>("value_shape", PartialShape::Scalar()));
  return PartsOf(key, value, value_shape);
}

KEEPS_STATE(StateBehindHandle<LookupTable>::With(&PartsOfTable), "HashTableV2", "MutableHashTableV2",
            "MutableHashTableOfTensorsV2");

}  // namespace

Result<std::vector<Tensor>> LookupTable::SaveState(Allocator& allocator) const {
  Tensor keys(type_.key, Shape({0}));
  DF_ASSIGN(const Shape none, ValuesShape(keys.shape(), type_.value_shape));
  Tensor values(type_.value, none);
  const bool has_content = is_initialized();
  if (has_content) DF_TRY(Export(allocator, &keys, &values));
  return std::vector<Tensor>{Tensor::Scalar(has_content), std::move(keys), std::move(values)};
}

Status LookupTable::RestoreState(std::span<const Tensor> parts, Allocator& /*allocator*/) {
  DF_TRY(CheckParts(parts, PartsOf(type_.key, type_.value, type_.value_shape)));
  return parts[0].scalar<bool>() ? Import(parts[1], parts[2]) : Status();
}

}  // namespace dfrun

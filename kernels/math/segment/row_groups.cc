#include "kernels/math/segment/row_groups.h"

#include <algorithm>
#include <cstring>

#include "kernels/math/elementwise/elementwise.h"
#include "kernels/math/segment/segment_checks.h"
#include "src/base/integers.h"

namespace dfrun {
namespace {

// Accumulators that a thread keeps on its stack, in bytes.
constexpr size_t kTileBytes = 16384;

// One tile of one group.
void ReduceTile(const cpu::ReductionLoops& loops, const RowGroups& groups, int64_t g, const std::byte* data,
                int64_t width, int64_t tile_width, std::byte* output) {
  alignas(64) std::byte accumulators[kTileBytes];
  const int64_t begin = groups.begin()[g];
  const int64_t rows = groups.size(g);
  loops.start(accumulators, tile_width);
  if (groups.order() != nullptr) {
    for (int64_t k = begin; k < begin + rows; ++k)
      loops.reduce_rows(At(data, groups.order()[k] * width, loops.input_size), 1, 0, tile_width, accumulators);
  } else if (width == 1) {
    loops.reduce_run(At(data, begin, loops.input_size), rows, accumulators);
  } else {
    loops.reduce_rows(At(data, begin * width, loops.input_size), rows, width, tile_width, accumulators);
  }
  loops.finish(accumulators, tile_width, rows, At(output, g * width, loops.output_size));
}

Result<Tensor> NewInts(OpContext& ctx, int64_t n) {
  return ctx.AllocateTemp(DType::kInt64, Shape({n}));
}

// begin[g + 1] = the rows of group g, summed up to g.
Result<Tensor> CountRows(OpContext& ctx, std::span<const int64_t> ids, int64_t groups) {
  DF_ASSIGN(Tensor begin, NewInts(ctx, groups + 1));
  auto* at = begin.data<int64_t>();
  std::fill_n(at, groups + 1, 0);
  for (const int64_t id : ids) {
    if (id >= 0) ++at[id + 1];
  }
  for (int64_t g = 0; g < groups; ++g) at[g + 1] += at[g];
  return begin;
}

}  // namespace

Result<RowGroups> RowGroups::FromSorted(OpContext& ctx, std::span<const int64_t> ids, int64_t groups) {
  RowGroups made;
  DF_ASSIGN(made.begin_, CountRows(ctx, ids, groups));
  return made;
}

Result<RowGroups> RowGroups::FromUnsorted(OpContext& ctx, std::span<const int64_t> ids, int64_t groups) {
  RowGroups made;
  DF_ASSIGN(made.begin_, CountRows(ctx, ids, groups));
  DF_ASSIGN(made.order_, NewInts(ctx, static_cast<int64_t>(ids.size())));
  DF_ASSIGN(Tensor next, made.begin_.Copy(ctx.allocator()));
  for (size_t k = 0; k < ids.size(); ++k) {
    if (ids[k] >= 0) made.order_.data<int64_t>()[next.data<int64_t>()[ids[k]]++] = static_cast<int64_t>(k);
  }
  return made;
}

Status RowGroups::Rename(OpContext& ctx, std::span<const int64_t> rows) {
  const int64_t used = begin()[count()];
  DF_ASSIGN(Tensor renamed, NewInts(ctx, static_cast<int64_t>(rows.size())));
  for (int64_t k = 0; k < used; ++k) renamed.data<int64_t>()[k] = rows[order() == nullptr ? k : order()[k]];
  order_ = std::move(renamed);
  return Status();
}

void ReduceGroups(const cpu::ReductionLoops& loops, const RowGroups& groups, bool empty_is_zero, const void* data,
                  int64_t width, void* output, ThreadPool& pool) {
  if (width == 0 || groups.count() == 0) return;
  const int64_t tile = std::min<int64_t>(width, kTileBytes / loops.accumulator_size);
  const int64_t tiles = CeilDiv(width, tile);
  const int64_t rows_per_group = 1 + groups.begin()[groups.count()] / groups.count();
  const int64_t block = std::max<int64_t>(1, kElementBlock / (rows_per_group * tile));
  pool.ParallelFor(groups.count() * tiles, block, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const int64_t g = i / tiles;
      const int64_t column = i % tiles * tile;
      const int64_t tile_width = std::min(tile, width - column);
      std::byte* to = At(output, column, loops.output_size);
      if (groups.size(g) == 0 && empty_is_zero) {
        std::memset(At(to, g * width, loops.output_size), 0, static_cast<size_t>(tile_width) * loops.output_size);
      } else {
        ReduceTile(loops, groups, g, At(data, column, loops.input_size), width, tile_width, to);
      }
    }
  });
}

Result<int64_t> CountSegments(std::span<const int64_t> ids) {
  int64_t last = 0;
  for (const int64_t id : ids) {
    if (id < last) return InvalidArgument("segment ids must increase from 0 on, but ", id, " comes after ", last);
    last = id;
  }
  if (ids.empty()) return 0;
  return SegmentsUpTo(last);
}

Status CheckRange(std::span<const int64_t> values, int64_t limit, const char* what) {
  for (const int64_t v : values) {
    if (v < 0 || v >= limit) return InvalidArgument(what, " must be in [0, ", limit, "), not ", v);
  }
  return Status();
}

int64_t RowWidth(const Shape& shape, int leading) {
  int64_t width = 1;
  for (int d = leading; d < shape.rank(); ++d) width *= shape.dim(d);
  return width;
}

Result<Shape> RowsShape(int64_t rows, const Shape& shape, int leading) {
  std::vector<int64_t> dims(shape.dims().begin() + leading, shape.dims().end());
  dims.insert(dims.begin(), rows);
  return Shape::Create(dims);
}

}  // namespace dfrun

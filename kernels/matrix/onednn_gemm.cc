#include "kernels/matrix/onednn_gemm.h"

#ifdef DFRUN_ONEDNN
#include <array>
#include <atomic>

#include "kernels/device/onednn_call.h"
#include "kernels/matrix/gemm_tiles.h"

namespace dfrun {
namespace {

using Dims = dnnl::memory::dims;

constexpr auto kType = dnnl::memory::data_type::bf16;

// The product of one tile of C with the strides of the whole.
Result<std::unique_ptr<OneDnnCall>> MakeTile(const GemmShape& s, int64_t rows, int64_t columns) {
  return CatchOneDnn("a matrix product", [&] {
    const dnnl::memory::desc a({rows, s.k}, kType, s.transpose_a ? Dims{1, s.m} : Dims{s.k, 1});
    const dnnl::memory::desc b({s.k, columns}, kType, s.transpose_b ? Dims{1, s.k} : Dims{s.n, 1});
    const dnnl::memory::desc c({rows, columns}, kType, Dims{s.n, 1});
    const dnnl::matmul::primitive_desc made({a, b, c}, OneDnnAttributes(), OneDnnEngine());
    return std::make_unique<OneDnnCall>(
        dnnl::matmul(made), made.scratchpad_desc(),
        std::vector<OneDnnCall::Argument>{{DNNL_ARG_SRC, a}, {DNNL_ARG_WEIGHTS, b}, {DNNL_ARG_DST, c}});
  });
}

class OneDnnGemm final : public Gemm<bfloat16> {
 public:
  explicit OneDnnGemm(const GemmShape& shape) : shape_(shape), tiles_(shape) {}

  // Tiles at the end of a side may be smaller: at most four sizes.
  Status MakeTiles() {
    for (int64_t i : {int64_t{0}, tiles_.column_tiles - 1, tiles_.count() - tiles_.column_tiles, tiles_.count() - 1}) {
      const GemmTile tile(shape_, tiles_, i);
      std::unique_ptr<OneDnnCall>& call = CallOf(tile);
      if (call != nullptr) continue;
      DF_ASSIGN(call, MakeTile(shape_, tile.rows, tile.columns));
    }
    return Status();
  }

  Status Run(const bfloat16* a, const bfloat16* b, bfloat16* c, ThreadPool& pool, Allocator& allocator) const override {
    if (tiles_.count() == 1) return calls_[0][0]->Run({a, b, c}, allocator);
    Status first;
    std::atomic<bool> failed{false};
    pool.RunBlocks(tiles_.count(), [&](int64_t i) {
      Status status = RunTile(i, a, b, c, allocator);
      if (!status.ok() && !failed.exchange(true)) first = std::move(status);
    });
    return first;
  }

 private:
  std::unique_ptr<OneDnnCall>& CallOf(const GemmTile& tile) {
    return calls_[tile.rows < tiles_.rows][tile.columns < tiles_.columns];
  }

  Status RunTile(int64_t i, const bfloat16* a, const bfloat16* b, bfloat16* c, Allocator& allocator) const {
    const GemmTile tile(shape_, tiles_, i);
    const bfloat16* from_a = a + (shape_.transpose_a ? tile.row : tile.row * shape_.k);
    const bfloat16* from_b = b + (shape_.transpose_b ? tile.column * shape_.k : tile.column);
    return calls_[tile.rows < tiles_.rows][tile.columns < tiles_.columns]->Run(
        {from_a, from_b, c + tile.row * shape_.n + tile.column}, allocator);
  }

  const GemmShape shape_;
  const GemmTiles tiles_;
  std::array<std::array<std::unique_ptr<OneDnnCall>, 2>, 2> calls_;  // [shorter rows][shorter columns]
};

}  // namespace

Result<std::shared_ptr<const Gemm<bfloat16>>> MakeOneDnnGemm(const GemmShape& shape) {
  auto gemm = std::make_shared<OneDnnGemm>(shape);
  DF_TRY(gemm->MakeTiles());
  return std::shared_ptr<const Gemm<bfloat16>>(std::move(gemm));
}

#else
namespace dfrun {

Result<std::shared_ptr<const Gemm<bfloat16>>> MakeOneDnnGemm(const GemmShape&) {
  return Unimplemented("this dfrun was built without oneDNN");
}

#endif  // DFRUN_ONEDNN

}  // namespace dfrun

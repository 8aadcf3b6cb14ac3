#include "kernels/gemm/onednn_gemm.h"

#ifdef DFRUN_ONEDNN
#include <atomic>
#include <map>
#include <utility>
#include <vector>

#include "kernels/device/onednn_call.h"
#include "kernels/gemm/parallel_gemm.h"

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
  explicit OneDnnGemm(const GemmShape& shape) : shape_(shape), grid_(GridOfShape(shape)) {}

  // Tiles are of a few sizes, of which each is one primitive.
  Status MakeTiles() {
    std::map<std::pair<int64_t, int64_t>, std::shared_ptr<OneDnnCall>> made;
    for (int64_t i = 0; i < grid_.count(); ++i) {
      const Grid::Tile tile = grid_.At(shape_, i);
      std::shared_ptr<OneDnnCall>& call = made[{tile.rows, tile.columns}];
      if (call == nullptr) {
        DF_ASSIGN(call, MakeTile(shape_, tile.rows, tile.columns));
      }
      calls_.push_back(call);
    }
    return Status();
  }

  Status Run(const bfloat16* a, const bfloat16* b, bfloat16* c, ThreadPool& pool, Allocator& allocator) const override {
    if (calls_.size() == 1) return calls_[0]->Run({a, b, c}, allocator);
    Status first;
    std::atomic<bool> failed{false};
    pool.RunBlocks(grid_.count(), [&](int64_t i) {
      const Grid::Tile tile = grid_.At(shape_, i);
      Status status = calls_[static_cast<size_t>(i)]->Run(
          {ViewA(shape_, a).At(tile.row, 0).data, ViewB(shape_, b).At(0, tile.column).data,
           c + tile.row * shape_.n + tile.column},
          allocator);
      if (!status.ok() && !failed.exchange(true)) first = std::move(status);
    });
    return first;
  }

 private:
  const GemmShape shape_;
  const Grid grid_;
  std::vector<std::shared_ptr<OneDnnCall>> calls_;  // one call for each tile
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

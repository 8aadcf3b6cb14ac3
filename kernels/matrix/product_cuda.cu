#include "kernels/matrix/product_cuda.h"

#include <type_traits>

#include "kernels/device/cuda/launch.h"
#include "kernels/device/cuda/library.h"
#include "kernels/math/broadcast_cuda.h"
#include "kernels/math/complex_cuda.h"
#include "kernels/math/element.h"
#include "kernels/math/functors.h"
#include "kernels/math/unary_cuda.h"
#include "kernels/math/zip_cuda.h"
#include "src/base/integers.h"

namespace dfrun::cuda {
namespace {

// A block computes a tile of C, a thread 4 by 4 of its elements; the operands' parts that it needs go through shared
// memory, kDepth of the inner dimension at a time.
constexpr int kTile = 64;
constexpr int kDepth = 16;
constexpr int kMine = 4;
constexpr int kThreadsAcross = kTile / kMine;
static_assert(kThreadsAcross * kThreadsAcross == kBlockThreads);

// Integers wrap around.
template <class T>
struct ProductTypeOf {
  using type = ComputeType<T>;
};
template <class T>
requires std::is_integral_v<T>
struct ProductTypeOf<T> {
  using type = WrappingType<T>;
};

struct ProductGrid {
  int64_t m, k, n;
  int64_t a_row, a_column, b_row, b_column;  // strides
  int64_t rows, columns;                     // of tiles
};

// sum + a * b, a product in one rounding where there is such an instruction.
template <class C>
DF_CARD_FUNCTION C MultiplyAdd(C a, C b, C sum) {
  if constexpr (std::is_floating_point_v<C>) {
    return std::fma(a, b, sum);
  } else if constexpr (kIsComplex<C>) {
    return C(std::fma(-a.imag(), b.imag(), std::fma(a.real(), b.real(), sum.real())),
             std::fma(a.imag(), b.real(), std::fma(a.real(), b.imag(), sum.imag())));
  } else {
    return sum + a * b;
  }
}

template <class T>
DF_CARD_KERNEL void ProductTiles(ProductGrid g, CardBroadcast batch, const T* a, const T* b, T* c) {
  using C = typename ProductTypeOf<T>::type;
  DF_CARD_SHARED(C, a_part, kDepth * kTile);  // [depth][row]
  DF_CARD_SHARED(C, b_part, kDepth * kTile);  // [depth][column]
  const int64_t tile = BlockInGrid() % (g.rows * g.columns);
  const int64_t pair = BlockInGrid() / (g.rows * g.columns);
  uint32_t matrices[2];
  batch.Offsets<2>(static_cast<uint32_t>(pair), matrices);
  a += static_cast<int64_t>(matrices[0]) * g.m * g.k;
  b += static_cast<int64_t>(matrices[1]) * g.k * g.n;
  c += pair * g.m * g.n;
  const int64_t row = tile / g.columns * kTile;
  const int64_t column = tile % g.columns * kTile;
  const int thread = ThreadInBlock();
  const int down = thread / kThreadsAcross;
  const int across = thread % kThreadsAcross;
  C sums[kMine][kMine] = {};
  for (int64_t depth = 0; depth < g.k; depth += kDepth) {
    for (int i = thread; i < kDepth * kTile; i += kBlockThreads) {
      // Neighbouring threads read neighbouring elements.
      const int a_depth = g.a_column == 1 ? i % kDepth : i / kTile;
      const int a_at = g.a_column == 1 ? i / kDepth : i % kTile;
      const bool has_a = row + a_at < g.m && depth + a_depth < g.k;
      a_part[a_depth * kTile + a_at] =
          has_a ? static_cast<C>(a[(row + a_at) * g.a_row + (depth + a_depth) * g.a_column]) : C(0);
      const int b_depth = g.b_column == 1 ? i / kTile : i % kDepth;
      const int b_at = g.b_column == 1 ? i % kTile : i / kDepth;
      const bool has_b = column + b_at < g.n && depth + b_depth < g.k;
      b_part[b_depth * kTile + b_at] =
          has_b ? static_cast<C>(b[(depth + b_depth) * g.b_row + (column + b_at) * g.b_column]) : C(0);
    }
    Barrier();
    for (int d = 0; d < kDepth; ++d) {
      for (int i = 0; i < kMine; ++i) {
        const C left = a_part[d * kTile + down + i * kThreadsAcross];
        for (int j = 0; j < kMine; ++j) {
          sums[i][j] = MultiplyAdd(left, b_part[d * kTile + across + j * kThreadsAcross], sums[i][j]);
        }
      }
    }
    Barrier();
  }
  for (int i = 0; i < kMine; ++i) {
    const int64_t r = row + down + i * kThreadsAcross;
    for (int j = 0; j < kMine; ++j) {
      const int64_t s = column + across + j * kThreadsAcross;
      if (r < g.m && s < g.n) c[r * g.n + s] = static_cast<T>(sums[i][j]);
    }
  }
}

template <class T>
Status RunTiles(OpContext& ctx, const GemmShape& s, const BroadcastPlan& batch, const T* a, const T* b, T* c) {
  using E = CardType<T>;
  const ProductGrid grid = {s.m,
                            s.k,
                            s.n,
                            s.transpose_a ? 1 : s.k,
                            s.transpose_a ? s.m : 1,
                            s.transpose_b ? 1 : s.n,
                            s.transpose_b ? s.k : 1,
                            CeilDiv<int64_t>(s.m, kTile),
                            CeilDiv<int64_t>(s.n, kTile)};
  return LaunchTogether(ctx, batch.count * grid.rows * grid.columns, &ProductTiles<E>, grid, CardBroadcast(batch),
                        reinterpret_cast<const E*>(a), reinterpret_cast<const E*>(b), reinterpret_cast<E*>(c));
}

// Matrices of one number each.
template <class T>
struct NumberProduct {
  using C = typename ProductTypeOf<T>::type;
  DF_HOST_DEVICE T operator()(T a, T b) const {
    return static_cast<T>(static_cast<C>(a) * static_cast<C>(b) + C(0));  // a sum's -0 is 0
  }
};

// Below this many multiplications a tile of ours is done before the library's call has returned.
constexpr double kLibraryWork = 1 << 21;

template <class T>
bool IsForLibrary(const GemmShape& s, const BroadcastPlan& batch, const T* a, const T* b, const T* c) {
  if (std::is_integral_v<T> || kIsComplex<T> || batch.rank > 1 || !CublasLt::Get().ok()) return false;
  if (!IsForLibraries(a) || !IsForLibraries(b) || !IsForLibraries(c)) return false;
  const double work = static_cast<double>(s.m) * static_cast<double>(s.k) * static_cast<double>(s.n);
  return work * static_cast<double>(batch.count) >= kLibraryWork;
}

}  // namespace

template <class T>
Status Product<T>::Run(OpContext& ctx, const GemmShape& s, const BroadcastPlan& batch, const T* a, const T* b, T* c) {
  if (s.m == 0 || s.n == 0 || batch.count == 0) return Status();
  if (s.m == 1 && s.k == 1 && s.n == 1 && batch.rank == 1 && batch.strides[0][0] == 1 && batch.strides[1][0] == 1) {
    using E = CardType<T>;
    return LaunchZip(ctx, reinterpret_cast<const E*>(a), reinterpret_cast<const E*>(b), reinterpret_cast<E*>(c),
                     batch.count, NumberProduct<E>());
  }
  if (batch.count > INT32_MAX) return Unimplemented("a batch of ", batch.count, " products on a card");
  if (!IsForLibrary(s, batch, a, b, c)) return RunTiles(ctx, s, batch, a, b, c);
  const ProductShape shape = {
      s.m, s.k, s.n, s.transpose_a, s.transpose_b, batch.count, batch.strides[0][0] == 0, batch.strides[1][0] == 0};
  CardOf(ctx).MakeCurrent();
  const auto library = library_.Get(shape, [&] { return LibraryProduct::Create(shape, DTypeOf<T>, arithmetic_); });
  if (library.status().code() == Code::kUnimplemented) return RunTiles(ctx, s, batch, a, b, c);
  DF_TRY(library.status());
  return (*library)->Run(ctx, a, b, c);
}

namespace {

template <class Byte, class T>
struct WidenByte {
  DF_HOST_DEVICE T operator()(Byte x) const { return static_cast<T>(static_cast<ComputeType<T>>(x)); }
};

// The operand as elements T in `made`, from bytes or conjugated.
template <class T>
Status MakeOperand(OpContext& ctx, const Tensor& operand, Tensor& made) {
  if constexpr (kIsComplex<T>) {
    return LaunchUnary<fn::Conj, CardType<T>>(ctx, operand.raw(), made.raw(), operand.num_elements());
  } else {
    Status status = Unimplemented("there is no product of ", operand.dtype(), " in ", DTypeOf<T>);
    VisitDType<int8_t, uint8_t>(operand.dtype(), [&](auto tag) {
      using Byte = typename decltype(tag)::type;
      status = LaunchMap(ctx, operand.data<Byte>(), made.data<T>(), operand.num_elements(), WidenByte<Byte, T>());
    });
    return status;
  }
}

}  // namespace

template <class T>
Result<Tensor> ProductOperand(OpContext& ctx, const Tensor& operand, bool adjoint) {
  if (operand.dtype() == DTypeOf<T> && !(kIsComplex<T> && adjoint)) return operand;
  DF_ASSIGN(Tensor made, ctx.AllocateTemp(DTypeOf<T>, operand.shape()));
  DF_TRY(MakeOperand<T>(ctx, operand, made));
  return made;
}

#define DF_PRODUCT(T)                                                         \
  template Result<Tensor> ProductOperand<T>(OpContext&, const Tensor&, bool); \
  template class Product<T>;
DF_PRODUCT(float16)
DF_PRODUCT(bfloat16)
DF_PRODUCT(float)
DF_PRODUCT(double)
DF_PRODUCT(int16_t)
DF_PRODUCT(int32_t)
DF_PRODUCT(int64_t)
DF_PRODUCT(std::complex<float>)
DF_PRODUCT(std::complex<double>)
#undef DF_PRODUCT

}  // namespace dfrun::cuda

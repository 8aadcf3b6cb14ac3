#include "kernels/matrix/product_cuda.h"

#include <type_traits>
#include <utility>

#include "kernels/device/cuda/library/library.h"
#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/math/elementwise/broadcast_cuda.h"
#include "kernels/math/elementwise/unary_cuda.h"
#include "kernels/math/elementwise/zip_cuda.h"
#include "kernels/math/functions/complex_cuda.h"
#include "kernels/math/functions/element.h"
#include "kernels/math/functions/functors.h"
#include "kernels/math/functions/vector_cuda.h"
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
  int64_t rows, columns;                     // numbers of tiles
};

// sum + a * b, a product in one rounding where there is such an instruction.
template <class C>
DF_DEVICE_FUNCTION C MultiplyAdd(C a, C b, C sum) {
  if constexpr (std::is_floating_point_v<C>) {
    return std::fma(a, b, sum);
  } else if constexpr (kIsComplex<C>) {
    return C(std::fma(-a.imag(), b.imag(), std::fma(a.real(), b.real(), sum.real())),
             std::fma(a.imag(), b.real(), std::fma(a.real(), b.imag(), sum.imag())));
  } else {
    return sum + a * b;
  }
}

// Dtypes of products that something may follow.
template <class T>
constexpr bool kMayEnd = std::is_floating_point_v<ComputeType<T>>;

template <class T>
DF_DEVICE_KERNEL void ProductTiles(ProductGrid g, GpuBroadcast batch, const T* a, const T* b, T* c,
                                   BiasAndRelu<T> end) {
  using C = typename ProductTypeOf<T>::type;
  DF_DEVICE_SHARED(C, a_part, kDepth * kTile);  // [depth][row]
  DF_DEVICE_SHARED(C, b_part, kDepth * kTile);  // [depth][column]
  const int64_t tile = GlobalBlockId() % (g.rows * g.columns);
  const int64_t pair = GlobalBlockId() / (g.rows * g.columns);
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
      if (r >= g.m || s >= g.n) continue;
      auto value = static_cast<T>(sums[i][j]);
      if constexpr (kMayEnd<T>) value = end(value, s);
      c[r * g.n + s] = value;
    }
  }
}

template <class T>
Status RunTiles(OpContext& ctx, const GemmShape& s, const BroadcastPlan& batch, const T* a, const T* b, T* c,
                const BiasAndRelu<T>& end) {
  using E = GpuType<T>;
  const ProductGrid grid = {s.m,
                            s.k,
                            s.n,
                            s.transpose_a ? 1 : s.k,
                            s.transpose_a ? s.m : 1,
                            s.transpose_b ? 1 : s.n,
                            s.transpose_b ? s.k : 1,
                            CeilDiv<int64_t>(s.m, kTile),
                            CeilDiv<int64_t>(s.n, kTile)};
  return LaunchWithBarriers(ctx, batch.count * grid.rows * grid.columns, &ProductTiles<E>, grid, GpuBroadcast(batch),
                            reinterpret_cast<const E*>(a), reinterpret_cast<const E*>(b), reinterpret_cast<E*>(c),
                            BiasAndRelu<E>{reinterpret_cast<const E*>(end.bias), end.has_relu});
}

template <class T>
DF_DEVICE_KERNEL void EndElements(T* c, int64_t columns, int64_t n, BiasAndRelu<T> end) {
  const int64_t i = GlobalThreadId();
  if (i < n) c[i] = end(c[i], i % columns);
}

// A thread's elements are `kWidth` side by side of one row.
template <class F, int kWidth, class T>
DF_DEVICE_KERNEL void GeluOfRows(GeluPass<T> pass, int64_t columns, int64_t n) {
  const int64_t first = GlobalThreadId() * kWidth;
  if (first >= n) return;
  const int64_t column = first % columns;
  const BiasAndRelu<T> end = {pass.bias, false};
  ElementVector<T, kWidth> features = LoadVector<kWidth>(pass.features + first);
  ElementVector<T, kWidth> activations;
  for (int k = 0; k < kWidth; ++k) {
    features.at[k] = end(features.at[k], column + k);
    activations.at[k] = ElementMap<F, T>()(features.at[k]);
  }
  if (pass.keeps) StoreVector<kWidth>(pass.features + first, features);
  StoreVector<kWidth>(pass.activations + first, activations);
}

template <class F, class T>
Status RunGelu(OpContext& ctx, const GeluPass<T>& pass, int64_t columns, int64_t n) {
  constexpr int kWidth = WidthOf(sizeof(T));
  if (columns % kWidth == 0 && IsVectorAligned(pass.features) && IsVectorAligned(pass.activations)) {
    return Launch(ctx, n / kWidth, &GeluOfRows<F, kWidth, T>, pass, columns, n);
  }
  return Launch(ctx, n, &GeluOfRows<F, 1, T>, pass, columns, n);
}

// Applies the rest of the epilogue to `n` elements of a product: `has_bias` and `has_relu` say what has been done.
template <class T>
Status RunEnd(OpContext& ctx, T* product, T* c, int64_t columns, int64_t n, const ProductEpilogue<T>& end,
              bool has_bias, bool has_relu) {
  if constexpr (kMayEnd<T>) {
    const T* const bias = has_bias ? nullptr : end.bias;
    if (end.has_gelu()) {
      const GeluPass<T> pass = {product, bias, end.features != nullptr && bias != nullptr, c};
      return end.activation == FusedActivation::kGelu ? RunGelu<fn::Gelu>(ctx, pass, columns, n)
                                                      : RunGelu<fn::GeluTanh>(ctx, pass, columns, n);
    }
    const bool wants_relu = end.activation == FusedActivation::kRelu && !has_relu;
    if (bias != nullptr) return Launch(ctx, n, &EndElements<T>, c, columns, n, BiasAndRelu<T>{bias, wants_relu});
    if (wants_relu) return LaunchMap(ctx, c, c, n, ReluOf<T>());
  }
  return Status();
}

// Matrices of one number each.
template <class T>
struct NumberProduct {
  using C = typename ProductTypeOf<T>::type;
  DF_HOST_DEVICE T operator()(T a, T b) const {
    return static_cast<T>(static_cast<C>(a) * static_cast<C>(b) + C(0));  // a sum's -0 is 0
  }
};

// The number of multiplications below which the tile kernel is done before the library's call has returned.
constexpr double kLibraryWork = 1 << 21;

template <class T>
bool IsForLibrary(const GemmShape& s, const BroadcastPlan& batch, const T* a, const T* b, const T* c) {
  if (std::is_integral_v<T> || kIsComplex<T> || batch.rank > 1 || !CublasLt::Get().ok()) return false;
  if (!IsForLibraries(a) || !IsForLibraries(b) || !IsForLibraries(c)) return false;
  const double work = static_cast<double>(s.m) * static_cast<double>(s.k) * static_cast<double>(s.n);
  return work * static_cast<double>(batch.count) >= kLibraryWork;
}

// Rows of a matrix with `padded` elements each, for a multiple of 16 bytes: libraries copy others element by element.
template <class T, bool kToPadded>
DF_DEVICE_KERNEL void MoveRows(const T* from, T* to, int64_t row, int64_t padded, int64_t rows) {
  constexpr int kWidth = WidthOf(sizeof(T));
  const int64_t vectors = padded / kWidth;
  const int64_t thread = GlobalThreadId();
  const int64_t at = thread / vectors;
  const int64_t first = (thread - at * vectors) * kWidth;
  if (at >= rows) return;
  if constexpr (kToPadded) {
    ElementVector<T, kWidth> vector;
    for (int k = 0; k < kWidth; ++k) vector.at[k] = first + k < row ? from[at * row + first + k] : T(0);
    StoreVector<kWidth>(to + at * padded + first, vector);
  } else {
    const ElementVector<T, kWidth> vector = LoadVector<kWidth>(from + at * padded + first);
    for (int k = 0; k < kWidth && first + k < row; ++k) to[at * row + first + k] = vector.at[k];
  }
}

// One of the three matrices of a product as it lies, and as the library is to have it.
struct ProductMatrix {
  int64_t row = 0;
  int64_t rows = 0;    // number of rows in all of a batch
  int64_t padded = 0;  // elements from a row to the next
  bool is_padded() const { return padded != row; }
};

template <class T>
ProductMatrix MatrixOf(int64_t row, int64_t rows) {
  constexpr int64_t kWidth = WidthOf(sizeof(T));
  return {row, rows, CeilDiv(row, kWidth) * kWidth};
}

template <class T>
struct ProductMatrices {
  ProductMatrix a, b, c;

  explicit ProductMatrices(const ProductShape& s)
      : a(MatrixOf<T>(s.transpose_a ? s.m : s.k, (s.repeats_a ? 1 : s.batches) * (s.transpose_a ? s.k : s.m))),
        b(MatrixOf<T>(s.transpose_b ? s.k : s.n, (s.repeats_b ? 1 : s.batches) * (s.transpose_b ? s.n : s.k))),
        c(MatrixOf<T>(s.n, s.batches * s.m)) {}

  // True if moving the rows costs less time than the product, which takes at least twice as long without it.
  bool PayToPad(const ProductShape& s, bool is_tf32) const {
    constexpr bool kIsHalf = sizeof(T) == 2;
    if (!kIsHalf && !(std::is_same_v<T, float> && is_tf32)) return false;
    constexpr double kBytesPerSecond = 2.5e12;
    constexpr double kMultiplicationsPerSecond = kIsHalf ? 300e12 : 150e12;
    double elements = 0;
    for (const ProductMatrix& matrix : {a, b, c}) {
      if (matrix.is_padded()) elements += static_cast<double>(matrix.row) * static_cast<double>(matrix.rows);
    }
    const double work =
        static_cast<double>(s.batches) * static_cast<double>(s.m) * static_cast<double>(s.k) * static_cast<double>(s.n);
    return elements > 0 && 2 * elements * sizeof(T) / kBytesPerSecond < work / kMultiplicationsPerSecond;
  }
};

// Memory with padded rows, which data is moved to, or from.
template <class T>
struct PaddedMatrix {
  using E = GpuType<T>;
  Tensor memory;

  Status Allocate(OpContext& ctx, const ProductMatrix& matrix) {
    DF_ASSIGN(memory, ctx.AllocateTemp(DTypeOf<T>, Shape({matrix.rows, matrix.padded})));
    return Status();
  }
  template <bool kToPadded>
  static Status Move(OpContext& ctx, const ProductMatrix& m, const void* from, void* to) {
    return Launch(ctx, m.rows * (m.padded / WidthOf(sizeof(E))), &MoveRows<E, kToPadded>, static_cast<const E*>(from),
                  static_cast<E*>(to), m.row, m.padded, m.rows);
  }
  // Copies the matrix with padded rows; `data` then points at the copy.
  Status Replace(OpContext& ctx, const ProductMatrix& matrix, const void*& data) {
    if (!matrix.is_padded()) return Status();
    DF_TRY(Allocate(ctx, matrix));
    return Move<true>(ctx, matrix, std::exchange(data, memory.raw()), memory.raw());
  }
};

}  // namespace

// Runs a product by the library. If it pays, rows of the matrices are laid on multiples of 16 bytes first.
template <class T>
Status Product<T>::RunByLibrary(OpContext& ctx, const ProductShape& given, const LibraryProduct::Data& given_data) {
  ProductShape shape = given;
  LibraryProduct::Data data = given_data;
  PaddedMatrix<T> a;
  PaddedMatrix<T> b;
  PaddedMatrix<T> c;
  const ProductMatrices<T> matrices(shape);
  const bool pads = matrices.PayToPad(shape, arithmetic_.tf32);
  if (pads) {
    shape.row_a = matrices.a.padded;
    shape.row_b = matrices.b.padded;
    shape.row_c = matrices.c.padded;
  }
  GpuOf(ctx).MakeCurrent();
  const auto library = library_.Get(shape, [&] { return LibraryProduct::Create(shape, DTypeOf<T>, arithmetic_); });
  DF_TRY(library.status());
  if (!pads) return (*library)->Run(ctx, data);
  DF_TRY(a.Replace(ctx, matrices.a, data.a));
  DF_TRY(b.Replace(ctx, matrices.b, data.b));
  if (!matrices.c.is_padded()) return (*library)->Run(ctx, data);
  DF_TRY(c.Allocate(ctx, matrices.c));
  data.c = c.memory.raw();
  DF_TRY((*library)->Run(ctx, data));
  return PaddedMatrix<T>::template Move<false>(ctx, matrices.c, data.c, given_data.c);
}

template <class T>
Status Product<T>::Run(OpContext& ctx, const GemmShape& s, const BroadcastPlan& batch, const T* a, const T* b, T* c,
                       const ProductEpilogue<T>& end) {
  if (s.m == 0 || s.n == 0 || batch.count == 0) return Status();
  const bool is_plain = end.bias == nullptr && end.activation == FusedActivation::kNone;
  if (s.m == 1 && s.k == 1 && s.n == 1 && is_plain && batch.rank == 1 && batch.strides[0][0] == 1 &&
      batch.strides[1][0] == 1) {
    using E = GpuType<T>;
    return LaunchZip(ctx, reinterpret_cast<const E*>(a), reinterpret_cast<const E*>(b), reinterpret_cast<E*>(c),
                     batch.count, NumberProduct<E>());
  }
  if (batch.count > INT32_MAX) return Unimplemented("a batch of ", batch.count, " products on a GPU");
  T* const product = end.features != nullptr ? end.features : c;
  const int64_t elements = batch.count * s.m * s.n;
  if (IsForLibrary(s, batch, a, b, product)) {
    const bool has_bias = std::is_same_v<T, float> && end.bias != nullptr && IsForLibraries(end.bias);
    const ProductShape shape = {.m = s.m,
                                .k = s.k,
                                .n = s.n,
                                .transpose_a = s.transpose_a,
                                .transpose_b = s.transpose_b,
                                .batches = batch.count,
                                .repeats_a = batch.strides[0][0] == 0,
                                .repeats_b = batch.strides[1][0] == 0,
                                .has_bias = has_bias};
    const Status status = RunByLibrary(ctx, shape, {a, b, end.bias, product});
    if (status.ok()) return RunEnd(ctx, product, c, s.n, elements, end, has_bias, /*has_relu=*/false);
    if (status.code() != Code::kUnimplemented) return status;
  }
  DF_TRY(RunTiles(ctx, s, batch, a, b, product, end.before_gelu()));
  return RunEnd(ctx, product, c, s.n, elements, end, /*has_bias=*/true, /*has_relu=*/true);
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
    return LaunchUnary<fn::Conj, GpuType<T>>(ctx, operand.raw(), made.raw(), operand.num_elements());
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

// Products and convolutions of the emulated card's libraries: as plain sums, enqueued as the libraries enqueue theirs.
// They stand for kernels/device/cuda/{cublas_lt,library_product,cudnn,conv_plan,library_conv}.cc. A host without them
// is asked for by DFRUN_EMULATED_CARD=no-libraries.
//
// A product needs as much workspace as its result takes. A fault can be planted: with DFRUN_EMULATED_SMALL_WORKSPACE=1
// it says that 4 KiB less are enough.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/device/cuda/cuda_kernel.h"
#include "kernels/device/cuda/library_conv.h"
#include "kernels/device/cuda/library_product.h"
#include "src/framework/element_types.h"
#include "tests/gpu/emulated_memory.h"
#include "tests/gpu/emulated_streams.h"

namespace dfrun::cuda {
namespace {

struct EmulatedProduct {
  ProductShape shape;
  DType dtype;
  size_t workspace_bytes;  // that it uses
};

int64_t Pitch(int64_t given, int64_t row) {
  return given == 0 ? row : given;
}

// The result's rows lie as the shape says, with NaN between them.
template <class T>
void Multiply(const ProductShape& s, const T* a, const T* b, const T* bias, T* c) {
  const int64_t pitch_a = Pitch(s.row_a, s.transpose_a ? s.m : s.k);
  const int64_t pitch_b = Pitch(s.row_b, s.transpose_b ? s.k : s.n);
  const int64_t pitch_c = Pitch(s.row_c, s.n);
  std::fill_n(c, s.batches * s.m * pitch_c, static_cast<T>(std::numeric_limits<float>::quiet_NaN()));
  for (int64_t i = 0; i < s.batches; ++i) {
    const T* const left = a + (s.repeats_a ? 0 : i * (s.transpose_a ? s.k : s.m) * pitch_a);
    const T* const right = b + (s.repeats_b ? 0 : i * (s.transpose_b ? s.n : s.k) * pitch_b);
    for (int64_t row = 0; row < s.m; ++row) {
      for (int64_t column = 0; column < s.n; ++column) {
        double sum = 0;
        for (int64_t k = 0; k < s.k; ++k) {
          sum += static_cast<double>(left[s.transpose_a ? k * pitch_a + row : row * pitch_a + k]) *
                 static_cast<double>(right[s.transpose_b ? column * pitch_b + k : k * pitch_b + column]);
        }
        if (s.has_bias) sum = static_cast<double>(static_cast<T>(sum)) + static_cast<double>(bias[column]);
        c[(i * s.m + row) * pitch_c + column] = static_cast<T>(sum);
      }
    }
  }
}

// Images, channels, and three dimensions of space, of which the last may be 1: a tensor's sizes, or where in it.
using Index = std::array<int64_t, 5>;

Index Padded(const std::vector<int64_t>& given, int64_t fill) {
  Index index;
  index.fill(fill);
  std::copy(given.begin(), given.end(), index.begin());
  return index;
}

// Of a tensor's space alone.
std::array<int64_t, 3> PaddedSpace(const std::vector<int64_t>& given, int64_t fill) {
  std::array<int64_t, 3> space;
  space.fill(fill);
  std::copy(given.begin(), given.end(), space.begin());
  return space;
}

int64_t ElementsOf(const Index& dims) {
  int64_t elements = 1;
  for (const int64_t size : dims) elements *= size;
  return elements;
}

// Calls visit(index) for each index of the dimensions.
template <class Visit>
void ForEachIndex(const Index& dims, Visit visit) {
  Index index = {};
  for (int64_t left = ElementsOf(dims); left > 0; --left) {
    visit(index);
    for (size_t d = dims.size(); d-- > 0;) {
      if (++index[d] < dims[d]) break;
      index[d] = 0;
    }
  }
}

// Where an element lies.
int64_t OffsetOf(const Index& dims, const Index& index, bool channels_first) {
  int64_t offset = index[0];
  if (channels_first) offset = offset * dims[1] + index[1];
  for (size_t d = 2; d < dims.size(); ++d) offset = offset * dims[d] + index[d];
  return channels_first ? offset : offset * dims[1] + index[1];
}

struct EmulatedConv {
  ConvTask task;

  // Calls visit(input, filter, output) with the offsets of each three elements that belong together.
  template <class Visit>
  void ForEachTerm(Visit visit) const {
    const auto& s = task.shape;
    const Index input = Padded(s.input, 1);
    const Index filter = Padded(s.filter, 1);
    const Index output = Padded(s.output, 1);
    const std::array<int64_t, 3> strides = PaddedSpace(s.strides, 1);
    const std::array<int64_t, 3> dilations = PaddedSpace(s.dilations, 1);
    const std::array<int64_t, 3> pad_before = PaddedSpace(s.pad_before, 0);
    const int64_t group_outputs = filter[0] / (input[1] / filter[1]);
    Index taps = filter;
    taps[0] = 1;
    ForEachIndex(output, [&](const Index& out) {
      const int64_t out_offset = OffsetOf(output, out, s.channels_first);
      ForEachIndex(taps, [&](Index tap) {
        tap[0] = out[1];
        Index in = {out[0], out[1] / group_outputs * filter[1] + tap[1]};
        for (size_t d = 0; d < strides.size(); ++d) {
          in[2 + d] = out[2 + d] * strides[d] + tap[2 + d] * dilations[d] - pad_before[d];
          if (in[2 + d] < 0 || in[2 + d] >= input[2 + d]) return;
        }
        visit(OffsetOf(input, in, s.channels_first), OffsetOf(filter, tap, s.channels_first), out_offset);
      });
    });
  }

  template <class T>
  void Run(T* input, T* filter, T* output, const T* bias) const {
    const ConvResult result = task.result;
    const Index made_dims = Padded(result == ConvResult::kOutput  ? task.shape.output
                                   : result == ConvResult::kInput ? task.shape.input
                                                                  : task.shape.filter,
                                   1);
    std::vector<double> sums(static_cast<size_t>(ElementsOf(made_dims)));
    ForEachTerm([&](int64_t in, int64_t tap, int64_t out) {
      const auto x = static_cast<double>(input[in]);
      const auto w = static_cast<double>(filter[tap]);
      const auto y = static_cast<double>(output[out]);
      if (result == ConvResult::kOutput) {
        sums[out] += x * w;
      } else if (result == ConvResult::kInput) {
        sums[in] += y * w;
      } else {
        sums[tap] += x * y;
      }
    });
    if (bias != nullptr) {
      ForEachIndex(made_dims, [&](const Index& at) {
        sums[OffsetOf(made_dims, at, task.shape.channels_first)] += static_cast<double>(bias[at[1]]);
      });
    }
    T* const made = result == ConvResult::kOutput ? output : result == ConvResult::kInput ? input : filter;
    for (size_t i = 0; i < sums.size(); ++i) made[i] = static_cast<T>(sums[i]);
  }
};

template <class L>
Result<const L*> Find(const L& library, const char* soname) {
  const char* const lacking = std::getenv("DFRUN_EMULATED_CARD");
  if (lacking == nullptr || std::string_view(lacking) != "no-libraries") return &library;
  return NotFound("cannot open ", soname, ": the emulated host has none");
}

}  // namespace

const Result<const CublasLt*>& CublasLt::Get() {
  static const CublasLt& lt = *new CublasLt{.cublasLtGetVersion = [] { return size_t{0}; }};
  static const auto& found = *new Result<const CublasLt*>(Find(lt, "libcublasLt.so.none"));
  return found;
}

Status CublasLt::Check(cublasStatus_t, std::string_view) {
  return Status();
}

Result<std::shared_ptr<const LibraryProduct>> LibraryProduct::Create(const ProductShape& shape, DType dtype,
                                                                     const Arithmetic&) {
  if (!CublasLt::Get().ok()) return CublasLt::Get().status();
  std::shared_ptr<LibraryProduct> made(new LibraryProduct(**CublasLt::Get()));
  const size_t bytes = static_cast<size_t>(shape.batches * shape.m * Pitch(shape.row_c, shape.n)) * DTypeSize(dtype);
  made->product_ = reinterpret_cast<cublasLtMatmulDesc_t>(new EmulatedProduct{shape, dtype, bytes});
  constexpr size_t kTooFew = 4096;  // no more than what lies behind a block of the emulated pool
  const bool says_less = std::getenv("DFRUN_EMULATED_SMALL_WORKSPACE") != nullptr && bytes > kTooFew;
  made->workspace_bytes_ = says_less ? bytes - kTooFew : bytes;
  return std::shared_ptr<const LibraryProduct>(std::move(made));
}

LibraryProduct::~LibraryProduct() {
  delete reinterpret_cast<EmulatedProduct*>(product_);
}

Status LibraryProduct::Run(OpContext& ctx, const Data& data) const {
  DF_ASSIGN(Tensor workspace, ctx.AllocateTemp(DType::kUint8, Shape({static_cast<int64_t>(workspace_bytes_)})));
  return EnqueueLibraryCall(ctx, workspace_bytes_,
                            [&](cudaStream_t stream) { return Enqueue(stream, data, workspace.raw()); });
}

Status LibraryProduct::Enqueue(cudaStream_t stream, const Data& given, void* given_workspace) const {
  const Data reach = {emulated::Reach(given.a), emulated::Reach(given.b), emulated::Reach(given.bias),
                      emulated::Reach(given.c)};
  emulated::Enqueue(stream, [product = *reinterpret_cast<const EmulatedProduct*>(product_), data = reach,
                             workspace = emulated::Reach(given_workspace)] {
    VisitDType<DF_FLOATS>(product.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      Multiply(product.shape, static_cast<const T*>(data.a), static_cast<const T*>(data.b),
               static_cast<const T*>(data.bias), static_cast<T*>(workspace));
    });
    std::memcpy(data.c, workspace, product.workspace_bytes);
  });
  return Status();
}

const Result<const Cudnn*>& Cudnn::Get() {
  static const Cudnn& cudnn = *new Cudnn{.cudnnGetVersion = [] { return size_t{0}; }};
  static const auto& found = *new Result<const Cudnn*>(Find(cudnn, "libcudnn.so.none"));
  return found;
}

CudnnDescriptor::~CudnnDescriptor() = default;

Result<std::shared_ptr<const LibraryConv>> LibraryConv::Create(const ConvTask& task, int) {
  if (!Cudnn::Get().ok()) return Cudnn::Get().status();
  const auto handle = reinterpret_cast<cudnnHandle_t>(new EmulatedConv{task});  // for ever
  return std::shared_ptr<const LibraryConv>(new LibraryConv(**Cudnn::Get(), handle, nullptr));
}

Status LibraryConv::Run(OpContext& ctx, const ConvData& data) const {
  return EnqueueLibraryCall(ctx, 0, [&](cudaStream_t stream) { return Enqueue(stream, data, nullptr); });
}

Status LibraryConv::Enqueue(cudaStream_t stream, const ConvData& data, void*) const {
  const ConvData reach = {emulated::Reach(data.input), emulated::Reach(data.filter), emulated::Reach(data.output),
                          emulated::Reach(data.bias)};
  emulated::Enqueue(stream, [conv = reinterpret_cast<const EmulatedConv*>(handle_), data = reach] {
    VisitDType<DF_FLOATS>(conv->task.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const auto elements = [](const void* memory) { return static_cast<T*>(const_cast<void*>(memory)); };
      conv->Run(elements(data.input), elements(data.filter), elements(data.output), elements(data.bias));
    });
  });
  return Status();
}

}  // namespace dfrun::cuda

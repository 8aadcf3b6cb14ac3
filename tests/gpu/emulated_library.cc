// Products and convolutions of the emulated GPU's libraries: plain sums, enqueued as the libraries enqueue theirs. They
// replace kernels/device/cuda/library/{cublas_lt,cudnn,graph_plan,conv_plan}.cc,
// kernels/device/cuda/library_call/{library_product,plan_call,library_conv}.cc.
// DFRUN_EMULATED_CARD=no-libraries asks for a host without them; old-cudnn and cudnn-for-12 ask for one with such a
// cuDNN.
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

#include "kernels/device/cuda/library_call/library_conv.h"
#include "kernels/device/cuda/library_call/library_product.h"
#include "kernels/device/cuda/runtime/cuda_kernel.h"
#include "src/framework/values/element_types.h"
#include "tests/gpu/emulated_memory.h"
#include "tests/gpu/emulated_settings.h"
#include "tests/gpu/emulated_streams.h"

namespace dfrun::cuda {
namespace {

struct EmulatedProduct {
  ProductShape shape;
  DType dtype;
  size_t workspace_bytes;  // bytes that it uses
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

// A tensor [images, channels, space] of at most three dimensions of space, which stand last of three.
struct ConvTensor {
  static constexpr size_t kSpace = 3;

  ConvTensor(const std::vector<int64_t>& dims, bool channels_first) : images(dims[0]), channels(dims[1]) {
    const size_t missing = kSpace + 2 - dims.size();
    std::copy(dims.begin() + 2, dims.end(), space.begin() + static_cast<std::ptrdiff_t>(missing));
    image_step = channels * space[0] * space[1] * space[2];
    channel_step = channels_first ? space[0] * space[1] * space[2] : 1;
    space_step = channels_first ? 1 : channels;
  }
  int64_t elements() const { return images * image_step; }
  // Returns the offset of an element.
  int64_t At(int64_t image, int64_t channel, const std::array<int64_t, kSpace>& at) const {
    const int64_t in_space = (at[0] * space[1] + at[1]) * space[2] + at[2];
    return image * image_step + channel * channel_step + in_space * space_step;
  }

  int64_t images;
  int64_t channels;
  std::array<int64_t, kSpace> space = {1, 1, 1};
  int64_t image_step;
  int64_t channel_step;
  int64_t space_step;
};
using Point = std::array<int64_t, ConvTensor::kSpace>;

// The numbers of a convolution, of which dimensions that it lacks have these.
Point InSpace(const std::vector<int64_t>& numbers, int64_t lacking) {
  Point all;
  all.fill(lacking);
  std::copy_backward(numbers.begin(), numbers.end(), all.end());
  return all;
}

// Calls visit(point) for each point of a space.
template <class Visit>
void ForEachPoint(const Point& space, Visit visit) {
  Point at;
  for (at[0] = 0; at[0] < space[0]; ++at[0]) {
    for (at[1] = 0; at[1] < space[1]; ++at[1]) {
      for (at[2] = 0; at[2] < space[2]; ++at[2]) visit(at);
    }
  }
}

struct ConvSums {
  explicit ConvSums(const ConvTask& of)
      : task(of),
        input(of.shape.input, of.shape.channels_first),
        filter(of.shape.filter, of.shape.channels_first),
        output(of.shape.output, of.shape.channels_first),
        strides(InSpace(of.shape.strides, 1)),
        dilations(InSpace(of.shape.dilations, 1)),
        pad_before(InSpace(of.shape.pad_before, 0)) {}

  // Calls visit(point of the filter, point of the input) for each two that belong to a point of the output.
  template <class Visit>
  void ForEachTap(const Point& out, Visit visit) const {
    ForEachPoint(filter.space, [&](const Point& tap) {
      Point in;
      for (size_t d = 0; d < in.size(); ++d) {
        in[d] = out[d] * strides[d] + tap[d] * dilations[d] - pad_before[d];
        if (in[d] < 0 || in[d] >= input.space[d]) return;
      }
      visit(tap, in);
    });
  }

  // Calls visit(input, filter, output) with where each three elements lie that belong together.
  template <class Visit>
  void ForEachTerm(Visit visit) const {
    const int64_t groups = input.channels / filter.channels;
    for (int64_t i = 0; i < output.images * output.channels; ++i) {
      const int64_t image = i / output.channels;
      const int64_t channel = i % output.channels;
      const int64_t first = channel / (filter.images / groups) * filter.channels;
      ForEachPoint(output.space, [&](const Point& out) {
        const int64_t to = output.At(image, channel, out);
        for (int64_t c = 0; c < filter.channels; ++c) {
          ForEachTap(out, [&](const Point& tap, const Point& in) {
            visit(input.At(image, first + c, in), filter.At(channel, c, tap), to);
          });
        }
      });
    }
  }

  template <class T>
  void Run(T* of_input, T* of_filter, T* of_output, const T* bias) const {
    const ConvResult result = task.result;
    const ConvTensor& made = result == ConvResult::kOutput ? output : result == ConvResult::kInput ? input : filter;
    std::vector<double> sums(static_cast<size_t>(made.elements()));
    ForEachTerm([&](int64_t in, int64_t tap, int64_t out) {
      const auto product = [](T a, T b) { return static_cast<double>(a) * static_cast<double>(b); };
      if (result == ConvResult::kOutput) {
        sums[out] += product(of_input[in], of_filter[tap]);
      } else if (result == ConvResult::kInput) {
        sums[in] += product(of_output[out], of_filter[tap]);
      } else {
        sums[tap] += product(of_input[in], of_output[out]);
      }
    });
    for (int64_t i = 0; bias != nullptr && i < made.images * made.channels; ++i) {
      ForEachPoint(made.space, [&](const Point& at) {
        sums[made.At(i / made.channels, i % made.channels, at)] += static_cast<double>(bias[i % made.channels]);
      });
    }
    T* const to = result == ConvResult::kOutput ? of_output : result == ConvResult::kInput ? of_input : of_filter;
    for (size_t i = 0; i < sums.size(); ++i) to[i] = static_cast<T>(sums[i]);
  }

  ConvTask task;
  ConvTensor input;
  ConvTensor filter;
  ConvTensor output;
  Point strides;
  Point dilations;
  Point pad_before;
};

class EmulatedConv final : public LibraryConv {
 public:
  explicit EmulatedConv(const ConvTask& task) : sums_(std::make_shared<const ConvSums>(task)) {}

  Status Run(OpContext& ctx, const ConvData& data) const override {
    return EnqueueLibraryCall(ctx, 0, [&](cudaStream_t stream) { return Enqueue(stream, data, nullptr); });
  }
  Status Enqueue(cudaStream_t stream, const ConvData& data, void*) const override {
    const ConvData reach = {emulated::Reach(data.input), emulated::Reach(data.filter), emulated::Reach(data.output),
                            emulated::Reach(data.bias)};
    emulated::Enqueue(stream, [sums = sums_, data = reach] {
      VisitDType<DF_FLOATS>(sums->task.dtype, [&](auto tag) {
        using T = typename decltype(tag)::type;
        const auto elements = [](const void* memory) { return static_cast<T*>(const_cast<void*>(memory)); };
        sums->Run(elements(data.input), elements(data.filter), elements(data.output), elements(data.bias));
      });
    });
    return Status();
  }
  int64_t workspace_bytes() const override { return 0; }

 private:
  const std::shared_ptr<const ConvSums> sums_;
};

template <class L>
Result<const L*> Find(const L& library, const char* soname) {
  if (!emulated::IsEmulatedGpu("no-libraries")) return &library;
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
  static const Cudnn& cudnn = *new Cudnn{
      .cudnnGetVersion = [] { return emulated::IsEmulatedGpu("old-cudnn") ? size_t{90100} : size_t{CUDNN_VERSION}; },
      .cudnnGetCudartVersion =
          [] { return emulated::IsEmulatedGpu("cudnn-for-12") ? size_t{12080} : size_t{CUDART_VERSION}; }};
  static const auto& found = *new Result<const Cudnn*>(Find(cudnn, "libcudnn.so.none"));
  return found;
}

Result<std::shared_ptr<const LibraryConv>> LibraryConv::Create(const ConvTask& task, int) {
  if (!Cudnn::Get().ok()) return Cudnn::Get().status();
  return std::shared_ptr<const LibraryConv>(std::make_shared<const EmulatedConv>(task));
}

}  // namespace dfrun::cuda

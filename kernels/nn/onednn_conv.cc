#include "kernels/nn/onednn_conv.h"

#include "src/framework/dtype.h"

#ifdef DFRUN_ONEDNN
#include "kernels/device/onednn_call.h"
#include "kernels/nn/image_blocks.h"

namespace dfrun {
namespace {

using dnnl::convolution_backward_data;
using dnnl::convolution_backward_weights;
using dnnl::convolution_forward;
using dnnl::memory;
using Tag = memory::format_tag;

constexpr auto kAlgorithm = dnnl::algorithm::convolution_direct;

template <class T>
constexpr memory::data_type kType = std::is_same_v<T, float> ? memory::data_type::f32 : memory::data_type::bf16;

// One kind of convolution of a number of images, with the filter in the order that the library likes best: reordering a
// filter takes 0.2 to 4 us, the library's own order saves half to nine tenths of the time. Images stay as they are.
struct Primitive {
  std::unique_ptr<OneDnnCall> call;
  std::unique_ptr<OneDnnCall> reorder;  // of the filter, into or out of the library's order; null: same order
  memory::desc filter;                  // the library's order
};

// The sizes of space, as the library wants them: flat images have two.
memory::dims Space(const ConvShape& s, int64_t WindowDim::*member) {
  if (s.format.spatial == 2) return {s.height.*member, s.width.*member};
  return {s.depth.*member, s.height.*member, s.width.*member};
}

memory::desc ImageDesc(const ConvShape& s, memory::data_type type, int64_t channels, int64_t WindowDim::*size) {
  memory::dims dims = {s.images, channels};
  for (int64_t d : Space(s, size)) dims.push_back(d);
  const Tag first = s.format.spatial == 2 ? Tag::nchw : Tag::ncdhw;
  const Tag last = s.format.spatial == 2 ? Tag::nhwc : Tag::ndhwc;
  return {dims, type, s.format.channels_first ? first : last};
}

std::unique_ptr<OneDnnCall> MakeReorder(const memory::desc& from, const memory::desc& to) {
  if (from == to) return nullptr;
  const dnnl::reorder::primitive_desc made(OneDnnEngine(), from, OneDnnEngine(), to, OneDnnAttributes());
  return std::make_unique<OneDnnCall>(dnnl::reorder(made), made.scratchpad_desc(),
                                      std::vector<OneDnnCall::Argument>{{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}

// [groups,] out, in, space.
memory::dims FilterDims(const ConvShape& s) {
  memory::dims dims;
  if (s.groups > 1) dims.push_back(s.groups);
  dims.push_back(s.group_outputs());
  dims.push_back(s.group_inputs());
  for (int64_t size : Space(s, &WindowDim::size)) dims.push_back(size);
  return dims;
}

// Space, in, [groups,] out: the order of the op's filter.
memory::desc PlainFilter(const ConvShape& s, memory::data_type type) {
  memory::dims strides;
  if (s.groups > 1) strides.push_back(s.group_outputs());
  strides.push_back(1);
  strides.push_back(s.out_channels);
  const int64_t tap = s.group_inputs() * s.out_channels;
  if (s.format.spatial == 3) strides.push_back(s.height.size * s.width.size * tap);
  strides.push_back(s.width.size * tap);
  strides.push_back(tap);
  return {FilterDims(s), type, strides};
}

memory::desc AnyFilter(const ConvShape& s, memory::data_type type) {
  return {FilterDims(s), type, Tag::any};
}

// `wanted`: the filter's order, or any. May throw dnnl::error.
Primitive MakePrimitive(ConvKind kind, const ConvShape& s, memory::data_type type, const memory::desc& wanted) {
  const memory::desc input = ImageDesc(s, type, s.in_channels, &WindowDim::input);
  const memory::desc output = ImageDesc(s, type, s.out_channels, &WindowDim::output);
  const memory::desc plain = PlainFilter(s, type);
  const memory::desc any = AnyFilter(s, type);
  const memory::dims strides = Space(s, &WindowDim::stride);
  memory::dims dilations = Space(s, &WindowDim::dilation);
  for (int64_t& dilation : dilations) --dilation;
  const memory::dims before = Space(s, &WindowDim::pad_before);
  memory::dims after;
  if (s.format.spatial == 3) after.push_back(s.depth.pad_after());
  after.push_back(s.height.pad_after());
  after.push_back(s.width.pad_after());
  const dnnl::primitive_attr attributes = OneDnnAttributes();
  const convolution_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, kAlgorithm, input, kind == ConvKind::kForward ? wanted : any, output, strides,
       dilations, before, after},
      attributes, OneDnnEngine());
  using Arguments = std::vector<OneDnnCall::Argument>;
  Primitive made;
  auto finish = [&](const dnnl::primitive& primitive, const memory::desc& scratchpad, const memory::desc& filter,
                    bool filter_is_result, Arguments arguments) {
    made.call = std::make_unique<OneDnnCall>(primitive, scratchpad, std::move(arguments));
    made.reorder = filter_is_result ? MakeReorder(filter, plain) : MakeReorder(plain, filter);
    made.filter = filter;
  };
  if (kind == ConvKind::kForward) {
    const memory::desc filter = forward.weights_desc();
    finish(convolution_forward(forward), forward.scratchpad_desc(), filter, false,
           {{DNNL_ARG_SRC, input}, {DNNL_ARG_WEIGHTS, filter}, {DNNL_ARG_DST, output}});
  } else if (kind == ConvKind::kBackpropInput) {
    const convolution_backward_data::primitive_desc back(
        {kAlgorithm, input, wanted, output, strides, dilations, before, after}, attributes, OneDnnEngine(), forward);
    const memory::desc filter = back.weights_desc();
    finish(convolution_backward_data(back), back.scratchpad_desc(), filter, false,
           {{DNNL_ARG_DIFF_DST, output}, {DNNL_ARG_WEIGHTS, filter}, {DNNL_ARG_DIFF_SRC, input}});
  } else {
    const convolution_backward_weights::primitive_desc back(
        {kAlgorithm, input, wanted, output, strides, dilations, before, after}, attributes, OneDnnEngine(), forward);
    const memory::desc filter = back.diff_weights_desc();
    finish(convolution_backward_weights(back), back.scratchpad_desc(), filter, true,
           {{DNNL_ARG_SRC, input}, {DNNL_ARG_DIFF_DST, output}, {DNNL_ARG_DIFF_WEIGHTS, filter}});
  }
  return made;
}

template <class T>
class OneDnnConv final : public Conv<T> {
 public:
  OneDnnConv(ConvKind kind, const ConvShape& shape)
      : kind_(kind),
        s_(shape),
        images_(kind == ConvKind::kBackpropFilter ? ImagesInFilterBlock(shape) : ImagesInBlock(shape, kConvBlockWork)) {
  }

  // Blocks of images, and the smaller one at the end.
  Status Make() {
    DF_ASSIGN(whole_, MakeFor(images_, AnyFilter(s_, kType<T>)));
    if (s_.images % images_ != 0) {
      DF_ASSIGN(last_, MakeFor(s_.images % images_, whole_.filter));
    }
    return Status();
  }

  Status Run(const T* a, const T* b, T* result, ThreadPool& pool, Allocator& allocator) const override {
    if (kind_ == ConvKind::kBackpropFilter) return BackpropFilter(a, b, result, pool, allocator);
    DF_ASSIGN(const Tensor filter, ReorderFilter(b, allocator));
    const void* ordered = filter.initialized() ? filter.raw() : b;
    const bool forward = kind_ == ConvKind::kForward;
    const int64_t from = forward ? s_.input_image() : s_.output_image();
    const int64_t to = forward ? s_.output_image() : s_.input_image();
    return ForImageBlocks(s_, pool, [&](int64_t first, int64_t count) {
      return BlockOf(count).call->Run({a + first * from, ordered, result + first * to}, allocator);
    });
  }

 private:
  Result<Primitive> MakeFor(int64_t images, const memory::desc& filter) const {
    return CatchOneDnn("a convolution", [&] { return MakePrimitive(kind_, s_.WithImages(images), kType<T>, filter); });
  }
  const Primitive& BlockOf(int64_t count) const { return count == images_ ? whole_ : last_; }

  static Result<Tensor> FilterSpace(const Primitive& block, Allocator& allocator) {
    return Tensor::Allocate(allocator, DType::kUint8, Shape({static_cast<int64_t>(block.filter.get_size())}));
  }

  // The filter in the order that all blocks share; not initialised where that is its own.
  Result<Tensor> ReorderFilter(const T* filter, Allocator& allocator) const {
    if (whole_.reorder == nullptr) return Tensor();
    DF_ASSIGN(Tensor ordered, FilterSpace(whole_, allocator));
    DF_TRY(whole_.reorder->Run({filter, ordered.raw()}, allocator));
    return ordered;
  }

  // Partial sums stay in the library's order, and their sum is put in order once.
  Status BackpropFilter(const T* x, const T* dy, T* result, ThreadPool& pool, Allocator& allocator) const {
    Tensor ordered;
    if (whole_.reorder != nullptr) {
      DF_ASSIGN(ordered, FilterSpace(whole_, allocator));
    }
    T* sum = ordered.initialized() ? static_cast<T*>(ordered.raw()) : result;
    const auto block = [&](int64_t first, int64_t count, T* partial) {
      return BlockOf(count).call->Run({x + first * s_.input_image(), dy + first * s_.output_image(), partial},
                                      allocator);
    };
    const auto size = static_cast<int64_t>(whole_.filter.get_size() / sizeof(T));
    DF_TRY(SumOverImageBlocks<T>(s_, size, sum, pool, allocator, block));
    return ordered.initialized() ? whole_.reorder->Run({sum, result}, allocator) : Status();
  }

  const ConvKind kind_;
  const ConvShape s_;
  const int64_t images_;
  Primitive whole_;
  Primitive last_;
};

}  // namespace

template <class T>
Result<std::shared_ptr<const Conv<T>>> MakeOneDnnConv(ConvKind kind, const ConvShape& shape) {
  auto conv = std::make_shared<OneDnnConv<T>>(kind, shape);
  DF_TRY(conv->Make());
  return std::shared_ptr<const Conv<T>>(std::move(conv));
}

#else
namespace dfrun {

template <class T>
Result<std::shared_ptr<const Conv<T>>> MakeOneDnnConv(ConvKind, const ConvShape&) {
  return Unimplemented("this dfrun was built without oneDNN");
}

#endif  // DFRUN_ONEDNN

template Result<std::shared_ptr<const Conv<float>>> MakeOneDnnConv<float>(ConvKind, const ConvShape&);
template Result<std::shared_ptr<const Conv<bfloat16>>> MakeOneDnnConv<bfloat16>(ConvKind, const ConvShape&);

}  // namespace dfrun

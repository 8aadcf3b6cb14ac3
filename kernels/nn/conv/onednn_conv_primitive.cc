#ifdef DFRUN_ONEDNN
#include "kernels/nn/conv/onednn_conv_primitive.h"

#include <utility>

namespace dfrun {
namespace {

using dnnl::convolution_backward_data;
using dnnl::convolution_backward_weights;
using dnnl::convolution_forward;
using dnnl::memory;
using Tag = memory::format_tag;

constexpr auto kAlgorithm = dnnl::algorithm::convolution_direct;

// The sizes of space, as the library wants them: flat images have two.
memory::dims Space(const ConvShape& s, int64_t WindowDim::*member) {
  if (s.format.spatial == 2) return {s.height.*member, s.width.*member};
  return {s.depth.*member, s.height.*member, s.width.*member};
}

memory::dims ImageDims(const ConvShape& s, int64_t channels, int64_t WindowDim::*size) {
  memory::dims dims = {s.images, channels};
  for (int64_t d : Space(s, size)) dims.push_back(d);
  return dims;
}

// The order of the op's images.
Tag PlainImages(const ImageFormat& format) {
  if (format.spatial == 2) return format.channels_first ? Tag::nchw : Tag::nhwc;
  return format.channels_first ? Tag::ncdhw : Tag::ndhwc;
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

// True where the order is PackFilterTiles'.
bool IsTiled(const ConvShape& s, const memory::desc& order) {
  return kHasFilterTiles && s.groups == 1 && s.format.spatial == 2 && s.in_channels % kFilterTile == 0 &&
         s.out_channels % kFilterTile == 0 &&
         order == memory::desc(FilterDims(s), memory::data_type::f32, Tag::ABcd16a16b);
}

// The width of panels where the order is PackFilterPanels', else 0.
int64_t PanelWidth(const ConvShape& s, const memory::desc& order) {
  const dnnl_memory_desc_t& d = order.data;
  const dnnl_blocking_desc_t& blocking = d.format_desc.blocking;
  const bool is_in_panels = s.groups == 1 && d.data_type == dnnl_f32 && d.format_kind == dnnl_blocked &&
                            blocking.inner_nblks == 1 && blocking.inner_idxs[0] == 0 && d.extra.flags == 0;
  if (!is_in_panels || blocking.inner_blks[0] % kPanelStepWidth != 0) return 0;
  const int64_t width = blocking.inner_blks[0];
  int64_t stride = width;
  const auto is_next = [&](int dim) {
    const bool is = blocking.strides[dim] == stride;
    stride *= d.dims[dim];
    return is;
  };
  bool in_order = is_next(1);
  for (int dim = d.ndims - 1; dim > 1; --dim) in_order = is_next(dim) && in_order;
  return in_order && blocking.strides[0] == stride ? width : 0;
}

std::unique_ptr<OneDnnCall> MakeReorder(const memory::desc& from, const memory::desc& to) {
  if (from == to) return nullptr;
  const dnnl::reorder::primitive_desc made(OneDnnEngine(), from, OneDnnEngine(), to, OneDnnAttributes());
  return std::make_unique<OneDnnCall>(dnnl::reorder(made), made.scratchpad_desc(),
                                      std::vector<OneDnnCall::Argument>{{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}

// The arguments of a primitive descriptor of the library.
struct Descs {
  memory::desc x, y, filter;
  memory::dims strides, dilations, before, after;

  Descs(const ConvShape& s, memory::data_type type, Tag images, const memory::desc& filter_order)
      : x(ImageDims(s, s.in_channels, &WindowDim::input), type, images),
        y(ImageDims(s, s.out_channels, &WindowDim::output), type, images),
        filter(filter_order),
        strides(Space(s, &WindowDim::stride)),
        dilations(Space(s, &WindowDim::dilation)),
        before(Space(s, &WindowDim::pad_before)) {
    for (int64_t& dilation : dilations) --dilation;
    if (s.format.spatial == 3) after.push_back(s.depth.pad_after());
    after.push_back(s.height.pad_after());
    after.push_back(s.width.pad_after());
  }

  convolution_forward::primitive_desc Forward(const memory::desc& order) const {
    return {{dnnl::prop_kind::forward_training, kAlgorithm, x, order, y, strides, dilations, before, after},
            OneDnnAttributes(),
            OneDnnEngine()};
  }
  // A hint for the descriptors of gradients.
  convolution_forward::primitive_desc AnyForward() const {
    return Forward({filter.dims(), filter.data_type(), Tag::any});
  }
  convolution_backward_data::primitive_desc BackpropInput() const {
    return {{kAlgorithm, x, filter, y, strides, dilations, before, after},
            OneDnnAttributes(),
            OneDnnEngine(),
            AnyForward()};
  }
  convolution_backward_weights::primitive_desc BackpropFilter() const {
    return {{kAlgorithm, x, filter, y, strides, dilations, before, after},
            OneDnnAttributes(),
            OneDnnEngine(),
            AnyForward()};
  }
};

bool IsOrdinary(const WindowDim& d) {
  constexpr int64_t kMax = int64_t{1} << 20;
  return d.input < kMax && d.output < kMax && d.extent() < kMax && d.stride < kMax && d.pad_before < kMax &&
         d.pad_after() < kMax;
}

}  // namespace

bool OneDnnConvPrimitive::Has(const ConvShape& s) {
  return IsOrdinary(s.depth) && IsOrdinary(s.height) && IsOrdinary(s.width);
}

OneDnnConvPrimitive::OneDnnConvPrimitive(ConvKind kind, const ConvShape& s, memory::data_type type,
                                         const memory::desc* filter_order, bool flipped)
    : s_(s), flipped_(flipped), filter_(kind == ConvKind::kBackpropFilter ? 2 : 1) {
  const Tag plain_images = PlainImages(s.format);
  const memory::desc plain_filter = PlainFilter(s, type);
  const Descs descs(s, type, s.format.channels_first ? Tag::any : plain_images,
                    filter_order != nullptr ? *filter_order : memory::desc(FilterDims(s), type, Tag::any));
  // The library's operands in Conv's order.
  const auto take = [&](const dnnl::primitive& primitive, const memory::desc& scratchpad,
                        const std::vector<OneDnnCall::Argument>& arguments) {
    call_ = std::make_unique<OneDnnCall>(primitive, scratchpad, arguments);
    for (size_t i = 0; i < 3; ++i) {
      const memory::desc& order = arguments[i].desc;
      const memory::desc plain =
          static_cast<int>(i) == filter_ ? plain_filter : memory::desc(order.dims(), type, plain_images);
      const memory::desc& from = i == 2 ? order : plain;
      const memory::desc& to = i == 2 ? plain : order;
      operands_[i] = {order, MakeReorder(from, to)};
      if (static_cast<int>(i) == filter_ && operands_[i].reorder != nullptr) SplitReorder(from, to);
    }
  };
  if (kind == ConvKind::kForward) {
    const auto made = descs.Forward(descs.filter);
    take(convolution_forward(made), made.scratchpad_desc(),
         {{DNNL_ARG_SRC, made.src_desc()}, {DNNL_ARG_WEIGHTS, made.weights_desc()}, {DNNL_ARG_DST, made.dst_desc()}});
    panel_width_ = PanelWidth(s, made.weights_desc());
  } else if (kind == ConvKind::kBackpropInput) {
    const auto made = descs.BackpropInput();
    take(convolution_backward_data(made), made.scratchpad_desc(),
         {{DNNL_ARG_DIFF_DST, made.diff_dst_desc()},
          {DNNL_ARG_WEIGHTS, made.weights_desc()},
          {DNNL_ARG_DIFF_SRC, made.diff_src_desc()}});
    is_tiled_ = IsTiled(s, made.weights_desc());
  } else {
    const auto made = descs.BackpropFilter();
    take(convolution_backward_weights(made), made.scratchpad_desc(),
         {{DNNL_ARG_SRC, made.src_desc()},
          {DNNL_ARG_DIFF_DST, made.diff_dst_desc()},
          {DNNL_ARG_DIFF_WEIGHTS, made.diff_weights_desc()}});
  }
}

// Splits the reordering by output channels, where both orders can be cut there.
void OneDnnConvPrimitive::SplitReorder(const memory::desc& from, const memory::desc& to) {
  constexpr int64_t kMin = 1 << 17;  // elements: 60 us and more
  constexpr int64_t kChannels = 64;
  if (s_.groups > 1 || s_.out_channels % kChannels != 0 || s_.filter_size() < kMin) return;
  memory::dims dims = FilterDims(s_);
  dims[0] = kChannels;
  memory::dims second(dims.size(), 0);
  second[0] = kChannels;
  constexpr bool kMayFail = true;
  const auto part = [&](const memory::desc& whole, const memory::dims& at) {
    return whole.submemory_desc(dims, at, kMayFail);
  };
  const memory::dims first(dims.size(), 0);
  const memory::desc second_from = part(from, second);
  const memory::desc second_to = part(to, second);
  if (second_from.is_zero() || second_to.is_zero()) return;
  const auto element = static_cast<int64_t>(memory::data_type_size(from.data_type()));
  parts_ = {s_.out_channels / kChannels, second_from.data.offset0 * element, second_to.data.offset0 * element};
  operands_[filter_].reorder = MakeReorder(part(from, first), part(to, first));
}

Status OneDnnConvPrimitive::ReorderFilter(const void* from, void* to, ThreadPool& pool, Allocator& allocator) const {
  const auto* const data = static_cast<const float*>(from);
  auto* const ordered = static_cast<float*>(to);
  if (flipped_) return Flip({data, s_.taps(), s_.out_channels, s_.in_channels}, ordered, pool, allocator);
  const FilterView filter{data, s_.taps(), s_.in_channels, s_.out_channels};
  if (is_tiled_) {
    PackFilterTiles(filter, ordered, pool);
  } else if (panel_width_ > 0) {
    PackFilterPanels(filter, panel_width_, ordered, pool);
  } else {
    return ReorderByLibrary(from, to, pool, allocator);
  }
  return Status();
}

Status OneDnnConvPrimitive::Flip(const FilterView& from, float* to, ThreadPool& pool, Allocator& allocator) const {
  if (panel_width_ > 0) {
    PackFlippedPanels(from, panel_width_, to, pool);
  } else if (filter().reorder == nullptr) {
    FlipFilter(from, to, pool);
  } else {
    DF_ASSIGN(Tensor flipped, Tensor::Allocate(allocator, DType::kFloat, Shape({s_.filter_size()})));
    FlipFilter(from, flipped.data<float>(), pool);
    return ReorderByLibrary(flipped.raw(), to, pool, allocator);
  }
  return Status();
}

Status OneDnnConvPrimitive::ReorderByLibrary(const void* from, void* to, ThreadPool& pool, Allocator& allocator) const {
  std::vector<Status> statuses(static_cast<size_t>(parts_.count));
  pool.RunBlocks(parts_.count, [&](int64_t i) {
    statuses[static_cast<size_t>(i)] = filter().reorder->Run(
        {static_cast<const char*>(from) + i * parts_.from_bytes, static_cast<char*>(to) + i * parts_.to_bytes},
        allocator);
  });
  for (Status& status : statuses) DF_TRY(std::move(status));
  return Status();
}

Result<Tensor> OneDnnConvPrimitive::FilterSpace(Allocator& allocator) const {
  if (!reorders_filter()) return Tensor();
  return Tensor::Allocate(allocator, DType::kUint8, Shape({static_cast<int64_t>(filter_order().get_size())}));
}

Result<Tensor> OneDnnConvPrimitive::Ordered(const void* filter, ThreadPool& pool, Allocator& allocator) const {
  DF_ASSIGN(Tensor ordered, FilterSpace(allocator));
  if (ordered.initialized()) DF_TRY(ReorderFilter(filter, ordered.raw(), pool, allocator));
  return ordered;
}

Status OneDnnConvPrimitive::Run(const void* a, const void* b, void* result, Allocator& allocator) const {
  const void* given[] = {a, b, result};
  Tensor space[3];
  for (int i = 0; i < 3; ++i) {
    if (i == filter_ || operands_[i].reorder == nullptr) continue;
    const auto bytes = static_cast<int64_t>(operands_[i].order.get_size());
    DF_ASSIGN(space[i], Tensor::Allocate(allocator, DType::kUint8, Shape({bytes})));
    if (i < 2) DF_TRY(operands_[i].reorder->Run({given[i], space[i].raw()}, allocator));
    given[i] = space[i].raw();
  }
  DF_TRY(call_->Run({given[0], given[1], given[2]}, allocator));
  return space[2].initialized() ? operands_[2].reorder->Run({space[2].raw(), result}, allocator) : Status();
}

}  // namespace dfrun
#endif  // DFRUN_ONEDNN

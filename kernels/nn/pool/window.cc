#include "kernels/nn/pool/window.h"

#include "src/base/integers.h"

namespace dfrun {
namespace {

// Sizes beyond this cannot belong to a tensor in memory, and stay clear of overflow in products of two.
constexpr int64_t kMaxSize = int64_t{1} << 31;

}  // namespace

Status WindowAttrs::ReadList(const AttrMap& attrs, const char* name, std::vector<int64_t>& list) const {
  DF_ASSIGN(list,
            attrs.GetOr<std::vector<int64_t>>(name, std::vector<int64_t>(static_cast<size_t>(format_.rank()), 1)));
  return CheckList(name, list);
}

Status WindowAttrs::CheckList(const char* name, const std::vector<int64_t>& list) const {
  if (list.size() != static_cast<size_t>(format_.rank())) {
    return InvalidArgument("'", name, "' must have ", format_.rank(), " entries, but has ", list.size());
  }
  for (int64_t value : list) {
    if (value < 1 || value > kMaxSize) return InvalidArgument("'", name, "' has the entry ", value);
  }
  if (list[0] != 1) return InvalidArgument("'", name, "' is ", list[0], " across images, where it must be 1");
  return Status();
}

Status WindowAttrs::RefuseChannelWindows() const {
  const int dim = format_.channels();
  if (stride(dim) == 1 && ksize(dim) == 1 && dilation(dim) == 1) return Status();
  return InvalidArgument("windows across channels (ksize ", ksize(dim), ", stride ", stride(dim), ", dilation ",
                         dilation(dim), "): they must lie in space");
}

Status WindowAttrs::ReadPaddings(const AttrMap& attrs) {
  DF_ASSIGN(explicit_paddings_, attrs.GetOr<std::vector<int64_t>>("explicit_paddings", std::vector<int64_t>()));
  if (padding_ != "EXPLICIT") {
    return explicit_paddings_.empty() ? Status() : InvalidArgument("explicit_paddings need padding='EXPLICIT'");
  }
  const size_t entries = 2 * static_cast<size_t>(format_.rank());
  if (explicit_paddings_.size() != entries) {
    return InvalidArgument("explicit_paddings must have ", entries, " entries, but has ", explicit_paddings_.size());
  }
  for (size_t i = 0; i < entries; ++i) {
    const int64_t pad = explicit_paddings_[i];
    const bool is_spatial = i / 2 != 0 && i / 2 != static_cast<size_t>(format_.channels());
    if (pad < 0 || pad > kMaxSize || (pad != 0 && !is_spatial)) {
      return InvalidArgument("explicit_paddings[", i, "] is ", pad);
    }
    if (attrs.Has("ksize") && pad >= ksize_[i / 2]) {
      return InvalidArgument("explicit_paddings[", i, "] = ", pad, " is not less than the window of ", ksize_[i / 2]);
    }
  }
  return Status();
}

Result<WindowAttrs> WindowAttrs::Read(const AttrMap& attrs) {
  WindowAttrs window;
  DF_ASSIGN(const std::string format, attrs.GetOr<std::string>("data_format", "NHWC"));
  const bool is_flat = format == "NHWC" || format == "NCHW";
  if (!is_flat && format != "NDHWC" && format != "NCDHW") return Unimplemented("data_format '", format, "'");
  window.format_ = {format[1] == 'C', is_flat ? 2 : 3};
  DF_ASSIGN(window.padding_, attrs.Get<std::string>("padding"));
  DF_TRY(window.ReadList(attrs, "strides", window.strides_));
  DF_TRY(window.ReadList(attrs, "dilations", window.dilations_));
  DF_TRY(window.ReadList(attrs, "ksize", window.ksize_));
  DF_TRY(window.ReadPaddings(attrs));
  return window;
}

Result<WindowAttrs> WindowAttrs::With(std::vector<int64_t> ksize, std::vector<int64_t> strides) const {
  DF_TRY(CheckList("ksize", ksize));
  DF_TRY(CheckList("strides", strides));
  WindowAttrs window = *this;
  window.ksize_ = std::move(ksize);
  window.strides_ = std::move(strides);
  return window;
}

Result<WindowDim> WindowAttrs::Dim(int dim, int64_t input, int64_t size) const {
  const size_t at = static_cast<size_t>(dim);
  WindowDim d;
  d.input = input;
  d.size = size;
  d.stride = strides_[at];
  d.dilation = dilations_[at];
  d.output = PartialShape::kUnknown;
  if (input == PartialShape::kUnknown || (size == PartialShape::kUnknown && padding_ != "SAME")) return d;
  if (input > kMaxSize || size > kMaxSize || size == 0) {
    return InvalidArgument("a window of ", size, " elements over ", input);
  }
  if (padding_ == "SAME") {
    d.output = CeilDiv(input, d.stride);
    if (size == PartialShape::kUnknown) return d;
    const int64_t total = (d.output - 1) * d.stride + d.extent() - input;
    d.pad_before = total > 0 ? total / 2 : 0;
    return d;
  }
  int64_t padded = input;
  if (padding_ == "EXPLICIT") {
    d.pad_before = explicit_paddings_[2 * at];
    padded += explicit_paddings_[2 * at] + explicit_paddings_[2 * at + 1];
  }
  if (padded < d.extent()) {
    return InvalidArgument("a window of ", d.extent(), " elements (dilation ", d.dilation, ") does not fit into ",
                           padded, " (dimension ", dim, ", padding ", padding_, ")");
  }
  d.output = (padded - d.extent()) / d.stride + 1;
  return d;
}

Result<WindowAttrs> PoolWindowsOf(const AttrMap& attrs) {
  AttrMap pool;
  for (const char* name : {"ksize", "strides", "padding", "explicit_paddings"}) {
    if (const AttrValue* value = attrs.Find(std::string("pool_") + name)) pool.Set(name, *value);
  }
  return WindowAttrs::Read(pool);
}

}  // namespace dfrun

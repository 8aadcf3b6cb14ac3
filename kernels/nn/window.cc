#include "kernels/nn/window.h"

namespace dfrun {
namespace {

// Sizes beyond this cannot belong to a tensor in memory, and stay clear of overflow in products of two.
constexpr int64_t kMaxSize = int64_t{1} << 31;

}  // namespace

Status WindowAttrs::ReadList(const AttrMap& attrs, const char* name, std::vector<int64_t>& list) const {
  if (!attrs.Has(name)) {
    list.assign(4, 1);
    return Status();
  }
  DF_ASSIGN(list, attrs.Get<std::vector<int64_t>>(name));
  if (list.size() != 4) return InvalidArgument("attr '", name, "' must have 4 entries, but has ", list.size());
  for (int64_t value : list) {
    if (value < 1 || value > kMaxSize) return InvalidArgument("attr '", name, "' has the entry ", value);
  }
  if (list[0] != 1 || list[static_cast<size_t>(format_.channels())] != 1) {
    return Unimplemented("attr '", name, "' must be 1 for images and channels: windows lie in the plane");
  }
  return Status();
}

Result<WindowAttrs> WindowAttrs::Read(const AttrMap& attrs) {
  WindowAttrs window;
  DF_ASSIGN(const std::string format, attrs.Get<std::string>("data_format"));
  if (format != "NHWC" && format != "NCHW") return Unimplemented("data_format '", format, "'");
  window.format_.channels_first = format == "NCHW";
  DF_ASSIGN(window.padding_, attrs.Get<std::string>("padding"));
  DF_TRY(window.ReadList(attrs, "strides", window.strides_));
  DF_TRY(window.ReadList(attrs, "dilations", window.dilations_));
  DF_TRY(window.ReadList(attrs, "ksize", window.ksize_));
  DF_ASSIGN(window.explicit_paddings_, attrs.GetOr<std::vector<int64_t>>("explicit_paddings", std::vector<int64_t>()));
  if (window.padding_ != "EXPLICIT") {
    if (!window.explicit_paddings_.empty()) return InvalidArgument("explicit_paddings need padding='EXPLICIT'");
    return window;
  }
  if (window.explicit_paddings_.size() != 8) {
    return InvalidArgument("explicit_paddings must have 8 entries, but has ", window.explicit_paddings_.size());
  }
  for (size_t i = 0; i < 8; ++i) {
    const int64_t pad = window.explicit_paddings_[i];
    const bool spatial =
        i / 2 == static_cast<size_t>(window.format_.height()) || i / 2 == static_cast<size_t>(window.format_.width());
    if (pad < 0 || pad > kMaxSize || (pad != 0 && !spatial)) {
      return InvalidArgument("explicit_paddings[", i, "] is ", pad);
    }
  }
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
    d.output = (input + d.stride - 1) / d.stride;
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

}  // namespace dfrun

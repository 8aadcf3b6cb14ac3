// Sliding windows of convolution and pooling. Source of the semantics: TensorFlow's "SAME", "VALID" and "EXPLICIT"
// padding.
#ifndef DFRUN_KERNELS_NN_POOL_WINDOW_H_
#define DFRUN_KERNELS_NN_POOL_WINDOW_H_

#include <string>
#include <vector>

#include "src/framework/values/attr.h"
#include "src/framework/values/shape.h"

namespace dfrun {

// The order of an image tensor's dimensions: images, channels, and two or three dimensions of space.
struct ImageFormat {
  bool channels_first = false;  // NCHW; else NHWC
  int spatial = 2;              // 3: depth, height, width

  int rank() const { return spatial + 2; }
  int channels() const { return channels_first ? 1 : rank() - 1; }
  // The tensor's dimension of the i-th dimension of space.
  int space(int i) const { return (channels_first ? 2 : 1) + i; }
  // -1 where images are flat.
  int depth() const { return spatial == 3 ? space(0) : -1; }
  int height() const { return space(spatial - 2); }
  int width() const { return space(spatial - 1); }
  bool operator==(const ImageFormat& other) const {
    return channels_first == other.channels_first && spatial == other.spatial;
  }
  // Flat images have d = 1.
  Shape MakeShape(int64_t n, int64_t c, int64_t d, int64_t h, int64_t w) const {
    Shape shape = spatial == 2 ? Shape({0, 0, 0, 0}) : Shape({0, 0, 0, 0, 0});
    shape.set_dim(0, n);
    shape.set_dim(channels(), c);
    if (spatial == 3) shape.set_dim(depth(), d);
    shape.set_dim(height(), h);
    shape.set_dim(width(), w);
    return shape;
  }
};

// One spatial dimension. Windows begin at -pad_before, `stride` elements apart; a window's elements are `dilation`
// apart.
struct WindowDim {
  int64_t input = 0;
  int64_t output = 0;
  int64_t size = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_before = 0;

  bool operator==(const WindowDim& other) const {
    return input == other.input && output == other.output && size == other.size && stride == other.stride &&
           dilation == other.dilation && pad_before == other.pad_before;
  }
  // True where no element is in two windows.
  bool is_disjoint() const { return dilation == 1 && stride >= size; }
  // True where every element is in one window and in no other.
  bool tiles() const { return dilation == 1 && stride == size && output * stride - pad_before >= input; }
  // Elements from a window's first to its last.
  int64_t extent() const { return (size - 1) * dilation + 1; }
  // Padding that the last window reaches into; at least 0.
  int64_t pad_after() const {
    const int64_t reach = (output - 1) * stride + extent() - input - pad_before;
    return reach > 0 ? reach : 0;
  }
};

// The attrs of an op with windows, checked: strides, padding, explicit_paddings, data_format, and dilations or ksize
// where the op has them.
class WindowAttrs {
 public:
  // Reads the windows from attrs, also for ops that take windows and strides as inputs (With). InvalidArgument for
  // malformed attrs and for windows or strides across images; Unimplemented for other data formats.
  static Result<WindowAttrs> Read(const AttrMap& attrs);
  // These attrs with other windows and strides. It returns the errors of Read.
  Result<WindowAttrs> With(std::vector<int64_t> ksize, std::vector<int64_t> strides) const;

  const ImageFormat& format() const { return format_; }
  int64_t ksize(int dim) const { return ksize_[static_cast<size_t>(dim)]; }
  int64_t stride(int dim) const { return strides_[static_cast<size_t>(dim)]; }
  int64_t dilation(int dim) const { return dilations_[static_cast<size_t>(dim)]; }
  // InvalidArgument where windows reach across channels.
  Status RefuseChannelWindows() const;

  // The windows along the tensor's dimension `dim`, `size` elements each. PartialShape::kUnknown in either gives an
  // unknown output. InvalidArgument where no window fits.
  Result<WindowDim> Dim(int dim, int64_t input, int64_t size) const;

 private:
  Status ReadList(const AttrMap& attrs, const char* name, std::vector<int64_t>& list) const;
  Status CheckList(const char* name, const std::vector<int64_t>& list) const;
  Status ReadPaddings(const AttrMap& attrs);

  ImageFormat format_;
  std::string padding_;
  std::vector<int64_t> strides_;
  std::vector<int64_t> dilations_;
  std::vector<int64_t> ksize_;
  std::vector<int64_t> explicit_paddings_;
};

// The windows of the pooling that an op does beside its own work, with the attrs pool_ksize, pool_strides, pool_padding
// and pool_explicit_paddings. Channels are last. It returns the errors of WindowAttrs::Read.
Result<WindowAttrs> PoolWindowsOf(const AttrMap& attrs);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_POOL_WINDOW_H_

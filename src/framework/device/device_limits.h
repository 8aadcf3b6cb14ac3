// The speed limits of a device: calls of its libraries and its driver with nothing of dfrun between, for benchmarks of
// kernels to compare with. A part that brings a type of device registers a function that makes them:
//
//   DEVICE_LIMITS("cpu", &MakeLimits);
#ifndef DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_LIMITS_H_
#define DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_LIMITS_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "src/base/registry.h"
#include "src/framework/device/device.h"
#include "src/framework/op/arithmetic.h"
#include "src/framework/values/shape.h"

namespace dfrun {

// A convolution of square images in NHWC with square filters and padding "SAME".
struct SquareConv {
  int64_t images, side, in_channels, out_channels, filter_side, stride;

  int64_t output_side() const { return (side + stride - 1) / stride; }
  int64_t padding() const { return std::max<int64_t>(0, (output_side() - 1) * stride + filter_side - side); }
  Shape input() const { return {images, side, side, in_channels}; }
  Shape filter() const { return {filter_side, filter_side, in_channels, out_channels}; }
  Shape output() const { return {images, output_side(), output_side(), out_channels}; }
  double multiply_adds() const {
    return static_cast<double>(output().num_elements()) * static_cast<double>(filter_side * filter_side * in_channels);
  }
};
enum class ConvPass { kForward, kInputGradient, kFilterGradient };

// Enqueues a piece of work so many times, in order, and blocks until all is done.
using DeviceWork = std::function<Status(int times)>;

// The limits of one device, which must outlive this object and the work. Unimplemented or NotFound where a library is
// absent or cannot do it.
// Thread safety: one thread.
class DeviceLimits {
 public:
  virtual ~DeviceLimits() = default;
  // Copies within the device's memory; from host memory that it copies from best, and to such.
  virtual Result<DeviceWork> Copy(int64_t bytes) = 0;
  virtual Result<DeviceWork> CopyIn(int64_t bytes) = 0;
  virtual Result<DeviceWork> CopyOut(int64_t bytes) = 0;
  // A function that does nothing.
  virtual Result<DeviceWork> Launch() = 0;
  // [size, size] times [size, size].
  virtual Result<DeviceWork> Product(int64_t size, DType dtype, const Arithmetic& arithmetic) = 0;
  virtual Result<DeviceWork> Convolution(const SquareConv& conv, ConvPass pass, DType dtype,
                                         const Arithmetic& arithmetic) = 0;
};

using MakeDeviceLimits = std::unique_ptr<DeviceLimits> (*)(Device& device);

// The functions that make limits, by type of device.
Registry<MakeDeviceLimits>& LimitsOfDevices();

namespace internal {
struct DeviceLimitsRegistration {
  DeviceLimitsRegistration(std::string type, MakeDeviceLimits make) { LimitsOfDevices().Add(std::move(type), make); }
};
}  // namespace internal

#define DEVICE_LIMITS(type, make)                                                                                    \
  [[maybe_unused]] static const ::dfrun::internal::DeviceLimitsRegistration DF_CONCAT(df_limits_, __COUNTER__)(type, \
                                                                                                               make)

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_DEVICE_DEVICE_LIMITS_H_

#include <algorithm>
#include <utility>

#include "kernels/device/cpu_kernel.h"
#include "kernels/summary/audio.h"
#include "kernels/summary/histogram.h"
#include "kernels/summary/images.h"
#include "kernels/summary/pr_curve.h"
#include "kernels/summary/summary_output.h"
#include "kernels/summary/tensor_value.h"
#include "src/base/utf8.h"

namespace dfrun {
namespace {

// Summary.Metadata.data_class.
constexpr int kTensorClass = 2;
constexpr int kBlobClass = 3;
// A message with field 2 alone, the plugins' own data: AudioPluginData.encoding WAV, PrCurvePluginData.num_thresholds.
constexpr char kField2 = 0x10;
constexpr char kWav = 11;

class HistogramBinsKernel final : public Kernel {
 public:
  explicit HistogramBinsKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    Histogram histogram;
    histogram.AddFinite(ctx.input(0));
    const Tensor bins = histogram.ToBins();
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, bins.shape(), &output));
    std::copy_n(bins.data<double>(), bins.num_elements(), output->data<double>());
    return Status();
  }
  bool IsExpensive() const override { return true; }
};

// A kernel of an op with the attr `tag` and a summary as its output.
class TaggedKernel : public Kernel {
 public:
  explicit TaggedKernel(KernelSetup& setup) : tag_(setup.attr<std::string>("tag")) {}
  bool IsExpensive() const override { return true; }

 protected:
  Status Give(OpContext& ctx, const PluginOf& plugin, const Tensor& value) const {
    proto::Summary summary;
    DF_TRY(AddPluginValue(tag_, plugin, value, summary));
    return SetSummary(ctx, summary);
  }

 private:
  const std::string tag_;
};

class HistogramTensorSummaryKernel final : public TaggedKernel {
 public:
  using TaggedKernel::TaggedKernel;
  Status Compute(OpContext& ctx) {
    Histogram histogram;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      const Shape& shape = ctx.input(i).shape();
      if (shape.rank() != 2 || shape[1] != 3) return InvalidArgument("bins have shape [k, 3], not ", shape);
      histogram.AddBins(ctx.input(i));
    }
    return Give(ctx, {"histograms", kTensorClass, ""}, histogram.ToRows());
  }
};

class ImageTensorSummaryKernel final : public TaggedKernel {
 public:
  explicit ImageTensorSummaryKernel(KernelSetup& setup)
      : TaggedKernel(setup), max_outputs_(setup.attr<int64_t>("max_outputs")) {}
  Status Compute(OpContext& ctx) {
    const Tensor& images = ctx.input(0);
    DF_ASSIGN(std::vector<std::string> encoded, EncodeImages(images, max_outputs_, DefaultBadColor()));
    std::vector<std::string> strings = {std::to_string(images.shape()[2]), std::to_string(images.shape()[1])};
    std::move(encoded.begin(), encoded.end(), std::back_inserter(strings));
    return Give(ctx, {"images", kBlobClass, ""}, Tensor::Vector<std::string>(strings));
  }

 private:
  const int64_t max_outputs_;
};

class AudioTensorSummaryKernel final : public TaggedKernel {
 public:
  explicit AudioTensorSummaryKernel(KernelSetup& setup)
      : TaggedKernel(setup),
        sample_rate_(static_cast<float>(setup.attr<int64_t>("sample_rate"))),
        max_outputs_(setup.attr<int64_t>("max_outputs")) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(std::vector<std::string> clips, EncodeClips(ctx.input(0), sample_rate_, max_outputs_));
    Tensor rows(DType::kString,
                Shape({static_cast<int64_t>(clips.size()), 2}));  // a clip and its label, which is empty
    for (size_t i = 0; i < clips.size(); ++i) rows.data<std::string>()[2 * i] = std::move(clips[i]);
    return Give(ctx, {"audio", kBlobClass, {kField2, kWav}}, rows);
  }

 private:
  const float sample_rate_;  // Hz
  const int64_t max_outputs_;
};

class TextTensorSummaryKernel final : public TaggedKernel {
 public:
  using TaggedKernel::TaggedKernel;
  Status Compute(OpContext& ctx) {
    Tensor text(DType::kString, ctx.input(0).shape());
    std::transform(ctx.input(0).data<std::string>(), ctx.input(0).data<std::string>() + text.num_elements(),
                   text.data<std::string>(), &WellFormedUtf8);
    return Give(ctx, {"text", kTensorClass, ""}, text);
  }
};

class PrCurveCountsKernel final : public Kernel {
 public:
  explicit PrCurveCountsKernel(KernelSetup& setup) : thresholds_(setup.attr<int64_t>("thresholds")) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const Tensor counts, CountPredictions(ctx.input(0), ctx.input(1), thresholds_));
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, counts.shape(), &output));
    std::copy_n(counts.data<double>(), counts.num_elements(), output->data<double>());
    return Status();
  }
  bool IsExpensive() const override { return true; }

 private:
  const int64_t thresholds_;
};

class PrCurveTensorSummaryKernel final : public TaggedKernel {
 public:
  using TaggedKernel::TaggedKernel;
  Status Compute(OpContext& ctx) {
    const Shape& shape = ctx.input(0).shape();
    Tensor sum(DType::kDouble, shape);
    std::fill_n(sum.data<double>(), sum.num_elements(), 0.0);
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      const Tensor& counts = ctx.input(i);
      if (shape.rank() != 2 || !(counts.shape() == shape)) {
        return InvalidArgument("counts of shape ", counts.shape(), " do not fit those of shape ", shape);
      }
      std::transform(counts.data<double>(), counts.data<double>() + counts.num_elements(), sum.data<double>(),
                     sum.data<double>(), std::plus<>());
    }
    return Give(ctx, {"pr_curves", kTensorClass, ContentFor(shape[1])}, CurveOf(sum));
  }

 private:
  static std::string ContentFor(int64_t thresholds) {
    std::string content = {kField2};
    for (; thresholds >= 0x80; thresholds >>= 7) content += static_cast<char>(thresholds | 0x80);
    return content + static_cast<char>(thresholds);
  }
};

CPU_KERNEL_ANY("_HistogramBins", HistogramBinsKernel);
CPU_KERNEL_ANY("_HistogramTensorSummary", HistogramTensorSummaryKernel);
CPU_KERNEL_ANY("_ImageTensorSummary", ImageTensorSummaryKernel);
CPU_KERNEL_ANY("_AudioTensorSummary", AudioTensorSummaryKernel);
CPU_KERNEL_ANY("_TextTensorSummary", TextTensorSummaryKernel);
CPU_KERNEL_ANY("_PrCurveCounts", PrCurveCountsKernel);
CPU_KERNEL_ANY("_PrCurveTensorSummary", PrCurveTensorSummaryKernel);

}  // namespace
}  // namespace dfrun

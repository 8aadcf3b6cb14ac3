#include <google/protobuf/empty.pb.h>

#include <utility>

#include "kernels/device/cpu_kernel.h"
#include "kernels/state/device_resource.h"
#include "kernels/summary/audio.h"
#include "kernels/summary/event_log.h"
#include "kernels/summary/histogram.h"
#include "kernels/summary/images.h"
#include "kernels/summary/summary_output.h"
#include "kernels/summary/tensor_value.h"
#include "src/framework/kernel/object_state.h"
#include "src/framework/values/element_types.h"
#include "src/storage/event_records.h"

namespace dfrun {
namespace {

constexpr int kStep = 1;  // the input behind the writer

// The one element of input i.
template <class T>
Result<T> ElementOf(const OpContext& ctx, int i) {
  if (ctx.input(i).num_elements() == 1) return ctx.input(i).data<T>()[0];
  return InvalidArgument(ctx.node().op->name, ": input ", i, " must be a scalar, but has shape ", ctx.input(i).shape());
}

struct MakeWriter {
  using Object = EventLog;
  static Result<RefPtr<EventLog>> FindOrMake(KernelSetup& setup, DeviceResourceHandle& handle) {
    return handle.Find<EventLog>(setup,
                                 [](const std::string& name) -> Result<EventLog*> { return new EventLog(name); });
  }
};

// A kernel that calls `Op`, made of the setup, with the writer.
template <class Op>
class WriterKernel final : public Kernel {
 public:
  explicit WriterKernel(KernelSetup& setup) : op_(setup) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RefPtr<EventLog> log, DeviceResourceInput<EventLog>(ctx, 0, "summary writer"));
    return op_.Call(ctx, *log);
  }
  bool IsExpensive() const override { return true; }

 private:
  const Op op_;
};

struct CreateFile {
  explicit CreateFile(KernelSetup&) {}
  static Status Call(OpContext& ctx, EventLog& log) {
    EventLog::Options options;
    DF_ASSIGN(options.directory, ElementOf<std::string>(ctx, 1));
    DF_ASSIGN(options.max_queue, ElementOf<int32_t>(ctx, 2));
    DF_ASSIGN(const int32_t flush_ms, ElementOf<int32_t>(ctx, 3));
    options.flush = std::chrono::milliseconds(flush_ms);
    DF_ASSIGN(options.suffix, ElementOf<std::string>(ctx, 4));
    return log.Open(*FileAccess::Of(ctx.device()), options);
  }
};

struct Flush {
  explicit Flush(KernelSetup&) {}
  static Status Call(OpContext&, EventLog& log) { return log.Flush(); }
};

struct Close {
  explicit Close(KernelSetup&) {}
  static Status Call(OpContext&, EventLog& log) { return log.Close(); }
};

struct ImportEvent {
  explicit ImportEvent(KernelSetup&) {}
  static Status Call(OpContext& ctx, EventLog& log) {
    DF_ASSIGN(const std::string event, ElementOf<std::string>(ctx, 1));
    google::protobuf::Empty message;  // any well-formed message is one
    if (!message.ParseFromString(event)) return Error(Code::kDataLoss, "the event is no serialised Event");
    return log.WriteEvent(event);
  }
};

// Writes bytes as they are, a summary or a graph.
template <proto::Event::WhatCase what>
struct WriteBytes {
  explicit WriteBytes(KernelSetup&) {}
  static Status Call(OpContext& ctx, EventLog& log) {
    DF_ASSIGN(const int64_t step, ElementOf<int64_t>(ctx, kStep));
    DF_ASSIGN(const std::string bytes, ElementOf<std::string>(ctx, 2));
    google::protobuf::Empty message;
    if (!message.ParseFromString(bytes)) return Error(Code::kDataLoss, "the bytes are no serialised message");
    proto::Event event = EventAt(step, EventTime());
    if (what == proto::Event::kSummary) {
      event.set_summary(bytes);
    } else {
      event.set_graph_def(bytes);
    }
    return log.WriteEvent(event.SerializeAsString());
  }
};

// Writes a summary that `Value` makes.
template <class Value>
struct WriteValue {
  explicit WriteValue(KernelSetup& setup) : value(setup) {}
  Status Call(OpContext& ctx, EventLog& log) const {
    DF_ASSIGN(const int64_t step, ElementOf<int64_t>(ctx, kStep));
    proto::Summary summary;
    DF_TRY(value.Add(ctx, summary));
    proto::Event event = EventAt(step, EventTime());
    event.set_summary(summary.SerializeAsString());
    return log.WriteEvent(event.SerializeAsString());
  }
  const Value value;
};

struct TensorOf {
  explicit TensorOf(KernelSetup&) {}
  static Status Add(OpContext& ctx, proto::Summary& summary) {
    proto::Summary::Value* value = summary.add_value();
    DF_ASSIGN(*value->mutable_tag(), ElementOf<std::string>(ctx, 3));
    DF_ASSIGN(const std::string metadata, SummaryMetadata(ctx, 4));
    if (!metadata.empty()) value->set_metadata(metadata);
    return SetTensor(ctx.input(2), *value);
  }
};

struct ScalarOf {
  explicit ScalarOf(KernelSetup&) {}
  static Status Add(OpContext& ctx, proto::Summary& summary) {
    const Tensor& number = ctx.input(3);
    if (number.num_elements() != 1)
      return InvalidArgument("the value must be a scalar, but has shape ", number.shape());
    proto::Summary::Value* value = summary.add_value();
    DF_ASSIGN(*value->mutable_tag(), ElementOf<std::string>(ctx, 2));
    VisitDType<DF_REAL>(number.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      value->set_simple_value(static_cast<float>(number.data<T>()[0]));
    });
    return Status();
  }
};

struct HistogramOf {
  explicit HistogramOf(KernelSetup&) {}
  static Status Add(OpContext& ctx, proto::Summary& summary) {
    DF_ASSIGN(const std::string tag, ElementOf<std::string>(ctx, 2));
    return AddHistogram(tag, ctx.input(3), summary);
  }
};

struct ImagesOf {
  explicit ImagesOf(KernelSetup& setup) : max_images(setup.attr<int64_t>("max_images")) {}
  Status Add(OpContext& ctx, proto::Summary& summary) const {
    DF_ASSIGN(const std::string tag, ElementOf<std::string>(ctx, 2));
    return AddImages(tag, ctx.input(3), max_images, ctx.input(4), summary);
  }
  const int64_t max_images;
};

struct AudioOf {
  explicit AudioOf(KernelSetup& setup) : max_outputs(setup.attr<int64_t>("max_outputs")) {}
  Status Add(OpContext& ctx, proto::Summary& summary) const {
    DF_ASSIGN(const std::string tag, ElementOf<std::string>(ctx, 2));
    DF_ASSIGN(const auto sample_rate, ElementOf<float>(ctx, 4));
    return AddAudio(tag, ctx.input(3), sample_rate, max_outputs, summary);
  }
  const int64_t max_outputs;
};

KEEPS_STATE(ObjectState(), "SummaryWriter");  // a job that goes on begins another file
CPU_KERNEL_ANY("SummaryWriter", DeviceResourceKernel<MakeWriter>);
CPU_KERNEL_ANY("CreateSummaryFileWriter", WriterKernel<CreateFile>);
CPU_KERNEL_ANY("FlushSummaryWriter", WriterKernel<Flush>);
CPU_KERNEL_ANY("CloseSummaryWriter", WriterKernel<Close>);
CPU_KERNEL_ANY("ImportEvent", WriterKernel<ImportEvent>);
CPU_KERNEL_ANY("WriteRawProtoSummary", WriterKernel<WriteBytes<proto::Event::kSummary>>);
CPU_KERNEL_ANY("WriteGraphSummary", WriterKernel<WriteBytes<proto::Event::kGraphDef>>);
CPU_KERNEL_ANY("WriteSummary", WriterKernel<WriteValue<TensorOf>>);
CPU_KERNEL_ANY("WriteScalarSummary", WriterKernel<WriteValue<ScalarOf>>);
CPU_KERNEL_ANY("WriteHistogramSummary", WriterKernel<WriteValue<HistogramOf>>);
CPU_KERNEL_ANY("WriteImageSummary", WriterKernel<WriteValue<ImagesOf>>);
CPU_KERNEL_ANY("WriteAudioSummary", WriterKernel<WriteValue<AudioOf>>);

}  // namespace
}  // namespace dfrun

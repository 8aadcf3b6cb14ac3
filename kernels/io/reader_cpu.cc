// The ops that use a reader.
#include "kernels/device/cpu_kernel.h"
#include "kernels/io/queue_reader.h"
#include "kernels/state/device_resource.h"

namespace dfrun {
namespace {

// Op::Start(ctx, reader, done) gives an error, or OK and ends with `done`.
template <class Op>
class ReaderCallKernel final : public AsyncKernel {
 public:
  explicit ReaderCallKernel(KernelSetup&) {}
  void ComputeAsync(OpContext& ctx, Callback done) override {
    Status status = Start(ctx, done);
    if (!status.ok()) done(std::move(status));
  }

 private:
  static Status Start(OpContext& ctx, Callback done) {
    DF_ASSIGN(const RefPtr<QueueReader> reader, DeviceResourceInput<QueueReader>(ctx, 0, "reader"));
    return Op::Start(ctx, *reader, done);
  }
};

Result<RefPtr<Queue>> WorkQueue(const OpContext& ctx) {
  DF_ASSIGN(RefPtr<Queue> queue, DeviceResourceInput<Queue>(ctx, 1, "queue"));
  if (queue->type().dtypes == std::vector<DType>{DType::kString}) return queue;
  return InvalidArgument(queue->DebugString(), " gives no names of files: a reader's queue has one string component");
}

struct Read {
  static Status Start(OpContext& ctx, QueueReader& reader, Callback done) {
    DF_ASSIGN(RefPtr<Queue> queue, WorkQueue(ctx));
    reader.Read(ctx, std::move(queue), -1, done);
    return Status();
  }
};

struct ReadUpTo {
  static Status Start(OpContext& ctx, QueueReader& reader, Callback done) {
    DF_ASSIGN(RefPtr<Queue> queue, WorkQueue(ctx));
    if (ctx.input(2).shape().rank() != 0) return InvalidArgument("num_records must be a scalar");
    const int64_t most = ctx.input(2).scalar<int64_t>();
    if (most < 0) return InvalidArgument("num_records must not be negative, but is ", most);
    reader.Read(ctx, std::move(queue), most, done);
    return Status();
  }
};

// Output 0 is a scalar of the state.
template <auto kGet>
struct Get {
  static Status Start(OpContext& ctx, QueueReader& reader, Callback done) {
    const auto use = [&ctx](QueueReader::State& state) {
      ctx.SetOutput(0, Tensor::Scalar((state.*kGet)()));
      return Status();
    };
    reader.With(ctx, use, done);
    return Status();
  }
};

struct Serialize {
  static Status Start(OpContext& ctx, QueueReader& reader, Callback done) {
    DF_TRY(reader.CheckPlainState("SerializeState"));
    return Get<&QueueReader::State::Serialized>::Start(ctx, reader, done);
  }
};

struct Restore {
  static Status Start(OpContext& ctx, QueueReader& reader, Callback done) {
    if (ctx.input(1).shape().rank() != 0) return InvalidArgument("state must be a scalar");
    DF_TRY(reader.CheckPlainState("RestoreState"));
    reader.With(
        ctx,
        [message = ctx.input(1).scalar<std::string>()](QueueReader::State& state) { return state.Restore(message); },
        done);
    return Status();
  }
};

struct Reset {
  static Status Start(OpContext& ctx, QueueReader& reader, Callback done) {
    const auto use = [](QueueReader::State& state) {
      state = QueueReader::State();
      return Status();
    };
    reader.With(ctx, use, done);
    return Status();
  }
};

#define READER_KERNEL(op, ...)                                \
  CPU_KERNEL_ANY("Reader" op, ReaderCallKernel<__VA_ARGS__>); \
  CPU_KERNEL_ANY("Reader" op "V2", ReaderCallKernel<__VA_ARGS__>)

READER_KERNEL("Read", Read);
READER_KERNEL("ReadUpTo", ReadUpTo);
READER_KERNEL("NumRecordsProduced", Get<&QueueReader::State::records>);
READER_KERNEL("NumWorkUnitsCompleted", Get<&QueueReader::State::finished>);
READER_KERNEL("SerializeState", Serialize);
READER_KERNEL("RestoreState", Restore);
READER_KERNEL("Reset", Reset);

}  // namespace
}  // namespace dfrun

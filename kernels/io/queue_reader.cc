#include "kernels/io/queue_reader.h"

#include <vector>

#include "src/storage/reader.pb.h"

namespace dfrun {

// A call that has the reader, or waits for it. Deletes itself when it ends.
class QueueReader::Turn {
 public:
  Turn(RefPtr<QueueReader> reader, OpContext& ctx, Callback done)
      : reader_(std::move(reader)), ctx_(ctx), done_(done) {}
  virtual ~Turn() = default;

  void Await() {
    QueueReader& reader = *reader_;  // this may be gone before Submit() returns
    reader.Submit(std::make_unique<WaitingCall>(ctx_, Callback{&OnTurn, this}), 0);
  }

 protected:
  // Has the reader; ends with End().
  virtual void Run() = 0;

  void End(Status status) {
    const std::unique_ptr<Turn> self(this);
    reader_->EndTurn();
    done_(std::move(status));
  }
  OpContext& ctx() { return ctx_; }
  State& state() { return reader_->state_; }
  WorkReader& records() { return *reader_->reader_; }

  // Starts with the file of this name.
  Status StartWork(std::string work) {
    state().work_ = std::move(work);
    DF_TRY(records().Start(state().work_));
    ++state().started_;
    return Status();
  }
  bool in_work() { return state().in_work(); }
  // The next record of the file that is being read; false, and no file any more, at its end.
  Result<bool> Next(std::string& key, std::string& value) {
    Result<bool> found = records().Next(key, value);
    if (!found.ok()) return found.status().Annotate(state().work_);
    if (*found) ++state().records_;
    if (!*found || records().GivesOne()) state().finished_ = state().started_;
    return found;
  }

 private:
  static void OnTurn(void* arg, Status status) {
    auto* turn = static_cast<Turn*>(arg);
    if (status.ok()) return turn->Run();
    const std::unique_ptr<Turn> self(turn);  // the turn never had the reader
    turn->done_(std::move(status));
  }

  const RefPtr<QueueReader> reader_;
  OpContext& ctx_;
  const Callback done_;
};

namespace {

Status SetStrings(OpContext& ctx, int output, std::vector<std::string> values, bool is_scalar) {
  const Shape shape = is_scalar ? Shape() : Shape({static_cast<int64_t>(values.size())});
  Tensor* strings = nullptr;
  DF_TRY(ctx.AllocateOutput(output, shape, &strings));
  std::move(values.begin(), values.end(), strings->data<std::string>());
  return Status();
}

}  // namespace

void QueueReader::Read(OpContext& ctx, RefPtr<Queue> queue, int64_t most, Callback done) {
  class Reading final : public Turn {
   public:
    Reading(RefPtr<QueueReader> reader, OpContext& ctx, RefPtr<Queue> queue, int64_t most, Callback done)
        : Turn(std::move(reader), ctx, done), queue_(std::move(queue)), most_(most) {}

   private:
    void Run() override {
      const size_t wanted = most_ < 0 ? 1 : static_cast<size_t>(most_);
      while (keys_.size() < wanted) {
        // The queue writes the file's name to the output of the key.
        if (!in_work()) return queue_->Dequeue(ctx(), Callback{&OnWork, this});
        std::string key;
        std::string value;
        const Result<bool> found = Next(key, value);
        if (!found.ok()) return End(found.status());
        if (!*found && !keys_.empty()) break;
        if (!*found) continue;
        keys_.push_back(std::move(key));
        values_.push_back(std::move(value));
      }
      Status status = SetStrings(ctx(), 0, std::move(keys_), most_ < 0);
      if (status.ok()) status = SetStrings(ctx(), 1, std::move(values_), most_ < 0);
      End(std::move(status));
    }

    static void OnWork(void* arg, Status status) {
      auto* reading = static_cast<Reading*>(arg);
      if (status.ok()) {
        std::string work = *reading->ctx().preallocated_output<std::string>(0);
        reading->ctx().SetOutput(0, Tensor());
        status = reading->StartWork(std::move(work));
      }
      if (!status.ok()) return reading->End(std::move(status));
      reading->Run();
    }

    const RefPtr<Queue> queue_;
    const int64_t most_;
    std::vector<std::string> keys_;
    std::vector<std::string> values_;
  };
  (new Reading(RefPtr<QueueReader>(this), ctx, std::move(queue), most, done))->Await();
}

void QueueReader::With(OpContext& ctx, std::function<Status(State&)> use, Callback done) {
  class Using final : public Turn {
   public:
    Using(RefPtr<QueueReader> reader, OpContext& ctx, std::function<Status(State&)> use, Callback done)
        : Turn(std::move(reader), ctx, done), use_(std::move(use)) {}

   private:
    void Run() override { End(use_(state())); }
    const std::function<Status(State&)> use_;
  };
  (new Using(RefPtr<QueueReader>(this), ctx, std::move(use), done))->Await();
}

AsyncWaitQueue::Progress QueueReader::Serve(WaitingCall& waiting_call) {
  if (is_taken_) return Progress::kWaits;
  if (!waiting_call.Claim()) return Progress::kGone;
  is_taken_ = true;
  return Progress::kEnds;
}

void QueueReader::EndTurn() {
  Finished finished;
  MutexLock lock(mu_);
  is_taken_ = false;
  ServeLines(finished);
}

Status QueueReader::CheckPlainState(std::string_view what) const {
  if (reader_->HasPlainState()) return Status();
  return Unimplemented("Reader ", what, ": ", kind_, " has none that could be");
}

std::string QueueReader::State::Serialized() const {
  proto::ReaderBaseState state;
  state.set_work_started(started_);
  state.set_work_finished(finished_);
  state.set_num_records_produced(records_);
  state.set_current_work(work_);
  return state.SerializeAsString();
}

Status QueueReader::State::Restore(const std::string& message) {
  proto::ReaderBaseState state;
  if (!state.ParseFromString(message)) return InvalidArgument("Could not parse the state of a reader");
  return Set(state.work_started(), state.work_finished(), state.num_records_produced(), state.current_work());
}

Status QueueReader::State::Set(int64_t started, int64_t finished, int64_t records, std::string work) {
  if (started < 0 || finished < 0 || records < 0) {
    return InvalidArgument("Unexpected negative value when restoring a reader");
  }
  if (started > finished + 1 || finished > started) {
    return InvalidArgument("Inconsistent work started vs. finished when restoring a reader: ", started, " vs. ",
                           finished);
  }
  started_ = started;
  finished_ = finished;
  records_ = records;
  work_ = std::move(work);
  return Status();
}

}  // namespace dfrun

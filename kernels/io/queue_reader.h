// Readers of records whose files come from a queue: TensorFlow's Reader ops.
#ifndef DFRUN_KERNELS_IO_QUEUE_READER_H_
#define DFRUN_KERNELS_IO_QUEUE_READER_H_

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/queues/queue.h"

namespace dfrun {

// The records of one file ("work unit") after the other.
// Thread safety: one thread at a time.
class WorkReader {
 public:
  virtual ~WorkReader() = default;
  virtual Status Start(const std::string& work) = 0;
  // The next record of the work; false at its end.
  virtual Result<bool> Next(std::string& key, std::string& value) = 0;
  // True if a work unit is one record, and so ends with it.
  virtual bool GivesOne() const { return false; }
  // True if ReaderState holds all of its state.
  virtual bool HasPlainState() const { return false; }

  // The position of a reader in its work.
  struct Place {
    bool is_open = false;  // else there is no next record
    uint64_t at = 0;       // offset at which the next record is looked for
    int64_t number = 0;    // number of the records before it
  };
  virtual Place place() const { return {}; }
  // Goes on in a work that is not at its end. An error where its file cannot be opened.
  virtual Status Resume(const std::string& work, const Place& place) = 0;
};

// Reads use it in turn, in the order in which they came.
// Thread safety: all methods from any thread.
class QueueReader final : public AsyncWaitQueue {
 public:
  QueueReader(std::string kind, std::string name, std::unique_ptr<WorkReader> reader)
      : kind_(std::move(kind)), name_(std::move(name)), reader_(std::move(reader)) {}

  // The counts of a reader and the work that it is in.
  class State {
   public:
    int64_t records() const { return records_; }
    int64_t finished() const { return finished_; }
    // The state as a ReaderBaseState message, and back; InvalidArgument for another message, which changes nothing.
    std::string Serialized() const;
    Status Restore(const std::string& message);

   private:
    friend class QueueReader;
    Status Set(int64_t started, int64_t finished, int64_t records, std::string work);
    bool in_work() const { return started_ > finished_; }
    int64_t started_ = 0;  // files
    int64_t finished_ = 0;
    int64_t records_ = 0;
    std::string work_;
  };

  // Sets outputs 0 and 1 to the key and the value of the next record: scalars, or where `most` is not negative vectors
  // of up to so many records, fewer at the end of a file. Takes the names of files from the queue, which is awaited
  // without a thread, and ends with its error where it has no more.
  void Read(OpContext& ctx, RefPtr<Queue> queue, int64_t most, Callback done);
  // Runs use(state) in its turn.
  void With(OpContext& ctx, std::function<Status(State&)> use, Callback done);

  // The parts that a checkpoint keeps, named by PartsOfReader() in reader_state.cc. No read may be under way.
  Result<std::vector<Tensor>> SaveState(Allocator& allocator) const;
  Status RestoreState(std::span<const Tensor> parts, Allocator& allocator);

  // Unimplemented where there is more to the reader's state than State.
  Status CheckPlainState(std::string_view what) const;
  std::string DebugString() const override { return StrCat(kind_, " '", name_, "'"); }

 private:
  class Turn;

  Progress Serve(WaitingCall& waiting_call) override REQUIRES(mu_);
  void EndTurn() EXCLUDES(mu_);

  const std::string kind_;
  const std::string name_;
  const std::unique_ptr<WorkReader> reader_;  // used by the call that has the turn
  State state_;                               // used by the call that has the turn
  bool is_taken_ GUARDED_BY(mu_) = false;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_QUEUE_READER_H_

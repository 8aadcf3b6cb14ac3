// An Exchange runs one call of a collective over point-to-point messages.
#ifndef DFRUN_COMM_COLLECTIVES_EXCHANGE_H_
#define DFRUN_COMM_COLLECTIVES_EXCHANGE_H_

#include <atomic>
#include <memory>
#include <vector>

#include "comm/collectives/exchange_schedule.h"
#include "src/base/mutex.h"
#include "src/framework/step/rendezvous.h"

namespace dfrun::comm {

// Reduces each block and sends it on in the thread that brings the block's last message; no thread waits in it.
// Owns: itself, until its last message has ended, and the memory of all messages, which is fixed at the start.
class Exchange {
 public:
  struct Buffers {
    const void* input;  // null if the participant has no input
    void* output;
  };
  // Starts the call and returns; `done` runs when it has ended. The other arguments, and the memory that `buffers`
  // points to, must outlive the call, but `reducer`, which is copied; it is null unless the schedule reduces.
  static void Start(const ExchangeSchedule& schedule, const CollectivePlan& plan, Rendezvous& rendezvous,
                    Allocator& allocator, const Reducer* reducer, Buffers buffers, Callback done);

 private:
  // A message that has been posted and has not ended.
  struct Message {
    Exchange* exchange = nullptr;
    const Transfer* transfer = nullptr;
    Tensor value;
  };

  Exchange(const ExchangeSchedule& schedule, const CollectivePlan& plan, Rendezvous& rendezvous, Allocator& allocator,
           const Reducer* reducer, Buffers buffers, Callback done);

  Status AllocateScratch();
  void Run();
  void Post(const std::vector<Transfer>& transfers);
  void Post(Message& message);
  // Called once for a posted message that has ended, by any thread, several at once, also from within Post(). Deletes
  // this object, and the message with it, where no other is pending and Run() has posted all.
  void Came(const Message& message, Status status);
  // Reduces or copies a block whose receives have all ended, and posts the sends that wait for it.
  void Finish(const Block& block);
  void Reduce(const Block& block);
  // Counts down pending_ for an ended message; the last call deletes this object.
  void OneEnded();
  void Fail(Status status) EXCLUDES(mu_);

  char* At(Transfer::Buffer buffer, int64_t element) const;

  const ExchangeSchedule& schedule_;
  const CollectivePlan& plan_;
  Rendezvous& rendezvous_;
  Allocator& allocator_;
  const Reducer reducer_;
  const Buffers buffers_;
  const Callback done_;
  const size_t element_bytes_;
  Tensor scratch_;
  std::vector<Message> messages_;
  std::vector<const void*> values_;                  // inputs of the reduction, by block and participant
  std::unique_ptr<std::atomic<int32_t>[]> awaited_;  // outstanding receives, by block
  std::atomic<size_t> posted_{0};                    // count of messages_ that were posted
  std::atomic<int32_t> pending_{1};
  std::atomic<bool> failed_{false};
  Mutex mu_;
  Status status_ GUARDED_BY(mu_);
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_COLLECTIVES_EXCHANGE_H_

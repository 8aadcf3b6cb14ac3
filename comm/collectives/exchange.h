// One call of a collective over point-to-point messages.
#ifndef DFRUN_COMM_COLLECTIVES_EXCHANGE_H_
#define DFRUN_COMM_COLLECTIVES_EXCHANGE_H_

#include <atomic>
#include <memory>
#include <vector>

#include "comm/collectives/exchange_schedule.h"
#include "src/base/mutex.h"
#include "src/framework/rendezvous.h"

namespace dfrun::comm {

// Lives until its last message has ended, and no thread waits in it: whoever brings the last message of a block folds
// the block and sends it on. The memory of all messages is fixed when it starts.
class Exchange {
 public:
  struct Buffers {
    const void* input;  // null where there is none
    void* output;
  };
  // The schedule and the rendezvous outlive it. `reducer`, which is copied: of a schedule that folds, else null.
  static void Start(const ExchangeSchedule& schedule, const CollectivePlan& plan, Rendezvous& rendezvous,
                    Allocator& allocator, const Reducer* reducer, Buffers buffers, Callback done);

 private:
  // A message on its way.
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
  void Came(const Message& message, Status status);
  // All of its receives have come.
  void Finish(const Block& block);
  void Fold(const Block& block);
  // One of what pending_ counts has ended: the last deletes this.
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
  std::vector<const void*> values_;                  // by block and participant: what is folded
  std::unique_ptr<std::atomic<int32_t>[]> awaited_;  // by block
  std::atomic<size_t> posted_{0};                    // of messages_
  std::atomic<int32_t> pending_{1};
  std::atomic<bool> failed_{false};
  Mutex mu_;
  Status status_ GUARDED_BY(mu_);
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_COLLECTIVES_EXCHANGE_H_

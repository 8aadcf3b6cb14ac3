#include "comm/collectives/exchange.h"

#include <cstring>
#include <utility>

namespace dfrun::comm {

void Exchange::Start(const ExchangeSchedule& schedule, const CollectivePlan& plan, Rendezvous& rendezvous,
                     Allocator& allocator, const Reducer* reducer, Buffers buffers, Callback done) {
  std::unique_ptr<Exchange> exchange(new Exchange(schedule, plan, rendezvous, allocator, reducer, buffers, done));
  if (Status s = exchange->AllocateScratch(); !s.ok()) return done(std::move(s));
  exchange.release()->Run();
}

Exchange::Exchange(const ExchangeSchedule& schedule, const CollectivePlan& plan, Rendezvous& rendezvous,
                   Allocator& allocator, const Reducer* reducer, Buffers buffers, Callback done)
    : schedule_(schedule),
      plan_(plan),
      rendezvous_(rendezvous),
      allocator_(allocator),
      reducer_(reducer == nullptr ? Reducer() : *reducer),
      buffers_(buffers),
      done_(done),
      element_bytes_(DTypeSize(plan.dtype)),
      values_(schedule.blocks.size() * plan.ranks.size()),
      awaited_(std::make_unique<std::atomic<int32_t>[]>(schedule.blocks.size())) {
  size_t messages = schedule.receives.size() + schedule.sends.size();
  for (size_t i = 0; i < schedule.blocks.size(); ++i) {
    messages += schedule.blocks[i].then.size();
    awaited_[i].store(schedule.blocks[i].awaited, std::memory_order_relaxed);
  }
  messages_.resize(messages);
}

Status Exchange::AllocateScratch() {
  if (schedule_.scratch_elements == 0) return Status();
  DF_ASSIGN(scratch_, Tensor::Allocate(allocator_, plan_.dtype, Shape({schedule_.scratch_elements})));
  return Status();
}

// Posts receives first, so that a message that arrives at once finds its memory.
void Exchange::Run() {
  Post(schedule_.receives);
  Post(schedule_.sends);
  for (const Block& block : schedule_.blocks) {
    if (block.awaited == 0) Finish(block);
  }
  OneEnded();
}

char* Exchange::At(Transfer::Buffer buffer, int64_t element) const {
  const void* data = buffer == Transfer::Buffer::kInput    ? buffers_.input
                     : buffer == Transfer::Buffer::kOutput ? buffers_.output
                                                           : scratch_.raw();
  return const_cast<char*>(static_cast<const char*>(data)) + element * static_cast<int64_t>(element_bytes_);
}

// Counts all messages before it posts the first, so that none of them can be the last to end.
void Exchange::Post(const std::vector<Transfer>& transfers) {
  pending_.fetch_add(static_cast<int32_t>(transfers.size()), std::memory_order_relaxed);
  size_t at = posted_.fetch_add(transfers.size(), std::memory_order_relaxed);
  for (const Transfer& transfer : transfers) {
    Message& message = messages_[at++];
    message.exchange = this;
    message.transfer = &transfer;
    message.value = Tensor::Borrowed(plan_.dtype, Shape({transfer.count}), At(transfer.buffer, transfer.offset));
    Post(message);
  }
}

void Exchange::Post(Message& message) {
  const Transfer& transfer = *message.transfer;
  const ChannelKey key{transfer.channel, transfer.peer, /*static_shape=*/true};
  const Callback came = {[](void* arg, Status status) {
                           auto* ended = static_cast<Message*>(arg);
                           ended->exchange->Came(*ended, std::move(status));
                         },
                         &message};
  if (transfer.is_send) return rendezvous_.Send(key, message.value, /*is_dead=*/false, came);
  rendezvous_.Recv(key, allocator_, &message.value, nullptr, came);
}

void Exchange::Came(const Message& message, Status status) {
  const int32_t block = message.transfer->block;
  if (!status.ok()) {
    Fail(std::move(status));
  } else if (block >= 0 && awaited_[static_cast<size_t>(block)].fetch_sub(1, std::memory_order_acq_rel) == 1) {
    Finish(schedule_.blocks[static_cast<size_t>(block)]);
  }
  OneEnded();
}

void Exchange::Finish(const Block& block) {
  if (failed_.load(std::memory_order_relaxed)) return;
  if (block.action == Block::Action::kReduce) Reduce(block);
  if (block.action == Block::Action::kCopy) {
    std::memcpy(At(Transfer::Buffer::kOutput, block.output), At(Transfer::Buffer::kInput, block.input),
                static_cast<size_t>(block.count) * element_bytes_);
  }
  if (!block.then.empty()) Post(block.then);
}

void Exchange::Reduce(const Block& block) {
  const void** const values = &values_[static_cast<size_t>(&block - schedule_.blocks.data()) * plan_.ranks.size()];
  int64_t at = block.scratch;
  for (int i = 0; i < plan_.size(); ++i) {
    const bool is_own = i == plan_.index;
    values[i] = is_own ? At(Transfer::Buffer::kInput, block.input) : At(Transfer::Buffer::kScratch, at);
    if (!is_own) at += block.count;
  }
  reducer_.reduce(values, plan_.size(), At(Transfer::Buffer::kOutput, block.output), block.count);
}

void Exchange::Fail(Status status) {
  MutexLock lock(mu_);
  if (status_.ok()) status_ = std::move(status);
  failed_.store(true, std::memory_order_relaxed);
}

void Exchange::OneEnded() {
  if (pending_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const std::unique_ptr<Exchange> self(this);
  Status status;
  {
    MutexLock lock(mu_);
    status = std::move(status_);
  }
  scratch_.Reset();
  done_(std::move(status));
}

}  // namespace dfrun::comm

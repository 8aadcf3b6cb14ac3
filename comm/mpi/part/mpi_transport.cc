#include "comm/mpi/part/mpi_transport.h"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "comm/mpi/part/mpi_error.h"

namespace dfrun::comm {
namespace {

// True while a thread is in MPI. MPI_THREAD_SERIALIZED holds for the whole process: while one thread drives a
// transport, no other thread may drive another transport. The flag is held for a few calls of MPI, and no callback runs
// meanwhile. At a lower thread level one thread makes all calls and no lock is taken. Under SMPI, where the ranks are
// threads that take turns within calls of MPI, no lock can be held during such a call.
std::atomic<bool> g_in_mpi{false};

}  // namespace

Result<std::unique_ptr<MpiTransport>> MpiTransport::Create(MPI_Comm parent, const MpiTransportOptions& options) {
  MPI_Comm comm = MPI_COMM_NULL;
  DF_TRY(MpiStatus(MPI_Comm_dup(parent, &comm), "duplicate a communicator"));
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int* tag_bound = nullptr;
  int found = 0;
  MPI_Comm_get_attr(comm, MPI_TAG_UB, &tag_bound, &found);
  if (found == 0) return FailedPrecondition("this MPI does not say how large a tag may be (MPI_TAG_UB)");
  int level = MPI_THREAD_SERIALIZED;
  MPI_Query_thread(&level);
  return std::unique_ptr<MpiTransport>(
      new MpiTransport(comm, rank, size, static_cast<uint32_t>(*tag_bound), level >= MPI_THREAD_SERIALIZED, options));
}

MpiTransport::~MpiTransport() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;
  MPI_Comm comm = comm_;
  MPI_Comm_free(&comm);
}

void MpiTransport::EnterNetwork() {
  while (threads_take_turns_ && g_in_mpi.exchange(true, std::memory_order_acquire)) sched_yield();
}

void MpiTransport::LeaveNetwork() {
  if (threads_take_turns_) g_in_mpi.store(false, std::memory_order_release);
}

void MpiTransport::Start(const Call& call, Completions* completed) {
  if (free_calls_.empty()) {
    calls_.emplace_back();
    free_calls_.push_back(&calls_.back());
  }
  Started* started = free_calls_.back();
  free_calls_.pop_back();
  static_cast<Call&>(*started) = call;
  started->status = Status();
  // Counts this function, so that no piece ends the call while others are still to be started
  started->pieces_left = 1;
  size_t offset = 0;
  do {
    const size_t bytes = std::min(call.bytes - offset, options_.max_piece_bytes);
    StartPiece(started, offset, static_cast<int>(bytes));
    offset += bytes;
  } while (offset < call.bytes);
  EndPiece(started, completed);
}

// Starts one piece. A small Send is mostly complete when Isend returns, so it is tested at once and then needs no entry
// among the requests.
void MpiTransport::StartPiece(Started* call, size_t offset, int bytes) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int tag = static_cast<int>(tags_.Pack(call->tag));
  int error = call->is_send ? MPI_Isend(call->data + offset, bytes, MPI_BYTE, call->peer, tag, comm_, &request)
                            : MPI_Irecv(call->data + offset, bytes, MPI_BYTE, call->peer, tag, comm_, &request);
  int complete = 0;
  if (error == MPI_SUCCESS && call->is_send) error = MPI_Test(&request, &complete, MPI_STATUS_IGNORE);
  if (error != MPI_SUCCESS) return Fail(call, MpiStatus(error, Describe(*call)));
  if (complete != 0) return;
  ++call->pieces_left;
  requests_.push_back(request);
  pieces_.push_back({call, bytes});
  large_pieces_ += bytes >= kLargeBytes ? 1 : 0;
}

bool MpiTransport::Progress(Completions* completed) {
  int count = 0;
  for (int looks = large_pieces_ > 0 ? kLooksForLarge : 1; looks > 0 && count == 0; --looks) {
    const size_t requests = requests_.size() - oldest_;
    if (requests == 0) return false;
    if (requests > kWindow) {
      if (next_window_ < kWindow || next_window_ >= requests) next_window_ = kWindow;
      const size_t others = std::min(kWindow, requests - next_window_);
      const int ended = EndCompleted(oldest_ + next_window_, others, completed);
      next_window_ += others - static_cast<size_t>(ended);
      count += ended;
    }
    count += EndCompleted(oldest_, std::min(kWindow, requests_.size() - oldest_), completed);
  }
  return count > 0;
}

int MpiTransport::EndCompleted(size_t first, size_t number, Completions* completed) {
  int count = 0;
  const int error = Test(first, number, &count);
  if (count == MPI_UNDEFINED || count == 0) return 0;
  for (int i = 0; i < count; ++i) {
    const Piece& piece = pieces_[first + static_cast<size_t>(indices_[i])];
    if (piece.call == nullptr) continue;  // an abort has ended the Send
    if (!piece.call->is_send || error != MPI_SUCCESS) {
      Status status =
          PieceStatus(piece, statuses_[i], MpiErrorClass(error) == MPI_ERR_IN_STATUS ? statuses_[i].MPI_ERROR : error);
      if (!status.ok() && piece.call->status.ok() && !piece.call->is_send) CancelRest(piece.call);
      Fail(piece.call, std::move(status));
    }
    EndPiece(piece.call, completed);
  }
  std::sort(indices_.begin(), indices_.begin() + count);
  if (first == oldest_) {
    for (int i = 0; i < count; ++i) RemoveOld(first + static_cast<size_t>(indices_[i]));
    ForgetRemoved();
  } else {
    // Remove from the last to the first, so that the request that fills a gap is never a completed one itself.
    for (int i = count - 1; i >= 0; --i) RemoveOther(first + static_cast<size_t>(indices_[i]));
  }
  return count;
}

// Removes one of the oldest requests: the few before it move up and so keep their order.
void MpiTransport::RemoveOld(size_t index) {
  large_pieces_ -= pieces_[index].bytes >= kLargeBytes ? 1 : 0;
  const auto move_up = [&](auto& all) {
    const auto at = all.begin() + static_cast<std::ptrdiff_t>(index);
    std::move_backward(all.begin() + static_cast<std::ptrdiff_t>(oldest_), at, at + 1);
  };
  move_up(requests_);
  move_up(pieces_);
  ++oldest_;
}

// Moves the remaining requests to the front when they are no more than the removed ones.
void MpiTransport::ForgetRemoved() {
  if (oldest_ < requests_.size() - oldest_) return;
  requests_.erase(requests_.begin(), requests_.begin() + static_cast<std::ptrdiff_t>(oldest_));
  pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(oldest_));
  oldest_ = 0;
}

// Removes another request: the newest one takes its place.
void MpiTransport::RemoveOther(size_t index) {
  large_pieces_ -= pieces_[index].bytes >= kLargeBytes ? 1 : 0;
  requests_[index] = requests_.back();
  pieces_[index] = pieces_.back();
  requests_.pop_back();
  pieces_.pop_back();
}

// Does the work of MPI_Testsome. Open MPI's Testsome checks for completed requests before it progresses the network;
// its MPI_Test checks again afterwards.
int MpiTransport::Test(size_t first, size_t number, int* count) {
  if (number > 1) {
    return MPI_Testsome(static_cast<int>(number), &requests_[first], count, indices_.data(), statuses_.data());
  }
  const int error = MPI_Test(&requests_[first], count, statuses_.data());
  indices_[0] = 0;
  if (error != MPI_SUCCESS) *count = 1;
  return error;
}

Status MpiTransport::PieceStatus(const Piece& piece, const MPI_Status& status, int error) const {
  const Started& call = *piece.call;
  if (MpiErrorClass(error) == MPI_ERR_TRUNCATE) return WrongSize(call, std::nullopt);
  if (error != MPI_SUCCESS) return MpiStatus(error, Describe(call));
  int bytes = 0;
  if (!call.is_send) MPI_Get_count(&status, MPI_BYTE, &bytes);
  if (call.is_send || bytes == piece.bytes) return Status();
  return WrongSize(call, static_cast<size_t>(bytes));
}

void MpiTransport::Fail(Started* call, Status status) {
  if (call->status.ok()) call->status = std::move(status);
}

// Cancels the later pieces of a message that is too short and has ended with its first piece: their receives would take
// the next message.
void MpiTransport::CancelRest(const Started* call) {
  for (size_t i = oldest_; i < pieces_.size(); ++i) {
    if (pieces_[i].call == call && requests_[i] != MPI_REQUEST_NULL) MPI_Cancel(&requests_[i]);
  }
}

void MpiTransport::EndPiece(Started* call, Completions* completed) {
  if (--call->pieces_left > 0) return;
  Complete(*call, std::move(call->status), completed);
  free_calls_.push_back(call);
}

// Cancels receives, which end when MPI reports them as cancelled. The request of a Send stays, because MPI may still
// read its bytes.
void MpiTransport::EndAll(const Status& status, Completions* completed) {
  for (size_t i = oldest_; i < pieces_.size(); ++i) {
    Started* call = pieces_[i].call;
    call->status = status;
    if (call->is_send) {
      pieces_[i].call = nullptr;
      EndPiece(call, completed);
    } else {
      MPI_Cancel(&requests_[i]);
    }
  }
}

}  // namespace dfrun::comm

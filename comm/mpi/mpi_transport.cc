#include "comm/mpi/mpi_transport.h"

#include <sched.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "comm/mpi/mpi_error.h"

namespace dfrun::comm {
namespace {

// MPI_THREAD_SERIALIZED is of the process: while one thread drives a transport, no other may drive the other. It is
// held for a few calls of MPI, and no callback runs meanwhile.
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
  return std::unique_ptr<MpiTransport>(new MpiTransport(comm, rank, size, static_cast<uint32_t>(*tag_bound), options));
}

MpiTransport::~MpiTransport() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;
  MPI_Comm comm = comm_;
  MPI_Comm_free(&comm);
}

void MpiTransport::Send(int peer, uint32_t tag, const void* data, size_t bytes, Callback done) {
  Post({static_cast<char*>(const_cast<void*>(data)), bytes, peer, tag, true, done});
}

void MpiTransport::Recv(int peer, uint32_t tag, void* data, size_t bytes, Callback done) {
  Post({static_cast<char*>(data), bytes, peer, tag, false, done});
}

void MpiTransport::RecvLater(int peer, uint32_t tag, void* data, size_t bytes, Callback done) {
  MutexLock lock(mu_);
  later_.push_back({static_cast<char*>(data), bytes, peer, tag, false, done});
  later_any_.store(true, std::memory_order_relaxed);
}

void MpiTransport::Post(const Call& call) {
  Completions completed;
  if (TryDrive()) {
    StartQueued(&completed);  // what was called earlier starts earlier
    Start(call, &completed);
    LetGo(&completed);
  } else {
    MutexLock lock(mu_);
    queued_.push_back(call);
    queued_any_.store(true);
  }
  DriveQueued();
}

bool MpiTransport::Poll() {
  const bool any = DriveOnce();
  DriveQueued();
  return any;
}

// Why no call is left behind: who queues one sets queued_any_ and then looks whether the network is driven; the driver
// lets go and then looks at queued_any_. All four are sequentially consistent, so one of the two sees the other.
void MpiTransport::DriveQueued() {
  while (queued_any_.load() && DriveOnce()) {
  }
}

bool MpiTransport::DriveOnce() {
  if (!TryDrive()) return false;
  Completions completed;
  bool any = StartQueued(&completed);
  StartLater(&completed);
  any |= TestPieces(&completed);
  LetGo(&completed);
  return any;
}

bool MpiTransport::TryDrive() {
  if (driving_.exchange(true)) return false;
  while (g_in_mpi.exchange(true, std::memory_order_acquire)) sched_yield();
  return true;
}

void MpiTransport::LetGo(Completions* completed) {
  g_in_mpi.store(false, std::memory_order_release);
  driving_.store(false);
  completed->Run();
}

bool MpiTransport::StartQueued(Completions* completed) {
  if (!queued_any_.load()) return false;
  std::vector<Call> queued;
  Status aborted;
  {
    MutexLock lock(mu_);
    queued.swap(queued_);
    queued_any_.store(false);
    aborted = aborted_;
  }
  if (!aborted.ok() && abort_status_.ok()) ApplyAbort(aborted, completed);
  for (const Call& call : queued) Start(call, completed);
  return true;
}

void MpiTransport::StartLater(Completions* completed) {
  if (!later_any_.load(std::memory_order_relaxed)) return;
  {
    MutexLock lock(mu_);
    starting_.swap(later_);
    later_any_.store(false, std::memory_order_relaxed);
  }
  for (const Call& call : starting_) Start(call, completed);
  starting_.clear();
}

void MpiTransport::Start(const Call& call, Completions* completed) {
  if (!abort_status_.ok()) {
    completed->Add(call.done, abort_status_);
    return;
  }
  if (free_calls_.empty()) {
    calls_.emplace_back();
    free_calls_.push_back(&calls_.back());
  }
  Call* started = free_calls_.back();
  free_calls_.pop_back();
  *started = call;
  started->pieces_left = 1;  // this function's own, so that no piece ends the call while others are to start
  size_t offset = 0;
  do {
    const size_t bytes = std::min(call.bytes - offset, options_.max_piece_bytes);
    StartPiece(started, offset, static_cast<int>(bytes));
    offset += bytes;
  } while (offset < call.bytes);
  EndPiece(started, completed);
}

// A small Send is complete when Isend returns: it is tested at once and takes no place among the requests.
void MpiTransport::StartPiece(Call* call, size_t offset, int bytes) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int tag = static_cast<int>(call->tag);
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

bool MpiTransport::TestPieces(Completions* completed) {
  if (requests_.empty()) return false;
  indices_.resize(requests_.size());
  statuses_.resize(requests_.size());
  int count = 0;
  int error = MPI_SUCCESS;
  for (int looks = large_pieces_ > 0 ? kLooksForLarge : 1; looks > 0 && count == 0 && error == MPI_SUCCESS; --looks) {
    error = TestRequests(&count);
  }
  if (count == MPI_UNDEFINED || count == 0) return false;
  for (int i = 0; i < count; ++i) {
    const Piece& piece = pieces_[indices_[i]];
    if (piece.call == nullptr) continue;  // a Send that an abort has ended
    if (!piece.call->is_send || error != MPI_SUCCESS) {
      Fail(piece.call, PieceStatus(piece, statuses_[i], error == MPI_ERR_IN_STATUS ? statuses_[i].MPI_ERROR : error));
    }
    EndPiece(piece.call, completed);
  }
  // From the last to the first, so that what moves into a gap is never one of the gaps.
  std::sort(indices_.begin(), indices_.begin() + count, std::greater<>());
  for (int i = 0; i < count; ++i) {
    large_pieces_ -= pieces_[indices_[i]].bytes >= kLargeBytes ? 1 : 0;
    requests_[indices_[i]] = requests_.back();
    pieces_[indices_[i]] = pieces_.back();
    requests_.pop_back();
    pieces_.pop_back();
  }
  return true;
}

// As MPI_Testsome. Open MPI's looks for what is complete and then at the network; its MPI_Test looks once more after
// it.
int MpiTransport::TestRequests(int* count) {
  if (requests_.size() > 1) {
    return MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), count, indices_.data(), statuses_.data());
  }
  const int error = MPI_Test(requests_.data(), count, statuses_.data());
  indices_[0] = 0;
  if (error != MPI_SUCCESS) *count = 1;
  return error;
}

Status MpiTransport::PieceStatus(const Piece& piece, const MPI_Status& status, int error) const {
  const Call& call = *piece.call;
  if (error == MPI_ERR_TRUNCATE) {
    return Internal("rank ", rank_, " expected ", call.bytes, " bytes of rank ", call.peer, " with tag ", call.tag,
                    " and got more");
  }
  if (error != MPI_SUCCESS) return MpiStatus(error, Describe(call));
  int bytes = 0;
  if (!call.is_send) MPI_Get_count(&status, MPI_BYTE, &bytes);
  if (call.is_send || bytes == piece.bytes) return Status();
  return Internal("rank ", rank_, " expected ", call.bytes, " bytes of rank ", call.peer, " with tag ", call.tag,
                  " and got ", bytes);
}

std::string MpiTransport::Describe(const Call& call) const {
  return StrCat(call.is_send ? "send " : "receive ", call.bytes, " bytes from rank ", call.is_send ? rank_ : call.peer,
                " to rank ", call.is_send ? call.peer : rank_, " with tag ", call.tag);
}

void MpiTransport::Fail(Call* call, Status status) {
  if (call->status.ok()) call->status = std::move(status);
}

void MpiTransport::EndPiece(Call* call, Completions* completed) {
  if (--call->pieces_left > 0) return;
  completed->Add(call->done, std::move(call->status));
  free_calls_.push_back(call);
}

void MpiTransport::Abort(const Status& status) {
  {
    MutexLock lock(mu_);
    if (!aborted_.ok()) return;
    aborted_ = status;
    queued_any_.store(true);  // the driver looks
  }
  DriveQueued();
}

// Receives are cancelled and end when MPI says so; a Send's request stays, for MPI may still read its bytes.
void MpiTransport::ApplyAbort(const Status& status, Completions* completed) {
  abort_status_ = status;
  for (size_t i = 0; i < pieces_.size(); ++i) {
    Call* call = pieces_[i].call;
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

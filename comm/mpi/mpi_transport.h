// The transport over MPI: tagged point-to-point on a communicator of its own.
//
// Only Isend, Irecv, Testsome and Test are called while steps run, by one thread at a time (MPI_THREAD_SERIALIZED; with
// one thread, FUNNELED), whichever of the process's transports it drives. Whoever finds one driven by another thread
// leaves its calls in a queue; the driver empties it before, and looks again after, it lets go.
#ifndef DFRUN_COMM_MPI_MPI_TRANSPORT_H_
#define DFRUN_COMM_MPI_MPI_TRANSPORT_H_

#include <mpi.h>

#include <atomic>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "comm/mpi/completions.h"
#include "comm/transport.h"
#include "src/base/mutex.h"

namespace dfrun::comm {

struct MpiTransportOptions {
  // Larger messages travel in pieces of this size: MPI counts in int.
  size_t max_piece_bytes = size_t{1} << 30;
};

class MpiTransport final : public Transport {
 public:
  // Duplicates `parent`: collective over it. Unavailable if MPI says no; FailedPrecondition if its tags are too few.
  static Result<std::unique_ptr<MpiTransport>> Create(MPI_Comm parent, const MpiTransportOptions& options = {});
  ~MpiTransport() override;
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  std::string_view name() const override { return "mpi"; }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  uint32_t max_tag() const override { return max_tag_; }
  void Send(int peer, uint32_t tag, const void* data, size_t bytes, Callback done) override;
  void Recv(int peer, uint32_t tag, void* data, size_t bytes, Callback done) override;
  void RecvLater(int peer, uint32_t tag, void* data, size_t bytes, Callback done) override;
  bool Poll() override;
  void Abort(const Status& status) override;

 private:
  // One Send or Recv.
  struct Call {
    char* data = nullptr;
    size_t bytes = 0;
    int peer = 0;
    uint32_t tag = 0;
    bool is_send = false;
    Callback done = {};
    int pieces_left = 0;
    Status status = {};
  };
  // What a request moves.
  struct Piece {
    Call* call;  // null: of a Send that an abort has ended
    int bytes;
  };

  MpiTransport(MPI_Comm comm, int rank, int size, uint32_t max_tag, const MpiTransportOptions& options)
      : comm_(comm), rank_(rank), size_(size), max_tag_(max_tag), options_(options) {}

  bool TryDrive();
  void Post(const Call& call);
  void DriveQueued();
  // False where another thread drives, or nothing happened.
  bool DriveOnce();
  // Ends driving, then runs the callbacks.
  void LetGo(Completions* completed);

  // The driver's.
  bool StartQueued(Completions* completed) EXCLUDES(mu_);
  void StartLater(Completions* completed) EXCLUDES(mu_);
  bool TestPieces(Completions* completed);
  int TestRequests(int* count);
  void Start(const Call& call, Completions* completed);
  void StartPiece(Call* call, size_t offset, int bytes);
  void EndPiece(Call* call, Completions* completed);
  void ApplyAbort(const Status& status, Completions* completed);

  Status PieceStatus(const Piece& piece, const MPI_Status& status, int error) const;
  std::string Describe(const Call& call) const;
  static void Fail(Call* call, Status status);

  // A large message moves by a part whenever MPI is called: what calls it looks several times before it does other
  // things, such as giving its core away.
  static constexpr int kLargeBytes = 1 << 18;
  static constexpr int kLooksForLarge = 16;

  const MPI_Comm comm_;
  const int rank_;
  const int size_;
  const uint32_t max_tag_;
  const MpiTransportOptions options_;

  std::atomic<bool> driving_{false};
  // The driver's; requests_[i] moves pieces_[i].
  std::vector<MPI_Request> requests_;
  std::vector<Piece> pieces_;
  int large_pieces_ = 0;  // of them, of kLargeBytes and more
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  std::vector<Call> starting_;  // empty but while later_ is started
  std::deque<Call> calls_;
  std::vector<Call*> free_calls_;
  Status abort_status_;

  std::atomic<bool> queued_any_{false};  // calls or an abort wait for the driver
  std::atomic<bool> later_any_{false};   // receives wait for the next poll
  Mutex mu_;
  std::vector<Call> queued_ GUARDED_BY(mu_);
  std::vector<Call> later_ GUARDED_BY(mu_);
  Status aborted_ GUARDED_BY(mu_);
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_MPI_MPI_TRANSPORT_H_

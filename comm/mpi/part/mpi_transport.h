// The transport over MPI: tagged point-to-point messages on a communicator of its own.
//
// Only Isend, Irecv, Testsome and Test are called while steps run. One thread at a time calls them
// (MPI_THREAD_SERIALIZED; with one thread, FUNNELED), whichever of the process's transports it drives.
#ifndef DFRUN_COMM_MPI_PART_MPI_TRANSPORT_H_
#define DFRUN_COMM_MPI_PART_MPI_TRANSPORT_H_

#include <mpi.h>

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "comm/driven_transport.h"
#include "comm/tag_layout.h"

namespace dfrun::comm {

struct MpiTransportOptions {
  // Larger messages are sent in pieces of this size, because MPI counts in int.
  size_t max_piece_bytes = size_t{1} << 30;
};

class MpiTransport final : public DrivenTransport {
 public:
  // Duplicates `parent`; collective over it. Unavailable if MPI fails; FailedPrecondition if it has too few tags.
  static Result<std::unique_ptr<MpiTransport>> Create(MPI_Comm parent, const MpiTransportOptions& options = {});
  ~MpiTransport() override;
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  std::string_view name() const override { return "mpi"; }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int32_t max_channels() const override { return tags_.max_channels(); }
  int32_t max_slots() const override { return tags_.max_slots(); }

 private:
  // A call that has been started.
  struct Started : Call {
    int pieces_left = 0;
    Status status = {};
  };
  // The part of a message that a request moves.
  struct Piece {
    Started* call;  // null if an abort has ended the Send
    int bytes;
  };

  MpiTransport(MPI_Comm comm, int rank, int size, uint32_t max_tag, bool threads_take_turns,
               const MpiTransportOptions& options)
      : comm_(comm),
        rank_(rank),
        size_(size),
        tags_(max_tag),
        threads_take_turns_(threads_take_turns),
        options_(options) {}

  void EnterNetwork() override;
  void LeaveNetwork() override;
  void Start(const Call& call, Completions* completed) override;
  bool Progress(Completions* completed) override;
  bool HasStarted() const override { return !requests_.empty(); }
  void EndAll(const Status& status, Completions* completed) override;

  // Ends the calls of all complete requests among `number` requests from `first` on. Returns how many were complete.
  int EndCompleted(size_t first, size_t number, Completions* completed);
  int Test(size_t first, size_t number, int* count);
  void RemoveOld(size_t index);
  void ForgetRemoved();
  void RemoveOther(size_t index);
  void StartPiece(Started* call, size_t offset, int bytes);
  void EndPiece(Started* call, Completions* completed);
  Status PieceStatus(const Piece& piece, const MPI_Status& status, int error) const;
  void CancelRest(const Started* call);
  static void Fail(Started* call, Status status);

  // MPI moves a part of a large message whenever it is called, so a thread with large pieces in flight polls several
  // times before it does other things, such as yielding its core.
  static constexpr int kLargeBytes = 1 << 18;
  static constexpr int kLooksForLarge = 16;
  // Tensors mostly arrive in the order in which their receives were started, of which there are hundreds at the start
  // of a step. So a poll tests the kWindow oldest requests and, in turn, as many of the others. Its cost does not grow
  // with their number.
  static constexpr size_t kWindow = 16;

  const MPI_Comm comm_;
  const int rank_;
  const int size_;
  const TagLayout tags_;
  const bool threads_take_turns_;  // several threads of this process may call MPI, one at a time
  const MpiTransportOptions options_;

  // Guarded by driving: only the driver uses these. requests_[i] moves pieces_[i]; from oldest_ on they are in the
  // order in which they were started.
  std::vector<MPI_Request> requests_;
  std::vector<Piece> pieces_;
  size_t oldest_ = 0;
  size_t next_window_ = 0;  // start of the next window among the others, counted from oldest_
  int large_pieces_ = 0;    // pieces of kLargeBytes and more in flight
  std::array<int, kWindow> indices_{};
  std::array<MPI_Status, kWindow> statuses_{};
  std::deque<Started> calls_;
  std::vector<Started*> free_calls_;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_MPI_PART_MPI_TRANSPORT_H_

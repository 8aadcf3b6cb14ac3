#include "comm/mpi/part/raw_mpi.h"

#include <mpi.h>

#include <vector>

namespace dfrun::comm {
namespace {

constexpr int kTag = 1;

int Count(size_t count) {
  return static_cast<int>(count);
}

class RawMpi final : public RawNetwork {
 public:
  RawMpi() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_ARE_FATAL);
  }
  ~RawMpi() override { MPI_Comm_free(&comm_); }
  RawMpi(const RawMpi&) = delete;
  RawMpi& operator=(const RawMpi&) = delete;

  std::string_view name() const override { return "bare MPI"; }
  void Send(int peer, const void* data, size_t bytes) override {
    MPI_Send(data, Count(bytes), MPI_BYTE, peer, kTag, comm_);
  }
  void Recv(int peer, void* data, size_t bytes) override {
    MPI_Recv(data, Count(bytes), MPI_BYTE, peer, kTag, comm_, MPI_STATUS_IGNORE);
  }
  void SendRecv(int to, const void* sent, int from, void* received, size_t bytes) override {
    MPI_Sendrecv(sent, Count(bytes), MPI_BYTE, to, kTag, received, Count(bytes), MPI_BYTE, from, kTag, comm_,
                 MPI_STATUS_IGNORE);
  }
  void Exchange(std::span<const BareMessage> receives, std::span<const BareMessage> sends) override {
    requests_.resize(receives.size() + sends.size());
    MPI_Request* request = requests_.data();
    for (const BareMessage& m : receives) {
      MPI_Irecv(m.data, Count(m.bytes), MPI_BYTE, m.peer, m.tag, comm_, request++);
    }
    for (const BareMessage& m : sends) {
      MPI_Isend(m.data, Count(m.bytes), MPI_BYTE, m.peer, m.tag, comm_, request++);
    }
    MPI_Waitall(Count(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }
  void Barrier() override { MPI_Barrier(comm_); }
  void Broadcast(void* data, size_t bytes, int root) override { MPI_Bcast(data, Count(bytes), MPI_BYTE, root, comm_); }
  void Gather(const void* data, size_t bytes, void* all, int root) override {
    MPI_Gather(data, Count(bytes), MPI_BYTE, all, Count(bytes), MPI_BYTE, root, comm_);
  }
  void AllReduce(const float* data, float* sum, size_t count) override {
    MPI_Allreduce(data, sum, Count(count), MPI_FLOAT, MPI_SUM, comm_);
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<MPI_Request> requests_;
};

}  // namespace

std::unique_ptr<RawNetwork> NewRawMpi() {
  return std::make_unique<RawMpi>();
}

}  // namespace dfrun::comm

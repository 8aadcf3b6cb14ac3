// Run under mpirun: each process is a rank, and every rank runs every test.
#include <gtest/gtest.h>
#include <mpi.h>

#include <memory>

#include "comm/mpi/mpi_transport.h"
#include "tests/conformance/transport/transport_suite.h"

namespace dfrun::comm {
namespace {

class MpiTransportTest : public ::testing::Test {
 protected:
  void OnEveryRank(void (*body)(Transport&)) { Run(body, {}); }

  void Run(void (*body)(Transport&), const MpiTransportOptions& options) {
    Result<std::unique_ptr<MpiTransport>> transport = MpiTransport::Create(MPI_COMM_WORLD, options);
    ASSERT_TRUE(transport.ok()) << transport.status().ToString();
    body(**transport);
  }
};

DF_TRANSPORT_SUITE(MpiTransportTest)

TEST_F(MpiTransportTest, LargeMessagesTravelInPieces) {
  MpiTransportOptions options;
  options.max_piece_bytes = 1000;
  Run(SizesArriveWhole, options);
  Run(ManyMessagesAtRandom, options);
  options.max_piece_bytes = 100000;  // large enough not to leave before its receiver asks
  Run(AbortEndsEveryCall, options);
}

}  // namespace
}  // namespace dfrun::comm

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) {  // rank 0 speaks; a failed rank still shows by its exit code
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    if (provided >= MPI_THREAD_SERIALIZED) delete listeners.Release(listeners.default_result_printer());
  }
  const int failed = RUN_ALL_TESTS();
  MPI_Finalize();
  return provided < MPI_THREAD_SERIALIZED ? 1 : failed;
}

// Tests of the MPI transport beyond the suite. Run under mpirun, every rank each test.
#include <gtest/gtest.h>
#include <mpi.h>

#include <memory>

#include "comm/mpi/part/mpi_transport.h"
#include "tests/conformance/transport/transport_suite.h"

namespace dfrun::comm {
namespace {

TEST(MpiTransportTest, LargeMessagesTravelInPieces) {
  for (const TransportCase& c : TransportCases()) {
    MpiTransportOptions options;
    options.max_piece_bytes = 1000;
    // Large enough not to leave before its receiver asks.
    if (std::string_view(c.name) == "AbortEndsEveryCall") options.max_piece_bytes = 100000;
    const auto transport = MpiTransport::Create(MPI_COMM_WORLD, options);
    ASSERT_TRUE(transport.ok()) << transport.status().ToString();
    c.body(**transport);
  }
}

}  // namespace
}  // namespace dfrun::comm

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  const int failed = RUN_ALL_TESTS();
  MPI_Finalize();
  return failed;
}

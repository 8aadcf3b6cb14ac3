// The suite over ranks that are threads of one process, which need no launcher.
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "comm/in_process/in_process_transport.h"
#include "tests/conformance/transport/transport_suite.h"

namespace dfrun::comm {
namespace {

class InProcessTransportTest : public ::testing::TestWithParam<TransportCase> {};

TEST_P(InProcessTransportTest, KeepsTheContract) {
  for (int ranks : {2, 3, 5}) {
    const auto hub = std::make_shared<InProcessHub>(ranks);
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank) {
      threads.emplace_back([&, rank] {
        InProcessTransport transport(hub, rank);
        GetParam().body(transport);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

INSTANTIATE_TEST_SUITE_P(All, InProcessTransportTest,
                         ::testing::ValuesIn(TransportCases().begin(), TransportCases().end()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace dfrun::comm

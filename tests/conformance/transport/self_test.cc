#include "comm/self/self_transport.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "tests/conformance/transport/transport_suite.h"

namespace dfrun::comm {
namespace {

class SelfTransportTest : public ::testing::Test {
 protected:
  void OnEveryRank(void (*body)(Transport&)) {
    for (int ranks : {2, 3, 5}) {
      const auto hub = std::make_shared<SelfHub>(ranks);
      std::vector<std::thread> threads;
      for (int rank = 0; rank < ranks; ++rank) {
        threads.emplace_back([&hub, body, rank] {
          SelfTransport transport(hub, rank);
          body(transport);
        });
      }
      for (std::thread& thread : threads) thread.join();
    }
  }
};

DF_TRANSPORT_SUITE(SelfTransportTest)

}  // namespace
}  // namespace dfrun::comm

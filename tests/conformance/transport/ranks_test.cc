// The suite over every registered transport that can connect the ranks of an mpirun. Every rank runs every test.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>

#include "comm/bootstrap/bootstrap.h"
#include "comm/bootstrap/transport_registry.h"
#include "tests/conformance/transport/transport_suite.h"

namespace dfrun::comm {
namespace {

// Uses one peer and tag on both transports: messages of one must never meet receives of the other.
void TwoAreApart(std::span<const std::unique_ptr<Transport>> transports) {
  int got[2] = {-1, -1};
  const int sent[2] = {0, 1};
  Pending calls[4];
  for (size_t i : {1, 0}) {
    Transport& t = *transports[i];
    t.Send((t.rank() + 1) % t.size(), 5, &sent[i], sizeof sent[i], calls[i].callback());
  }
  for (size_t i : {0, 1}) {
    Transport& t = *transports[i];
    t.Recv((t.rank() + t.size() - 1) % t.size(), 5, &got[i], sizeof got[i], calls[2 + i].callback());
  }
  for (size_t i : {0, 1}) {
    Wait(*transports[i], calls[i]);
    Wait(*transports[i], calls[2 + i]);
    EXPECT_EQ(got[i], static_cast<int>(i));
  }
}

// Ends when all ranks have ended, so that no transport is destroyed while another rank still sends to it.
class RanksTest : public ::testing::Test {
 public:
  RanksTest(Bootstrap& bootstrap, const TransportDef& transport, const TransportCase* test)
      : bootstrap_(bootstrap), transport_(transport), test_(test) {}

  void TestBody() override {
    const auto transports = transport_.connect(bootstrap_, test_ == nullptr ? 2 : 1);
    ASSERT_TRUE(transports.ok()) << transports.status().ToString();
    if (test_ == nullptr) {
      TwoAreApart(*transports);
    } else {
      test_->body(*(*transports)[0]);
    }
    ASSERT_TRUE(bootstrap_.Barrier().ok());
  }

 private:
  Bootstrap& bootstrap_;
  const TransportDef& transport_;
  const TransportCase* test_;  // null: TwoAreApart()
};

void Register(Bootstrap& bootstrap, const std::string& transport, const TransportDef& def, const char* name,
              const TransportCase* test) {
  ::testing::RegisterTest(transport.c_str(), name, nullptr, nullptr, __FILE__, __LINE__,
                          [&, test]() -> RanksTest* { return new RanksTest(bootstrap, def, test); });
}

int RegisterAll(Bootstrap& bootstrap) {
  int usable = 0;
  for (const auto& [name, def] : Transports().all()) {
    if (!def.can_connect(bootstrap).ok()) continue;
    ++usable;
    for (const TransportCase& test : TransportCases()) Register(bootstrap, name, def, test.name, &test);
    Register(bootstrap, name, def, "TwoAreApart", nullptr);
  }
  return usable;
}

// The network namespace of this rank, where the environment names some: what is connected from now on is connected in
// it.
bool EnterNamespace(int rank) {
  const char* const prefix = std::getenv("DFRUN_TEST_NAMESPACE");
  if (prefix == nullptr) return true;
  const int space = open(("/run/netns/" + std::string(prefix) + std::to_string(rank)).c_str(), O_RDONLY | O_CLOEXEC);
  const bool entered = space >= 0 && setns(space, CLONE_NEWNET) == 0;
  if (!entered) std::perror("cannot enter the network namespace");
  if (space >= 0) close(space);
  return entered;
}

int RunOnEveryRank(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const auto bootstrap = StartBootstrap({.threads = 2});
  if (!bootstrap.ok()) {
    std::fprintf(stderr, "%s\n", bootstrap.status().ToString().c_str());
    return 1;
  }
  if (!EnterNamespace((*bootstrap)->rank())) return 1;
  if (RegisterAll(**bootstrap) == 0 || (*bootstrap)->size() == 1) {
    std::fprintf(stderr, "run it under mpirun: no transport connects these ranks\n");
    return 1;
  }
  if ((*bootstrap)->rank() != 0) {  // rank 0 speaks; a failed rank still shows by its exit code
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
  }
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace dfrun::comm

int main(int argc, char** argv) {
  return dfrun::comm::RunOnEveryRank(argc, argv);
}

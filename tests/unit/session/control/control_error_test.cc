#include "src/session/control/control_error.h"

#include <gtest/gtest.h>

namespace dfrun {
namespace {

TEST(ControlErrorTest, MessagesOfAnyBytesArrive) {
  const RankStatus status{InvalidArgument("cannot open caf\xe9/digits.h5"), 7};
  control::Error sent;
  ToProto(status, &sent);
  std::string wire;
  ASSERT_TRUE(sent.SerializeToString(&wire));
  control::Error received;
  ASSERT_TRUE(received.ParseFromString(wire));
  EXPECT_EQ(FromProto(received).status.ToString(), status.status.ToString());
  EXPECT_EQ(FromProto(received).time_ns, 7);
}

}  // namespace
}  // namespace dfrun

#include "comm/ucx/ucx_networks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/bootstrap/user_settings.h"
#include "tests/unit/testing/bare_environment.h"

namespace dfrun::comm {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

UcxHost Host(const std::string& memory, const HostNetwork& network) {
  return {"host", memory, false, network};
}

const HostNetwork kOwn = {"kernel:1", {{"10.1.1.1", 24}}};

TEST(UcxNetworksTest, RanksThatShareMemoryUseNothingElse) {
  const std::vector<UcxHost> hosts(3, Host("kernel:1:2", kOwn));
  const UcxNetworks networks = ChooseUcxNetworks(hosts, 1, true);
  EXPECT_EQ(networks.transports, "sm,self");
  EXPECT_THAT(networks.devices, IsEmpty());
  EXPECT_THAT(networks.why, HasSubstr("memory"));
}

TEST(UcxNetworksTest, ContainersApartOfAHostUseItsLoopback) {
  for (const UcxNetworks& networks :
       {ChooseUcxNetworks({Host("kernel:1:2", kOwn), Host("kernel:3:2", kOwn)}, 1, true),
        ChooseUcxNetworks({Host("-", kOwn), Host("-", kOwn)}, 1, true),
        ChooseUcxNetworks({Host("kernel:1:2", kOwn), Host("kernel:1:2", kOwn)}, 1, false)}) {
    EXPECT_THAT(networks.transports, IsEmpty());
    EXPECT_THAT(networks.devices, EndsWith("lo"));
    EXPECT_THAT(networks.why, HasSubstr("127.0.0.1"));
  }
}

// This host's own addresses, and another host beside it that has others of the same networks.
TEST(UcxNetworksTest, SeveralHostsUseTheInterfaceOfTheHeartbeats) {
  const HostNetwork own = ThisHost();
  if (own.addresses.empty()) GTEST_SKIP() << "no interface of this host is up";
  HostNetwork other{"another", {}};
  const std::vector<UcxHost> apart = {Host("a", own), Host("b", other)};
  EXPECT_THAT(ChooseUcxNetworks(apart, 0, true).why, IsEmpty());  // no network in common
  other.addresses = {{"198.51.100.1", 24}};
  const UcxNetworks networks = ChooseUcxNetworks({Host("a", own), Host("b", other)}, 0, true);
  EXPECT_THAT(networks.devices, EndsWith(InterfaceOf(own.addresses[0].ip)));
  EXPECT_THAT(networks.devices, ::testing::Not(IsEmpty()));
  EXPECT_THAT(networks.why, HasSubstr(own.addresses[0].ip));
}

TEST(UcxNetworksTest, AUserOfOneRankDecidesForAll) {
  std::vector<UcxHost> hosts(2, Host("kernel:1:2", kOwn));
  hosts[1].is_by_user = true;
  EXPECT_THAT(ChooseUcxNetworks(hosts, 0, true).why, IsEmpty());
}

TEST(UcxNetworksTest, HostsComeBackFromText) {
  const UcxHost host = UcxHost::Parse(UcxHost{"node", "kernel:1:2", true, kOwn}.Serialize());
  EXPECT_EQ(host.name, "node");
  EXPECT_EQ(host.memory, "kernel:1:2");
  EXPECT_TRUE(host.is_by_user);
  EXPECT_EQ(host.network.id, kOwn.id);
  EXPECT_EQ(host.network.addresses, kOwn.addresses);
  EXPECT_EQ(UcxHost::Parse(UcxHost{}.Serialize()).memory, "-");
}

TEST(UserSettingsTest, UcxIsSetByTheEnvironmentOrAFile) {
  BareEnvironment environment;
  EXPECT_EQ(WhereUcxIsSet(), "");
  environment.Write("ucx.conf", "UCX_LOG_LEVEL=info\n# UCX_TLS=tcp\n");
  EXPECT_EQ(WhereUcxIsSet(), "");
  environment.Write("ucx.conf", "UCX_TLS = all\n");
  EXPECT_EQ(WhereUcxIsSet(), "UCX_TLS in " + environment.folder() + "/ucx.conf");
  environment.Set("UCX_TLS", "tcp");
  EXPECT_EQ(WhereUcxIsSet(), "UCX_TLS=tcp");
}

TEST(UserSettingsTest, TheLastLineOfAFileCounts) {
  BareEnvironment environment;
  environment.Write("file", "a=1\nb = \"2\"\n a\t= 3 \n#a=4\naa=5");
  const std::string file = environment.folder() + "/file";
  EXPECT_EQ(SettingInFile(file, "a"), "3");
  EXPECT_EQ(SettingInFile(file, "b"), "2");
  EXPECT_EQ(SettingInFile(file, "c"), std::nullopt);
  EXPECT_EQ(SettingInFile(environment.folder() + "/none", "a"), std::nullopt);
}

}  // namespace
}  // namespace dfrun::comm

// The definition of the UCX transport: how ranks are connected by UCX.
#include <ucp/api/ucp.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string_view>

#include "comm/bootstrap/transport_part.h"
#include "comm/ucx/part/ucx_lanes.h"
#include "comm/ucx/part/ucx_raw_link.h"
#include "comm/ucx/part/ucx_rndv_choice.h"
#include "comm/ucx/part/ucx_settings.h"
#include "comm/ucx/part/ucx_texts.h"
#include "comm/ucx/part/ucx_transport.h"
#include "comm/ucx/ucx_networks.h"
#include "src/base/log.h"
#include "src/base/text.h"

namespace dfrun::comm {
namespace {

std::string Describe() {
  return StrCat("UCX ", ucp_get_version_string(), ", built with ", UCP_API_MAJOR, ".", UCP_API_MINOR,
                "; large values: ", DescribeRndvChoice());
}

Status CanConnect(const Bootstrap&) {
  return Status();
}

// The hosts of all ranks, by rank. Collective.
Result<std::vector<UcxHost>> GatherHosts(Bootstrap& bootstrap) {
  DF_ASSIGN(const std::vector<std::string> texts, bootstrap.AllGather(ThisUcxHost(UcxIsSetByUser()).Serialize()));
  std::vector<UcxHost> hosts;
  for (const std::string& text : texts) hosts.push_back(UcxHost::Parse(text));
  return hosts;
}

// Where the environment switches that off, UCX takes shared memory for no way to peers that may be lost.
bool HasPeerErrors() {
  const char* const value = std::getenv("UCX_MM_ERROR_HANDLING");
  return value == nullptr || std::string_view(value) == "y";
}

UcxRts::Mark NewMark() {
  std::random_device random;
  UcxRts::Mark mark;
  for (uint64_t& word : mark) word = static_cast<uint64_t>(random()) << 32 | random();
  return mark;
}

using UcxTransports = std::vector<std::unique_ptr<UcxTransport>>;

// Exchanges the addresses of the ranks' workers.
Status Introduce(const UcxTransports& transports, Bootstrap& bootstrap, const std::vector<std::string>& hosts) {
  const UcxRts::Mark own_mark = NewMark();
  std::string own;
  AppendText(own, ucp_get_version_string());
  AppendText(own, {reinterpret_cast<const char*>(own_mark.data()), sizeof own_mark});
  for (const auto& transport : transports) {
    DF_ASSIGN(const std::string address, transport->WorkerAddress());
    AppendText(own, address);
  }
  DF_ASSIGN(const std::vector<std::string> all, bootstrap.AllGather(own));
  UcxRts::Mark mark = {};
  std::vector<std::vector<UcxAddress>> addresses(transports.size());
  for (size_t r = 0; r < all.size(); ++r) {
    UcxTexts gpu(all[r]);
    const std::string version = gpu.Next();
    if (version != ucp_get_version_string()) {
      return FailedPrecondition("rank ", r, " on ", hosts[r], " has UCX ", version, " and rank ", bootstrap.rank(),
                                " on ", hosts[static_cast<size_t>(bootstrap.rank())], " UCX ", ucp_get_version_string(),
                                ": give all ranks the same library, or use --transport mpi");
    }
    const std::string mark_bytes = gpu.Next();
    if (r == 0 && mark_bytes.size() == sizeof mark) std::memcpy(mark.data(), mark_bytes.data(), sizeof mark);
    for (auto& of_transport : addresses) of_transport.push_back({hosts[r], gpu.Next()});
  }
  for (size_t i = 0; i < transports.size(); ++i) transports[i]->SetPeers(addresses[i], mark);
  return Status();
}

// Logs the lanes of each class of peers. Only rank 0 logs what is well; every rank logs what is not.
Status SayLanes(UcxTransport& transport, const std::vector<std::string>& hosts) {
  const auto own = static_cast<size_t>(transport.rank());
  for (const bool same_host : {true, false}) {
    size_t peer = 0;
    while (peer < hosts.size() && (peer == own || (hosts[peer] == hosts[own]) != same_host)) ++peer;
    if (peer == hosts.size() || (own != 0 && !same_host)) continue;
    DF_ASSIGN(const std::string lanes, transport.LanesTo(static_cast<int>(peer)));
    const bool is_slow = same_host && !AreSharedMemory(lanes);
    if (own == 0) {
      DF_LOG(kInfo) << "UCX " << ucp_get_version_string() << " reaches ranks of "
                    << (same_host ? "this host" : "other hosts") << " by " << lanes;
    }
    if (is_slow) {
      DF_LOG(kWarning) << "messages to rank " << peer << " of this host go by " << lanes
                       << ", not by shared memory, which is many times slower: see UCX_TLS, and whether the ranks may "
                          "share memory (containers: one IPC namespace)";
    }
  }
  return Status();
}

void SayNetworks(const UcxNetworks& asked) {
  if (asked.why.empty()) return;
  DF_LOG(kInfo) << "UCX is asked for "
                << (asked.devices.empty() ? StrCat("UCX_TLS=", asked.transports)
                                          : StrCat("UCX_NET_DEVICES=", asked.devices))
                << " alone, since " << asked.why;
}

Result<std::vector<std::unique_ptr<Transport>>> Connect(Bootstrap& bootstrap, int count) {
  DF_ASSIGN(const std::vector<UcxHost> of_ranks, GatherHosts(bootstrap));
  const auto rank = static_cast<size_t>(bootstrap.rank());
  std::vector<std::string> hosts;
  for (const UcxHost& host : of_ranks) hosts.push_back(host.name);
  const UcxScale scale = {bootstrap.size(), static_cast<int>(std::count(hosts.begin(), hosts.end(), hosts[rank])),
                          ChooseUcxNetworks(of_ranks, rank, HasPeerErrors())};
  if (rank == 0) SayNetworks(scale.networks);
  DF_ASSIGN(const std::shared_ptr<UcxContext> context, UcxContext::OfProcess(scale));
  UcxTransports transports;
  for (int i = 0; i < count; ++i) {
    DF_ASSIGN(std::unique_ptr<UcxTransport> transport,
              UcxTransport::Create(context, bootstrap.rank(), bootstrap.size()));
    transports.push_back(std::move(transport));
  }
  DF_TRY(Introduce(transports, bootstrap, hosts));
  DF_TRY(SayLanes(*transports.front(), hosts));
  DF_ASSIGN(const RndvThreshold reading, ChooseRndvThreshold(*transports.front(), bootstrap, hosts));
  std::vector<std::unique_ptr<Transport>> connected;
  for (std::unique_ptr<UcxTransport>& transport : transports) {
    transport->SetReading(reading);
    connected.push_back(std::move(transport));
  }
  return connected;
}

}  // namespace
}  // namespace dfrun::comm

TRANSPORT_PART({.priority = 5,
                .describe = &dfrun::comm::Describe,
                .can_connect = &dfrun::comm::CanConnect,
                .connect = &dfrun::comm::Connect,
                .bare = &dfrun::comm::UcxRawLink::Connect});

#include "comm/heartbeat/watch_link.h"

#include <set>

#include "src/framework/communication/rank_tree.h"

namespace dfrun::comm {
namespace {

constexpr size_t kMaxUnwritten = 2 * kMaxPayload;
constexpr size_t kMaxUnwrittenBeats = 1024;

}  // namespace

void WatchLink::Send(const Frame& frame) {
  const size_t most = frame.type() == FrameType::kBeat ? kMaxUnwrittenBeats : kMaxUnwritten;
  if (!socket.is_open() || socket.unwritten() + frame.payload.size() > most) return;
  socket.Write(frame.Encode());  // the next read reports an ended connection
}

std::vector<WatchLink> LinksOf(int rank, int size, const WatchTimes& times) {
  std::set<int> peers = {(rank + 1) % size, (rank + size - 1) % size};
  if (rank > 0) peers.insert(TreeParent(rank));
  for (const int child : TreeChildren(rank, size)) peers.insert(child);
  peers.erase(rank);
  std::vector<WatchLink> links;
  links.reserve(peers.size());
  for (const int peer : peers) links.emplace_back(peer, rank > peer, times);
  return links;
}

}  // namespace dfrun::comm

#include "src/job/write_shards.h"

#include <algorithm>
#include <utility>

namespace dfrun {

Result<std::vector<ShardEntry>> WriteShards(Session& session, const RunSignature& save, const std::string& directory) {
  DF_ASSIGN(const Session::Handle step, session.Prepare(save));
  std::vector<Tensor> entries(save.fetches.size());
  const Tensor feeds[] = {Tensor::Scalar<std::string>(directory)};
  DF_TRY(session.RunStep(step, feeds, entries));
  std::vector<ShardEntry> shards;
  for (const Tensor& entry : entries) {
    DF_ASSIGN(ShardEntry shard, ShardEntry::Parse(entry.scalar<std::string>()));
    shards.push_back(std::move(shard));
  }
  return shards;
}

uint64_t LeastBytesOf(const std::vector<KeptState>& kept) {
  uint64_t bytes = 0;
  for (const KeptState& state : kept) {
    for (const StatePart& part : state.parts) {
      const auto elements = static_cast<uint64_t>(std::max<int64_t>(part.shape.num_elements(), 0));
      bytes += elements * (IsPlain(part.dtype) ? DTypeSize(part.dtype) : 1);
    }
  }
  return bytes;
}

}  // namespace dfrun

// Summary messages (src/storage/summary.proto) as TensorBoard's plugins read them: a tensor, and metadata that name the
// plugin.
#ifndef DFRUN_SRC_EVENTS_SUMMARIES_H_
#define DFRUN_SRC_EVENTS_SUMMARIES_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "src/base/json/json_value.h"
#include "src/storage/summary.pb.h"

namespace dfrun {

// Collects scalars of a step: tensors of float32 and rank 0. Only the first of a tag has metadata, which readers keep.
// Thread safety: one thread.
class ScalarSummaries {
 public:
  void Add(const std::string& tag, double value);
  bool is_empty() const { return summary_.value_size() == 0; }
  // Returns the message with the scalars since the last call.
  std::string Take();

 private:
  std::set<std::string> described_;  // tags that had metadata
  proto::Summary summary_;
};

// The begin of a session of the plugin "hparams". `hparams`: an object of numbers, bools and texts. `start_s`: seconds
// since 1970.
std::string SessionStartSummary(const JsonValue& hparams, double start_s);

// The end of a session, that was a success or a failure.
std::string SessionEndSummary(bool success, double end_s);

// A histogram of whole numbers: how often each was found. It has a bucket for each.
std::string CountsSummary(const std::string& tag, const std::map<int64_t, int64_t>& counts);

// A text in a scalar tensor of strings, for the plugin that reads it.
std::string StringSummary(const std::string& tag, std::string_view plugin, std::string text);

}  // namespace dfrun

#endif  // DFRUN_SRC_EVENTS_SUMMARIES_H_

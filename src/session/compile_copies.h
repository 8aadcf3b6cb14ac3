// Copies of compiled signatures: a signature that runs the same nodes as another under other names gets the partitions
// of that one with its own names, without a pass.
//
// Replicas that run for themselves are such signatures: each is an executable of its own, and the nodes of two differ
// in their names, in the numbers by which kernels tell replicas apart, and in the names of their random sequences and
// loops. Channels are numbered anew.
#ifndef DFRUN_SRC_SESSION_COMPILE_COPIES_H_
#define DFRUN_SRC_SESSION_COMPILE_COPIES_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "src/session/compile.h"

namespace dfrun {

// Compiles signatures of one graph behind each other.
// Thread safety: one thread.
// Lifetime: all arguments outlive it.
class SignatureCompiler {
 public:
  using Partitions = std::shared_ptr<const std::vector<Partition>>;

  // Channels count on from *next_channel.
  SignatureCompiler(const Graph& graph, Runtime& runtime, const CompileOptions& options, int32_t* next_channel)
      : graph_(graph), runtime_(runtime), options_(options), next_channel_(next_channel) {}

  const Graph& graph() const { return graph_; }
  // Returns what CompileRun() makes of the signature, but for the order of nodes that do not wait for each other. An
  // error leaves *next_channel as it was.
  Result<Partitions> Compile(const RunSignature& signature);
  // The signatures so far that no copy was made for.
  int64_t num_compiled() const { return static_cast<int64_t>(compiled_.size()); }

 private:
  struct Compiled {
    const RunSignature signature;
    const Partitions partitions;
    const int32_t first_channel;
    const int32_t end_channel;
  };

  // Returns null where the signature is no copy of the compiled one.
  Partitions CopyOf(const Compiled& compiled, const RunSignature& signature);

  const Graph& graph_;
  Runtime& runtime_;
  const CompileOptions& options_;
  int32_t* const next_channel_;
  std::deque<Compiled> compiled_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_COMPILE_COPIES_H_

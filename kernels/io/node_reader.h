// The reader of a node's batches, which the node's kernels in several plans share.
#ifndef DFRUN_KERNELS_IO_NODE_READER_H_
#define DFRUN_KERNELS_IO_NODE_READER_H_

#include <memory>
#include <string>
#include <utility>

#include "kernels/io/batch_reader.h"
#include "src/framework/kernel/kernel.h"
#include "src/framework/kernel/op_context.h"
#include "src/framework/values/resource.h"

namespace dfrun {

// The shared reader of one node's kernels in several plans: a step that fetches more than others has a plan of its own,
// and takes the batch that was read ahead while the others ran.
// Thread safety: all methods from any thread.
class NodeReader final : public Resource {
 public:
  // The reader of an HDF5Reader or SampleReader and its device, whose batches lie in `memory`. The first caller makes
  // it. Attrs that do not fit are errors.
  static Result<RefPtr<NodeReader>> Of(KernelSetup& setup, Allocator& memory);

  NodeReader(std::string key, RefPtr<SampleSet> set, const BatchReader::Config& config, Allocator& memory)
      : key_(std::move(key)),
        set_(std::move(set)),
        batch_(config.batch),
        reader_(std::make_shared<BatchReader>(config, set_.get(), memory)) {}

  // Its name among the objects of its device.
  const std::string& key() const { return key_; }
  BatchReader& reader() { return *reader_; }
  SampleSet& set() { return *set_; }
  // Samples of a step's batch, by which positions grow from step to step; -1: all there are.
  int64_t batch() const { return batch_; }
  std::string DebugString() const override { return "batches of " + set_->DebugString(); }

 private:
  const std::string key_;
  const RefPtr<SampleSet> set_;
  const int64_t batch_;
  const std::shared_ptr<BatchReader> reader_;
};

// The callback for a node's batch: the batch's tensors become the node's outputs, and the node is done.
BatchReader::Done GiveTo(OpContext& ctx, Callback done);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_NODE_READER_H_

#include "src/executor/plan_builder.h"

#include <algorithm>
#include <bit>

namespace dfrun {
namespace {

// Feeds and fetches are numbered; hostile graphs must not make us reserve memory for absent ones.
constexpr int64_t kMaxIndex = 1 << 20;

Result<int32_t> IndexAttr(const Node& node) {
  DF_ASSIGN(const int64_t index, node.attrs.Get<int64_t>("index"));
  if (index < 0 || index >= kMaxIndex) return InvalidArgument("index ", index, " is not in [0, ", kMaxIndex, ")");
  return static_cast<int32_t>(index);
}

// Full alignment for what fills a vector register; scalars lie side by side.
size_t PlacedAlignment(size_t bytes) {
  return std::clamp(std::bit_ceil(bytes), sizeof(int64_t), Allocator::kAlignment);
}

bool HasFixed(const Tensor& value) {
  return value.initialized() || value.is_reference();
}

}  // namespace

Status PlanBuilder::Build() {
  plan_.device_ = &device_;
  DF_TRY(DraftNodes());
  DF_TRY(NumberNodes());
  AssignSlots();
  CountReaders();
  for (NodeId id : order_) WriteNode(graph_.node(id));
  plan_.records_.push_back({.first_edge = static_cast<uint32_t>(plan_.edges_.size())});
  plan_.details_.push_back({.first_release = static_cast<uint32_t>(plan_.releases_.size())});
  plan_.costs_ns_ = std::make_unique<std::atomic<uint32_t>[]>(plan_.num_expensive_);
  return Status();
}

Status PlanBuilder::DraftNodes() {
  drafts_.resize(graph_.num_nodes());
  plan_.all_infos_.resize(graph_.num_nodes());
  for (const Node& node : graph_.nodes()) {
    Status status = DraftNode(node);
    if (!status.ok()) return status.Annotate(graph_.Describe(node.id));
  }
  return Status();
}

Status PlanBuilder::DraftNode(const Node& node) {
  NodeInfo& info = plan_.all_infos_[node.id];
  info = {node.name, node.op, node.input_types, node.output_types};
  for (int i = 0; i < node.num_inputs(); ++i) info.inputs[i].is_ref = graph_.is_ref(node.inputs[i]);
  if (node.op->name == "_Arg") {
    DF_TRY(DraftFeed(node));
  } else if (node.op->name == "_Retval") {
    DF_TRY(DraftFetch(node));
  } else if (node.op->name != "NoOp") {
    DF_TRY(MakeKernel(node));
  }
  Draft& draft = drafts_[node.id];
  draft.is_settled = (draft.feed >= 0 || HasFixed(draft.fixed)) && node.inputs.empty() && node.control_inputs.empty();
  return Status();
}

Status PlanBuilder::DraftFeed(const Node& node) {
  DF_ASSIGN(const int32_t index, IndexAttr(node));
  if (index >= plan_.num_feeds()) plan_.feeds_.resize(index + 1);
  ExecPlan::Feed& feed = plan_.feeds_[index];
  if (!feed.name.empty()) return InvalidArgument("feed ", index, " is also that of '", feed.name, "'");
  feed = {.name = node.name, .dtype = node.output_types[0].dtype, .shape = node.output_shapes[0]};
  drafts_[node.id].feed = index;
  return Status();
}

Status PlanBuilder::DraftFetch(const Node& node) {
  DF_ASSIGN(const int32_t index, IndexAttr(node));
  if (index >= plan_.num_fetches_) {
    plan_.num_fetches_ = index + 1;
    is_fetched_.resize(index + 1);
  }
  if (is_fetched_[index]) return InvalidArgument("another node is also fetch ", index);
  is_fetched_[index] = true;
  drafts_[node.id].fetch = index;
  return Status();
}

Status PlanBuilder::MakeKernel(const Node& node) {
  Draft& draft = drafts_[node.id];
  DF_ASSIGN(draft.def, registry_.Find(node.op->name, device_.type(), node.attrs));
  std::vector<PartialShape> input_shapes;
  for (const Output& input : node.inputs) {
    // A ref has the shape that its variable has then.
    input_shapes.push_back(graph_.is_ref(input) ? PartialShape() : graph_.shape(input));
  }
  std::vector<bool> placed(node.num_outputs());
  for (int i = 0; i < node.num_outputs(); ++i) placed[i] = PlacedBytes(node, i) >= 0;
  KernelSetup setup(plan_.all_infos_[node.id], node.attrs, device_, std::move(input_shapes), node.output_shapes,
                    std::move(placed));
  std::unique_ptr<Kernel> kernel = draft.def->make(setup);
  DF_TRY(setup.status());
  draft.kernel = kernel.get();
  draft.fixed = kernel->FixedOutput();
  plan_.kernels_.push_back(std::move(kernel));
  return Status();
}

int64_t PlanBuilder::PlacedBytes(const Node& node, int output) const {
  const KernelDef* def = drafts_[node.id].def;
  const TypedArg& type = node.output_types[output];
  if (def == nullptr || def->shares_outputs || type.is_ref || !IsPlain(type.dtype)) return -1;
  if (!node.output_shapes[output].IsFullyDefined()) return -1;
  const Result<Shape> shape = node.output_shapes[output].ToShape();
  int64_t bytes = 0;
  if (!shape.ok() ||
      __builtin_mul_overflow(shape->num_elements(), static_cast<int64_t>(DTypeSize(type.dtype)), &bytes)) {
    return -1;
  }
  return bytes <= options_.max_placed_bytes ? bytes : -1;
}

template <class Visit>
void PlanBuilder::ForEachReader(NodeId id, Visit visit) {
  for (const Consumers::Edge& edge : consumers_.of(id)) {
    if (std::exchange(last_source_[edge.node], id) != id) visit(edge.node);
  }
}

void PlanBuilder::CountPending() {
  consumers_ = graph_.BuildConsumers();
  pending_.assign(graph_.num_nodes(), 0);
  last_source_.assign(graph_.num_nodes(), -1);
  for (const Node& node : graph_.nodes()) {
    if (drafts_[node.id].is_settled) continue;
    ForEachReader(node.id, [&](NodeId reader) { ++pending_[reader]; });
  }
}

std::vector<NodeId> PlanBuilder::Roots() const {
  std::vector<NodeId> roots;
  for (const Node& node : graph_.nodes()) {
    if (!drafts_[node.id].is_settled && pending_[node.id] == 0) roots.push_back(node.id);
  }
  // Receives first: what they wait for is under way while the others run.
  std::stable_partition(roots.begin(), roots.end(),
                        [&](NodeId id) { return drafts_[id].def != nullptr && drafts_[id].def->is_async; });
  return roots;
}

Status PlanBuilder::NumberNodes() {
  CountPending();
  order_ = Roots();
  plan_.num_roots_ = static_cast<uint32_t>(order_.size());
  std::vector<int32_t> waiting = pending_;
  last_source_.assign(graph_.num_nodes(), -1);
  for (size_t i = 0; i < order_.size(); ++i) {
    drafts_[order_[i]].number = static_cast<uint32_t>(i);
    ForEachReader(order_[i], [&](NodeId reader) {
      if (--waiting[reader] == 0) order_.push_back(reader);
    });
  }
  for (const Node& node : graph_.nodes()) {
    if (waiting[node.id] > 0) return InvalidArgument(graph_.Describe(node.id), " is in or behind a cycle");
  }
  last_source_.assign(graph_.num_nodes(), -1);
  return Status();
}

void PlanBuilder::AssignSlots() {
  std::vector<NodeId> all = order_;
  for (const Node& node : graph_.nodes()) {
    if (drafts_[node.id].is_settled) all.push_back(node.id);
  }
  for (NodeId id : all) {
    const Node& node = graph_.node(id);
    drafts_[id].first_slot = plan_.num_slots_;
    plan_.num_slots_ += node.num_outputs();
    slot_readers_.resize(plan_.num_slots_, -1);
    for (int i = 0; i < node.num_outputs(); ++i) AssignSlot(node, i, drafts_[id].first_slot + i);
  }
}

void PlanBuilder::AssignSlot(const Node& node, int output, uint32_t slot) {
  const Draft& draft = drafts_[node.id];
  if (output == 0 && HasFixed(draft.fixed)) {
    plan_.fixed_.push_back({slot, draft.fixed});
  } else if (const int64_t bytes = PlacedBytes(node, output); bytes >= 0) {
    const size_t align = PlacedAlignment(bytes);
    const size_t offset = (plan_.arena_bytes_ + align - 1) / align * align;
    plan_.arena_bytes_ = offset + bytes;
    plan_.placed_.push_back({slot, node.output_types[output].dtype, *node.output_shapes[output].ToShape(), offset});
  } else if (!node.output_types[output].is_ref) {
    plan_.counted_.push_back(slot);
    slot_readers_[slot] = 0;
  }
}

template <class Visit>
void PlanBuilder::ForEachCountedInput(const Node& node, Visit visit) {
  std::vector<std::pair<uint32_t, int32_t>> read;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const uint32_t slot = SlotOf(node.inputs[i]);
    if (slot_readers_[slot] >= 0) read.emplace_back(slot, i);
  }
  std::sort(read.begin(), read.end());
  for (auto it = read.begin(); it != read.end();) {
    const auto end = std::find_if(it, read.end(), [&](const auto& r) { return r.first != it->first; });
    visit(it->first, end - it == 1 ? it->second : -1);
    it = end;
  }
}

void PlanBuilder::CountReaders() {
  for (NodeId id : order_) {
    ForEachCountedInput(graph_.node(id), [&](uint32_t slot, int32_t) { ++slot_readers_[slot]; });
  }
  slot_counter_.assign(slot_readers_.size(), -1);
  for (size_t slot = 0; slot < slot_readers_.size(); ++slot) {
    if (slot_readers_[slot] < 2) continue;
    slot_counter_[slot] = static_cast<int32_t>(plan_.initial_readers_.size());
    plan_.initial_readers_.push_back(slot_readers_[slot]);
  }
  for (const Node& node : graph_.nodes()) {
    if (drafts_[node.id].feed < 0) continue;
    const uint32_t slot = drafts_[node.id].first_slot;
    if (slot_readers_[slot] > 0) plan_.feeds_[drafts_[node.id].feed].slot = static_cast<int32_t>(slot);
  }
}

void PlanBuilder::WriteNode(const Node& node) {
  const Draft& draft = drafts_[node.id];
  NodeDetail detail{.first_release = static_cast<uint32_t>(plan_.releases_.size())};
  NodeRecord record{.kernel = draft.kernel,
                    .first_input = static_cast<uint32_t>(plan_.inputs_.size()),
                    .first_output = draft.first_slot,
                    .first_edge = static_cast<uint32_t>(plan_.edges_.size())};
  record.flags = Flags(node, detail);
  WriteReleases(node);
  if (plan_.releases_.size() > detail.first_release) record.flags |= kNodeReleases;
  if (draft.kernel != nullptr && !draft.def->is_async && !HasFixed(draft.fixed)) record.fn = draft.kernel->fn();
  for (const Output& input : node.inputs) plan_.inputs_.push_back(SlotOf(input));
  ForEachReader(node.id, [&](NodeId reader) {
    plan_.edges_.emplace_back(drafts_[reader].number, /*only_input=*/pending_[reader] == 1);
  });
  plan_.initial_pending_.push_back(pending_[node.id]);
  plan_.infos_.push_back(&plan_.all_infos_[node.id]);
  plan_.records_.push_back(record);
  plan_.details_.push_back(detail);
}

uint32_t PlanBuilder::Flags(const Node& node, NodeDetail& detail) {
  const Draft& draft = drafts_[node.id];
  uint32_t flags = 0;
  const bool reads_ref =
      std::any_of(node.inputs.begin(), node.inputs.end(), [&](Output o) { return graph_.is_ref(o); });
  if (reads_ref && !node.op->allows_uninitialized_input) flags |= kNodeReadsRefs;
  if (draft.fetch >= 0) {
    flags |= kNodeRetval;
    detail.index = draft.fetch;
  } else if (draft.def != nullptr && draft.def->is_async) {
    flags |= kNodeAsync;
    detail.index = plan_.num_async_++;
  } else if (draft.kernel != nullptr && !HasFixed(draft.fixed) && draft.kernel->IsExpensive()) {
    flags |= kNodeExpensive;
    detail.index = plan_.num_expensive_++;
  }
  return flags;
}

void PlanBuilder::WriteReleases(const Node& node) {
  ForEachCountedInput(node, [&](uint32_t slot, int32_t input) {
    plan_.releases_.push_back({slot, slot_counter_[slot], input < 64 ? input : -1});
  });
  for (int i = 0; i < node.num_outputs(); ++i) {
    const uint32_t slot = drafts_[node.id].first_slot + i;
    if (slot_readers_[slot] == 0) plan_.releases_.push_back({slot, -1, -1});
  }
}

}  // namespace dfrun

#include "src/executor/step/frames.h"

#include <algorithm>
#include <utility>

namespace dfrun {
namespace {

// A bijection of 64 bits in which every input bit reaches every output bit (the finaliser of MurmurHash3).
uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdULL;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

}  // namespace

Frames::Frames(const ExecPlan& plan, StepValues& root_values, std::vector<AsyncOp>& root_ops, StepState* step,
               const StepResume& resume)
    : plan_(plan), step_(step), resume_(resume), idle_(plan.frames().size()) {
  root_.plan = &plan.root();
  root_.first_node = root_.plan->first_node;
  root_.values = &root_values;
  root_.children.resize(root_.plan->num_children);
  root_.ops = root_ops.data();
  for (AsyncOp& op : root_ops) op.iteration = &root_;
}

size_t Frames::NumberOf(const FrameRun& frame) const {
  return static_cast<size_t>(frame.plan - plan_.frames().data());
}

void Frames::Reset() {
  MutexLock lock(mu_);
  for (auto& idle : idle_) idle.clear();
  for (const std::unique_ptr<FrameRun>& frame : all_) {
    while (frame->oldest != nullptr) RetireOldest(*frame);
    for (const auto& iteration : frame->iterations) {
      std::fill(iteration->children.begin(), iteration->children.end(), nullptr);
    }
    DropConstants(*frame);
    frame->waiting.clear();
    frame->dead_ends.clear();
    frame->has_begun = false;
    idle_[NumberOf(*frame)].push_back(frame.get());
  }
  std::fill(root_.children.begin(), root_.children.end(), nullptr);
  root_.outstanding = 0;
}

std::string Frames::Unfinished() {
  MutexLock lock(mu_);
  for (const std::unique_ptr<FrameRun>& frame : all_) {
    if (!frame->entered.empty()) return frame->plan->name;
  }
  return "";
}

std::string Frames::TurnOf(uint64_t id) {
  if (id == 0) return "";
  MutexLock lock(mu_);
  for (const std::unique_ptr<FrameRun>& frame : all_) {
    const bool is_of_frame = frame->oldest != nullptr && (id - frame->first_id) % 2 == 0 &&
                             frame->TurnOf(id) >= frame->TurnOf(frame->oldest->id) &&
                             frame->TurnOf(id) <= frame->TurnOf(frame->next_id);
    if (is_of_frame) return StrCat("turn ", frame->TurnOf(id), " of the loop '", frame->plan->name, "'");
  }
  return "";
}

FrameRun& Frames::Find(Iteration& outer, int32_t frame) {
  const FramePlan& plan = plan_.frames()[frame];
  FrameRun*& child = outer.children[plan.child_index];
  if (child != nullptr) return *child;
  if (idle_[frame].empty()) {
    all_.push_back(std::make_unique<FrameRun>());
    idle_[frame].push_back(all_.back().get());
  }
  child = idle_[frame].back();
  idle_[frame].pop_back();
  child->plan = &plan;
  child->outer = &outer;
  child->exited.assign(plan.exits.size(), 0);
  child->next_id = child->first_id = Mix(outer.id ^ plan.name_hash) | 1;
  return *child;
}

void Frames::Retire(FrameRun& frame) {
  DropConstants(frame);
  frame.dead_ends.clear();
  frame.has_begun = false;
  frame.outer->children[frame.plan->child_index] = nullptr;
  idle_[NumberOf(frame)].push_back(&frame);
}

Result<std::unique_ptr<Iteration>> Frames::Make(FrameRun& frame) {
  auto made = std::make_unique<Iteration>();
  DF_ASSIGN(made->own_values, StepValues::Create(plan_, *frame.plan));
  made->plan = frame.plan;
  made->first_node = frame.plan->first_node;
  made->frame = &frame;
  made->values = made->own_values.get();
  made->own_ops = std::vector<AsyncOp>(frame.plan->layout.num_async);
  for (AsyncOp& op : made->own_ops) {
    op.Bind(step_, resume_);
    op.iteration = made.get();
  }
  made->ops = made->own_ops.data();
  made->children.resize(frame.plan->num_children);
  made->made_before = made_.load(std::memory_order_relaxed);
  made_.store(made.get(), std::memory_order_release);
  return made;
}

Result<Iteration*> Frames::Begin(FrameRun& frame) {
  if (frame.idle.empty()) {
    DF_ASSIGN(std::unique_ptr<Iteration> made, Make(frame));
    frame.idle.push_back(made.get());
    frame.iterations.push_back(std::move(made));
  }
  Iteration* const begun = frame.idle.back();
  frame.idle.pop_back();
  begun->next.store(nullptr, std::memory_order_relaxed);
  begun->program = nullptr;
  begun->id = frame.NextId();
  begun->values->Reset(/*is_later=*/frame.has_begun);
  if (!begun->has_constants) SetConstants(*begun);
  if (frame.newest != nullptr) frame.newest->next.store(begun, std::memory_order_release);
  if (frame.oldest == nullptr) frame.oldest = begun;
  frame.newest = begun;
  ++frame.num_running;
  return begun;
}

void Frames::SetConstants(Iteration& iteration) {
  iteration.has_constants = true;
  iteration.has_dead_constants = false;
  for (const FrameRun::Entered& entered : iteration.frame->entered) {
    if (!entered.is_constant) continue;
    iteration.values->slots()[entered.enter->first_output] = entered.value;
    iteration.has_dead_constants |= entered.is_dead;
  }
}

void Frames::DropConstants(FrameRun& frame) {
  for (const auto& iteration : frame.iterations) {
    if (!std::exchange(iteration->has_constants, false)) continue;
    for (const FrameRun::Entered& entered : frame.entered) {
      if (entered.is_constant) iteration->values->slots()[entered.enter->first_output].Reset();
    }
  }
  frame.entered.clear();
}

void Frames::RetireOldest(FrameRun& frame) {
  Iteration& ended = *frame.oldest;
  ended.values->Release();
  ended.outstanding = 0;
  frame.oldest = ended.next.load(std::memory_order_relaxed);
  if (frame.newest == &ended) frame.newest = nullptr;
  --frame.num_running;
  frame.idle.push_back(&ended);
}

}  // namespace dfrun

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "src/spec/entry.h"

namespace dfrun {
namespace {

// The entries that an entry reads or waits for, by number.
class References {
 public:
  // `whole`: only entries that are named themselves count, not those named by a node within.
  References(const std::vector<Entry>& entries, const EntryContext& context, bool whole)
      : context_(context), whole_(whole) {
    index_.reserve(entries.size());
    for (size_t i = 0; i < entries.size(); ++i) index_.emplace(entries[i].name, i);
  }

  std::vector<size_t> Of(const Entry& entry) const {
    std::vector<size_t> found;
    for (const EntryName& name : NamesIn(entry, context_)) Add(name.text, found);
    return found;
  }

 private:
  // "h1/W" is a node within the entry "h1" unless it is an entry itself.
  void Add(std::string_view name, std::vector<size_t>& found) const {
    while (true) {
      if (auto it = index_.find(name); it != index_.end()) return found.push_back(it->second);
      const size_t slash = name.rfind('/');
      if (slash == std::string_view::npos || whole_) return;
      name = name.substr(0, slash);
    }
  }

  const EntryContext& context_;
  const bool whole_;
  std::unordered_map<std::string_view, size_t> index_;
};

// Sorts depth first without recursion, because a chain of entries may be as long as the spec.
class Sorter {
 public:
  using OnCycle = std::function<void(const std::vector<size_t>& cycle)>;

  Sorter(const std::vector<Entry>& entries, References references, OnCycle on_cycle)
      : entries_(entries),
        references_(std::move(references)),
        on_cycle_(std::move(on_cycle)),
        states_(entries.size(), State::kNew) {}

  std::vector<size_t> Sort() {
    order_.reserve(entries_.size());
    for (size_t i = 0; i < entries_.size(); ++i) {
      if (states_[i] == State::kNew) Visit(i);
    }
    return std::move(order_);
  }

 private:
  enum class State : uint8_t { kNew, kOpen, kDone };
  struct Step {
    size_t entry;
    std::vector<size_t> needs;
    size_t next = 0;
  };

  void Visit(size_t first) {
    Open(first);
    while (!stack_.empty()) {
      Step& step = stack_.back();
      if (step.next == step.needs.size()) {
        states_[step.entry] = State::kDone;
        order_.push_back(step.entry);
        stack_.pop_back();
        continue;
      }
      const size_t need = step.needs[step.next++];
      if (states_[need] == State::kNew)
        Open(need);
      else if (states_[need] == State::kOpen)
        on_cycle_(CycleFrom(need));
    }
  }

  void Open(size_t entry) {
    states_[entry] = State::kOpen;
    stack_.push_back({entry, references_.Of(entries_[entry])});
  }

  std::vector<size_t> CycleFrom(size_t entry) const {
    std::vector<size_t> cycle;
    auto it = std::find_if(stack_.begin(), stack_.end(), [&](const Step& s) { return s.entry == entry; });
    for (; it != stack_.end(); ++it) cycle.push_back(it->entry);
    return cycle;
  }

  const std::vector<Entry>& entries_;
  const References references_;
  const OnCycle on_cycle_;
  std::vector<State> states_;
  std::vector<Step> stack_;
  std::vector<size_t> order_;
};

}  // namespace

std::optional<std::vector<size_t>> OrderEntries(const std::vector<Entry>& entries, const EntryContext& context) {
  bool has_cycle = false;
  const auto on_cycle = [&](const std::vector<size_t>&) { has_cycle = true; };
  std::vector<size_t> order = Sorter(entries, References(entries, context, /*whole=*/false), on_cycle).Sort();
  if (has_cycle) return {};
  return order;
}

void CheckCycles(const std::vector<Entry>& entries, const EntryContext& context) {
  const auto report = [&](const std::vector<size_t>& cycle) {
    std::vector<std::string> names;
    for (const size_t i : cycle) names.emplace_back(entries[i].name);
    context.diagnostics.Error(entries[cycle[0]].location, CycleOf(names));
  };
  Sorter(entries, References(entries, context, /*whole=*/true), report).Sort();
}

std::string CycleOf(const std::vector<std::string>& names) {
  constexpr size_t kMaxShown = 10;
  std::string text = "nodes depend on each other: ";
  for (size_t i = 0; i < names.size() && i < kMaxShown; ++i) text += names[i] + " -> ";
  if (names.size() > kMaxShown) text += StrCat("... (", names.size(), " nodes) -> ");
  return text + names[0];
}

}  // namespace dfrun

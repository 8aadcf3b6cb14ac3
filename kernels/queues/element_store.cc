#include "kernels/queues/element_store.h"

#include <deque>
#include <map>
#include <tuple>
#include <utility>

namespace dfrun {
namespace {

template <class Elements>
std::vector<const QueueElement*> PointersTo(const Elements& elements) {
  std::vector<const QueueElement*> pointers;
  for (const QueueElement& element : elements) pointers.push_back(&element);
  return pointers;
}

class FifoStore final : public ElementStore {
 public:
  int64_t size() const override { return static_cast<int64_t>(elements_.size()); }
  void Push(QueueElement element) override { elements_.push_back(std::move(element)); }
  QueueElement Pop() override {
    QueueElement element = std::move(elements_.front());
    elements_.pop_front();
    return element;
  }
  void PutBack(QueueElement element) override { elements_.push_front(std::move(element)); }
  std::vector<const QueueElement*> Elements() const override { return PointersTo(elements_); }
  void Clear() override { elements_.clear(); }

 private:
  std::deque<QueueElement> elements_;
};

class ShuffleStore final : public ElementStore {
 public:
  explicit ShuffleStore(const Philox& generator) : drawn_{generator}, numbers_(generator) {}

  int64_t size() const override { return static_cast<int64_t>(elements_.size()); }
  void Push(QueueElement element) override { elements_.push_back(std::move(element)); }
  QueueElement Pop() override {
    ++drawn_.count;
    std::swap(elements_[numbers_.Next() % elements_.size()], elements_.back());
    QueueElement element = std::move(elements_.back());
    elements_.pop_back();
    return element;
  }
  void PutBack(QueueElement element) override { Push(std::move(element)); }
  std::vector<const QueueElement*> Elements() const override { return PointersTo(elements_); }
  void Clear() override { elements_.clear(); }
  std::optional<DrawnNumbers> drawn() const override { return drawn_; }
  void set_drawn(const DrawnNumbers& drawn) override {
    constexpr uint64_t kPerBlock = std::tuple_size_v<Philox::Block>;
    Philox generator = drawn.start;
    generator.Skip(drawn.count / kPerBlock);
    numbers_ = PhiloxNumbers(generator);
    for (uint64_t i = 0; i < drawn.count % kPerBlock; ++i) numbers_.Next();
    drawn_ = drawn;
  }

 private:
  DrawnNumbers drawn_;
  PhiloxNumbers numbers_;
  std::vector<QueueElement> elements_;
};

class PriorityStore final : public ElementStore {
 public:
  int64_t size() const override { return static_cast<int64_t>(elements_.size()); }
  void Push(QueueElement element) override {
    const int64_t priority = element[0].scalar<int64_t>();
    elements_.emplace(Position(priority, next_++), std::move(element));
  }
  QueueElement Pop() override { return std::move(elements_.extract(elements_.begin()).mapped()); }
  void PutBack(QueueElement element) override {
    const int64_t priority = element[0].scalar<int64_t>();
    elements_.emplace(Position(priority, --first_), std::move(element));
  }
  std::vector<const QueueElement*> Elements() const override {
    std::vector<const QueueElement*> pointers;
    for (const auto& [position, element] : elements_) pointers.push_back(&element);
    return pointers;
  }
  void Clear() override { elements_.clear(); }

 private:
  using Position = std::pair<int64_t, int64_t>;  // priority, then the order in which they came
  std::map<Position, QueueElement> elements_;
  int64_t next_ = 0;   // number of the next element that arrives
  int64_t first_ = 0;  // number of the next element that comes back, before all others of its priority
};

}  // namespace

std::unique_ptr<ElementStore> NewFifoStore() {
  return std::make_unique<FifoStore>();
}

std::unique_ptr<ElementStore> NewShuffleStore(const Philox& generator) {
  return std::make_unique<ShuffleStore>(generator);
}

std::unique_ptr<ElementStore> NewPriorityStore() {
  return std::make_unique<PriorityStore>();
}

}  // namespace dfrun

// The one kind of table: a hash map from keys to rows of values.
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "kernels/lookup/lookup_table.h"

namespace dfrun {
namespace {

template <class K, class V>
class HashTable final : public LookupTable {
 public:
  HashTable(std::string name, const TableType& type)
      : LookupTable(std::move(name), type), width_(type.value_shape.num_elements()), initialized_(type.is_mutable) {}

  Status Find(const Tensor& keys, const Tensor& absent, Tensor* found) const override {
    DF_TRY(CheckKeys(keys));
    const bool one_each = absent.shape() == found->shape();
    if (absent.dtype() != type().value || (!one_each && !(absent.shape() == type().value_shape))) {
      return InvalidArgument("the ", DebugString(), " cannot give ", absent.dtype(), absent.shape(),
                             " for an absent key");
    }
    MutexLock lock(mu_);
    if (!initialized_) return NotInitialized();
    // A table that is not mutable gives the first absent value for all keys, even if each key has one; TensorFlow does
    // the same.
    const int64_t next = one_each && type().is_mutable ? width_ : 0;
    V* to = found->data<V>();
    for (int64_t i = 0; i < keys.num_elements(); ++i, to += width_) {
      const auto at = rows_.find(keys.data<K>()[i]);
      if (at != rows_.end()) {
        std::copy_n(at->second.begin(), width_, to);
      } else {
        std::copy_n(absent.data<V>() + i * next, width_, to);
      }
    }
    return Status();
  }

  Status Insert(const Tensor& keys, const Tensor& values) override {
    DF_TRY(CheckMutable("cannot insert into"));
    DF_TRY(CheckValues(keys, values));
    MutexLock lock(mu_);
    Fill(keys, values);
    return Status();
  }

  Status Import(const Tensor& keys, const Tensor& values) override {
    if (!type().is_mutable) return Initialize(keys, values);
    DF_TRY(CheckValues(keys, values));
    if (keys.shape().rank() != 1) return InvalidArgument("keys to import must be a vector, not ", keys.shape());
    MutexLock lock(mu_);
    rows_.clear();
    Fill(keys, values);
    return Status();
  }

  Status Initialize(const Tensor& keys, const Tensor& values) override {
    if (type().is_mutable) return InvalidArgument("the ", DebugString(), " is mutable: insert into it");
    DF_TRY(CheckValues(keys, values));
    if (keys.shape().rank() != 1 || keys.num_elements() == 0) {
      return InvalidArgument("the ", DebugString(), " is filled with a vector of keys, not with a tensor of shape ",
                             keys.shape());
    }
    Rows rows;
    for (int64_t i = 0; i < keys.num_elements(); ++i) {
      const auto [at, added] = rows.try_emplace(keys.data<K>()[i], Row(values, i));
      if (!added && at->second != Row(values, i)) {
        return FailedPrecondition("the ", DebugString(), " is given two values for the key ", keys.data<K>()[i]);
      }
    }
    MutexLock lock(mu_);
    if (initialized_ && rows != rows_) {
      return FailedPrecondition("the ", DebugString(), " was initialised with other data before");
    }
    rows_ = std::move(rows);
    initialized_ = true;
    return Status();
  }

  Status Remove(const Tensor& keys) override {
    DF_TRY(CheckMutable("cannot remove from"));
    DF_TRY(CheckKeys(keys));
    MutexLock lock(mu_);
    for (const K& key : keys.values<K>()) rows_.erase(key);
    return Status();
  }

  Result<int64_t> Size() const override {
    MutexLock lock(mu_);
    return static_cast<int64_t>(rows_.size());
  }

  bool is_initialized() const override {
    MutexLock lock(mu_);
    return initialized_;
  }

  Status Export(Allocator& allocator, Tensor* keys, Tensor* values) const override {
    MutexLock lock(mu_);
    if (!initialized_) return NotInitialized();
    std::vector<const typename Rows::value_type*> sorted;
    for (const auto& entry : rows_) sorted.push_back(&entry);
    std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->first < b->first; });
    const Shape count({static_cast<int64_t>(sorted.size())});
    DF_ASSIGN(const Shape values_shape, ValuesShape(count, type().value_shape));
    DF_ASSIGN(*keys, Tensor::Allocate(allocator, type().key, count));
    DF_ASSIGN(*values, Tensor::Allocate(allocator, type().value, values_shape));
    K* key = keys->data<K>();
    V* value = values->data<V>();
    for (const auto* entry : sorted) {
      *key++ = entry->first;
      value = std::copy(entry->second.begin(), entry->second.end(), value);
    }
    return Status();
  }

 private:
  using Rows = std::unordered_map<K, std::vector<V>>;

  std::vector<V> Row(const Tensor& values, int64_t i) const {
    return std::vector<V>(values.data<V>() + i * width_, values.data<V>() + (i + 1) * width_);
  }
  void Fill(const Tensor& keys, const Tensor& values) REQUIRES(mu_) {
    for (int64_t i = 0; i < keys.num_elements(); ++i) rows_[keys.data<K>()[i]] = Row(values, i);
  }

  const int64_t width_;  // elements of a value
  mutable Mutex mu_;
  bool initialized_ GUARDED_BY(mu_);
  Rows rows_ GUARDED_BY(mu_);
};

}  // namespace

Result<LookupTable*> LookupTable::Create(std::string name, const TableType& type) {
  LookupTable* table = nullptr;
  VisitDType<std::string, int32_t, int64_t>(type.key, [&](auto key) {
    VisitDType<std::string, int32_t, int64_t, float, double, bool>(type.value, [&](auto value) {
      table = new HashTable<typename decltype(key)::type, typename decltype(value)::type>(std::move(name), type);
    });
  });
  if (table != nullptr) return table;
  return Unimplemented("a table from ", type.key, " to ", type.value);
}

}  // namespace dfrun

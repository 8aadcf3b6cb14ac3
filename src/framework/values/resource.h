// Objects that outlive steps (variables, queues, readers) and the containers that hold them by name.
#ifndef DFRUN_SRC_FRAMEWORK_VALUES_RESOURCE_H_
#define DFRUN_SRC_FRAMEWORK_VALUES_RESOURCE_H_

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <typeindex>
#include <utility>

#include "src/base/mutex.h"
#include "src/base/status.h"

namespace dfrun {

// Reference counted by RefPtr.
class Resource {
 public:
  Resource() = default;
  Resource(const Resource&) = delete;
  Resource& operator=(const Resource&) = delete;
  // The text in a listing of a container: "Variable float32[3,4]".
  virtual std::string DebugString() const = 0;

  void Ref() const { refs_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() const {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 protected:
  virtual ~Resource() = default;

 private:
  mutable std::atomic<int> refs_{0};
};

template <class T>
class RefPtr {
 public:
  RefPtr() = default;
  explicit RefPtr(T* object) : object_(object) {
    if (object_ != nullptr) object_->Ref();
  }
  RefPtr(const RefPtr& other) : RefPtr(other.object_) {}
  RefPtr(RefPtr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  RefPtr& operator=(RefPtr other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~RefPtr() {
    if (object_ != nullptr) object_->Unref();
  }
  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

// The element of a tensor of dtype resource: shares ownership of one object.
class ResourceHandle {
 public:
  ResourceHandle() = default;
  ResourceHandle(std::string name, RefPtr<Resource> object) : name_(std::move(name)), object_(std::move(object)) {}

  const std::string& name() const { return name_; }
  Resource* get() const { return object_.get(); }

  // The object as a T; InvalidArgument where it is none or another kind.
  template <class T>
  Result<T*> As(std::string_view kind) const {
    if (auto* object = dynamic_cast<T*>(object_.get())) return object;
    return InvalidArgument("the resource '", name_, "' is ", object_ ? object_->DebugString() : "no object", ", not a ",
                           kind);
  }

 private:
  std::string name_;
  RefPtr<Resource> object_;
};

// The containers of one device. The default container is "".
// Thread safety: all methods from any thread.
class ResourceContainers {
 public:
  // The T of this container and name, made by `make` if there is none yet; a name may stand for one object of each T.
  template <class T>
  Result<RefPtr<T>> LookupOrCreate(const std::string& container, const std::string& name,
                                   const std::function<Result<T*>()>& make) {
    MutexLock lock(mu_);
    RefPtr<Resource>& slot = objects_[Key(container, std::type_index(typeid(T)), name)];
    if (!slot) {
      Result<T*> made = make();
      if (!made.ok()) {
        objects_.erase(Key(container, std::type_index(typeid(T)), name));
        return made.status();
      }
      slot = RefPtr<Resource>(*made);
    }
    return RefPtr<T>(static_cast<T*>(slot.get()));
  }

  // Returns null if there is none.
  template <class T>
  RefPtr<T> Lookup(const std::string& container, const std::string& name) const {
    MutexLock lock(mu_);
    auto it = objects_.find(Key(container, std::type_index(typeid(T)), name));
    return it == objects_.end() ? RefPtr<T>() : RefPtr<T>(static_cast<T*>(it->second.get()));
  }

  // Returns false if there was none. The object lives on while others hold it.
  template <class T>
  bool Remove(const std::string& container, const std::string& name) {
    MutexLock lock(mu_);
    return objects_.erase(Key(container, std::type_index(typeid(T)), name)) > 0;
  }

  // Forgets every object of the container.
  void Reset(const std::string& container);

 private:
  using Key = std::tuple<std::string, std::type_index, std::string>;
  mutable Mutex mu_;
  std::map<Key, RefPtr<Resource>> objects_ GUARDED_BY(mu_);
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_VALUES_RESOURCE_H_

// The registry of kernels. Registration names op, dtypes and device and nothing else. A device type has its own macros
// for it; those of the CPU (kernels/device/cpu_kernel.h):
//     CPU_KERNEL("Tanh", cpu::Unary<fn::Tanh>, float, double);   // Unary<F> has a member template Kernel<T>
//     CPU_KERNEL_ANY("NoOp", NoOpKernel);                        // one class for every dtype
//     CPU_KERNEL_ATTR("ArgMax", "T", ArgMaxFamily, float);       // the attr that decides, where it is not "T"
// A kernel class that reads or writes some arguments in host memory names them:
//     static constexpr std::string_view kHostInputs[] = {"shape"};
//     static constexpr std::string_view kHostOutputs[] = {"output"};
#ifndef DFRUN_SRC_FRAMEWORK_KERNEL_KERNEL_REGISTRY_H_
#define DFRUN_SRC_FRAMEWORK_KERNEL_KERNEL_REGISTRY_H_

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "src/framework/kernel/kernel.h"

namespace dfrun {

// The kernels of a device type that stands for all: they do as the device of their context says.
inline constexpr std::string_view kAnyDevice;

struct KernelDef {  // all texts must live for ever
  std::string_view op;
  std::string_view device_type;  // a device factory's type, or kAnyDevice
  std::string_view attr;         // the type attr that `dtype` constrains; empty: none
  DType dtype = DType::kInvalid;
  bool shares_outputs = false;
  bool is_async = false;
  std::unique_ptr<Kernel> (*make)(KernelSetup& setup) = nullptr;
  // Arguments of the op that the kernel reads or writes in host memory, whatever the device's own is. Those that are no
  // plain numbers are in host memory always.
  std::span<const std::string_view> host_inputs = {};
  std::span<const std::string_view> host_outputs = {};
};

// Sets TypedArg::in_host of a node's arguments as its kernel on a device with memory of its own has them. `def` is null
// for a node without one.
Status SetHostArgs(const KernelDef* def, const AttrMap& attrs, NodeInfo& info);

// Thread safety: built by one thread, then read by any.
class KernelRegistry {
 public:
  KernelRegistry() = default;
  KernelRegistry(const KernelRegistry&) = delete;
  KernelRegistry& operator=(const KernelRegistry&) = delete;

  // Returns every kernel registered in this program.
  static const KernelRegistry& Builtin();

  Status Register(const KernelDef& def);
  // The kernel for a node of this op and these attrs: one of this type of device before one of any; NotFound names the
  // dtypes and devices there are.
  Result<const KernelDef*> Find(std::string_view op, std::string_view device_type, const AttrMap& attrs) const;
  // Returns all kernels of an op, for listings.
  std::vector<const KernelDef*> List(std::string_view op) const;

 private:
  std::multimap<std::string_view, KernelDef, std::less<>> kernels_;
};

// Makes a kernel for a device type out of another type's; nothing where that kernel does not serve it.
using KernelDefMaker = std::optional<KernelDef> (*)(const KernelDef& def);

namespace internal {

struct KernelRegistration {
  KernelRegistration(std::initializer_list<KernelDef> defs);
};
struct KernelDerivation {
  explicit KernelDerivation(KernelDefMaker make);
};

template <class K>
Status InvokeKernel(Kernel* kernel, OpContext& ctx) {
  return static_cast<K*>(kernel)->Compute(ctx);
}

template <class K>
std::unique_ptr<Kernel> MakeKernel(KernelSetup& setup) {
  auto kernel = std::make_unique<K>(setup);
  if constexpr (!std::is_base_of_v<AsyncKernel, K>) {
    if (kernel->fn() == nullptr) kernel->set_fn(&InvokeKernel<K>);
  }
  return kernel;
}

template <class K>
KernelDef DefineKernel(std::string_view op, std::string_view device, std::string_view attr, DType dtype) {
  KernelDef def{op, device, attr, dtype, SharesOutputs<K>(), std::is_base_of_v<AsyncKernel, K>, &MakeKernel<K>};
  if constexpr (requires { K::kHostInputs; }) def.host_inputs = K::kHostInputs;
  if constexpr (requires { K::kHostOutputs; }) def.host_outputs = K::kHostOutputs;
  return def;
}

template <class Family, class... Ts>
KernelRegistration DefineFamily(std::string_view op, std::string_view device, std::string_view attr) {
  return KernelRegistration({DefineKernel<typename Family::template Kernel<Ts>>(op, device, attr, DTypeOf<Ts>)...});
}

}  // namespace internal

#define DF_KERNEL(...) \
  [[maybe_unused]] static const ::dfrun::internal::KernelRegistration DF_CONCAT(df_kernel_, __COUNTER__) = __VA_ARGS__
// Registration for one type of device, whose own macros name it.
#define DEVICE_KERNEL(device, op, family, ...) \
  DF_KERNEL(::dfrun::internal::DefineFamily<family, __VA_ARGS__>(op, device, "T"))
#define DEVICE_KERNEL_ATTR(device, op, attr, family, ...) \
  DF_KERNEL(::dfrun::internal::DefineFamily<family, __VA_ARGS__>(op, device, attr))
#define DEVICE_KERNEL_ANY(device, op, kernel)      \
  DF_KERNEL(::dfrun::internal::KernelRegistration( \
      {::dfrun::internal::DefineKernel<kernel>(op, device, "", ::dfrun::DType::kInvalid)}))
// Kernels made of every kernel that is registered, when the registry is first asked.
#define DERIVED_KERNELS(make) \
  [[maybe_unused]] static const ::dfrun::internal::KernelDerivation DF_CONCAT(df_kernels_, __COUNTER__)(make)

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_KERNEL_KERNEL_REGISTRY_H_

#include "kernels/device/onednn_units.h"

#ifdef DFRUN_ONEDNN
#include "kernels/device/onednn_call.h"

#include <omp.h>

namespace dfrun {

struct OneDnnCall::Frame {
  dnnl::stream stream{OneDnnEngine()};
  std::vector<dnnl::memory> memories;  // the arguments', then the scratchpad's
  std::vector<dnnl_exec_arg_t> args;
};

const dnnl::engine& OneDnnEngine() {
  static const dnnl::engine& engine = *new dnnl::engine(dnnl::engine::kind::cpu, 0);  // primitives may outlive statics
  return engine;
}

dnnl::primitive_attr OneDnnAttributes() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attributes.set_fpmath_mode(dnnl::fpmath_mode::strict);
  return attributes;
}

void UseOneOpenMpThread() {
  static thread_local const bool done = [] {
    omp_set_num_threads(1);
    return true;
  }();
  static_cast<void>(done);
}

namespace {

// The bits of a set of instructions are in every wider set's.
bool HasInstructions(dnnl::cpu_isa wanted) {
  const auto bits = static_cast<int>(wanted);
  return (static_cast<int>(dnnl::get_effective_cpu_isa()) & bits) == bits;
}

}  // namespace

bool OneDnnMultipliesBfloat16() {
  static const bool has = HasInstructions(dnnl::cpu_isa::avx512_core_bf16);
  return has;
}

bool OneDnnUsesTiles() {
  static const bool has = HasInstructions(dnnl::cpu_isa::avx512_core_amx);
  return has;
}

OneDnnCall::OneDnnCall(dnnl::primitive primitive, const dnnl::memory::desc& scratchpad, std::vector<Argument> arguments)
    : primitive_(std::move(primitive)), scratchpad_(scratchpad), arguments_(std::move(arguments)) {}

OneDnnCall::~OneDnnCall() = default;

std::unique_ptr<OneDnnCall::Frame> OneDnnCall::TakeFrame() const {
  {
    MutexLock lock(mu_);
    if (!free_frames_.empty()) {
      std::unique_ptr<Frame> frame = std::move(free_frames_.back());
      free_frames_.pop_back();
      return frame;
    }
  }
  auto frame = std::make_unique<Frame>();
  auto add = [&](int index, const dnnl::memory::desc& desc) {
    frame->memories.emplace_back(desc, OneDnnEngine(), nullptr);
    frame->args.push_back({index, frame->memories.back().get()});
  };
  for (const Argument& argument : arguments_) add(argument.index, argument.desc);
  add(DNNL_ARG_SCRATCHPAD, scratchpad_);
  return frame;
}

void OneDnnCall::PutFrame(std::unique_ptr<Frame> frame) const {
  MutexLock lock(mu_);
  free_frames_.push_back(std::move(frame));
}

Status OneDnnCall::Run(std::initializer_list<const void*> data, Allocator& allocator) const {
  UseOneOpenMpThread();
  const size_t scratch_bytes = scratchpad_.get_size();
  void* scratch = nullptr;
  if (scratch_bytes > 0 && (scratch = allocator.Allocate(scratch_bytes)) == nullptr) {
    return Error(Code::kResourceExhausted, "no memory for ", scratch_bytes, " bytes of oneDNN scratch space");
  }
  std::unique_ptr<Frame> frame = TakeFrame();
  size_t i = 0;
  // The library's interface has no const; it writes to destinations alone.
  for (const void* pointer : data) dnnl_memory_set_data_handle(frame->memories[i++].get(), const_cast<void*>(pointer));
  dnnl_memory_set_data_handle(frame->memories[i].get(), scratch);
  const dnnl_status_t status = dnnl_primitive_execute(primitive_.get(), frame->stream.get(),
                                                      static_cast<int>(frame->args.size()), frame->args.data());
  PutFrame(std::move(frame));
  if (scratch != nullptr) allocator.Free(scratch, scratch_bytes);
  if (status != dnnl_success) return Internal("a oneDNN primitive failed with status ", static_cast<int>(status));
  return Status();
}

}  // namespace dfrun

#else
namespace dfrun {

bool OneDnnMultipliesBfloat16() {
  return false;
}
bool OneDnnUsesTiles() {
  return false;
}

}  // namespace dfrun
#endif  // DFRUN_ONEDNN

// A short pause for a thread that spins until another thread writes.
#ifndef DFRUN_SRC_BASE_CPU_PAUSE_H_
#define DFRUN_SRC_BASE_CPU_PAUSE_H_

namespace dfrun {

// Takes 40 to 140 cycles on x86, in which the other hyperthread of the core runs faster; does nothing elsewhere.
inline void CpuPause() {
#ifdef __x86_64__
  __builtin_ia32_pause();
#endif
}

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_CPU_PAUSE_H_

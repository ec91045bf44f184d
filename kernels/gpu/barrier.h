// The barrier of neighbours: GPUs tell each other how far they are, and wait, without
// their hosts. Not a part of the instances of instance.h; it is compiled alone.
#ifndef LBM_GPU_MEET_H
#define LBM_GPU_MEET_H

namespace lbm { namespace {

enum { PARTIES = 26 };

// Barrier lies in the memory of the device (device/cuda/abi.go has the same struct).
struct Barrier {
	unsigned long long count;          // how often it was held; only this GPU's stream touches it
	unsigned long long parties;
	const volatile unsigned* broken;   // in the host's memory: not 0, and nobody waits any more
	unsigned long long* tell[PARTIES];       // words in the others' memory
	const unsigned long long* hear[PARTIES]; // words in this GPU's memory, which the others write
};

}}  // namespace lbm

// lbm_barrier(Barrier*): one block of 32 threads, one for each party.
//
// Release and acquire at system scope (PTX ISA, memory consistency model; sm_70 and
// newer): whoever hears the number n sees all that the teller's stream had written
// before. Numbers only rise, so one that is overtaken by the next is not missed.
extern "C" __global__ void __launch_bounds__(32) lbm_barrier(lbm::Barrier* m) {
	const int i = threadIdx.x;
	const unsigned long long n = m->count + 1;
	if (i < m->parties) {
		__threadfence_system();
		asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(m->tell[i]), "l"(n) : "memory");
		unsigned long long heard = 0;
		for (unsigned look = 1; heard < n; look++) {
			asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(heard) : "l"(m->hear[i]) : "memory");
			// A look at the host's memory costs as much as a thousand at one's own. Who has
			// waited that long is behind by more than a pause: ranks that share a GPU need
			// the time themselves.
			if (look % 1024 == 0) {
				if (*m->broken) break;
				__nanosleep(1000);
			}
		}
	}
	__syncthreads();
	if (i == 0) m->count = n;
}
#endif

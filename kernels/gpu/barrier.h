// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The barrier of neighbours: GPUs signal each other their progress, and wait, without their hosts.
// Not a part of the instances of instance.h; it is compiled separately.
#ifndef LBM_GPU_MEET_H
#define LBM_GPU_MEET_H

namespace lbm { namespace {

enum { PARTIES = 26 };

// Barrier lies in the memory of the device (device/cuda/abi.go has the same struct).
struct Barrier {
	unsigned long long count;          // number of barriers so far; only this GPU's stream touches it
	unsigned long long parties;
	const volatile unsigned* broken;   // in the host's memory: not 0: waiting ends
	unsigned long long* signal[PARTIES];      // words that the others read: in their memory, or the host's
	const unsigned long long* await[PARTIES]; // words that the others write: in this GPU's memory, or the host's
};

}}  // namespace lbm

// lbm_barrier(Barrier*): one block of 32 threads, one for each party.
//
// Release and acquire at system scope (PTX ISA, memory consistency model; sm_70 and
// newer): a reader of the number n sees all that the writer's stream had written
// before. Numbers only rise, so one that is overtaken by the next is not missed.
extern "C" __global__ void __launch_bounds__(32) lbm_barrier(lbm::Barrier* m) {
	const int i = threadIdx.x;
	const unsigned long long n = m->count + 1;
	if (i < m->parties) {
		__threadfence_system();
		asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(m->signal[i]), "l"(n) : "memory");
		unsigned long long read = 0;
		for (unsigned look = 1; read < n; look++) {
			asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(read) : "l"(m->await[i]) : "memory");
			// A read of the host's memory costs as much as a thousand of the GPU's own. After this
			// many reads the other side is late by more than a pause: ranks that share a GPU need
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

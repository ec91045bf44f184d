// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Time-dependent numbers, computed ahead of each step on a GPU (device.Timed): rules of ghost cells, laws of links and the
// force. Compiled for a case: LBM_VELOCITIES gives the velocity of each wall that is a function of place and time, in the
// case's form, LBM_MODES the waves of turbulence.
#include "../expression.h"
#include "api.h"

namespace lbm { namespace {

// Mode is boundary.Mode.
struct Mode {
	double wave[3], rate, phase;
	LBM_REAL amplitude[3];
};

// Turbulence of walls: arrays "const __device__ Mode modesK[] = {...};".
LBM_MODES

__device__ inline double cosineOf(double turns) { return cospi(2 * turns); }
__device__ inline float cosineOf(float turns) { return cospif(2 * turns); }

__device__ inline double length(const double* u) { return sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]); }

// addModes is boundary.Turbulence.Add: the waves' phases are double, their common part across the face is subtracted.
__device__ inline void addModes(const Mode* modes, unsigned count, int axis, double level, double rms, const double* at, double t, double* u) {
	LBM_REAL sum[3] = {0, 0, 0};
#pragma unroll 4
	for (unsigned n = 0; n < count; n++) {
		const Mode& m = modes[n];
		const double turns = m.wave[0] * at[0] + m.wave[1] * at[1] + m.wave[2] * at[2] + (m.phase - m.rate * t);
		const LBM_REAL c = cosineOf(LBM_REAL(turns - rint(turns)));
		for (int a = 0; a < 3; a++) sum[a] += m.amplitude[a] * c;
	}
	for (int a = 0; a < 3; a++) u[a] += rms * (sum[a] - (a == axis ? level : 0));
}

// velocityOf computes the velocity of wall type k at a place in cells and a time in steps, of a level
// (boundary.Turbulence.Level): cases "case K: u[0] = ...; ... break;".
__device__ inline void velocityOf(unsigned k, const double* at, double t, double level, double* u) {
	const double x = at[0], y = at[1], z = at[2];
	(void)x, (void)y, (void)z, (void)t, (void)level;
	switch (k) { LBM_VELOCITIES }
}

// Term is boundary.Term: the contribution of one wall to four numbers.
struct Term {
	double at[3], gain, share[4];
	unsigned wall, timed;  // the velocity is velocityOf(wall, at) times gain, otherwise at times gain
};

// Later is boundary.Later: the sum of base and of terms from first on, at `to`.
struct Later {
	double base[4];
	LBM_REAL* to;
	unsigned first;
	unsigned short count, law;  // law: of a link, otherwise of a ghost cell
};

// A moment is the time, the force and, of all wall types from 1 on, the factor and the level of turbulence.
enum { MOMENT_FORCE = 1, MOMENT_WALLS = 2, WALL_NUMBERS = 2 };

// Clock holds the number of the next moment. Moments follow it in memory.
struct Clock {
	unsigned long long now, arrived;  // arrived: blocks that have read the moment
	const Later* later;
	const Term* terms;
	unsigned count, numbers;  // count of Later; numbers per moment
};

}}  // namespace lbm

// lbm_advance(Case*, Clock*): one thread for each Later; at least one block of ROW threads.
extern "C" __global__ void __launch_bounds__(ROW) lbm_advance(lbm::Case* c, lbm::Clock* clock) {
	using namespace lbm;
	const unsigned long long now = *(volatile unsigned long long*)&clock->now;
	const double* const moment = (const double*)(clock + 1) + now * clock->numbers;
	const unsigned k = blockIdx.x * ROW + threadIdx.x;
	if (k < clock->count) {
		const Later l = clock->later[k];
		double v[4] = {l.base[0], l.base[1], l.base[2], l.base[3]};
		for (unsigned n = l.first; n < l.first + l.count; n++) {
			const Term& term = clock->terms[n];
			const double* const wall = moment + MOMENT_WALLS + WALL_NUMBERS * term.wall;
			const double factor = wall[0];
			double u[3] = {term.at[0], term.at[1], term.at[2]};
			if (term.timed) velocityOf(term.wall, term.at, moment[0], wall[1], u);
			for (int a = 0; a < 3; a++) u[a] *= term.gain * factor;
			if (l.law) {
				for (int a = 0; a < 3; a++) v[0] += term.share[a] * u[a], v[1 + a] += int(term.share[3]) >> a & 1 ? 0.0 : u[a];
			} else {
				for (int a = 0; a < 3; a++) v[a] += term.share[a] * u[a];
				v[3] += term.share[3] * factor;
			}
		}
		for (int i = 0; i < 4; i++) l.to[i] = LBM_REAL(v[i]);
	}
	if (k < 3) c->numbers.force[k] = moment[MOMENT_FORCE + k];
	// The last block to read the moment advances to the next one.
	__syncthreads();
	if (threadIdx.x == 0 && atomicAdd(&clock->arrived, 1ull) + 1 == gridDim.x) {
		clock->arrived = 0;
		clock->now = now + 1;
	}
}

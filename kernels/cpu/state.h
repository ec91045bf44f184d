// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Conversion between the state and physical fields: density and momentum from a state of either
// scheme, and a state from fields. Float64 throughout, in an order of operations that no
// instruction set changes.
#ifndef LBM_STATE_H
#define LBM_STATE_H
#include "../moments.h"
#include "../populations.h"
#include "box.h"
#include "memory.h"

namespace lbm { namespace {

typedef double Wide __attribute__((vector_size(64)));      // 8 cells at once
typedef long long WideMask __attribute__((vector_size(64)));
#if VECTOR_BYTES != 64  // otherwise it is the type of Lanes<double>
template <> struct Scalar<Wide> { using type = double; };
#endif

// Cells<L, MOMENTS> reads and writes one cell (R double) or eight (R Wide).
template <class L, bool MOMENTS> struct Cells {
	static constexpr int COMPONENTS = MOMENTS ? L::M : L::Q;
	static constexpr int READ = MOMENTS ? 1 + L::D : L::Q;  // number of the first components, which read needs

	// read gives r and the post-collision momentum j; get(c) is component c.
	template <class R, class Get> LBM_INLINE static void read(R& r, R* j, Get get) {
		R v[READ];
		unroll<READ>([&](auto c) LBM_LAMBDA { v[c.value] = get(c.value); });
		if constexpr (MOMENTS) {
			r = v[0];
			for (int a = 0; a < L::D; a++) j[a] = v[1 + a];
		} else {
			sumMoments<L>(v, r, j);
		}
	}

	// write stores moments; populations get their second-order Hermite expansion.
	template <class S> static void write(const Moments<L, double>& m, S* cell, long pitch) {
		auto put = [&](int c, double v) { cell[c * pitch] = Memory<S, L, MOMENTS>::put(v, c); };
		if constexpr (MOMENTS) {
			put(0, m.r);
			for (int a = 0; a < L::D; a++) put(1 + a, m.j[a]);
			for (int k = 0; k < L::M - 1 - L::D; k++) put(1 + L::D + k, m.s[k]);
		} else {
			secondOrder(m).each([&](auto i, double f) LBM_LAMBDA { put(i.value, f); });
		}
	}
};

template <class L, bool MOMENTS, class S> struct StateOf {
	typedef Cells<L, MOMENTS> In;
	typedef Memory<S, L, MOMENTS> Values;

	// A scalar lies behind the flow: its value, its flux and, beside populations, the velocity.
	static constexpr int MORE = MOMENTS ? 1 + L::D : 1 + 2 * L::D;

	// scalars returns the number of values of a scalar: 0 or 1.
	static int scalars(const Box& box) { return box.layout.components > In::COMPONENTS; }

	static bool solid(const lbm_pattern* p, int x) { return p && p->cell[x % LBM_BLOCK] >> 31; }

	// init: with e the strain rate, the stress before the collision is
	//   S = rho u u - 2 rho tau e / 3 - (u F + F u)/2
	// (Chapman-Enskog; Krueger et al., The Lattice Boltzmann Method, Springer 2017,
	// ch. 4 and 6), of which the collision leaves the share 1 - omega, and adds its own.
	static void init(const lbm_case* c, const lbm_numbers* p, void* state, const lbm_range* r, const double* fields) {
		Box box(c);
		const int more = scalars(box);
		const double tau = 1 / p->omega;
		const int width = r->hi[0] - r->lo[0];
		for (int z = r->lo[2]; z < r->hi[2]; z++)
			for (int y = r->lo[1]; y < r->hi[1]; y++) {
				const double* row = fields + ((long)(z - r->lo[2]) * (r->hi[1] - r->lo[1]) + y - r->lo[1]) * (L::M + more) * width;
				S* to = (S*)state + box.layout.start(y, z);
				Walls walls(c, y, z, r->lo[0]);
				for (int x = r->lo[0]; x < r->hi[0]; x++) {
					const double* f = row + x - r->lo[0];
					Moments<L, double> m{};
					double value = more ? f[L::M * width] : 0, velocity[L::D] = {};  // solids may hold a scalar
					if (!solid(walls.at(x), x)) {
						double rho = 1 + f[0], u[L::D], force[L::D];
						m.r = f[0];
						for (int a = 0; a < L::D; a++) {
							u[a] = f[(1 + a) * width];
							force[a] = p->force[a] + p->buoyancy[a] * value;
							m.j[a] = rho * u[a] + 0.5 * force[a];
						}
						for (int a = 0; a < L::D; a++)
							for (int b = 0; b <= a; b++) {
								int k = L::pair(a, b);
								double uF = u[a] * force[b] + u[b] * force[a];
								double neq = -2 * rho / 3 * tau * f[(1 + L::D + k) * width] - 0.5 * uF;
								m.s[k] = rho * u[a] * u[b] + (1 - p->omega) * neq + (1 - 0.5 * p->omega) * uF;
							}
						velocityOf(m, velocity);  // after the collision, of which the force is a part
					}
					In::write(m, to + x, box.layout.pitch);
					for (int k = 0; more && k < MORE; k++) {
						const int c = In::COMPONENTS + k;
						to[x + c * (long)box.layout.pitch] = Values::put(k == 0 ? value : k > L::D ? velocity[k - 1 - L::D] : 0, c);
					}
				}
			}
	}

	typedef float Float8 __attribute__((vector_size(32), may_alias));
	static LBM_APART void widenEight(const S* p, float scale, float* to) {
		typedef uint16_t Halves8 __attribute__((vector_size(16), may_alias));
		typedef int Int8 __attribute__((vector_size(32)));
		*(Float8*)to = widen<Float8>(__builtin_convertvector(*(const Halves8*)p, Int8)) * scale;
	}
	// eight returns component c of eight cells.
	LBM_INLINE static Wide eight(const S* p, int c) {
		if constexpr (sizeof(S) == 2) {
			alignas(32) float v[8];
			widenEight(p, 1.f / Values::scale(c), v);
			return __builtin_convertvector(*(const Float8*)v, Wide);
		} else {
			typedef S Stored __attribute__((vector_size(8 * sizeof(S)), may_alias));
			return __builtin_convertvector(*(const Stored*)p, Wide);
		}
	}

	// Eight holds the density and momentum of eight cells; finite is zero where the components that they follow from are finite.
	struct Eight { Wide r, j[L::D], finite; };
	LBM_INLINE static void readInline(const S* from, long pitch, Eight& e) {
		e.finite = Wide{};  // v - v is zero unless v is not finite
		In::read(e.r, e.j, [&](int k) LBM_LAMBDA {
			const Wide v = eight(from + k * pitch, k);
			e.finite += v - v;
			return v;
		});
	}
	static LBM_APART void readApart(const S* from, long pitch, Eight& e) { readInline(from, pitch, e); }
	// Of populations there is one copy: their sums are long.
	LBM_INLINE static void readEight(const S* from, long pitch, Eight& e) {
		if constexpr (MOMENTS) readInline(from, pitch, e);
		else readApart(from, pitch, e);
	}

	typedef double LooseWide __attribute__((vector_size(64), aligned(8), may_alias));
	// fields reads eight cells at once, and stores the ones in the range. Of moments it needs the first components only, which lie
	// in short pieces, one per row: the prefetcher does not predict the next row.
	static void fields(const lbm_case* c, const lbm_numbers* p, const void* state, const lbm_range* r, double* fields) {
		Box box(c);
		const int lo = r->lo[0], hi = r->hi[0], width = hi - lo, more = scalars(box);
		const long pitch = box.layout.pitch;
		for (int z = r->lo[2]; z < r->hi[2]; z++)
			for (int y = r->lo[1]; y < r->hi[1]; y++) {
				double* const row = fields + ((long)(z - r->lo[2]) * (r->hi[1] - r->lo[1]) + y - r->lo[1]) * (1 + L::D + more) * width;
				const S* from = (const S*)state + box.layout.start(y, z);
				// Rows of ghosts have no list of walls; their solid cells are at rest.
				const bool ghost = y < 0 || y >= c->n[1] || z < 0 || z >= c->n[2];
				Walls walls(c, ghost ? 0 : y, ghost ? 0 : z, lo);
				for (int x = lo / 8 * 8; x < hi; x += 8) {
					if constexpr (MOMENTS) unroll<In::READ>([&](auto k) LBM_LAMBDA { __builtin_prefetch(from + (box.layout.components + k.value) * pitch + x, 0, 2); });
					Eight e;
					readEight(from + x, pitch, e);
					Wide v[2 + L::D], value{};
					v[0] = e.r;
					if (more) value = v[1 + L::D] = eight(from + In::COMPONENTS * pitch + x, In::COMPONENTS);
					for (int a = 0; a < L::D; a++) v[1 + a] = (e.j[a] - 0.5 * (p->force[a] + p->buoyancy[a] * value)) / (1.0 + e.r);
					if (const lbm_pattern* const pattern = ghost ? nullptr : walls.at(x))
						for (int l = 0; l < 8; l++)
							for (int k = 0; solid(pattern, x + l) && k <= L::D; k++) v[k][l] = 0;
					for (int k = 0; k < 1 + L::D + more; k++) {
						double* const to = row + (long)k * width - lo;
						if (x >= lo && x + 8 <= hi) *(LooseWide*)(to + x) = v[k];
						else for (int l = x < lo ? lo - x : 0; l < 8 && x + l < hi; l++) to[x + l] = v[k][l];
					}
				}
			}
	}

	// row sums one row in eight interleaved sums, which are then added in order.
	static void row(const lbm_case* c, const lbm_numbers* p, const void* state, int32_t y, int32_t z, lbm_sums* sums) {
		Box box(c);
		const long pitch = box.layout.pitch;
		const bool more = scalars(box);
		const S* from = (const S*)state + box.layout.start(y, z);
		const uint32_t* const uncounted = c->uncounted ? c->uncounted + ((long)z * box.layout.ny + y) * (pitch / 32) : nullptr;
		Walls walls(c, y, z, 0);
		const Wide zero{};
		Wide mass{}, momentum[3] = {}, energy{}, most = zero - 1;
		WideMask at{}, here = {0, 1, 2, 3, 4, 5, 6, 7};
		*sums = lbm_sums{};
		for (int x = 0; x < box.layout.nx; x += 8, here += 8) {
			const lbm_pattern* pattern = walls.at(x);
			Eight e;
			readEight(from + x, pitch, e);
			Wide value{}, finite = e.finite;
			for (int k = In::READ; k < In::COMPONENTS + (more ? MORE : 0); k++) {
				const Wide v = eight(from + k * pitch + x, k);
				finite += v - v;
				if (k == In::COMPONENTS) value = v;
			}
			WideMask fluid = here < box.layout.nx;
			if (pattern)
				for (int k = 0; k < 8; k++)
					if (solid(pattern, x + k)) fluid[k] = 0;
			if (uncounted)
				for (int k = 0; k < 8; k++)
					if (uncounted[x / 32] >> ((x + k) % 32) & 1) fluid[k] = 0;
			WideMask good = fluid & (finite == zero);
			for (int k = 0; k < 8; k++)
				if (fluid[k] && !good[k] && sums->bad++ == 0) sums->badAt = x + k;
			Wide speed2{};
			mass += fluid ? e.r : zero;
			for (int a = 0; a < L::D; a++) {
				Wide v = e.j[a] - (0.5 * p->force[a] + 0.5 * p->buoyancy[a] * value), u = v / (1.0 + e.r);
				momentum[a] += fluid ? v : zero;
				energy += fluid ? 0.5 * (v * u) : zero;
				speed2 += u * u;
			}
			WideMask faster = good & (speed2 > most);
			most = faster ? speed2 : most;
			at = faster ? here : at;
		}
		sums->speed2 = -1;
		for (int k = 0; k < 8; k++) {
			sums->mass += mass[k];
			for (int a = 0; a < 3; a++) sums->momentum[a] += momentum[a][k];
			sums->energy += energy[k];
			if (most[k] > sums->speed2 || (most[k] == sums->speed2 && at[k] < sums->at)) {
				sums->speed2 = most[k];
				sums->at = int32_t(at[k]);
			}
		}
	}
};

}}  // namespace lbm
#endif

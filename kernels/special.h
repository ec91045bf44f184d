// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Special cells: cells with a link whose boundary law goes beyond half-way bounce-back, and cells of a sponge, with individual
// rates. A step recomputes them, after the others, from lists (boundary/links.go), so that these features cost other cells
// nothing. A law is linear in the populations of the cell and of the one behind it (boundary.Law gives the numbers of each
// law):
//   f_i(x, t+1) = A f*_i'(x) + B f*_i(x) + C f*_i'(x+c_i) + K
// Terms are added in the order of the directions.
#ifndef LBM_SPECIAL_H
#define LBM_SPECIAL_H
#include "direction.h"
#include "local.h"
#include "moments.h"
#include "params.h"
#include "populations.h"

namespace lbm { namespace {

// LinkCell is boundary.LinkCell, with the bits of its more.
struct LinkCell { unsigned x, row, first, links, more; };  // row z*ny + y
enum { MORE_CONSERVE = 1, MORE_RATES = 2, MORE_SHIFT = 8 };
// Bit of a word of the list: a ghost cell sends the returning population, the law is for the force alone.
constexpr unsigned GHOST_LINK = 1u << 31;
// A ghost cell of a wall with a model (modelled.h) sends it, likewise.
constexpr unsigned MODELLED_LINK = 1u << 30;
// Numbers of a law: A, B, C, K, the wall's velocity and distance. Numbers of a cell: omega, omegaMinus and, from CELL_VISCOSITY
// on, the numbers of the viscosity law.
enum { LINK_NUMBERS = 8, LINK_VELOCITY = 4, LINK_DISTANCE = 7, CELL_OMEGA = 0, CELL_VISCOSITY = 3 };
// Forces and torques are summed as integers in these units (device.Load), so that the order of cells and ranks does not matter.
constexpr double FORCE_UNITS = 1ll << 44, TORQUE_UNITS = 1ll << 40;

// Around is a cell and its neighbours. AT reads the state: near(d) returns the neighbour at d, whose get<C>() returns component
// C, any(i) population i, known at run time only, and expand(m) the closure's expansion of its moments. Here directions are
// numbers, not types: unrolled, this takes minutes to compile for a few cells.
template <class L, bool MOMENTS, class T, class AT> struct Around {
	const AT& at;

	LBM_HD LBM_INLINE T population(int i, const int* d) const {
		const auto cell = at.near(d);
		if constexpr (MOMENTS) return cell.expand(momentsAt<L, true, T>([&](auto k) LBM_LAMBDA { return cell.template get<decltype(k)::value>(); })).any(i);
		else return cell.any(i);
	}
};

// add adds population f of direction i to the plain moments.
template <class L, class R> LBM_HD LBM_INLINE void add(Moments<L, R>& m, int i, const R& f) {
	using T = typename Scalar<R>::type;
	m.r = m.r + f;
	unroll<L::D>([&](auto a) LBM_LAMBDA {
		constexpr int A = decltype(a)::value;
		const R v = T(Known<L>::c(i, A)) * f;
		m.j[A] = m.j[A] + v;
		unroll<A + 1>([&](auto b) LBM_LAMBDA {
			constexpr int AB = L::pair(A, decltype(b)::value);
			m.s[AB] = m.s[AB] + T(Known<L>::c(i, b.value)) * v;
		});
	});
}

// collideSums computes the components of a cell after the next step from the plain moments of the incoming populations and the
// mass that went into walls and did not return; mine is the viscosity law's additional input (Local).
template <class L, class C, class R, class... E>
LBM_HD LBM_INLINE void collideSums(const Params<typename Scalar<R>::type>& p, Moments<L, R> m, const R& missing, R* out, const E&... mine) {
	m.r = m.r + missing;  // as a population at rest
	removeTrace(m);
	C::collide(m, p, mine...);
	out[0] = m.r;
	unroll<L::D>([&](auto a) LBM_LAMBDA { out[1 + a.value] = m.j[a.value]; });
	unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { out[1 + L::D + k.value] = m.s[k.value]; });
}

// collideIncoming computes the same from the Q incoming populations.
template <class L, class C, bool MOMENTS, class R, class... E>
LBM_HD LBM_INLINE void collideIncoming(const Params<typename Scalar<R>::type>& p, const R* in, const R& missing, R* out, const E&... mine) {
	if constexpr (MOMENTS) {
		Moments<L, R> m{};
		unroll<L::Q>([&](auto i) LBM_LAMBDA { add(m, i.value, in[i.value]); });
		collideSums<L, C>(p, m, missing, out, mine...);
	} else {
		R f[L::Q];
		unroll<L::Q>([&](auto i) LBM_LAMBDA { f[i.value] = in[i.value]; });
		f[L::Q / 2] = f[L::Q / 2] + missing;
		C::template collide<L>(f, p, mine...);
		unroll<L::Q>([&](auto i) LBM_LAMBDA { out[i.value] = f[i.value]; });
	}
}

// A step on a GPU uses a few threads per cell, which share its directions (gpu/special.h), on a CPU one lane of a vector per
// cell (cpu/special.h).
template <class L, bool MOMENTS, class T, class AT> struct SpecialCell {
	struct alignas(4 * sizeof(T)) Numbers { T v[4]; };  // of a law, for one load
	const Around<L, MOMENTS, T, AT> around;
	const LinkCell cell;
	const unsigned* const list;
	const T* const laws;
	const unsigned* const ghosts;  // of links with MODELLED_LINK
	const T* const sent;           // populations of these ghost cells

	LBM_HD LBM_INLINE SpecialCell(const AT& at, const LinkCell& cell, const unsigned* list, const T* laws, const unsigned* ghosts = nullptr, const T* sent = nullptr)
		: around{at}, cell(cell), list(list), laws(laws), ghosts(ghosts), sent(sent) {}

	LBM_HD LBM_INLINE bool links(int i) const { return cell.links >> i & 1; }
	LBM_HD LBM_INLINE const T* numbers() const { return laws + (long long)(cell.more >> MORE_SHIFT) * LINK_NUMBERS; }
	LBM_HD LBM_INLINE const T* law(unsigned word) const { return laws + (long long)(word & ~(GHOST_LINK | MODELLED_LINK)) * LINK_NUMBERS; }

	// incoming returns the population that streams in along direction i; of a link, back is the population that went into the
	// wall. For ghost cells of walls with a model it is computed for forces only (FORCE): a step uses the returning population. A
	// law has up to three terms, free streaming one: a loop over them, because on a GPU fetching instructions dominates the time
	// of a few cells.
	template <bool FORCE> LBM_HD LBM_INLINE T incoming(int i, T& back) const {
		const bool wall = links(i);
		Numbers n{{T(1), T(0), T(0), T(0)}};
		bool ghost = false;
		if (wall) {
			const unsigned k = cell.first + ones(cell.links & ((1u << i) - 1)), word = list[k];
#if !defined(__CUDACC__) || LBM_MODELLED  // fetched by no other case on a GPU
			if (word & MODELLED_LINK) {
				const T f = sent[(long long)ghosts[k] * L::Q + i];
				back = f;
				if constexpr (FORCE) {
					const int here[3] = {0, 0, 0};
					back = around.population(L::opposite(i), here);
				}
				return f;
			}
#endif
			ghost = word & GHOST_LINK;
			if (ghost) n = Numbers{{T(0), T(1), T(0), T(0)}};
			else n = *(const Numbers*)(laws + (long long)word * LINK_NUMBERS);
		}
		T sum{};
		LBM_ROLLED for (int k = 0; k < (wall ? 3 : 1); k++) {
			const T factor = k == 0 ? n.v[0] : k == 1 ? n.v[1] : n.v[2];
			if (k > 0 && factor == T(0)) continue;
			const int way = !wall || (ghost && k == 1) ? -1 : k == 2 ? 1 : 0;
			const int d[3] = {way * Known<L>::c(i, 0), way * Known<L>::c(i, 1), way * Known<L>::c(i, 2)};
			const T f = around.population(wall && k != 1 ? L::opposite(i) : i, d);
			if (k == 0) back = f;
			sum = sum + factor * f;
		}
		return sum + n.v[3];
	}

	// rates returns the numbers of the collision: the box's p, or the cell's own in their place.
	LBM_HD LBM_INLINE Params<T> rates(Params<T> p) const {
		if (!(cell.more & MORE_RATES)) return p;
		const T* const own = numbers();
		p.omega = own[CELL_OMEGA];
		p.omegaMinus = own[CELL_OMEGA + 1];
		for (int k = 0; k < 4; k++) p.law[k] = own[CELL_VISCOSITY + k];
		return p;
	}

	// conserves reports whether mass that walls kept stays in the cell.
	LBM_HD LBM_INLINE bool conserves() const { return cell.more & MORE_CONSERVE; }

	// force calls take(k, F, M) for link number k of the list: the momentum that the fluid
	// gives to the wall in the coming step, by the exchange of momentum in the wall's frame
	// (Wen, Zhang, Tu, Wang & Fang, J. Comput. Phys. 266 (2014) 161),
	//   F = (c_i' - u_w) f*_i' - (c_i - u_w) f_i,
	// of populations less their values at rest, hence with the pressure at rest as zero;
	// and its moment about the origin of x, the cell's centre.
	template <class TAKE> LBM_HD LBM_INLINE void force(const double* x, TAKE take) const {
		unsigned k = cell.first;
		LBM_ROLLED for (int i = 0; i < L::Q; i++) {
			if (!links(i)) continue;
			T back;
			const double out = double(incoming<true>(i, back)), in = double(back);
			const T* const n = law(list[k]);
			double F[3], at[3], M[3];
			for (int a = 0; a < 3; a++) {
				F[a] = -double(Known<L>::c(i, a)) * (in + out) - double(n[LINK_VELOCITY + a]) * (in - out);
				at[a] = x[a] - double(n[LINK_DISTANCE]) * double(Known<L>::c(i, a));
			}
			M[0] = at[1] * F[2] - at[2] * F[1];
			M[1] = at[2] * F[0] - at[0] * F[2];
			M[2] = at[0] * F[1] - at[1] * F[0];
			take(k, F, M);
			k++;
		}
	}
};

}}  // namespace lbm
#endif

// A scalar that the flow carries: temperature, a concentration. It has a lattice of its
// own, D2Q5 or D3Q7, whose populations lie behind those (or the moments) of the flow in
// the same cell, so that what moves the state about moves them too. A step of it comes
// behind the flow's step of the same cells and reads the flow's new state.
//
// theta, the value less its reference, is the sum of the populations g. With the weight w
// of a direction 1/8, hence cs^2 = 1/4, the equilibrium along axis a is
//   g_+-a = theta (w + u_a^2/2 +- u_a/2),   g_0 = theta - the others
// (the squares take the part of the numerical diffusion that a stencil of axes can take:
// Ginzburg, Adv. Water Resour. 28 (2005) 1171), relaxed by two rates (TRT, same paper):
// odd parts by that of the diffusivity D = (tau- - 1/2)/4, even ones so that
// (tau+ - 1/2)(tau- - 1/2) = model.ScalarLambda.
//
// The force per volume b theta (Boussinesq) is added to what the flow's collision has left,
//   j += F,  S += u F + F u,   u = (j + (F0 + F)/2)/rho before that,
// which is Guo's forcing (Phys. Rev. E 65 (2002) 046308) but for terms of F F: the
// exact difference of equilibria (Kupershtokh, Medvedev & Karpov, Comput. Math. Appl. 58
// (2009) 965).
//
// Walls, half-way: what comes out of one along direction i is, of what went in,
//   no flux, or a given flux q into the fluid:  g_i = g*_i' + q
//   a value theta_w:  g_i = 2 (w + u_n^2/2) theta_w - g*_i'
//   open faces: the same with the cell's own theta, hence no gradient
// with u_n of the cell, all of the state before the step.
#ifndef LBM_SCALAR_H
#define LBM_SCALAR_H
#include "moments.h"
#include "populations.h"

namespace lbm { namespace {

// ScalarLink is boundary.ScalarLink: a link to a wall that is measured.
struct ScalarLink { unsigned x, row, direction, type; };
// Laws of walls, as in model.ScalarLaws; each type has the law's number and a value.
enum { SCALAR_CLOSED, SCALAR_FIXED, SCALAR_FLUX, SCALAR_OPEN };
// What leaves through walls is added up as integers of these parts (device.Load).
constexpr double SCALAR_UNITS = 1ll << 40;

template <class T> struct ScalarParams {
	T plus, minus;               // relaxation rates of the even and the odd parts
	T force[3], buoyancy[3];     // of the flow, uniform; for each unit of the scalar
};

template <class L> struct ScalarLattice {
	static constexpr int Q = 2 * L::D + 1;  // rest, then +x, -x, +y, ...
	static constexpr double WEIGHT = 0.125;
	LBM_HD LBM_INLINE static constexpr int opposite(int i) { return i % 2 == 1 ? i + 1 : i - 1; }
	LBM_HD LBM_INLINE static constexpr int axis(int i) { return (i - 1) / 2; }
	LBM_HD LBM_INLINE static constexpr int sign(int i) { return i % 2 == 1 ? 1 : -1; }

	template <class R> LBM_HD LBM_INLINE static R sum(const R* g) {
		R s = g[0];
		unroll<Q - 1>([&](auto i) LBM_LAMBDA { s = s + g[1 + i.value]; });
		return s;
	}
	// relax takes populations by the two rates towards the equilibrium.
	template <class T> LBM_HD LBM_INLINE static void relax(T* g, const T& theta, const T* u, const T& plus, const T& minus) {
		T rest = theta;
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int P = 1 + 2 * decltype(a)::value, N = P + 1;
			const T even = theta * (T(WEIGHT) + T(0.5) * (u[a.value] * u[a.value])), odd = theta * (T(0.5) * u[a.value]);
			T e = T(0.5) * (g[P] + g[N]), o = T(0.5) * (g[P] - g[N]);
			e = e + plus * (even - e);
			o = o + minus * (odd - o);
			g[P] = e + o;
			g[N] = e - o;
			rest = rest - (even + even);
		});
		g[0] = g[0] + plus * (rest - g[0]);
	}
};

// ScalarCell is one fluid cell. AT reads the state before the step: any(k, d) is component
// k of the neighbour at d; type(d) is the type of that cell, 0 for fluid. Types have a law
// and a value each, behind laws.
template <class L, bool MOMENTS, class T, class AT> struct ScalarCell {
	typedef ScalarLattice<L> G;
	static constexpr int FIRST = MOMENTS ? L::M : L::Q;  // component of the scalar
	const AT& at;
	const T* const laws;

	LBM_HD LBM_INLINE static void flow(const T* v, T& r, T* j) {
		if constexpr (MOMENTS) {
			r = v[0];
			unroll<L::D>([&](auto a) LBM_LAMBDA { j[a.value] = v[1 + a.value]; });
		} else {
			sumMoments<L>(v, r, j);
		}
	}

	// link is what comes out of a wall of the given type along direction i; back is what
	// went in.
	LBM_HD LBM_INLINE T link(int i, int type, const T& back) const {
		const T* const law = laws + 2 * type;
		const int kind = int(law[0]), here[3] = {0, 0, 0};
		if (kind == SCALAR_CLOSED) return back;
		if (kind == SCALAR_FLUX) return back + law[1];
		T value = law[1];
		if (kind == SCALAR_OPEN) {
			value = at.any(FIRST, here);
			LBM_ROLLED for (int k = 1; k < G::Q; k++) value = value + at.any(FIRST + k, here);
		}
		T v[FIRST], r, j[L::D];
		constexpr int NEED = MOMENTS ? 1 + L::D : L::Q;
		LBM_ROLLED for (int k = 0; k < NEED; k++) v[k] = at.any(k, here);
		flow(v, r, j);
		T n = j[0];
		unroll<L::D - 1>([&](auto a) LBM_LAMBDA { n = G::axis(i) == a.value + 1 ? j[a.value + 1] : n; });
		n = n * reciprocal(T(1) + r);
		return (T(2 * G::WEIGHT) + n * n) * value - back;
	}

	// gather is the populations that stream in.
	LBM_HD LBM_INLINE void gather(T* g) const {
		const int here[3] = {0, 0, 0};
		g[0] = at.any(FIRST, here);
		unroll<G::Q - 1>([&](auto k) LBM_LAMBDA {
			constexpr int i = 1 + decltype(k)::value, a = G::axis(i), s = G::sign(i);
			const int from[3] = {a == 0 ? -s : 0, a == 1 ? -s : 0, a == 2 ? -s : 0};
			const int type = at.type(from);
			g[i] = type == 0 ? at.any(FIRST + i, from) : link(i, type, at.any(FIRST + G::opposite(i), here));
		});
	}

	// step makes v, the flow's components after its own step, those after the scalar's, if
	// there is a force, and g the scalar's.
	template <bool FORCE> LBM_HD LBM_INLINE void step(const ScalarParams<T>& p, T* v, T* g) const {
		gather(g);
		const T theta = G::sum(g);
		T r, j[L::D], u[L::D];
		flow(v, r, j);
		const T inv = reciprocal(T(1) + r);
		if constexpr (FORCE) {
			Moments<L, T> add{};
			unroll<L::D>([&](auto a) LBM_LAMBDA {
				add.j[a.value] = p.buoyancy[a.value] * theta;
				u[a.value] = (j[a.value] + T(0.5) * (add.j[a.value] - p.force[a.value])) * inv;
			});
			unroll<L::D>([&](auto a) LBM_LAMBDA {
				constexpr int A = decltype(a)::value;
				unroll<A + 1>([&](auto b) LBM_LAMBDA {
					constexpr int B = decltype(b)::value;
					add.s[L::pair(A, B)] = u[A] * add.j[B] + u[B] * add.j[A];
				});
			});
			if constexpr (MOMENTS) {
				unroll<L::D>([&](auto a) LBM_LAMBDA { v[1 + a.value] = v[1 + a.value] + add.j[a.value]; });
				unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { v[1 + L::D + k.value] = v[1 + L::D + k.value] + add.s[k.value]; });
			} else {
				addTo(v, add);
			}
		} else {
			unroll<L::D>([&](auto a) LBM_LAMBDA { u[a.value] = (j[a.value] - T(0.5) * p.force[a.value]) * inv; });
		}
		G::relax(g, theta, u, p.plus, p.minus);
	}
};

}}  // namespace lbm
#endif

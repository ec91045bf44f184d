// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// A scalar that the flow carries: temperature, a concentration. Its value theta, less its reference, rides on the populations
// of the flow, so that a uniform scalar stays uniform whatever walls and faces do with them. A cell sends, on the lattice of
// the flow,
//   g_i = theta f_i + 3 w_i c.q + a_i
// with q the diffusive flux, and a_i = u_k q_k for the two directions along axis k alone, less their sum for the direction at
// rest. That is the gain of a normal distribution in the second moments k k when its mean is moved by q: with the flux alone
// waves of some lengths grow where the flow is fast against the diffusivity (TestScalarWaves of sim). A step sums the incoming
// populations,
//   theta = sum g / sum f,   q = (1 - 1/tau) (sum c g - theta sum c f),
// and the diffusivity is (tau - 1/2)/3 (Chapman-Enskog; the regularized scheme: Wang, Shi & Chai,
// Phys. Rev. E 92 (2015) 043306). A cell holds theta and q behind the components of the flow;
// beside populations also the velocity u, which moments contain. With an eddy viscosity tau is the cell's own (eddyKeep).
//
// The force per volume b theta (Boussinesq), with theta before the step, is added after the flow's collision,
//   j += F,  S += u F + F u,   u = (j + (F0 + F)/2)/rho before that,
// which is Guo's forcing (Phys. Rev. E 65 (2002) 046308) except for terms of F F: the
// exact difference of equilibria (Kupershtokh, Medvedev & Karpov, Comput. Math. Appl. 58
// (2009) 965).
//
// The populations that come out of a wall or a face along direction i follow from the cell beside it before the step, with i'
// the opposite direction. All are exact where theta is linear in space.
//   closed: the advected part returns, the diffused part is reflected as by a mirror,
//           f = f_i',  g = theta f_i' + w_i (theta' + 3 (c_t.q' - c_n.q'))
//           with c = c_t + c_n, c_n across the wall, and theta' and q' of the cell at x - c_t, which
//           sends that to the wall. So heat flow along a wall is not impeded, and none is lost.
//   a flux into the fluid:  the same, g += 6 w_i |c.n| flux, with n across the surface: |c.n| links cross a unit of
//           its area, and sum w_i (c.n)^2 over these links is 1/6
//   a value v:  f = f_i',  g = 2 v (w_i + f) - g_i'
//   closed faces that the flow slides along: all of the mirror image,  f = f_m(x - c_t),  g = g_m(x - c_t),  m along c_t - c_n
//   open faces: the cell's own populations of the same direction,  f = f_i,  g = g_i
//   interpolated walls (boundary.Law), with the shares A, B and C of a link, of d = g - v (w + f):
//           f = A f_i' + B f_i + C f_i'(x+c),  d = -A d_i' + B d_i - C d_i'(x+c)  for a value;  otherwise as half-way ones,
//           on that f: g += theta (f - f_i')
//   faces that bring in fluid of value v:  f = f_i,  g = g_i + (v - theta) (w_i + f)
//   faces that do so only where fluid enters:  the same, (v - theta) times entering(u_n), u_n the cell's velocity inwards
//   walls with a model: the population f that their ghost cell sends, as out of a closed wall, and the flux q that it has
//   computed
//           (modelled.h):  g = (g_i' - theta f_i', or the mirror's) + theta f + a q,  with a the area that the link crosses. What
//           passes the surface with the flow has the cell's theta: so a uniform scalar stays uniform.
//           Links without a ghost cell are the same with q = 0 and the flow's f = f_i' + 6 w_i c.u, u the wall's velocity
//   a solid that conducts, in the middle of the link:  f = f_i',  g = p_i + (g_i' - p_i'),  p = w (theta + 3 c.q) of the
//           cell that it comes from: value and flux are the same on both sides, exactly where theta is linear
// The sums of f are the sums of this list, whatever the flow does at its walls; walls return to them the mass that they took,
// and so no heat is lost with mass that interpolation loses.
//
// Cells of conducting solids send p_i, and the part at rest has the heat capacity C, relative to the fluid's:
//   theta += (sum over i > 0 of (p_i - w_i theta) + source)/C,   q = (1 - 1/tau) sum c p,   conductivity (tau - 1/2)/3.
#ifndef LBM_SCALAR_H
#define LBM_SCALAR_H
#include "local.h"

namespace lbm { namespace {

// ScalarLink is boundary.ScalarLink: a link to a wall that is measured.
struct ScalarLink { unsigned x, row, direction, type; double distance, slope; };
// ScalarPlace is boundary.ScalarPlace: a cell with links, their set, and their walls' type if they have one in common,
// otherwise 0; and the start of the distances and slopes |c.n| of the links, two numbers each.
struct ScalarPlace { unsigned x, row, links, type, first; };
constexpr unsigned SCALAR_HALFWAY = ~0u;  // first: half-way, across axes
// Laws of walls, as in boundary.ScalarLaw; each type has the law's number, a value, or a source of heat, and for conducting
// solids their capacity and 1 - 1/tau.
enum { SCALAR_CLOSED, SCALAR_FIXED, SCALAR_FLUX, SCALAR_OPEN, SCALAR_INLET, SCALAR_MIRROR, SCALAR_CONDUCTS, SCALAR_OUTLET, SCALAR_MODELLED };
enum { SCALAR_NUMBERS = 4, SCALAR_VALUE = 1, SCALAR_CAPACITY = 2, SCALAR_KEEP = 3 };
// The scalar that leaves through walls is summed as integers in these units (device.Load).
constexpr double SCALAR_UNITS = 1ll << 40;

template <class T> struct ScalarParams {
	T keep;                   // 1 - 1/tau
	T force[3], buoyancy[3];  // of the flow, uniform; per unit of the scalar
	// Of the eddy viscosity: 1/(turbulent Prandtl number), 0 without; tau at rest; 1 - tau0 of the flow; 3 C^2.
	T eddy, tau, height, law;

	ScalarParams() = default;
	LBM_HD LBM_INLINE explicit ScalarParams(const lbm_numbers& n)
		: keep(T(n.scalarKeep)), force{T(n.force[0]), T(n.force[1]), T(n.force[2])}, buoyancy{T(n.buoyancy[0]), T(n.buoyancy[1]), T(n.buoyancy[2])},
		  eddy(T(n.scalarEddy)), tau(T(n.scalarTau)), height(T(1 - 2 * n.law[0])), law(T(n.law[1])) {}
};

// Weights of the scalar are fractions that add up to one exactly, unlike the flow's: otherwise heat would grow by a part in
// 10^8 per step. All are multiples of the smallest, so the contributions of a row may be summed before they are weighted. They
// depend on the number of nonzero components of a direction.
template <class L, class T> struct Weights {
	static constexpr double PARTS = sizeof(T) == 4 ? 1 << 27 : double(1ll << 55);
	LBM_HD static constexpr double exact(int i) { return double(L::share(i)) * (double((long long)(PARTS / L::UNIT + 0.5)) / PARTS); }
	LBM_HD static constexpr double rest() {
		double sum = 1;
		for (int i = 0; i < L::Q; i++)
			if (i != L::Q / 2) sum -= exact(i);
		return sum;
	}
	LBM_HD static constexpr T of(int i) { return T(i == L::Q / 2 ? rest() : exact(i)); }
	LBM_HD static constexpr T along(int axes) {
		const int i = L::find(axes > 0, axes > 1, axes > 2);
		return i < 0 ? T(0) : of(i);
	}
};
// weightOf returns the weight of a direction that is known at run time only.
template <class L, class T> LBM_HD LBM_INLINE T weightOf(int i) {
	constexpr T w[4] = {Weights<L, T>::along(0), Weights<L, T>::along(1), Weights<L, T>::along(2), Weights<L, T>::along(3)};
	int axes = 0;
	unroll<L::D>([&](auto a) LBM_LAMBDA { axes += Known<L>::c(i, a.value) != 0; });
	return axes == 0 ? w[0] : axes == 1 ? w[1] : axes == 2 ? w[2] : w[3];
}

// The eddy viscosity acts on the scalar, too: from laws that read neighbours, or from the stress after the collision.
struct Smagorinsky;
struct Layered;
template <class C> struct Eddies { static constexpr bool STRESS = false; };
template <class C> struct Eddies<Varying<C, Smagorinsky>> { static constexpr bool STRESS = true; };
template <class C> struct Eddies<Varying<C, Layered>> { static constexpr bool STRESS = true; };

// eddyKeep returns 1 - 1/tau of diffusivity D + nu_t/Pr_t, from 3 nu_t.
template <class R, class T> LBM_HD LBM_INLINE R eddyKeep(const R& eddies, const ScalarParams<T>& p) { return T(1) - reciprocal(p.tau + p.eddy * eddies); }

// risenBy returns 3 nu_t of a cell with the moments m after the collision. The collision leaves (1 - 1/tau_f) Pi of the stress, and with
// Smagorinsky's law (viscosity/smagorinsky.h) that is
//   3 C^2 a* = (1 - tau_f) (tau_f - tau0),   a* = 3 |Pi*|/(sqrt(2) rho),
// of which the smaller solution counts, up to the largest possible a*, at tau_f = (1 + tau0)/2.
template <class L, class R, class T> LBM_HD LBM_INLINE R risenBy(const Moments<L, R>& m, const ScalarParams<T>& p) {
	const R inv = reciprocal(T(1) + m.r);
	R u[L::D], own[L::D], third{}, sum{};
	unroll<L::D>([&](auto a) LBM_LAMBDA {
		u[a.value] = m.j[a.value] * inv;
		own[a.value] = m.s[a.value] - u[a.value] * m.j[a.value];
		third = third + own[a.value];
	});
	third = third * (T(1) / T(L::D));
	unroll<L::D>([&](auto a) LBM_LAMBDA {
		constexpr int A = decltype(a)::value;
		const R d = own[A] - third;
		sum = sum + d * d;
		unroll<A>([&](auto b) LBM_LAMBDA {
			constexpr int B = decltype(b)::value;
			const R pi = m.s[L::pair(A, B)] - u[A] * m.j[B];
			sum = sum + (pi + pi) * pi;
		});
	});
	const R part = squareRoot(sum * T(4.5)) * inv * (T(4) * p.law), left = p.height * p.height - part;
	const R root = each(left, [&](const auto& v) LBM_LAMBDA { return squareRoot(select(v > v * T(0), v, v * T(0))); });
	return part * T(0.5) * reciprocal(p.height + root);  // tau_f - tau0
}

// eddyKeep of such a cell, and of a cell with at least the 3 nu_t of a layer: where these are larger, Smagorinsky's law finds no
// more than these in the stress that the collision leaves. Without an eddy viscosity tau0 may be 1 or more, where the law has no
// solution.
template <class L, class R, class T> LBM_HD LBM_INLINE R eddyKeep(const Moments<L, R>& m, const ScalarParams<T>& p) {
	if (p.eddy == T(0)) return R{} + p.keep;
	return eddyKeep(risenBy(m, p), p);
}
template <class L, class R, class T> LBM_HD LBM_INLINE R eddyKeep(const Moments<L, R>& m, const R& layer, const ScalarParams<T>& p) {
	if (p.eddy == T(0)) return R{} + p.keep;
	const R own = risenBy(m, p);
	return eddyKeep(select(own > layer, own, layer), p);
}

// Carrier holds the terms of the scalar populations that a cell sends.
template <class L, class R> struct Carrier {
	using T = typename Scalar<R>::type;
	R theta, q3[L::D];  // 3 q
	R a[L::D], all;     // 2 q u along each axis, which two populations share, and their sum

	LBM_HD LBM_INLINE Carrier(const R& theta, const R* q, const R* u) : theta(theta) {
		unroll<L::D>([&](auto k) LBM_LAMBDA {
			q3[k.value] = q[k.value] * T(3);
			a[k.value] = (q[k.value] + q[k.value]) * u[k.value];
			all = k.value == 0 ? a[0] : all + a[k.value];
		});
	}

	// doubled returns 2^n w of a direction, n as in Expansion; 0 if the lattice lacks it.
	LBM_HD static constexpr T doubled(int x, int y, int z) {
		const int i = L::find(x, y, z);
		return i < 0 ? T(0) : Weights<L, T>::of(i) * T(1 << (x * x + y * y + z * z));
	}
	// triple returns the scalar populations with given c_y and c_z from the flow's, in the form of Expansion.
	template <int CY, int CZ, class TRIPLE> LBM_HD LBM_INLINE TRIPLE triple(const TRIPLE& f) const {
		constexpr T w0 = doubled(0, CY, CZ), w1 = doubled(1, CY, CZ);
		R base = theta;
		if constexpr (CY > 0) base = base + q3[1];
		if constexpr (CY < 0) base = base - q3[1];
		if constexpr (CZ > 0) base = base + q3[2];
		if constexpr (CZ < 0) base = base - q3[2];
		R zero = base * w0;
		if constexpr (CY != 0 && CZ == 0) zero = zero + a[1];
		if constexpr (CY == 0 && CZ != 0) zero = zero + a[2];
		if constexpr (CY == 0 && CZ == 0) zero = zero - all;
		TRIPLE g;
		g.zero = theta * f.zero + zero;
		if constexpr (L::find(1, CY, CZ) >= 0) {
			R both = base * w1;
			const R odd = q3[0] * w1;
			if constexpr (CY == 0 && CZ == 0) both = both + a[0];
			g.plus = theta * f.plus + (both + odd);
			g.minus = theta * f.minus + (both - odd);
		} else {
			g.plus = R{}, g.minus = R{};
		}
		return g;
	}
	// population returns scalar population i, known at run time only; f is the flow's.
	LBM_HD LBM_INLINE R population(int i, const R& f) const {
		R sum = theta, along{};
		int n = 0;
		unroll<L::D>([&](auto k) LBM_LAMBDA {
			const T c = T(Known<L>::c(i, k.value));
			sum = sum + c * q3[k.value];
			along = along + (c * c) * a[k.value];
			n += Known<L>::c(i, k.value) != 0;
		});
		sum = sum * weightOf<L, T>(i);
		if (n == 0) sum = sum - all;
		if (n == 1) sum = sum + along * T(0.5);
		return theta * f + sum;
	}
};

// quotient returns e/(1 + r), to more digits than 1 + r has.
template <class R> LBM_HD LBM_INLINE R quotient(const R& e, const R& r) {
	const R first = e * reciprocal(typename Scalar<R>::type(1) + r);
	return first + ((e - first) - first * r);
}

// ScalarSums holds the sums of the incoming populations: of the flow, of the scalar.
template <class L, class R> struct ScalarSums {
	R r, j[L::D], e, phi[L::D];

	// values computes theta and s of the new state. 1 + r is rounded, always in the same way where the density does not change:
	// so theta is corrected by the residual e - (1 + r) theta.
	LBM_HD LBM_INLINE void values(R& theta, R* s) const {
		theta = quotient(e, r);
		unroll<L::D>([&](auto a) LBM_LAMBDA { s[a.value] = phi[a.value] - theta * j[a.value]; });
	}
};

// buoyed adds the force of theta to the moments m after the flow's collision.
template <class L, class R, class T> LBM_HD LBM_INLINE void buoyed(Moments<L, R>& m, const R& theta, const ScalarParams<T>& p) {
	const R inv = reciprocal(T(1) + m.r);
	R F[L::D], u[L::D];
	unroll<L::D>([&](auto a) LBM_LAMBDA {
		F[a.value] = p.buoyancy[a.value] * theta;
		u[a.value] = (m.j[a.value] + T(0.5) * (F[a.value] - p.force[a.value])) * inv;
		m.j[a.value] = m.j[a.value] + F[a.value];
	});
	unroll<L::D>([&](auto a) LBM_LAMBDA {
		constexpr int A = decltype(a)::value;
		unroll<A + 1>([&](auto b) LBM_LAMBDA {
			constexpr int B = decltype(b)::value, ab = L::pair(A, B);
			m.s[ab] = m.s[ab] + (u[A] * F[B] + u[B] * F[A]);
		});
	});
}

// buoyedPopulations does the same for populations; u becomes their velocity after it.
template <class L, class R, class T> LBM_HD LBM_INLINE void buoyedPopulations(R* f, const R& theta, const ScalarParams<T>& p, R* u) {
	Moments<L, R> m{};
	sumMoments<L>(f, m.r, m.j);
	Moments<L, R> more = m;
	buoyed(more, theta, p);
	more.r = R{};
	unroll<L::D>([&](auto a) LBM_LAMBDA {
		more.j[a.value] = more.j[a.value] - m.j[a.value];
		m.j[a.value] = m.j[a.value] + more.j[a.value];
	});
	addTo(f, more);
	velocityOf(m, u);
}

// ScalarSource computes the populations that a cell sends. NEAR reads the cell: get<K>() returns component K, any(i) population
// i, expand(m) the closure's expansion of moments.
template <class L, bool MOMENTS, class T, class NEAR> struct ScalarSource {
	static constexpr int FIRST = MOMENTS ? L::M : L::Q;  // component of the scalar
	const NEAR near;
	T theta, q[L::D], u[L::D];
	Expansion<L, T> x;  // of moments

	LBM_HD LBM_APART ScalarSource(const NEAR& near) : near(near) {
		theta = near.template get<FIRST>();
		unroll<L::D>([&](auto a) LBM_LAMBDA { q[a.value] = near.template get<FIRST + 1 + decltype(a)::value>(); });
		if constexpr (MOMENTS) {
			const Moments<L, T> m = momentsAt<L, true, T>([&](auto k) LBM_LAMBDA { return near.template get<decltype(k)::value>(); });
			velocityOf(m, u);
			x = near.expand(m);
		} else {
			unroll<L::D>([&](auto a) LBM_LAMBDA { u[a.value] = near.template get<FIRST + 1 + L::D + decltype(a)::value>(); });
		}
	}
	LBM_HD LBM_APART T flow(int i) const {
		if constexpr (MOMENTS) return x.any(i);
		else return near.any(i);
	}
	template <int I> LBM_HD LBM_INLINE T flow() const {
		if constexpr (MOMENTS) return x.template population<I>();
		else return near.template get<I>();
	}
	// scalar returns scalar population i; f is the flow's.
	LBM_HD LBM_APART T scalar(int i, const T& f) const {
		return Carrier<L, T>(theta, q, u).population(i, f);
	}
	// still returns the part of it that the flow does not carry.
	LBM_HD LBM_INLINE T still(int i) const {
		T sum = theta;
		unroll<L::D>([&](auto a) LBM_LAMBDA { sum = sum + T(Known<L>::c(i, a.value)) * (q[a.value] * T(3)); });
		return sum * weightOf<L, T>(i);
	}
};

// ScalarCell is one cell, or cells in a row beside one flat wall, with T a vector. AT reads the state before the step: near(d)
// returns the neighbour at d, type(d) its type, 0 for fluid. laws has SCALAR_NUMBERS numbers per type.
template <class L, bool MOMENTS, class T, class AT> struct ScalarCell {
	typedef ScalarSource<L, MOMENTS, T, typename AT::Near> Source;
	using N = typename Scalar<T>::type;
	const AT& at;
	const N* const laws;
	// Of ghost cells of walls with a model: [cell][direction] what they send, and the flux into the fluid.
	const N *const sent, *const heat;

	LBM_HD LBM_INLINE Source source(const int* d) const { return Source(at.near(d)); }
	LBM_HD LBM_INLINE int law(int type) const { return int(laws[SCALAR_NUMBERS * type]); }
	LBM_HD LBM_INLINE bool conducts(int type) const { return type && law(type) == SCALAR_CONDUCTS; }
	LBM_HD LBM_INLINE bool wall(const int* d) const { return at.type(d) && !conducts(at.type(d)); }
	struct Wall {
		const ScalarCell& cell;
		LBM_HD LBM_INLINE bool operator()(const int* d) const { return cell.wall(d); }
	};

	// Link holds the populations of the flow and of the scalar that come out of a wall along a direction, their contributions
	// to the sums of both, and the loss through the wall.
	struct Link { T f, g, mass, e, lost; };

	// reflects reports whether a wall of that type reflects the diffused part like a wall of law kind.
	LBM_HD LBM_INLINE bool reflects(int type, int kind) const {
		const int own = law(type);
		return kind == SCALAR_MIRROR ? own == SCALAR_MIRROR : own == SCALAR_CLOSED || own == SCALAR_FLUX || own == SCALAR_MODELLED;
	}

	// inwards returns the velocity out of the faces that direction c of a link comes through.
	template <class SOLID> LBM_HD LBM_INLINE static T inwards(const Source& own, const int* c, SOLID solid) {
		T u{};
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			int d[3] = {0, 0, 0};
			d[a.value] = -c[a.value];
			if (c[a.value] != 0 && solid(d)) u = u + T(c[a.value]) * own.u[a.value];
		});
		return u;
	}

	// link computes the link to a wall of the given type along direction i. far is the distance of a wall that is not half-way,
	// otherwise 0, or -1 less the number of a ghost cell; slope is |c.n|, of a wall with a model c.u of a link without a ghost cell. solid(d) reports whether the neighbour at d is a wall that does not conduct.
	template <class SOLID> LBM_HD LBM_APART Link link(const Source& own, int i, int type, double far, const T& slope, SOLID solid) const {
		const bool ghost = far < 0;
		const T q = ghost ? T(0) : T(far);
		const int kind = law(type), c[3] = {Known<L>::c(i, 0), Known<L>::c(i, 1), Known<L>::c(i, 2)};
		const T value = laws[SCALAR_NUMBERS * type + SCALAR_VALUE], w = weightOf<L, T>(i);
		const int opposite = L::Q - 1 - i;
		const T out = own.flow(opposite), back = own.scalar(opposite, out);
		if (kind == SCALAR_OPEN || kind == SCALAR_INLET || kind == SCALAR_OUTLET) {
			const T f = own.flow(i);
			T g = own.scalar(i, f);
			if (kind == SCALAR_INLET) g = g + (value - own.theta) * (w + f);
			if (kind == SCALAR_OUTLET) g = g + entering(inwards(own, c, solid)) * ((value - own.theta) * (w + f));
			return {f, g, f, g, back - g};
		}
		int from[3] = {0, 0, 0}, way[3];  // the cell whose population a mirror reflects, and its direction
		bool across = false;
		unroll<3>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			int d[3] = {0, 0, 0};
			d[A] = -c[A];
			way[A] = c[A];
			if (A >= L::D || c[A] == 0) return;
			// A scalar that slides along a face comes from the flow's source cell, past the corner of a body, too.
			if (solid(d) && (kind != SCALAR_MIRROR || law(at.type(d)) == SCALAR_MIRROR)) across = true, way[A] = -c[A];
			else from[A] = -c[A];
		});
		// Where the wall's end is in the way, the population returns to its cell: both cells have to see the same wall, and one
		// that reflects; otherwise a population would reach both or none.
		bool mirrored = across && (from[0] != 0 || from[1] != 0 || from[2] != 0) && !solid(from);
		int behind[3] = {0, 0, 0};
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			if (way[A] == c[A]) return;
			behind[A] = -c[A];
			int d[3] = {from[0], from[1], from[2]};
			d[A] = -c[A];
			mirrored = mirrored && solid(d);
		});
		mirrored = mirrored && solid(behind) && reflects(at.type(behind), kind);
		const int here[3] = {0, 0, 0};
		if (kind == SCALAR_MIRROR && !at.type(here) && !(mirrored && at.type(from))) {
			if (!mirrored) return {out, back, out, back, T(0)};
			const Source there = source(from);
			const int m = Known<L>::find(way[0], way[1], way[2]);
			const T f = there.flow(m), g = there.scalar(m, f);
			return {f, g, f, g, T(0)};
		}
		T f = out, g{}, lost;
		if (kind == SCALAR_FIXED) g = (value + value) * (w + f) - back;
		if (q > T(0) && (q >= T(0.5) || !at.type(c))) {
			const T in = own.flow(i);
			T A = q + q, other = in, carried;
			if (q < T(0.5)) {
				const Source beyond = source(c);
				other = beyond.flow(opposite);
				carried = beyond.scalar(opposite, other);
			} else {
				A = reciprocal(A);
				carried = own.scalar(i, in);
			}
			f = A * out + (T(1) - A) * other;
			if (kind == SCALAR_FIXED) {
				const T far = carried - value * (w + other);
				g = value * (w + f) - A * (back - value * (w + out)) + (T(1) - A) * (q < T(0.5) ? -far : far);
			}
		}
		if (kind == SCALAR_FIXED) {
			lost = (back - g) - value * (out - f);
		} else if (kind == SCALAR_CONDUCTS) {
			const int wall[3] = {-c[0], -c[1], -c[2]};
			const T comes = source(wall).still(i), goes = own.still(opposite);
			lost = goes - comes;
			g = comes + (back - goes) + own.theta * (f - out);
		} else {
			g = back - own.theta * out;
			if (mirrored) {
				const Source there = source(from);
				T cq{};
				unroll<L::D>([&](auto a) LBM_LAMBDA { cq = cq + T(way[a.value]) * there.q[a.value]; });
				g = w * (there.theta + T(3) * cq);
			}
			if (kind == SCALAR_MODELLED && !at.type(here)) {
				const T part = T(6) * w * slope;
				const long long n = ghost ? (long long)(-1 - far) : 0;
				const T enters = ghost ? part * heat[n] : T(0);
				f = ghost ? sent[L::Q * n + i] : out + part;
				g = g + own.theta * f + enters;
				return {f, g, f, g, own.theta * (out - f) - enters};
			}
			if (kind == SCALAR_FLUX) g = g + T(6) * w * slope * value;
			// An exchange between fluid cells by a mirror passes no wall.
			lost = (back - own.theta * out) - g;
			const T e = back - lost;
			if (!mirrored || !at.type(from)) lost = kind == SCALAR_FLUX ? -(T(6) * w * slope * value) : T(0);
			return {f, g + own.theta * f, out, e, lost};
		}
		return {f, g, out, back - lost, lost};
	}

	LBM_HD LBM_INLINE static void add(ScalarSums<L, T>& sums, int i, const Link& l) {
		sums.r = sums.r + l.mass;
		sums.e = sums.e + l.e;
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			const T c = T(Known<L>::c(i, a.value));
			sums.j[a.value] = sums.j[a.value] + c * l.f;
			sums.phi[a.value] = sums.phi[a.value] + c * l.g;
		});
	}

	// Distances of the links of a place, null: all are half-way, across axes.
	struct Distances {
		const double* of;
		unsigned links;
		LBM_HD LBM_INLINE double get(int i, int k, double usual) const { return of ? of[2 * ones(links & ((1u << i) - 1)) + k] : usual; }
	};

	// recompute computes theta and q of a cell from all its links, with keep = 1 - 1/tau in fluid.
	LBM_HD LBM_INLINE void recompute(unsigned links, const double* distances, const T& keep, T& theta, T* q) const {
		const int here[3] = {0, 0, 0}, type = at.type(here);
		const Source own = source(here);
		const Distances far{distances, links};
		ScalarSums<L, T> sums{};
		LBM_ROLLED for (int i = 0; i < L::Q; i++) {
			if (type && i == L::Q / 2) continue;
			const int from[3] = {-Known<L>::c(i, 0), -Known<L>::c(i, 1), -Known<L>::c(i, 2)};
			const int beside = at.type(from);
			if (beside && !(type && conducts(beside))) {
				add(sums, i, link(own, i, beside, far.get(i, 0, 0), T(far.get(i, 1, 1)), Wall{*this}));
				continue;
			}
			const Source there = source(from);
			const T f = type ? T(0) : there.flow(i), g = type ? there.still(i) : there.scalar(i, f);
			add(sums, i, {f, g, f, g, T(0)});
		}
		if (type) {
			const T* const n = laws + SCALAR_NUMBERS * type;
			theta = own.theta + ((sums.e - own.theta * (T(1) - weightOf<L, T>(L::Q / 2))) + n[SCALAR_VALUE]) * reciprocal(n[SCALAR_CAPACITY]);
			unroll<L::D>([&](auto a) LBM_LAMBDA { q[a.value] = n[SCALAR_KEEP] * sums.phi[a.value]; });
			return;
		}
		sums.values(theta, q);
		unroll<L::D>([&](auto a) LBM_LAMBDA { q[a.value] = keep * q[a.value]; });
	}

	// face returns the links of a cell with a flat wall behind it along an axis, on the side that directions with c_axis = s
	// leave.
	LBM_HD static constexpr unsigned face(int axis, int s) {
		unsigned links = 0;
		for (int i = 0; i < L::Q; i++)
			if (L::c(i, axis) == s) links |= 1u << i;
		return links;
	}
	// flat adds the populations that come out of such a wall, closed, of a flux or of a value: the result of link for all its
	// directions, in a tenth of the instructions. Mirrored populations come from the cells beside, which see the same wall.
	template <int A, int S> LBM_HD LBM_INLINE void flat(const Source& own, int type, T& e, T* phi) const {
		const N value = laws[SCALAR_NUMBERS * type + SCALAR_VALUE], flux = law(type) == SCALAR_FLUX ? value * N(6) : N(0);
		const bool fixed = law(type) == SCALAR_FIXED;
		const Carrier<L, T> carrier(own.theta, own.q, own.u);
		unroll<L::Q>([&](auto i) LBM_LAMBDA {
			constexpr int I = decltype(i)::value, O = L::Q - 1 - I;
			if constexpr (L::c(I, A) == S) {
				constexpr N w = Weights<L, N>::of(I);
				const T out = own.template flow<O>();
				T g;
				if (fixed) {
					g = (value + value) * (w + out) - carrier.population(O, out);
				} else {
					constexpr bool ACROSS = L::c(I, 0) * L::c(I, 0) + L::c(I, 1) * L::c(I, 1) + L::c(I, 2) * L::c(I, 2) == 1;
					if constexpr (ACROSS) {
						g = carrier.population(O, T{});
					} else {
						const int from[3] = {A == 0 ? 0 : -L::c(I, 0), A == 1 ? 0 : -L::c(I, 1), A == 2 ? 0 : -L::c(I, 2)};
						const auto there = at.near(from);
						T cq{};
						unroll<L::D>([&](auto a) LBM_LAMBDA {
							constexpr int B = decltype(a)::value, WAY = B == A ? -L::c(I, B) : L::c(I, B);
							if constexpr (WAY != 0) cq = cq + N(WAY) * there.template get<Source::FIRST + 1 + B>();
						});
						g = w * (there.template get<Source::FIRST>() + N(3) * cq);
					}
					g = g + w * flux + own.theta * out;
				}
				e = e + g;
				unroll<L::D>([&](auto a) LBM_LAMBDA {
					constexpr int WAY = L::c(I, decltype(a)::value);
					if constexpr (WAY != 0) phi[a.value] = phi[a.value] + N(WAY) * g;
				});
			}
		});
	}

	// correct adds the populations that come out of walls to theta and q, which a march has computed from all others and from
	// the flow's sums r and j.
	LBM_HD LBM_INLINE void correct(unsigned links, int type, const T& keep, const T& r, const T* j, T& theta, T* q) const {
		const int here[3] = {0, 0, 0};
		const Source own = source(here);
		ScalarSums<L, T> more{};
		bool done = false;
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			if (type && links == face(A, 1)) flat<A, 1>(own, type, more.e, more.phi), done = true;
			if (type && links == face(A, -1)) flat<A, -1>(own, type, more.e, more.phi), done = true;
		});
		LBM_ROLLED for (unsigned rest = done ? 0 : links; rest; rest &= rest - 1) {
			const int i = ones((rest & (0u - rest)) - 1), from[3] = {-Known<L>::c(i, 0), -Known<L>::c(i, 1), -Known<L>::c(i, 2)};
			add(more, i, link(own, i, type ? type : at.type(from), 0, T(1), [&](const int* d) LBM_LAMBDA { return links >> Known<L>::find(-d[0], -d[1], -d[2]) & 1; }));
		}
		raise(more, keep, r, j, theta, q);
	}
	LBM_HD LBM_INLINE static void raise(const ScalarSums<L, T>& more, const T& keep, const T& r, const T* j, T& theta, T* q) {
		const T rise = quotient(more.e, r);
		theta = theta + rise;
		unroll<L::D>([&](auto a) LBM_LAMBDA { q[a.value] = q[a.value] + keep * (more.phi[a.value] - rise * j[a.value]); });
	}

	// lost returns the scalar that leaves through the wall of a type along direction i in the coming step.
	LBM_HD LBM_INLINE T lost(int i, int type, double distance, double slope) const {
		const int here[3] = {0, 0, 0};
		return link(source(here), i, type, distance, T(slope), Wall{*this}).lost;
	}
};

}}  // namespace lbm
#endif

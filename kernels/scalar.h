// A scalar that the flow carries: temperature, a concentration. Its value theta, less its
// reference, rides on the populations of the flow, so that a uniform one stays uniform
// whatever walls and faces do with those. What a cell sends is, on the lattice of the flow,
//   g_i = theta f_i + 3 w_i c.q + a_i
// with q what diffuses, and a_i = u_k q_k for the two directions along axis k alone, less their sum for
// that of rest. That is what a normal distribution gains in the second moments k k when its mean is moved by
// q: with the flux alone waves of some lengths grow where the flow is fast against the
// diffusivity (TestScalarWaves of sim). A step sums up what has streamed in,
//   theta = sum g / sum f,   s = sum c g - theta sum c f,   q = (1 - 1/tau) s,
// and the diffusivity is (tau - 1/2)/3 (Chapman-Enskog; the regularized scheme: Wang, Shi & Chai,
// Phys. Rev. E 92 (2015) 043306). A cell holds theta and s behind the components of the flow;
// beside populations also the velocity u, which moments tell.
//
// The force per volume b theta (Boussinesq), with theta before the step, is added to what
// the flow's collision has left,
//   j += F,  S += u F + F u,   u = (j + (F0 + F)/2)/rho before that,
// which is Guo's forcing (Phys. Rev. E 65 (2002) 046308) but for terms of F F: the
// exact difference of equilibria (Kupershtokh, Medvedev & Karpov, Comput. Math. Appl. 58
// (2009) 965).
//
// What comes out of a wall or a face along direction i follows from the cell beside it before the
// step, with i' the opposite direction. All of it is exact where theta is linear in space.
//   closed: what flows comes back, what diffuses is reflected as by a mirror,
//           f = f_i',  g = theta f_i' + w_i (theta' + 3 (c_t.q' - c_n.q'))
//           with c = c_t + c_n, c_n across the wall, and theta' and q' of the cell at x - c_t, which
//           sends that to the wall. So heat that flows along a wall is not held up, and none is lost.
//   a flux into the fluid:  the same, g += 6 w_i flux
//   a value v:  f = f_i',  g = 2 v (w_i + f) - g_i'
//   open faces: what goes the same way,  f = f_i,  g = g_i
//   interpolated walls (boundary.Law), with the shares A, B and C of a link, of d = g - v (w + f):
//           f = A f_i' + B f_i + C f_i'(x+c),  d = -A d_i' + B d_i - C d_i'(x+c)  for a value;  else as half-way ones,
//           on that f: g += theta (f - f_i')
//   those that bring fluid of value v in:  f = f_i,  g = g_i + (v - theta) (w_i + f)
// The sums of f are those of this list, whatever the flow makes of its walls.
#ifndef LBM_SCALAR_H
#define LBM_SCALAR_H
#include "local.h"

namespace lbm { namespace {

// ScalarLink is boundary.ScalarLink: a link to a wall that is measured.
struct ScalarLink { unsigned x, row, direction, type; double distance; };
// ScalarPlace is boundary.ScalarPlace: a cell with links, which they are, and their walls' type if they have one in common,
// else 0; and where the distances of the links begin.
struct ScalarPlace { unsigned x, row, links, type, first; };
constexpr unsigned SCALAR_HALFWAY = ~0u;  // first: none of them has any
// Laws of walls, as in model.ScalarLaws; each type has the law's number and a value.
enum { SCALAR_CLOSED, SCALAR_FIXED, SCALAR_FLUX, SCALAR_OPEN, SCALAR_INLET };
// What leaves through walls is added up as integers of these parts (device.Load).
constexpr double SCALAR_UNITS = 1ll << 40;

template <class T> struct ScalarParams {
	T keep;                      // 1 - 1/tau
	T force[3], buoyancy[3];     // of the flow, uniform; for each unit of the scalar
};

// weightOf a direction that is known at run time only.
template <class L, class T> LBM_HD LBM_INLINE T weightOf(int i) { return T(Known<L>::share(i)) * (T(1) / T(L::UNIT)); }

// Carrier is what a cell sends of the scalar.
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

	LBM_HD static constexpr T weight(int i) { return T(L::share(i)) * (T(1) / T(L::UNIT)); }
	// 2^n w of a direction that there is, as of Expansion.
	LBM_HD static constexpr T doubled(int x, int y, int z) {
		const int i = L::find(x, y, z);
		return i < 0 ? T(0) : weight(i) * T(1 << (x * x + y * y + z * z));
	}
	// triple is the populations with given c_y and c_z from those of the flow, as Expansion has them.
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
	// population is that of direction i, known at run time only, of which the flow has f.
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

// ScalarSums is what has streamed in: of the flow, of the scalar.
template <class L, class R> struct ScalarSums {
	R r, j[L::D], e, phi[L::D];

	// theta and s of the new state.
	LBM_HD LBM_INLINE void values(R& theta, R* s) const {
		theta = e * reciprocal(typename Scalar<R>::type(1) + r);
		unroll<L::D>([&](auto a) LBM_LAMBDA { s[a.value] = phi[a.value] - theta * j[a.value]; });
	}
};

// buoyed adds the force of theta to the moments m that the flow's collision has left.
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

// buoyedPopulations does so with populations; u is the velocity that they go on with.
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

// ScalarSource is what a cell sends. NEAR reads it: get<K>() is component K, any(i) population i. C
// expands moments.
template <class L, class C, bool MOMENTS, class T, class NEAR> struct ScalarSource {
	static constexpr int FIRST = MOMENTS ? L::M : L::Q;  // component of the scalar
	const NEAR near;
	T theta, s[L::D], q[L::D], u[L::D];
	Expansion<L, T> x;  // of moments

	LBM_HD LBM_INLINE ScalarSource(const NEAR& near, const T& keep) : near(near) {
		theta = near.template get<FIRST>();
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			s[a.value] = near.template get<FIRST + 1 + decltype(a)::value>();
			q[a.value] = keep * s[a.value];
		});
		if constexpr (MOMENTS) {
			const Moments<L, T> m = momentsAt<L, true, T>([&](auto k) LBM_LAMBDA { return near.template get<decltype(k)::value>(); });
			velocityOf(m, u);
			x = C::expand(m);
		} else {
			unroll<L::D>([&](auto a) LBM_LAMBDA { u[a.value] = near.template get<FIRST + 1 + L::D + decltype(a)::value>(); });
		}
	}
	LBM_HD LBM_INLINE T flow(int i) const {
		if constexpr (MOMENTS) return x.any(i);
		else return near.any(i);
	}
	// scalar is population i, of which the flow has f.
	LBM_HD LBM_INLINE T scalar(int i, const T& f) const {
		return Carrier<L, T>(theta, q, u).population(i, f);
	}
};

// ScalarCell is one fluid cell. AT reads the state before the step: near(d) is the neighbour at d, type(d) its
// type, 0 for fluid. Types have a law and a value each, behind laws.
template <class L, class C, bool MOMENTS, class T, class AT> struct ScalarCell {
	typedef ScalarSource<L, C, MOMENTS, T, typename AT::Near> Source;
	const AT& at;
	const T* const laws;
	const T keep;

	LBM_HD LBM_INLINE Source source(const int* d) const { return Source(at.near(d), keep); }

	// link is what comes out of a wall of the given type along direction i, of the flow and of the scalar; lost is what
	// leaves through it. q is the distance of a wall that is not half-way, else 0. solid(d) tells of the neighbour at d.
	template <class SOLID> LBM_HD LBM_INLINE void link(const Source& own, int i, int type, const T& q, T& f, T& g, T& lost, SOLID solid) const {
		const int kind = int(laws[2 * type]), c[3] = {Known<L>::c(i, 0), Known<L>::c(i, 1), Known<L>::c(i, 2)};
		const T value = laws[2 * type + 1], w = weightOf<L, T>(i);
		const int opposite = L::Q - 1 - i;
		const T out = own.flow(opposite);
		const T back = own.scalar(opposite, out);
		if (kind == SCALAR_OPEN || kind == SCALAR_INLET) {
			f = own.flow(i);
			g = own.scalar(i, f);
			if (kind == SCALAR_INLET) g = g + (value - own.theta) * (w + f);
			lost = back - g;
			return;
		}
		f = out;
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
			return;
		}
		g = back - own.theta * out;
		int from[3] = {0, 0, 0};  // the cell that sends it
		bool across = false;
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			int d[3] = {0, 0, 0};
			d[A] = -c[A];
			if (c[A] == 0) return;
			if (solid(d)) across = true;
			else from[A] = -c[A];
		});
		// Where the wall's end is in the way, it comes back to its cell.
		if (across && (from[0] != 0 || from[1] != 0 || from[2] != 0) && !solid(from)) {
			const Source there = source(from);
			T cq{};
			unroll<L::D>([&](auto a) LBM_LAMBDA { cq = cq + T(from[a.value] != 0 ? c[a.value] : -c[a.value]) * there.q[a.value]; });
			g = w * (there.theta + T(3) * cq);
		}
		if (kind == SCALAR_FLUX) g = g + T(6) * w * value;
		lost = (back - own.theta * out) - g;
		g = g + own.theta * f;
	}

	LBM_HD LBM_INLINE static void add(ScalarSums<L, T>& sums, int i, const T& f, const T& g) {
		sums.r = sums.r + f;
		sums.e = sums.e + g;
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			const T c = T(Known<L>::c(i, a.value));
			sums.j[a.value] = sums.j[a.value] + c * f;
			sums.phi[a.value] = sums.phi[a.value] + c * g;
		});
	}

	// sums is what streams in; distances are those of the place's links, null: all are half-way.
	LBM_HD LBM_INLINE ScalarSums<L, T> sums(unsigned links, const double* distances) const {
		const int here[3] = {0, 0, 0};
		const Source own = source(here);
		ScalarSums<L, T> sums{};
		LBM_ROLLED for (int i = 0; i < L::Q; i++) {
			const int from[3] = {-Known<L>::c(i, 0), -Known<L>::c(i, 1), -Known<L>::c(i, 2)};
			const int type = at.type(from);
			T f, g, lost;
			if (type) {
				link(own, i, type, distances ? T(distances[ones(links & ((1u << i) - 1))]) : T(0), f, g, lost, [&](const int* d) LBM_LAMBDA { return at.type(d) != 0; });
			} else {
				const Source there = source(from);
				f = there.flow(i);
				g = there.scalar(i, f);
			}
			add(sums, i, f, g);
		}
		return sums;
	}

	// mend adds what comes out of walls to theta and s, which a march has made of all else and of the flow's sums
	// r and j.
	LBM_HD LBM_INLINE void mend(unsigned links, int type, const T& r, const T* j, T& theta, T* s) const {
		const int here[3] = {0, 0, 0};
		const Source own = source(here);
		ScalarSums<L, T> more{};
		LBM_ROLLED for (unsigned rest = links; rest; rest &= rest - 1) {
			const int i = ones((rest & (0u - rest)) - 1), from[3] = {-Known<L>::c(i, 0), -Known<L>::c(i, 1), -Known<L>::c(i, 2)};
			T f, g, lost;
			link(own, i, type ? type : at.type(from), T(0), f, g, lost, [&](const int* d) LBM_LAMBDA { return links >> Known<L>::find(-d[0], -d[1], -d[2]) & 1; });
			add(more, i, T(0), g);
		}
		const T rise = more.e * reciprocal(T(1) + r);
		theta = theta + rise;
		unroll<L::D>([&](auto a) LBM_LAMBDA { s[a.value] = s[a.value] + (more.phi[a.value] - rise * j[a.value]); });
	}

	// lost is what leaves through the wall of a type along direction i in the coming step.
	LBM_HD LBM_INLINE T lost(int i, int type, double distance) const {
		const int here[3] = {0, 0, 0};
		T f, g, lost;
		link(source(here), i, type, T(distance), f, g, lost, [&](const int* d) LBM_LAMBDA { return at.type(d) != 0; });
		return lost;
	}
};

}}  // namespace lbm
#endif

// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Coupling between two levels of a refined grid: docs/refinement-numerics.md has the scheme, internal/ref/coupling.go the oracle,
// device.Coupler the order of the kernels. A cell's moments after the collision with the force F are
//   j = rho u + F/2,   S = rho u u + (u F + F u)/2 + P,   P = -2/3 rho (tau - 1) e
// rho, u and P are interpolated.
#ifndef LBM_LEVELS_H
#define LBM_LEVELS_H
#include "expansion.h"
#include "lattice/d2q9.h"
#include "lattice/d3q19.h"
#include "level_laws.h"
#include "level_lists.h"
#include "level_scalar.h"

namespace lbm { namespace {

// Around<D> numbers the cells around a parent: those that share a face or an edge with it. Corners of the 3x3x3 cells are not read.
template <int D> struct AroundOf { typedef D3Q19 Type; };
template <> struct AroundOf<2> { typedef D2Q9 Type; };

// HalfForce is half of the force on a cell: the body force, and what a scalar's value adds.
template <class L, class R> struct HalfForce {
	using T = typename Scalar<R>::type;
	R of[L::D];
	LBM_HD LBM_INLINE explicit HalfForce(const double* force) {
		unroll<L::D>([&](auto a) LBM_LAMBDA { of[a.value] = R{} + T(0.5 * force[a.value]); });
	}
	LBM_HD LBM_INLINE HalfForce(const double* force, const double* buoyancy, const R& theta) {
		unroll<L::D>([&](auto a) LBM_LAMBDA { of[a.value] = T(0.5 * force[a.value]) + theta * T(0.5 * buoyancy[a.value]); });
	}
};

// LevelValue holds the interpolated values of one cell or a vector of cells. Compact buffers sent to a finer level hold these
// values.
template <class L, class R> struct LevelValue {
	using T = typename Scalar<R>::type;
	R r, u[L::D], p[L::M - 1 - L::D];  // rho - 1, velocity, P

	LBM_HD LBM_INLINE static LevelValue of(const Moments<L, R>& m, const HalfForce<L, R>& force) {
		LevelValue v;
		v.r = m.r;
		const R inv = reciprocal(T(1) + m.r);
		R rhou[L::D];
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			rhou[a.value] = m.j[a.value] - force.of[a.value];
			v.u[a.value] = rhou[a.value] * inv;
		});
		v.stress(rhou, force, [&](auto ab, const R& flow) LBM_LAMBDA { v.p[ab.value] = m.s[ab.value] - flow; });
		return v;
	}
	LBM_HD LBM_INLINE Moments<L, R> moments(const HalfForce<L, R>& force) const {
		Moments<L, R> m;
		m.r = r;
		R rhou[L::D];
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			rhou[a.value] = (T(1) + r) * u[a.value];
			m.j[a.value] = rhou[a.value] + force.of[a.value];
		});
		stress(rhou, force, [&](auto ab, const R& flow) LBM_LAMBDA { m.s[ab.value] = flow + p[ab.value]; });
		return m;
	}
	// stress calls take(Int<ab>, rho u_a u_b + (u_a F_b + u_b F_a)/2).
	template <class F> LBM_HD LBM_INLINE void stress(const R* rhou, const HalfForce<L, R>& force, F take) const {
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			unroll<A + 1>([&](auto b) LBM_LAMBDA {
				constexpr int B = decltype(b)::value;
				take(Int<L::pair(A, B)>{}, u[A] * rhou[B] + (u[A] * force.of[B] + u[B] * force.of[A]));
			});
		});
	}

	// each calls f(k, v) for the numbers, in the order of a compact buffer.
	template <class F> LBM_HD LBM_INLINE void each(F f) {
		f(0, r);
		unroll<L::D>([&](auto a) LBM_LAMBDA { f(1 + a.value, u[a.value]); });
		unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { f(1 + L::D + k.value, p[k.value]); });
	}

	LBM_HD LBM_INLINE void add(const LevelValue& o) {
		r = r + o.r;
		unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { p[k.value] = p[k.value] + o.p[k.value]; });
	}

	// convert converts P to the other level; gradient is g[a][b] = du_a/dx_b in its cells. LAW converts the deviator of cells
	// with individual relaxation times, and the trace where it relaxes alike. It returns the change of a scalar's flux.
	template <class LAW> LBM_HD LBM_INLINE Change<R> convert(const lbm_conversion& c, const R (&gradient)[L::D][L::D]) {
		R trace = p[0], divergence = gradient[0][0];
		unroll<L::D - 1>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value + 1;
			trace = trace + p[A];
			divergence = divergence + gradient[A][A];
		});
		trace = trace * (T(1) / T(L::D));
		divergence = divergence * (T(1) / T(L::D));
		Changes<R> changes{{R{} + T(c.shear), R{} + T(c.shearStrain)}, {R{} + T(c.flux), R{} + T(c.fluxGradient)}};
		LAW::template change<L::D>(c, &gradient[0][0], changes);
		const Change<R> shear = changes.shear, bulk = c.tied ? shear : Change<R>{R{} + T(c.trace), R{} + T(c.traceStrain)};
		const R rho = T(1) + r, strain = rho * shear.strain, normal = bulk.scale * trace + rho * bulk.strain * divergence;
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			p[A] = (shear.scale * (p[A] - trace) + strain * (gradient[A][A] - divergence)) + normal;
			unroll<A>([&](auto b) LBM_LAMBDA {
				constexpr int B = decltype(b)::value, ab = L::pair(A, B);
				p[ab] = shear.scale * p[ab] + strain * (T(0.5) * (gradient[A][B] + gradient[B][A]));
			});
		});
		return changes.flux;
	}
};

// extrapolate writes the values of a cell beyond an end of the domain, from the three cells inwards: the velocity by a parabola,
// exact in a channel, density and P linearly.
template <class L, class T> LBM_HD LBM_INLINE void extrapolate(const T* first, const T* second, const T* third, T* to) {
	unroll<L::M>([&](auto k) LBM_LAMBDA {
		constexpr int K = decltype(k)::value;
		if constexpr (K >= 1 && K <= L::D) to[K] = T(3) * (first[K] - second[K]) + third[K];
		else to[K] = first[K] + (first[K] - second[K]);
	});
}

// Parabola interpolates the children of a parent: it reproduces the means of the cells around it. at(Int<k>) returns
// the values of cell k of AroundOf.
template <class L, class T> struct Parabola {
	typedef typename AroundOf<L::D>::Type Around;
	LevelValue<L, T> mid, slope[L::D];             // slope: differences of the cells on either side
	T bend[L::D][L::D], mixed[L::D][L::D][L::D];  // of the velocity, by axes, then component; mixed of the larger axis first

	template <class AT> LBM_HD LBM_INLINE explicit Parabola(AT at) {
		const T* const own = at(Int<Around::Q / 2>{});
		mid.each([&](int k, T& v) LBM_LAMBDA { v = own[k]; });
		unroll<L::D>([&](auto x) LBM_LAMBDA {
			constexpr int X = decltype(x)::value, HI = Around::find(X == 0, X == 1, X == 2);
			const T *const hi = at(Int<HI>{}), *const lo = at(Int<Around::opposite(HI)>{});
			slope[X].each([&](int k, T& v) LBM_LAMBDA { v = hi[k] - lo[k]; });
			unroll<L::D>([&](auto a) LBM_LAMBDA {
				constexpr int A = decltype(a)::value;
				bend[X][A] = (hi[1 + A] - mid.u[A]) - (mid.u[A] - lo[1 + A]);
			});
		});
		unroll<L::D>([&](auto y) LBM_LAMBDA {
			constexpr int Y = decltype(y)::value;
			unroll<Y>([&](auto x) LBM_LAMBDA {
				constexpr int X = decltype(x)::value;
				constexpr int SAME = Around::find(X == 0 || Y == 0, X == 1 || Y == 1, X == 2 || Y == 2);
				constexpr int MIXED = Around::find(X == 0, X == 1 ? 1 : Y == 1 ? -1 : 0, Y == 2 ? -1 : 0);
				const T *const pp = at(Int<SAME>{}), *const pm = at(Int<MIXED>{}), *const mp = at(Int<Around::opposite(MIXED)>{}), *const mm = at(Int<Around::opposite(SAME)>{});
				unroll<L::D>([&](auto a) LBM_LAMBDA {
					constexpr int A = decltype(a)::value;
					mixed[Y][X][A] = (pp[1 + A] - pm[1 + A]) - (mp[1 + A] - mm[1 + A]);
				});
			});
		});
	}

	// child returns the values of the child on these sides, -1 or +1, of the parent's centre: the mean over the child. R is T, or a
	// vector of children. flux becomes the change of a scalar's flux there.
	template <class LAW, class R> LBM_HD LBM_INLINE LevelValue<L, R> child(const R* side, const lbm_conversion& c, Change<R>& flux) const {
		LevelValue<L, R> out;
		R gradient[L::D][L::D];  // at the child, in its cells
		out.r = R{} + mid.r;
		unroll<L::D>([&](auto a) LBM_LAMBDA { out.u[a.value] = R{} + mid.u[a.value]; });
		unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { out.p[k.value] = R{} + mid.p[k.value]; });
		unroll<L::D>([&](auto x) LBM_LAMBDA {
			constexpr int X = decltype(x)::value;
			const R eighth = side[X] * T(0.125);
			out.r = out.r + eighth * slope[X].r;
			unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { out.p[k.value] = out.p[k.value] + eighth * slope[X].p[k.value]; });
			unroll<L::D>([&](auto a) LBM_LAMBDA {
				constexpr int A = decltype(a)::value;
				out.u[A] = out.u[A] + eighth * slope[X].u[A];
				gradient[A][X] = T(0.25) * slope[X].u[A] + eighth * bend[X][A];
			});
		});
		unroll<L::D>([&](auto y) LBM_LAMBDA {
			constexpr int Y = decltype(y)::value;
			unroll<Y>([&](auto x) LBM_LAMBDA {
				constexpr int X = decltype(x)::value;
				unroll<L::D>([&](auto a) LBM_LAMBDA {
					constexpr int A = decltype(a)::value;
					const R along = side[X] * (T(1.0 / 32) * mixed[Y][X][A]), across = side[Y] * (T(1.0 / 32) * mixed[Y][X][A]);
					out.u[A] = out.u[A] + T(0.5) * side[Y] * along;
					gradient[A][X] = gradient[A][X] + across;
					gradient[A][Y] = gradient[A][Y] + along;
				});
			});
		});
		flux = out.template convert<LAW>(c, gradient);
		return out;
	}
};

// parentOf returns the values of a mirror cell, by the means of mass, momentum and P of its children, x fastest; get(Int<k>) returns
// the values of child k. R is a number, or a vector of mirror cells. flux becomes the change of a scalar's flux.
template <class L, class R, class LAW, class GET> LBM_HD LBM_INLINE LevelValue<L, R> parentOf(const lbm_conversion& c, Change<R>& flux, GET get) {
	typedef LevelValue<L, R> Value;
	using T = typename Scalar<R>::type;
	constexpr int N = 1 << L::D;
	constexpr T share = T(1) / T(N);
	Value mean;  // its velocity follows from the momentum
	R j[L::D], gradient[L::D][L::D];  // in cells of the coarser level
	unroll<N>([&](auto k) LBM_LAMBDA {
		constexpr int K = decltype(k)::value;
		const Value v = get(k);
		if constexpr (K == 0) mean = v;
		else mean.add(v);
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			const R rhou = (T(1) + v.r) * v.u[A];
			if constexpr (K == 0) j[A] = rhou;
			else j[A] = j[A] + rhou;
			unroll<L::D>([&](auto x) LBM_LAMBDA {
				constexpr int X = decltype(x)::value;
				const R u = K >> X & 1 ? v.u[A] : -v.u[A];
				if constexpr (K == 0) gradient[A][X] = u;
				else gradient[A][X] = gradient[A][X] + u;
			});
		});
	});
	mean.r = mean.r * share;
	const R inv = reciprocal(T(1) + mean.r);
	unroll<L::D>([&](auto a) LBM_LAMBDA {
		mean.u[a.value] = j[a.value] * share * inv;
		unroll<L::D>([&](auto x) LBM_LAMBDA { gradient[a.value][x.value] = gradient[a.value][x.value] * (T(4) * share); });
	});
	unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { mean.p[k.value] = mean.p[k.value] * share; });
	flux = mean.template convert<LAW>(c, gradient);
	return mean;
}

// Sent<L> numbers the populations that a cell sends through faces across an axis on one side, by rising direction.
template <class L> struct Sent {
	LBM_HD static constexpr int count() {
		int n = 0;
		for (int i = 0; i < L::Q; i++) n += L::c(i, 0) > 0;
		return n;
	}
	static constexpr int N = count();
	LBM_HD static constexpr int slot(int i, int axis) {
		int n = 0;
		for (int k = 0; k < i; k++) n += L::c(k, axis) == L::c(i, axis);
		return n;
	}
};

// addCrossing adds a population f to the sums of mass and momentum, in sixths.
template <class L, class T> LBM_HD LBM_INLINE void addCrossing(const lbm_crossing& x, const T& f, double* sums) {
	const double v = double(f);
	sums[0] += double(x.mass) * v;
	unroll<L::D>([&](auto a) LBM_LAMBDA { sums[1 + a.value] += double(x.momentum * Known<L>::c(x.direction, a.value)) * v; });
}

// corrected returns the moments of a cell that receives mass and momentum. P stays. The sums are rounded once, when they are
// stored.
template <class L, class T> LBM_HD LBM_INLINE Moments<L, T> corrected(const Moments<L, T>& m, const double* gain, const HalfForce<L, double>& force) {
	LevelValue<L, double> v;
	Moments<L, double> wide;
	wide.r = double(m.r);
	unroll<L::D>([&](auto a) LBM_LAMBDA { wide.j[a.value] = double(m.j[a.value]); });
	unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { wide.s[k.value] = double(m.s[k.value]); });
	v = LevelValue<L, double>::of(wide, force);
	const double rho = 1 + v.r;
	v.r += gain[0];
	unroll<L::D>([&](auto a) LBM_LAMBDA { v.u[a.value] = (rho * v.u[a.value] + gain[1 + a.value]) / (1 + v.r); });
	wide = v.moments(force);
	Moments<L, T> out;
	out.r = T(v.r);
	unroll<L::D>([&](auto a) LBM_LAMBDA { out.j[a.value] = T(double(m.j[a.value]) + gain[1 + a.value]); });
	unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { out.s[k.value] = T(wide.s[k.value]); });
	return out;
}

// correctedScalar returns the value of such a cell's scalar, of the density 1 + r before; gain holds the heat behind the
// momentum. Heat is rho theta.
template <class L> LBM_HD LBM_INLINE double correctedScalar(double theta, double r, const double* gain) {
	return theta + (gain[1 + L::D] - theta * gain[0]) / (1 + r + gain[0]);
}

}}  // namespace lbm
#endif

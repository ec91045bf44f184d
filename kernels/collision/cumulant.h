// What:     cumulants of third and higher order vanish, the trace of the stress relaxes by itself.
// Equation: f* has the moments of a normal distribution: mean u = j*/rho, covariance delta/3 + k, k = S*/rho - u u, as far as the lattice carries them
// Source:   Geier, Schoenherr, Pasquali & Krafczyk, Comput. Math. Appl. 70 (2015) 507, all rates above second order 1
// Storage:  populations f - w; they are a function of the moments rho, j and S
// Limits:   errors of order u^3 remain in compressed flow (aaa is on no lattice); walls as in regularized.h
#ifndef LBM_CUMULANT_H
#define LBM_CUMULANT_H
#include "../closure.h"
#include "../viscosity/newtonian.h"
#include "../local.h"

namespace lbm { namespace {

struct Cumulant {
	template <class L, class R>
	LBM_HD static LBM_INLINE void collide(R* f, const Params<typename Scalar<R>::type>& p) { local<Newtonian, L>(f, p); }

	template <class V, class L, class R>
	LBM_HD static LBM_INLINE void local(R* f, const Params<typename Scalar<R>::type>& p) {
		using T = typename Scalar<R>::type;
		constexpr T third = T(1) / T(3);
		Moments<L, R> m = momentsOf<L>(f);
		Local<V, L, R>(m, p).collide(m, p);
		Closure<L, R> c(m);
		const R rho = m.r + T(1);
		// For numbers with a joint normal distribution E[x g] = u_x E[g] + sum k_xa E[dg/da]
		// (Isserlis, Biometrika 12 (1918) 134). k is per mass; e is E220 per mass, less 1/9.
		R k[L::D * (L::D + 1) / 2], e[Closure<L, R>::PAIRS];
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			unroll<A + 1>([&](auto b) LBM_LAMBDA {
				constexpr int B = decltype(b)::value, ab = L::pair(A, B);
				k[ab] = m.s[ab] * c.inv - c.u[A] * c.u[B];
			});
		});
		unroll<Closure<L, R>::PAIRS>([&](auto i) LBM_LAMBDA {
			constexpr int K = decltype(i)::value, A = K == 2, B = K == 0 ? 1 : 2, ab = L::pair(A, B);
			const R a = m.s[A] * c.inv, b = m.s[B] * c.inv, uu = c.u[A] * c.u[B];
			e[K] = (a + b) * third + (a * b + (k[ab] + k[ab]) * (k[ab] + (uu + uu)));
			c.square[K] = m.r * (third * third) + rho * e[K];
		});
		if constexpr (Closure<L, R>::CORNERS) {
			const R* u = c.u;
			unroll<3>([&](auto a) LBM_LAMBDA {
				constexpr int A = decltype(a)::value, B = A == 0, C = A == 2 ? 1 : 2;
				constexpr int ab = L::pair(A, B), ac = L::pair(A, C), bc = L::pair(B, C);
				// E[a^2 b c] = E[a^2] E[b c] + 2 k_ab k_ac + 2 u_a (u_b k_ac + u_c k_ab)
				const R more = k[ab] * k[ac] + u[A] * (u[B] * k[ac] + u[C] * k[ab]);
				c.quad[A] = m.s[bc] * (third + m.s[A] * c.inv) + rho * (more + more);
				// E[a b^2 c^2] = u_a E[b^2 c^2] + 2 k_ab E[b c^2] + 2 k_ac E[b^2 c]
				const R rest = k[ab] * c.beside[B][C] + k[ac] * c.beside[C][B];
				c.five[A] = m.j[A] * (e[2 - A] + third * third) + (rest + rest);
			});
			// E222 = u_x E122 + (1/3 + k_xx) E022 + 2 k_xy E112 + 2 k_xz E121, less 1/27
			const R rest = k[L::pair(0, 1)] * c.quad[2] + k[L::pair(0, 2)] * c.quad[1];
			c.six = m.r * (third * third * third) + u[0] * c.five[0] + rho * (e[2] * (third + k[0]) + k[0] * (third * third)) + (rest + rest);
		}
		c.fill(f);
	}
};

}}  // namespace lbm
#endif

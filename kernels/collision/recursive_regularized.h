// What:     regularized collision with the third-order moments that those of second order imply.
// Equation: f* = w (rho + 3 c.j + 9/2 H2:S* + third order), a*_abc = u_a S*_bc + u_b S*_ac + u_c S*_ab - 2 rho u_a u_b u_c, u = j*/rho
// Source:   Malaspinas, arXiv:1505.06900 (2015); Coreixas et al., Phys. Rev. E 96 (2017) 033306; D3Q19: Jacob, Malaspinas & Sagaut, J. Turbul. 19 (2018) 1051
// Storage:  populations f - w; they are a function of the moments rho, j and S, as those of regularized.h
// Limits:   D2Q9 carries xxy and xyy, D3Q27 all but aaa, D3Q19 all but aaa and xyz; walls as in regularized.h
#ifndef LBM_RECURSIVE_REGULARIZED_H
#define LBM_RECURSIVE_REGULARIZED_H
#include "../closure.h"
#include "../viscosity/newtonian.h"
#include "../local.h"

namespace lbm { namespace {

struct RecursiveRegularized {
	template <class L, class R>
	LBM_HD static LBM_INLINE void collide(R* f, const Params<typename Scalar<R>::type>& p) { local<Newtonian, L>(f, p); }

	template <class V, class L, class R>
	LBM_HD static LBM_INLINE void local(R* f, const Params<typename Scalar<R>::type>& p) {
		using T = typename Scalar<R>::type;
		constexpr T third = T(1) / T(3);
		Moments<L, R> m = momentsOf<L>(f);
		Local<V, L, R>(m, p).collide(m, p);
		Closure<L, R> c(m);
		// Hermite moments of fourth and higher order vanish. On D3Q19 those of fourth order
		// are not orthogonal to second order; what is there is the second-order expansion.
		unroll<Closure<L, R>::PAIRS>([&](auto k) LBM_LAMBDA {
			constexpr int K = decltype(k)::value, A = K == 2, B = K == 0 ? 1 : 2;
			c.square[K] = m.r * (third * third) + (m.s[A] + m.s[B]) * third;
			if constexpr (L::Q == 19) c.square[K] = c.square[K] - m.s[2 - K] * (T(1) / T(6));
		});
		if constexpr (Closure<L, R>::CORNERS) {
			unroll<3>([&](auto a) LBM_LAMBDA {
				constexpr int A = decltype(a)::value, B = A == 0, C = A == 2 ? 1 : 2;
				c.quad[A] = c.mixed[2 - A] * third;
				c.five[A] = (c.beside[A][B] + c.beside[A][C]) * third - m.j[A] * (third * third);
			});
			c.six = (c.square[0] + c.square[1] + c.square[2]) * third - (c.two[0] + c.two[1] + c.two[2]) * (third * third) + m.r * (third * third * third);
		}
		c.fill(f);
	}
};

}}  // namespace lbm
#endif

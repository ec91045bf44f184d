// What:     one relaxation time for all populations, with Guo's body force.
// Equation: f* = f - omega (f - feq(rho, u)) + (1-omega/2) w (3 (c-u).F + 9 (c.u)(c.F)), u = (j + F/2)/rho
// Source:   Qian, d'Humieres & Lallemand, Europhys. Lett. 17 (1992) 479; force: Guo, Zheng & Shi, Phys. Rev. E 65 (2002) 046308
// Storage:  populations f - w
// Limits:   Ma << 1; the wall's position depends on the viscosity (Lambda = (tau-1/2)^2)
#ifndef LBM_BGK_H
#define LBM_BGK_H
#include "../local.h"

namespace lbm { namespace {

struct Bgk {
	template <class L, class R>
	LBM_HD static LBM_INLINE void collide(R* f, const Params<typename Scalar<R>::type>& p) {
		Gain<L, R> gain(f, p.omega, p.omega, p.force);
		relax<L>(f, gain, typename Scalar<R>::type(1) - p.omega);
	}

	template <class V, class L, class R>
	LBM_HD static LBM_INLINE void local(R* f, const Params<typename Scalar<R>::type>& p) {
		const Local<V, L, R> own(momentsOf<L>(f), p);
		relax<L>(f, LocalGain<L, R>(f, own.omega, own.omega, own.trace, p.force), typename Scalar<R>::type(1) - own.omega);
	}

	// keep is 1 - omega, a number or the cells' own.
	template <class L, class R, class G, class O> LBM_HD static LBM_INLINE void relax(R* f, const G& gain, const O& keep) {
		using T = typename Scalar<R>::type;
		const O half = T(0.5) * keep;
		unroll<L::Q / 2>([&](auto i) LBM_LAMBDA {
			constexpr int N = decltype(i)::value, P = L::opposite(N);
			R even = (f[P] + f[N]) * half + gain.template even<P>(), odd = (f[P] - f[N]) * half + gain.template odd<P>();
			f[P] = even + odd;
			f[N] = even - odd;
		});
		f[L::Q / 2] = f[L::Q / 2] * keep + gain.template even<L::Q / 2>();
	}
};

}}  // namespace lbm
#endif

// What:     two relaxation times, for the even and the odd part of the populations, with Guo's body force in each.
// Equation: f* = f - omega+ (f+ - feq+) - omega- (f- - feq-) + (1-omega+/2) F+ + (1-omega-/2) F-, f+- = (f_i +- f_i')/2
// Source:   Ginzburg, Verhaeghe & d'Humieres, Commun. Comput. Phys. 3 (2008) 427; force: Guo et al., Phys. Rev. E 65 (2002) 046308
// Storage:  populations f - w
// Limits:   Ma << 1; a straight half-way wall is exact at (1/omega+ - 1/2)(1/omega- - 1/2) = 3/16
#ifndef LBM_TRT_H
#define LBM_TRT_H
#include "../local.h"

namespace lbm { namespace {

struct Trt {
	template <class L, class R>
	LBM_HD static LBM_INLINE void collide(R* f, const Params<typename Scalar<R>::type>& p) {
		Gain<L, R> gain(f, p.omega, p.omegaMinus, p.force);
		relax<L>(f, gain, p.omega, p.omegaMinus);
	}

	// With rates of the cells' own, lambda stays, and with it the place of the walls.
	template <class V, class L, class R>
	LBM_HD static LBM_INLINE void local(R* f, const Params<typename Scalar<R>::type>& p) {
		using T = typename Scalar<R>::type;
		const Local<V, L, R> own(momentsOf<L>(f), p);
		// 1/omega- = lambda/(1/omega - 1/2) + 1/2
		const R half = T(1) - T(0.5) * own.omega, minus = half * reciprocal(own.omega * p.lambda + T(0.5) * half);
		relax<L>(f, LocalGain<L, R>(f, own.omega, minus, own.trace, p.force), own.omega, minus);
	}

	template <class L, class R, class G, class O> LBM_HD static LBM_INLINE void relax(R* f, const G& gain, const O& plus, const O& minus) {
		using T = typename Scalar<R>::type;
		// The sums and differences of the pairs are all that is needed from here on.
		const O keepPlus = T(0.5) - T(0.5) * plus, keepMinus = T(0.5) - T(0.5) * minus;
		unroll<L::Q / 2>([&](auto i) LBM_LAMBDA {
			constexpr int N = decltype(i)::value, P = L::opposite(N);
			R even = (f[P] + f[N]) * keepPlus + gain.template even<P>();
			R odd = (f[P] - f[N]) * keepMinus + gain.template odd<P>();
			f[P] = even + odd;
			f[N] = even - odd;
		});
		f[L::Q / 2] = f[L::Q / 2] * (T(1) - plus) + gain.template even<L::Q / 2>();
	}
};

}}  // namespace lbm
#endif

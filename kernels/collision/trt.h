// What:     two relaxation times, for the even and the odd part of the populations, with Guo's body force in each.
// Equation: f* = f - omega+ (f+ - feq+) - omega- (f- - feq-) + (1-omega+/2) F+ + (1-omega-/2) F-, f+- = (f_i +- f_i')/2
// Source:   Ginzburg, Verhaeghe & d'Humieres, Commun. Comput. Phys. 3 (2008) 427; force: Guo et al., Phys. Rev. E 65 (2002) 046308
// Storage:  populations f - w
// Limits:   Ma << 1; a straight half-way wall is exact at (1/omega+ - 1/2)(1/omega- - 1/2) = 3/16
#ifndef LBM_TRT_H
#define LBM_TRT_H
#include "../params.h"
#include "../populations.h"

namespace lbm { namespace {

struct Trt {
	template <class L, class R>
	LBM_HD static LBM_INLINE void collide(R* f, const Params<typename Scalar<R>::type>& p) {
		using T = typename Scalar<R>::type;
		Gain<L, R> gain(f, p.omega, p.omegaMinus, p.force);
		// The sums and differences of the pairs are all that is needed from here on.
		const T keepPlus = T(0.5) - T(0.5) * p.omega, keepMinus = T(0.5) - T(0.5) * p.omegaMinus;
		unroll<L::Q / 2>([&](auto i) LBM_LAMBDA {
			constexpr int N = decltype(i)::value, P = L::opposite(N);
			R even = (f[P] + f[N]) * keepPlus + gain.template even<P>();
			R odd = (f[P] - f[N]) * keepMinus + gain.template odd<P>();
			f[P] = even + odd;
			f[N] = even - odd;
		});
		f[L::Q / 2] = f[L::Q / 2] * (T(1) - p.omega) + gain.template even<L::Q / 2>();
	}
};

}}  // namespace lbm
#endif

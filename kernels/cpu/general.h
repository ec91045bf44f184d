// Models and laws that are chosen at run time. A compiled step for each model with each
// law would be hundreds; so the usual models have steps of their own (instances.h), and
// all the rest share one for each lattice and precision, which calls the model's
// function once for each vector of cells. A switch that always goes the same way costs
// next to nothing; what it costs is that populations pass through memory.
#ifndef LBM_GENERAL_H
#define LBM_GENERAL_H
#include "lanes.h"  // first: templates find the functions of vectors only if they come before
#include "../catalogue.h"

namespace lbm { namespace {

// omegaByLaw makes a, tau |shear rate|, the omega of law number p.kind of model.ViscosityLaws.
template <class R> __attribute__((noinline)) void omegaByLaw(R& a, const Params<typename Scalar<R>::type>& p) {
	switch (p.kind) {
#define LAW(NUMBER, V) \
	case NUMBER: a = V::omega(a, p); return;
		LBM_LAWS(LAW)
#undef LAW
	}
	__builtin_trap();
}
struct AnyLaw {
	template <class R> LBM_INLINE static R omega(R a, const Params<typename Scalar<R>::type>& p) {
		if (p.kind == 0) return Newtonian::omega(a, p);
		omegaByLaw(a, p);
		return a;
	}
};

template <class C, class L, class R> __attribute__((noinline)) void collideApart(R* f, const Params<typename Scalar<R>::type>& p) {
	C::template local<AnyLaw, L>(f, p);
}
template <class C, class L, class R> __attribute__((noinline)) void collideApart(Moments<L, R>& m, const Params<typename Scalar<R>::type>& p) {
	C::template local<AnyLaw, L>(m, p);
}

// AnyModel is the model of populations with number p.model of model.Collisions.
struct AnyModel {
	template <class L, class R> LBM_INLINE static void collide(R* f, const Params<typename Scalar<R>::type>& p) {
		switch (p.model) {
#define CLOSURE(NUMBER, C)
#define POPULATIONS(NUMBER, C) \
	case NUMBER: return collideApart<C, L>(f, p);
			LBM_COLLISIONS(CLOSURE, POPULATIONS)
#undef CLOSURE
#undef POPULATIONS
		}
		__builtin_trap();
	}
};

// AnyRates is a closure with rates that are the same everywhere, or else the cells' own.
// The moments are copied, so that those of the usual case stay in registers.
template <class C> struct AnyRates : C {
	template <class L, class R> LBM_INLINE static void collide(Moments<L, R>& m, const Params<typename Scalar<R>::type>& p) {
		if (__builtin_expect(C::OWN_BULK ? p.kind == 0 : !p.local, 1)) return C::template collide<L>(m, p);
		Moments<L, R> own = m;
		collideApart<C, L>(own, p);
		m = own;
	}
	// eddies are those of the cells at hand, if the law wants any.
	template <class L, class R, class T> LBM_INLINE static void collide(Moments<L, R>& m, const Params<T>& p, const T* eddies) {
		if (__builtin_expect(!eddies, 1)) return collide(m, p);
		Moments<L, R> own = m;
		Params<T> with = p;
		with.eddies = eddies;
		collideApart<C, L>(own, with);
		m = own;
	}
};

}}  // namespace lbm
#endif

// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Models and laws that are chosen at run time. A compiled step for each model with each law would be hundreds; so the usual
// models have separate steps (steps.h), and all others share one for each lattice and precision, which calls the model's
// function once for each vector of cells. A switch that always takes the same branch is almost free; the cost is that
// populations pass through memory.
#ifndef LBM_GENERAL_H
#define LBM_GENERAL_H
#include "expand.h"
#include "../catalogue.h"

namespace lbm { namespace {

// omegaByLaw turns a, tau |shear rate|, into the omega of law number p.kind of model.ViscosityLaws.
template <class R> __attribute__((noinline)) void omegaByLaw(R& a, const Params<typename Scalar<R>::type>& p) {
	switch (p.kind) {
#define LAW(NUMBER, V) \
	case NUMBER: a = V::omega(a, p); return;
		LBM_LAWS(LAW)
#undef LAW
	}
	__builtin_trap();
}
template <class V> struct LawNumber;
#define LAW(NUMBER, V) \
	template <> struct LawNumber<V> { enum { value = NUMBER }; };
LBM_LAWS(LAW)
#undef LAW
// AnyLaw is the law with number p.kind. Laws with an eddy viscosity are the usual ones: a call, at which all vectors leave their registers, costs
// more than their arithmetic.
struct AnyLaw {
	template <class R> LBM_INLINE static R omega(R a, const Params<typename Scalar<R>::type>& p) {
		if (p.kind == LawNumber<Newtonian>::value) return Newtonian::omega(a, p);
		if (p.kind == LawNumber<Smagorinsky>::value) return Smagorinsky::omega(a, p);
		omegaByLaw(a, p);
		return a;
	}
};

template <class C, class L, class R> __attribute__((noinline)) void collideApart(R* f, const Params<typename Scalar<R>::type>& p) {
	C::template local<AnyLaw, L>(f, p);
}
template <class L, class R> __attribute__((noinline)) void collideApart(Moments<L, R>& m, const Params<typename Scalar<R>::type>& p) {
	Local<AnyLaw, L, R>(m, p).collide(m, p);
}

template <class C, class L, class R> __attribute__((noinline)) void collideAlike(R* f, const Params<typename Scalar<R>::type>& p) { C::template collide<L>(f, p); }

// OwnSteps reports whether models of populations have separate steps on a lattice: with 27 populations, which pass through
// memory in any case, there is no gain.
template <class L> constexpr bool OwnSteps = L::Q < 27;

// AnyModel is the model of populations with number p.model of model.Collisions. ALIKE: where some instruction set has separate
// steps for the model, uniform rates are computed as there, to the same bits.
template <bool ALIKE> struct AnyModel {
	template <class L, class R> LBM_INLINE static void collide(R* f, const Params<typename Scalar<R>::type>& p) {
		switch (p.model) {
#define CLOSURE(NUMBER, C)
#define POPULATIONS(NUMBER, C) \
	case NUMBER: return ALIKE && OwnSteps<L> && !p.local ? collideAlike<C, L>(f, p) : collideApart<C, L>(f, p);
			LBM_COLLISIONS(CLOSURE, POPULATIONS)
#undef CLOSURE
#undef POPULATIONS
		}
		__builtin_trap();
	}
};

// expandApart computes the expansion by closure C, in a function that is not inlined.
template <class C, class L, class R> __attribute__((noinline)) void expandApart(const Moments<L, R>& m, Expansion<L, R>& x) { x = C::expand(m); }
// expandAny returns the expansion by the closure with that number, for single cells and vectors of them.
template <class L, class R> LBM_INLINE Expansion<L, R> expandAny(int model, const Moments<L, R>& m) {
	Expansion<L, R> x;
	switch (model) {
#define CLOSURE(NUMBER, C) \
	case NUMBER: expandApart<C>(m, x); return x;
#define POPULATIONS(NUMBER, C)
		LBM_COLLISIONS(CLOSURE, POPULATIONS)
#undef CLOSURE
#undef POPULATIONS
	}
	__builtin_trap();
}

// Relaxation is the kind of relaxation of a state of moments: at one rate, with another rate for the trace of the stress, or at
// individual rates of the cells.
enum class Relaxation { SHEAR, BULK, OWN };
template <class T> Relaxation relaxationOf(const Params<T>& p) {
	const bool bulk = ownBulk(p.model);
	if (bulk ? p.kind != 0 : p.local) return Relaxation::OWN;
	return bulk ? Relaxation::BULK : Relaxation::SHEAR;
}
// collideOwn collides at individual rates of the cells. On a plane, whose cells are quickly computed, the call would
// cost up to a quarter of the step.
template <class L, class R> LBM_INLINE void collideOwn(Moments<L, R>& m, const Params<typename Scalar<R>::type>& p) {
	if constexpr (L::D == 2) Local<AnyLaw, L, R>(m, p).collide(m, p);
	else collideApart<L>(m, p);
}

// relax collides a vector of cells. constants is a private copy of p, so that values derived from it stay in registers; so do
// the moments, of which individual rates get a copy. eddies holds the eddy viscosity of the cells at hand, if the law needs it.
template <class L, class R, class T> LBM_INLINE void relax(Relaxation how, Moments<L, R>& m, const Params<T>& constants, const Params<T>& p, const T* eddies) {
	if (how == Relaxation::SHEAR) return Closure<false>::collide<L>(m, constants);
	if (how == Relaxation::BULK) return Closure<true>::collide<L>(m, constants);
	Moments<L, R> own = m;
	if (eddies) {
		Params<T> with = p;
		with.eddies = eddies;
		collideOwn<L>(own, with);
	} else {
		collideOwn<L>(own, p);
	}
	m = own;
}

// AnyClosure is the closure with number p.model, for single cells.
struct AnyClosure {
	template <class L, class R> static __attribute__((noinline)) void collide(Moments<L, R>& m, const Params<typename Scalar<R>::type>& p) {
		relax(relaxationOf(p), m, p, p, (const typename Scalar<R>::type*)nullptr);
	}
};

}}  // namespace lbm
#endif

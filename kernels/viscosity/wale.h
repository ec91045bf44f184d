// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// What:     large-eddy simulation whose eddy viscosity vanishes beside walls and in plain shear: it follows from velocity gradients.
// Equation: tau = tau0 + 3 nu_t, nu_t = C^2 (Sd:Sd)^(3/2) / ((S:S)^(5/2) + (Sd:Sd)^(5/4)), g_ij = du_i/dx_j, S = sym g, Sd = sym g^2 - tr(g^2)/3
// Source:   WALE: Nicoud & Ducros, Flow Turbul. Combust. 62 (1999) 183
// Storage:  3 nu_t of each cell (eddies.h), recomputed every few steps; law[0] = tau0, law[1] = 3 C^2
// Limits:   solid-body rotation has an eddy viscosity; gradients are central differences, one-sided beside walls
#ifndef LBM_WALE_H
#define LBM_WALE_H
#include "../params.h"

namespace lbm { namespace {

struct Wale {
	// eddies are 3 nu_t of the cells at hand.
	template <class R> LBM_HD static LBM_INLINE R omega(const R&, const Params<typename Scalar<R>::type>& p, const R& eddies) { return reciprocal(p.law[0] + eddies); }
#ifndef __CUDACC__
	// A CPU chooses the law at run time, and gets the eddy viscosity by address.
	template <class R> static LBM_INLINE R omega(const R& a, const Params<typename Scalar<R>::type>& p) {
		R eddies;
		__builtin_memcpy(&eddies, p.eddies, sizeof(R));
		return omega(a, p, eddies);
	}
#endif
	// eddies returns 3 nu_t for the gradients g[D i + j] = du_i/dx_j, in an order of operations independent of the
	// decomposition. Gradients are first scaled to magnitude one: the fifth power of a small number underflows.
	template <int D, class R> LBM_HD static LBM_INLINE R eddies(const R* g, const Params<typename Scalar<R>::type>& p) {
		using T = typename Scalar<R>::type;
		R size{};
		unroll<D * D>([&](auto k) LBM_LAMBDA { size = size + g[k.value] * g[k.value]; });
		const T least = T(1e-30);
		const R still{}, norm = squareRoot(select(size < least, still + least, size)), inverse = reciprocal(norm);
		R a[D * D], q[D * D], trace{}, shear{}, square{};
		unroll<D * D>([&](auto k) LBM_LAMBDA { a[k.value] = g[k.value] * inverse; });
		unroll<D>([&](auto i) LBM_LAMBDA {
			unroll<D>([&](auto j) LBM_LAMBDA {
				constexpr int I = decltype(i)::value, J = decltype(j)::value;
				R sum = a[D * I] * a[J];
				unroll<D - 1>([&](auto k) LBM_LAMBDA { sum = sum + a[D * I + k.value + 1] * a[D * (k.value + 1) + J]; });
				q[D * I + J] = sum;
			});
			trace = trace + q[D * i.value + i.value];
		});
		unroll<D>([&](auto i) LBM_LAMBDA {
			constexpr int I = decltype(i)::value;
			shear = shear + a[D * I + I] * a[D * I + I];
			square = square + q[D * I + I] * q[D * I + I];
			unroll<I>([&](auto j) LBM_LAMBDA {
				constexpr int IJ = D * I + decltype(j)::value, JI = D * decltype(j)::value + I;
				const R s = a[IJ] + a[JI], d = q[IJ] + q[JI];
				shear = shear + s * s * T(0.5);
				square = square + d * d * T(0.5);
			});
		});
		square = square - trace * trace * (T(1) / T(3));
		// In plain shear its remainder is rounding.
		square = select(square < T(1e-12), still, square);
		const R root = squareRoot(select(square < T(1e-12), still + T(1e-12), square)), fourth = squareRoot(root);
		const R strain = select(shear < T(1e-12), still + T(1e-12), shear), below = strain * strain * squareRoot(strain) + square * fourth;
		return select(size < least, still, p.law[1] * norm * (square * root) * reciprocal(below));
	}
};

}}  // namespace lbm
#endif

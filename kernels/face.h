// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Ghost cells behind open and slip faces of the domain (boundary.Law, boundary.CodedRule): a step streams from them as from
// all others and does not depend on faces. A ghost cell follows from the cell beside it, on this side of the faces, after
// the collision: density and velocity by affine functions, the non-equilibrium stress is the cell's,
//   r_g = A r + B,   u_g = A u + B (each component),   S_g = rho_g u_g u_g + (S - rho u u),
// mirrored where a face is frictionless. Behind a pressure face with a direction (boundary.Wall) the velocity along the face of
// entering fluid is B times the velocity across it, u_n. Models of populations keep the cell's own populations, mirrored
// likewise, and add the expansion of the difference of the moments (expansion.h): with the non-equilibrium above second order,
// in which trt near tau = 1/2 stores a profile.
#ifndef LBM_FACE_H
#define LBM_FACE_H
#include "local.h"

namespace lbm { namespace {

// FaceCell is boundary.FaceCell; rows are numbered as in Layout.
struct FaceCell { int x; unsigned row, from, rule; };
// A rule is boundary.CodedRule: B of the velocity and the density, and bits.
enum { FACE_NUMBERS = 5, FACE_DENSITY = 3, FACE_CODE = 4 };
enum { FACE_VELOCITY_SHIFT = 0, FACE_DENSITY_SHIFT = 6, FACE_MIRROR_SHIFT = 8, FACE_ENTER_SHIFT = 11 };
// Bits of an axis from FACE_ENTER_SHIFT on: inflow through the face across it has a given direction; it is a high face.
enum { FACE_ENTER_IS, FACE_ENTER_HIGH, FACE_ENTER_BITS };

// AT reads the source: get<K>() returns component K; any(k) does so for k known at run time only. T may be a vector: ghost
// cells with one rule. Without DIRECTED no rule gives a direction.
template <class L, bool MOMENTS, class T, class AT, bool DIRECTED = true> struct FaceGhost {
	using N = typename Scalar<T>::type;
	const AT& at;
	const N* const rule;
	const int code;

	LBM_HD LBM_INLINE FaceGhost(const AT& at, const N* rule) : at(at), rule(rule), code(int(rule[FACE_CODE])) {}

	LBM_HD LBM_INLINE bool bit(int shift, int a) const { return code >> (shift + a) & 1; }
	// affine returns A v + B by the two bits of A.
	LBM_HD LBM_INLINE T affine(int shift, const T& v, const T& b) const {
		const int a = code >> shift & 3;
		return a == 0 ? v + b : a == 1 ? b : b - v;
	}

	LBM_HD LBM_INLINE Moments<L, T> moments() const { return momentsAt<L, MOMENTS, T>([&](auto k) LBM_LAMBDA { return at.template get<decltype(k)::value>(); }); }

	// exact reports whether the momentum across the face is given; no more mass passes than that.
	template <int A> LBM_HD LBM_INLINE bool exact() const { return (code >> (FACE_VELOCITY_SHIFT + 2 * A) & 3) == 3; }

	// directed returns component A of the velocity behind a face that prescribes the direction of inflow.
	template <int A> LBM_HD LBM_APART T directed(const T* u) const {
		T v = u[A];
		unroll<L::D>([&](auto across) LBM_LAMBDA {
			constexpr int C = decltype(across)::value, BITS = FACE_ENTER_SHIFT + FACE_ENTER_BITS * C;
			if (C == A || !bit(BITS, FACE_ENTER_IS)) return;
			const T inwards = bit(BITS, FACE_ENTER_HIGH) ? -u[C] : u[C];
			v = v + entering(inwards) * (rule[A] * u[C] - v);
		});
		return v;
	}

	// ghost returns the moments of the ghost cell.
	LBM_HD LBM_INLINE Moments<L, T> ghost() const {
		const Moments<L, T> m = moments();
		const T inv = reciprocal(N(1) + m.r);
		T r = m.r, u[L::D];
		unroll<L::D>([&](auto a) LBM_LAMBDA { u[a.value] = m.j[a.value] * inv; });
		T v[L::D];
		r = affine(FACE_DENSITY_SHIFT, r, T{} + rule[FACE_DENSITY]);
		// Signs and sums are such that mirrored values change their sign alone, to the bit where products are not fused with
		// sums, and no mass passes a wall.
		const bool dense = code >> FACE_DENSITY_SHIFT & 3;
		Moments<L, T> g;
		g.r = r;
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			const int how = code >> (FACE_VELOCITY_SHIFT + 2 * A) & 3;
			if (how == 3) {
				g.j[A] = rule[A] - m.j[A];
				v[A] = g.j[A] * reciprocal(N(1) + r);
			} else {
				v[A] = affine(FACE_VELOCITY_SHIFT + 2 * A, u[A], T{} + rule[A]);
				if constexpr (DIRECTED)
					if (code >> FACE_ENTER_SHIFT) v[A] = directed<A>(u);
				g.j[A] = dense ? (N(1) + r) * v[A] : affine(FACE_VELOCITY_SHIFT + 2 * A, m.j[A], (N(1) + r) * rule[A]);
			}
		});
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			unroll<A + 1>([&](auto b) LBM_LAMBDA {
				constexpr int B = decltype(b)::value, ab = L::pair(A, B);
				if (A == B && exact<A>()) {
					g.s[ab] = m.s[ab];
					return;
				}
				const T was = u[B] * m.j[A], is = v[B] * g.j[A];
				g.s[ab] = A != B && bit(FACE_MIRROR_SHIFT, A) != bit(FACE_MIRROR_SHIFT, B) ? (is + was) - m.s[ab] : m.s[ab] + (is - was);
			});
		});
		return g;
	}

	// each calls put(Int<k>, v) for all components of the ghost cell.
	template <class PUT> LBM_HD LBM_INLINE void each(PUT put) const {
		if constexpr (MOMENTS) {
			if (mirrors()) {  // to the bit: moments with an odd number of these axes change their sign
				const Moments<L, T> m = moments();
				put(Int<0>{}, m.r);
				unroll<L::D>([&](auto a) LBM_LAMBDA {
					constexpr int A = decltype(a)::value;
					const bool odd = bit(FACE_MIRROR_SHIFT, A);
					put(Int<1 + A>{}, odd ? -m.j[A] : m.j[A]);
					unroll<A + 1>([&](auto b) LBM_LAMBDA {
						constexpr int B = decltype(b)::value, ab = L::pair(A, B);
						put(Int<1 + L::D + ab>{}, A != B && odd != bit(FACE_MIRROR_SHIFT, B) ? -m.s[ab] : m.s[ab]);
					});
				});
				return;
			}
			const Moments<L, T> m = ghost();
			put(Int<0>{}, m.r);
			unroll<L::D>([&](auto a) LBM_LAMBDA { put(Int<1 + decltype(a)::value>{}, m.j[a.value]); });
			unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { put(Int<1 + L::D + decltype(k)::value>{}, m.s[k.value]); });
		} else {
			if (mirrors()) {
				unroll<L::Q>([&](auto i) LBM_LAMBDA {
					constexpr int I = decltype(i)::value;
					put(Int<I>{}, at.any(mirrored(L::c(I, 0), L::c(I, 1), L::c(I, 2))));
				});
				return;
			}
			Moments<L, T> more = ghost();  // becomes the difference from the mirrored cell
			const Moments<L, T> m = moments();
			more.r = more.r - m.r;
			unroll<L::D>([&](auto a) LBM_LAMBDA {
				constexpr int A = decltype(a)::value;
				more.j[A] = bit(FACE_MIRROR_SHIFT, A) ? more.j[A] + m.j[A] : more.j[A] - m.j[A];
				unroll<A + 1>([&](auto b) LBM_LAMBDA {
					constexpr int B = decltype(b)::value, ab = L::pair(A, B);
					more.s[ab] = bit(FACE_MIRROR_SHIFT, A) != bit(FACE_MIRROR_SHIFT, B) ? more.s[ab] + m.s[ab] : more.s[ab] - m.s[ab];
				});
			});
			secondOrder(more).each([&](auto i, const T& f) LBM_LAMBDA {
				constexpr int I = decltype(i)::value;
				put(i, at.any(mirrored(L::c(I, 0), L::c(I, 1), L::c(I, 2))) + f);
			});
		}
	}
	// mirrored returns the direction whose mirror image in the frictionless faces is (x, y, z).
	LBM_HD LBM_APART int mirrored(int x, int y, int z) const {
		return Known<L>::find(bit(FACE_MIRROR_SHIFT, 0) ? -x : x, bit(FACE_MIRROR_SHIFT, 1) ? -y : y, bit(FACE_MIRROR_SHIFT, 2) ? -z : z);
	}
	// mirrors reports whether all faces are frictionless. Each reverses only its normal velocity.
	LBM_HD LBM_INLINE bool mirrors() const {
		int wanted = (code >> FACE_MIRROR_SHIFT & 7) << FACE_MIRROR_SHIFT;
		for (int a = 0; a < 3; a++)
			if (bit(FACE_MIRROR_SHIFT, a)) wanted |= 2 << (FACE_VELOCITY_SHIFT + 2 * a);
		for (int k = 0; k < FACE_CODE; k++)
			if (rule[k] != N(0)) return false;
		return code == wanted && wanted != 0;
	}
};

}}  // namespace lbm
#endif

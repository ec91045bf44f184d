// Special cells: those with a link whose law is more than half-way bounce-back, and those
// of a sponge, whose rates are their own. A step
// computes them anew, one by one and after the others, from lists (device/links.go), so
// that what a case does not use costs its other cells nothing. A law is linear in what
// the cell and the one behind it have (model.Law tells which law has which numbers):
//   f_i(x, t+1) = A f*_i'(x) + B f*_i(x) + C f*_i'(x+c_i) + D r(x) + K
// or looks at the fluid cell s beside the one behind a face of the domain: an open face
// takes f*_i(s) + D r(s) + K, one without friction f*_m(s), m the mirror image. The order of additions is that of the
// directions.
#ifndef LBM_SPECIAL_H
#define LBM_SPECIAL_H
#include "direction.h"
#include "moments.h"
#include "params.h"
#include "populations.h"

namespace lbm { namespace {

// LinkCell is device.LinkCell, with the bits of its more.
struct LinkCell { unsigned x, row, first, links, more; };  // row z*ny + y
enum { MORE_DENSITY = 1, MORE_CONSERVE = 2, MORE_OUTFLOW = 4, MORE_UPWIND = 8, MORE_HIGH = 16, MORE_RATES = 128 };
enum { MORE_AXIS_SHIFT = 5, MORE_SHIFT = 8, MIRROR_SHIFT = 29 };
// A law: A, B, C, D, K, the wall's velocity and distance. That of a cell: two numbers of
// the outflow, omega, omegaMinus and the numbers of the viscosity's law.
enum { LINK_NUMBERS = 9, LINK_VELOCITY = 5, LINK_DISTANCE = 8, CELL_OMEGA = 2, CELL_VISCOSITY = 4 };
// Forces and torques are added up as integers of these parts (device.Load), so that the
// order of cells and ranks does not matter.
constexpr double FORCE_UNITS = 1ll << 44, TORQUE_UNITS = 1ll << 40;

// Around is a cell and its neighbours. AT reads the state: get<C>(d) is component C of
// the neighbour at d; any(i, d) is population i, known at run time only. C expands moments.
// Here directions are numbers, not types: unrolled, this is minutes of compilation for a
// few cells.
template <class L, class C, bool MOMENTS, class T, class AT> struct Around {
	const AT& at;

	LBM_HD LBM_INLINE Expansion<L, T> expansion(const int* d) const {
		Moments<L, T> m;
		m.r = at.template get<0>(d);
		unroll<L::D>([&](auto a) LBM_LAMBDA { m.j[a.value] = at.template get<1 + decltype(a)::value>(d); });
		unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { m.s[k.value] = at.template get<1 + L::D + decltype(k)::value>(d); });
		return C::expand(m);
	}
	LBM_HD LBM_INLINE T population(int i, const int* d) const {
		if constexpr (MOMENTS) return expansion(d).any(i);
		else return at.any(i, d);
	}
	// densities gives r and j.
	LBM_HD LBM_INLINE void densities(const int* d, T& r, T* j) const {
		if constexpr (MOMENTS) {
			r = at.template get<0>(d);
			unroll<L::D>([&](auto a) LBM_LAMBDA { j[a.value] = at.template get<1 + decltype(a)::value>(d); });
		} else {
			T f[L::Q];
			LBM_ROLLED for (int i = 0; i < L::Q; i++) f[i] = at.any(i, d);
			sumMoments<L>(f, r, j);
		}
	}
};

// Own is the cell itself: its populations after the last collision.
template <class L, class C, bool MOMENTS, class T, class AT> struct Own;
template <class L, class C, class T, class AT> struct Own<L, C, true, T, AT> {
	typedef Around<L, C, true, T, AT> Place;
	Expansion<L, T> h;
	LBM_HD LBM_INLINE explicit Own(const Place& around) : h(centre(around)) {}
	LBM_HD LBM_INLINE static Expansion<L, T> centre(const Place& around) {
		const int here[3] = {0, 0, 0};
		return around.expansion(here);
	}
	LBM_HD LBM_INLINE T population(int i) const { return h.any(i); }
};
template <class L, class C, class T, class AT> struct Own<L, C, false, T, AT> {
	const Around<L, C, false, T, AT>& around;
	LBM_HD LBM_INLINE explicit Own(const Around<L, C, false, T, AT>& around) : around(around) {}
	LBM_HD LBM_INLINE T population(int i) const {
		const int here[3] = {0, 0, 0};
		return around.population(i, here);
	}
};

// C is the collision model.
template <class L, class C, bool MOMENTS, class T, class AT> struct SpecialCell {
	const Around<L, C, MOMENTS, T, AT> around;
	const Own<L, C, MOMENTS, T, AT> own;
	const LinkCell cell;
	const unsigned* const list;
	const T* const laws;
	T r0, j0[L::D];  // of the cell, where they are needed

	LBM_HD LBM_INLINE SpecialCell(const AT& at, const LinkCell& cell, const unsigned* list, const T* laws)
		: around{at}, own(around), cell(cell), list(list), laws(laws), r0{}, j0{} {
		const int here[3] = {0, 0, 0};
		if (cell.more & (MORE_DENSITY | MORE_OUTFLOW)) around.densities(here, r0, j0);
	}

	LBM_HD LBM_INLINE bool links(int i) const { return cell.links >> i & 1; }
	LBM_HD LBM_INLINE const T* numbers() const { return laws + (long long)(cell.more >> MORE_SHIFT) * LINK_NUMBERS; }
	LBM_HD LBM_INLINE const T* law(unsigned word) const { return laws + (long long)(word & ((1u << MIRROR_SHIFT) - 1)) * LINK_NUMBERS; }

	// link is what comes out of the wall along direction i, whose word is given; back is
	// what went in.
	LBM_HD LBM_INLINE T link(int i, unsigned word, const T& back) const {
		const T* const n = law(word);
		if (const unsigned axes = word >> MIRROR_SHIFT) {  // a face across these axes
			int d[3], c[3];
			for (int a = 0; a < 3; a++) {
				const bool across = axes >> a & 1;
				d[a] = across ? 0 : -Known<L>::c(i, a);
				c[a] = across ? -Known<L>::c(i, a) : Known<L>::c(i, a);
			}
			if (n[1] == T(0)) return around.population(Known<L>::find(c[0], c[1], c[2]), d);
			T f = around.population(i, d);
			if (n[3] != T(0)) {
				T r, j[L::D];
				around.densities(d, r, j);
				f = f + (n[3] * r + n[4]);
			}
			return f;
		}
		T f = n[0] * back;
		if (n[1] != T(0)) f = f + n[1] * own.population(i);
		if (n[2] != T(0)) {
			const int behind[3] = {Known<L>::c(i, 0), Known<L>::c(i, 1), Known<L>::c(i, 2)};
			f = f + n[2] * around.population(L::opposite(i), behind);
		}
		return f + (n[3] * r0 + n[4]);
	}

	// add adds population f of direction i to the plain moments.
	LBM_HD LBM_INLINE static void add(Moments<L, T>& m, int i, const T& f) {
		m.r = m.r + f;
		unroll<L::D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value;
			const T v = T(Known<L>::c(i, A)) * f;
			m.j[A] = m.j[A] + v;
			unroll<A + 1>([&](auto b) LBM_LAMBDA {
				constexpr int AB = L::pair(A, decltype(b)::value);
				m.s[AB] = m.s[AB] + T(Known<L>::c(i, b.value)) * v;
			});
		});
	}

	// step gives the components of the cell after the next step.
	LBM_HD LBM_INLINE void step(Params<T> p, T* out) const {
		if (cell.more & MORE_RATES) {
			const T* const own = numbers();
			p.omega = own[CELL_OMEGA];
			p.omegaMinus = own[CELL_OMEGA + 1];
			for (int k = 0; k < 4; k++) p.law[k] = own[CELL_VISCOSITY + k];
		}
		Moments<L, T> m{};
		T f[MOMENTS ? 1 : L::Q];
		T missing{};  // mass that went into walls and did not come back
		const unsigned* next = list + cell.first;
		LBM_ROLLED for (int i = 0; i < L::Q; i++) {
			T v;
			if (links(i)) {
				const T back = own.population(L::opposite(i));
				v = link(i, *next++, back);
				missing = missing + (back - v);
			} else {
				const int from[3] = {-Known<L>::c(i, 0), -Known<L>::c(i, 1), -Known<L>::c(i, 2)};
				v = around.population(i, from);
			}
			if constexpr (MOMENTS) add(m, i, v);
			else f[i] = v;
		}
		if (cell.more & MORE_CONSERVE) {  // as a population at rest
			if constexpr (MOMENTS) m.r = m.r + missing;
			else f[L::Q / 2] = f[L::Q / 2] + missing;
		}
		if (cell.more & MORE_OUTFLOW) outflow(m, f);
		if constexpr (MOMENTS) {
			removeTrace(m);
			C::collide(m, p);
			out[0] = m.r;
			unroll<L::D>([&](auto a) LBM_LAMBDA { out[1 + a.value] = m.j[a.value]; });
			unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { out[1 + L::D + k.value] = m.s[k.value]; });
		} else {
			C::template collide<L>(f, p);
			unroll<L::Q>([&](auto i) LBM_LAMBDA { out[i.value] = f[i.value]; });
		}
	}

	// wave is W = r - u_n/cs, n the outward normal.
	LBM_HD LBM_INLINE static T wave(const T& r, const T& jn) { return r - T(1.7320508075688772) * (jn * reciprocal(T(1) + r)); }

	// outflow adds to the populations that come in what gives W its value.
	LBM_HD LBM_INLINE void outflow(Moments<L, T>& m, T* f) const {
		const int axis = cell.more >> MORE_AXIS_SHIFT & 3, side = cell.more & MORE_HIGH ? 1 : -1;
		const T* const law = numbers();
		const T sign = T(side);
		const T jn = sign * part(j0, axis), w0 = wave(r0, jn), un = jn * reciprocal(T(1) + r0);
		T want = w0 + law[0] * (law[1] - r0);
		if (cell.more & MORE_UPWIND && un > T(0)) {
			const int d[3] = {axis == 0 ? -side : 0, axis == 1 ? -side : 0, axis == 2 ? -side : 0};
			T r, j[L::D];
			around.densities(d, r, j);
			const T n = sign * part(j, axis);
			want = want - un * least(w0 - wave(r, n), T(1.7320508075688772) * (n * reciprocal(T(1) + r) - un));
		}
		T r, j[L::D];
		if constexpr (MOMENTS) {
			r = m.r;
			unroll<L::D>([&](auto a) LBM_LAMBDA { j[a.value] = m.j[a.value]; });
		} else {
			sumMoments<L>(f, r, j);
		}
		// Newton's iteration for the mass d to be added; it squares the error, a few 1e-3 at most.
		T d{};
		const T n = sign * part(j, axis);
		for (int k = 0; k < 4; k++) {
			const T inv = reciprocal(T(1) + r + d), u = (n - d) * inv;
			const T error = want - (r + d - T(1.7320508075688772) * u);
			d = d + error * reciprocal(T(1) + T(1.7320508075688772) * (T(1) + u) * inv);
		}
		int shares = 0;
		LBM_ROLLED for (int i = 0; i < L::Q; i++)
			if (links(i) && Known<L>::c(i, axis) == -side) shares += Known<L>::share(i);
		const T each = d * reciprocal(T(shares));
		LBM_ROLLED for (int i = 0; i < L::Q; i++)
			if (links(i) && Known<L>::c(i, axis) == -side) {
				const T v = each * T(Known<L>::share(i));
				if constexpr (MOMENTS) add(m, i, v);
				else f[i] = f[i] + v;
			}
	}
	// least is the smaller of two numbers of one sign, else 0.
	LBM_HD LBM_INLINE static T least(const T& a, const T& b) { return a > T(0) && b > T(0) ? (a < b ? a : b) : a < T(0) && b < T(0) ? (a > b ? a : b) : T(0); }
	LBM_HD LBM_INLINE static T part(const T* v, int axis) {
		T p = v[0];
		unroll<L::D - 1>([&](auto a) LBM_LAMBDA { p = axis == a.value + 1 ? v[a.value + 1] : p; });
		return p;
	}

	// force calls take(k, F, M) for link number k of the list: the momentum that the fluid
	// gives to the wall in the coming step, by the exchange of momentum in the wall's frame
	// (Wen, Zhang, Tu, Wang & Fang, J. Comput. Phys. 266 (2014) 161),
	//   F = (c_i' - u_w) f*_i' - (c_i - u_w) f_i,
	// of populations less their values at rest, hence with the pressure at rest as zero;
	// and its moment about the origin of x, the cell's centre.
	template <class TAKE> LBM_HD LBM_INLINE void force(const double* x, TAKE take) const {
		unsigned k = cell.first;
		LBM_ROLLED for (int i = 0; i < L::Q; i++) {
			if (!links(i)) continue;
			const T back = own.population(L::opposite(i));
			const unsigned word = list[k];
			const double in = double(back), out = double(link(i, word, back));
			const T* const n = law(word);
			double F[3], at[3], M[3];
			for (int a = 0; a < 3; a++) {
				F[a] = -double(Known<L>::c(i, a)) * (in + out) - double(n[LINK_VELOCITY + a]) * (in - out);
				at[a] = x[a] - double(n[LINK_DISTANCE]) * double(Known<L>::c(i, a));
			}
			M[0] = at[1] * F[2] - at[2] * F[1];
			M[1] = at[2] * F[0] - at[0] * F[2];
			M[2] = at[0] * F[1] - at[1] * F[0];
			take(k, F, M);
			k++;
		}
	}
};

}}  // namespace lbm
#endif

// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The coupling between two levels of a refined grid (../levels.h) on the CPU: vectors of entries that follow each other in a list, and
// of a parent's children.
#ifndef LBM_CPU_LEVELS_H
#define LBM_CPU_LEVELS_H
#include "../face.h"
#include "../levels.h"
#include "box.h"
#include "general.h"
#include "levels_api.h"

namespace lbm { namespace {

// changeAny is changesBy with law number c.kind.
template <int D, class R> __attribute__((noinline)) void changeAny(const lbm_conversion& c, const R* gradient, Changes<R>& changes) {
	switch (c.kind) {
#define LAW(NUMBER, V) \
	case NUMBER: return OwnLaw<V>::template change<D>(c, gradient, changes);
		LBM_LAWS(LAW)
#undef LAW
	}
	__builtin_trap();
}
struct AnyOwnLaw {
	template <int D, class R> static LBM_INLINE void change(const lbm_conversion& c, const R* gradient, Changes<R>& changes) {
		if (c.kind != 0) changeAny<D>(c, gradient, changes);
	}
};

template <class L, class T> struct LevelsOf {
	typedef typename Lanes<T>::R R;
	static constexpr int W = Lanes<T>::W, AHEAD = 16;

	// read and write access a cell whose components are a distance apart.
	static LBM_INLINE Moments<L, T> read(const T* p, long pitch) {
		return momentsAt<L, true, T>([&](auto k) LBM_LAMBDA { return p[k.value * pitch]; });
	}
	static LBM_INLINE void write(const Moments<L, T>& m, T* p, long pitch) {
		each(m, [&](int k, const T& v) LBM_LAMBDA { p[k * pitch] = v; });
	}
	// each calls f(k, v) for the components of moments.
	template <class V, class F> static LBM_INLINE void each(const Moments<L, V>& m, F f) {
		f(0, m.r);
		unroll<L::D>([&](auto a) LBM_LAMBDA { f(1 + a.value, m.j[a.value]); });
		unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { f(1 + L::D + k.value, m.s[k.value]); });
	}
	// run reports whether cells lie side by side.
	static LBM_INLINE bool run(const T* const* p) {
		bool all = true;
		for (int n = 1; n < W; n++) all = all && p[n] == p[0] + n;
		return all;
	}
	// readAll reads W cells, writeAll writes the first cells of a vector.
	static LBM_INLINE Moments<L, R> readAll(const T* const* p, long pitch) {
		const bool together = run(p);
		return momentsAt<L, true, R>([&](auto k) LBM_LAMBDA {
			if (together) return loadAny(p[0] + k.value * pitch);
			alignas(64) T v[W];
			for (int l = 0; l < W; l++) v[l] = p[l][k.value * pitch];
			return load(v);
		});
	}
	static LBM_INLINE void writeAll(const Moments<L, R>& m, T* const* p, long pitch, int lanes) {
		each(m, [&](int k, const R& v) LBM_LAMBDA {
			for (int l = 0; l < lanes; l++) p[l][k * pitch] = v[l];
		});
	}
	static LBM_INLINE void fetch(const T* p, long pitch) {
		for (int k = 0; k < L::M; k++) __builtin_prefetch(p + k * pitch);
	}
	// child returns the distance of child k of a cell from its first one in a state.
	static LBM_INLINE long child(const Layout& l, int k) {
		const long row = (long)l.components * l.pitch;
		return (k & 1) + (k >> 1 & 1) * row + (k >> 2 & 1) * row * (l.ny + 2 * l.gy);
	}

	// numbers returns how many numbers a cell has in states and compact buffers. A scalar's come behind the flow's.
	static LBM_INLINE long numbers(const lbm_case* c) { return c->components; }
	static LBM_INLINE bool carries(const lbm_case* c) { return c->components > L::M; }
	// scalars reads the scalar of W cells, whose numbers are so far apart.
	static LBM_INLINE LevelScalar<L, R> scalars(const T* const* p, long pitch) {
		return LevelScalar<L, R>::of([&](auto k) LBM_LAMBDA {
			alignas(64) T v[W];
			for (int n = 0; n < W; n++) v[n] = p[n][(L::M + k.value) * pitch];
			return load(v);
		});
	}
	static LBM_INLINE void writeScalars(const LevelScalar<L, R>& s, T* const* p, long pitch, int lanes) {
		s.each([&](int k, const R& v) LBM_LAMBDA {
			for (int n = 0; n < lanes; n++) p[n][(L::M + k) * pitch] = v[n];
		});
	}

	static void values(const lbm_case* c, const lbm_numbers* of, const lbm_copied* list, int64_t first, int64_t last, const void* state, void* buffer) {
		FlushTiny guard;
		for (int64_t i = first; i < last; i += W) {
			const int lanes = int(W < last - i ? W : last - i);
			for (int64_t next = i + AHEAD; next < i + AHEAD + W && next < last; next++) fetch((const T*)state + list[next].at, c->pitch);
			const T* from[W];
			T* to[W];
			for (int n = 0; n < W; n++) {
				const lbm_copied& cell = list[i + (n < lanes ? n : 0)];
				from[n] = (const T*)state + cell.at, to[n] = (T*)buffer + cell.place * numbers(c);
			}
			HalfForce<L, R> force(of->force);
			if (carries(c)) {
				const LevelScalar<L, R> s = scalars(from, c->pitch);
				writeScalars(s, to, 1, lanes);
				force = HalfForce<L, R>(of->force, of->buoyancy, s.theta);
			}
			LevelValue<L, R>::of(readAll(from, c->pitch), force).each([&](int k, const R& v) LBM_LAMBDA {
				for (int n = 0; n < lanes; n++) to[n][k] = v[n];
			});
		}
	}

	static void extrapolated(const lbm_case* c, const lbm_extrapolated* list, int64_t first, int64_t last, int64_t cells, void* buffer) {
		FlushTiny guard;
		T* const values = (T*)buffer;
		for (int64_t i = first; i < last; i++) {
			const T* from[3];
			T* const to = values + (cells + i) * numbers(c);
			for (int k = 0; k < 3; k++) from[k] = values + (long)list[i].from[k] * numbers(c);
			extrapolate<L>(from[0], from[1], from[2], to);
			if (carries(c)) extrapolateScalar<L>(from[0] + L::M, from[1] + L::M, from[2] + L::M, to + L::M);
		}
	}

	static void prolong(const lbm_case* c, const lbm_conversion* conversion, const lbm_parent* list, int64_t first, int64_t last, const void* buffer, void* state) {
		if (carries(c)) prolongAll<true>(c, conversion, list, first, last, (const T*)buffer, (T*)state);
		else prolongAll<false>(c, conversion, list, first, last, (const T*)buffer, (T*)state);
	}
	template <bool SCALAR> static void prolongAll(const lbm_case* c, const lbm_conversion* conversion, const lbm_parent* list, int64_t first, int64_t last, const T* buffer, T* state) {
		FlushTiny guard;
		constexpr int N = 1 << L::D;
		const Layout l = Box(c).layout;
		const long own = numbers(c);
		alignas(64) T sides[L::D][N + W] = {};
		for (int k = 0; k < N; k++)
			for (int a = 0; a < L::D; a++) sides[a][k] = k >> a & 1 ? T(1) : T(-1);
		for (int64_t i = first; i < last; i++) {
			const lbm_parent& parent = list[i];
			auto at = [&](auto k) LBM_LAMBDA { return buffer + (long)parent.around[k.value] * own; };
			const Parabola<L, T> parabola(at);
			for (int k = 0; k < N; k += W) {
				R side[L::D];
				for (int a = 0; a < L::D; a++) side[a] = load(sides[a] + k);
				T* const to = state + parent.first;
				auto put = [&](int component, const R& v) LBM_LAMBDA {
					for (int n = 0; n < (W < N ? W : N); n += 2) __builtin_memcpy(to + child(l, k + n) + component * l.pitch, (const T*)&v + n, 2 * sizeof(T));
				};
				Change<R> flux;
				const LevelValue<L, R> value = parabola.template child<AnyOwnLaw>(side, *conversion, flux);
				HalfForce<L, R> force(conversion->to);
				if constexpr (SCALAR) {
					const ScalarParabola<L, T, typename Parabola<L, T>::Around> curve([&](auto k) LBM_LAMBDA { return at(k) + L::M; });
					const LevelScalar<L, R> s = curve.child(side, flux, value.r);
					force = HalfForce<L, R>(conversion->to, conversion->buoyancyTo, s.theta);
					s.each([&](int number, const R& v) LBM_LAMBDA { put(L::M + number, v); });
				}
				each(value.moments(force), put);
			}
		}
	}

	static void restricted(const lbm_case* c, const lbm_conversion* conversion, const lbm_family* list, int64_t first, int64_t last, const void* state, void* buffer) {
		if (carries(c)) restrictAll<true>(c, conversion, list, first, last, (const T*)state, (T*)buffer);
		else restrictAll<false>(c, conversion, list, first, last, (const T*)state, (T*)buffer);
	}
	template <bool SCALAR> static void restrictAll(const lbm_case* c, const lbm_conversion* conversion, const lbm_family* list, int64_t first, int64_t last, const T* values, T* buffer) {
		FlushTiny guard;
		const Layout l = Box(c).layout;
		for (int64_t i = first; i < last; i += W) {
			const int lanes = int(W < last - i ? W : last - i);
			for (int64_t next = i + AHEAD; next < i + AHEAD + W && next < last; next++)
				for (int k = 0; k < 1 << L::D; k += 2) fetch(values + list[next].first + child(l, k), l.pitch);  // two share a line
			const T* from[W];
			T* to[W];
			for (int n = 0; n < W; n++) {
				const lbm_family& family = list[i + (n < lanes ? n : 0)];
				from[n] = values + family.first, to[n] = buffer + family.place * numbers(c);
			}
			ScalarParent<L, R> scalar;
			Change<R> flux;
			const LevelValue<L, R> mean = parentOf<L, R, AnyOwnLaw>(*conversion, flux, [&](auto k) LBM_LAMBDA {
				const T* at[W];
				for (int n = 0; n < W; n++) at[n] = from[n] + child(l, k.value);
				const Moments<L, R> m = readAll(at, l.pitch);
				HalfForce<L, R> force(conversion->from);
				if constexpr (SCALAR) {
					const LevelScalar<L, R> s = scalars(at, l.pitch);
					force = HalfForce<L, R>(conversion->from, conversion->buoyancyFrom, s.theta);
					scalar.template add<decltype(k)::value>(s, m.r);
				}
				return LevelValue<L, R>::of(m, force);
			});
			HalfForce<L, R> force(conversion->to);
			if constexpr (SCALAR) {
				const LevelScalar<L, R> s = scalar.mean(flux, mean.r);
				force = HalfForce<L, R>(conversion->to, conversion->buoyancyTo, s.theta);
				writeScalars(s, to, 1, lanes);
			}
			writeAll(mean.moments(force), to, 1, lanes);
		}
	}

	// One reads the source of a ghost cell.
	struct One {
		const T* p;
		long pitch;
		template <int K> LBM_INLINE T get() const { return p[K * pitch]; }
	};
	// ghostOf writes the components of a ghost cell.
	static __attribute__((noinline)) void ghostOf(const One& source, const T* rule, T* to) {
		FaceGhost<L, true, T, One>(source, rule).each([&](auto k, const T& v) LBM_LAMBDA { to[k.value] = v; });
	}

	// withGhosts returns the moments of cells of which some are ghost cells.
	static __attribute__((noinline)) Moments<L, R> withGhosts(const lbm_case* c, const lbm_upstream* list, int lanes, const T* const* from) {
		alignas(64) T all[L::M][W] = {};
		for (int n = 0; n < lanes; n++) {
			T ghost[L::M];
			if (list[n].rule >= 0) ghostOf(One{from[n], c->pitch}, (const T*)c->faceRules + (long)list[n].rule * FACE_NUMBERS, ghost);
			for (int k = 0; k < L::M; k++) all[k][n] = list[n].rule < 0 ? from[n][k * (long)c->pitch] : ghost[k];
		}
		return momentsAt<L, true, R>([&](auto k) LBM_LAMBDA { return load(all[k.value]); });
	}

	// Directions lists the slots' directions across an axis on one side.
	struct Directions {
		int of[3][2][Sent<L>::N] = {};
		Directions() {
			for (int a = 0; a < L::D; a++)
				for (int i = 0, n[2] = {}; i < L::Q; i++)
					if (const int v = L::c(i, a)) of[a][v > 0][n[v > 0]++] = i;
		}
	};

	static void send(const lbm_case* c, int model, const lbm_upstream* list, int64_t first, int64_t last, const void* state, void* sent) {
		FlushTiny guard;
		const T* const values = (const T*)state;
		const Directions directions;
		for (int64_t i = first; i < last;) {
			int lanes = 1;  // that send alike
			while (lanes < W && i + lanes < last && list[i + lanes].axis == list[i].axis && list[i + lanes].high == list[i].high) lanes++;
			for (int64_t next = i + AHEAD; next < i + AHEAD + lanes && next < last; next++)
				if (list[next].at != list[next - 1].at + 1 || list[next].at % 8 == 0) fetch(values + list[next].at, c->pitch);
			const T* from[W];
			bool plain = true;
			for (int n = 0; n < W; n++) {
				const lbm_upstream& cell = list[i + (n < lanes ? n : 0)];
				from[n] = values + cell.at;
				plain = plain && cell.rule < 0;
			}
			const Expansion<L, R> x = expandAny(model, plain ? readAll(from, c->pitch) : withGhosts(c, list + i, lanes, from));
			for (int k = 0; k < Sent<L>::N; k++) {
				const R f = x.any(directions.of[list[i].axis][list[i].high][k]);
				for (int n = 0; n < lanes; n++) ((T*)sent)[(i + n) * Sent<L>::N + k] = f[n];
			}
			i += lanes;
		}
	}

	static void carry(const lbm_case* c, int model, const lbm_carrier* list, int64_t first, int64_t last, const void* state, const void* gains, void* sent) {
		FlushTiny guard;
		const T* const values = (const T*)state;
		const Directions directions;
		for (int64_t i = first; i < last;) {
			const lbm_carrier& one = list[i];
			int lanes = 1;  // that send alike
			for (; lanes < W && i + lanes < last; lanes++) {
				const lbm_carrier& other = list[i + lanes];
				if (other.axis != one.axis || other.high != one.high || other.kind != one.kind || other.mirror != one.mirror) break;
			}
			const T *from[W], *source[W];
			lbm_upstream upstream[W] = {};
			bool plain = true;
			for (int n = 0; n < W; n++) {
				const lbm_carrier& cell = list[i + (n < lanes ? n : 0)];
				from[n] = values + cell.at, source[n] = values + cell.source;
				upstream[n].rule = cell.rule;
				plain = plain && cell.rule < 0;
			}
			const bool flows = one.kind == LEVEL_CARRIED || one.kind == LEVEL_ENTERS;
			Expansion<L, R> x{};
			if (flows) x = expandAny(model, plain ? readAll(from, c->pitch) : withGhosts(c, upstream, lanes, from));
			const LevelScalar<L, R> s = scalars(source, c->pitch);
			R u[L::D];
			velocityOf(readAll(source, c->pitch), u);
			const Carrier<L, R> carrier(s.theta, s.q, u);
			for (int k = 0; k < Sent<L>::N; k++) {
				const int direction = directions.of[one.axis][one.high][k];
				R f{};
				if (flows) f = x.any(direction);
				if (one.kind == LEVEL_GAINED)
					for (int n = 0; n < lanes; n++) f[n] = ((const T*)gains)[(long)list[i + n].rule * Sent<L>::N + k];
				const R g = passing(carrier, one.kind, direction, turned<L>(direction, one.mirror), f);
				for (int n = 0; n < lanes; n++) ((T*)sent)[(i + n) * Sent<L>::N + k] = g[n];
			}
			i += lanes;
		}
	}

	static void count(const lbm_crossed* list, const uint32_t* upstream, const lbm_crossing* crossings, int64_t first, int64_t last, const void* sent, double scale, int add, int numbers, double* sums) {
		FlushTiny guard;
		typedef double Sum __attribute__((vector_size(32)));  // mass and momentum
		constexpr unsigned MOST = 256;
		Sum directions[L::Q], share[MOST];  // of the crossings from part on: neighbouring faces mostly have the same
		for (int i = 0; i < L::Q; i++) directions[i] = Sum{1, double(L::c(i, 0)), double(L::c(i, 1)), double(L::c(i, 2))};
		const lbm_crossing* known = nullptr;
		unsigned shares = 0;
		for (int64_t i = first; i < last; i++) {
			const lbm_crossed& face = list[i];
			const uint32_t* const cells = upstream + face.cells;
			Sum sum{};
			for (unsigned at = 0; at < face.count; at += MOST) {
				const lbm_crossing* const part = crossings + face.first + at;
				const unsigned n = face.count - at < MOST ? face.count - at : MOST;
				if (part != known || n > shares) {
					for (unsigned k = 0; k < n; k++) {
						const double momentum = part[k].momentum;
						share[k] = Sum{double(part[k].mass), momentum, momentum, momentum} * directions[part[k].direction];
					}
					known = part, shares = n;
				}
				for (unsigned k = 0; k < n; k++) sum += share[k] * double(((const T*)sent)[(long)cells[part[k].cell] * Sent<L>::N + part[k].slot]);
			}
			double* const to = sums + face.place * numbers;
			for (int k = 0; k <= L::D; k++) to[k] = add ? to[k] + scale * sum[k] : scale * sum[k];
		}
	}

	static void heat(const lbm_crossed* list, const uint32_t* carriers, const lbm_crossing* crossings, int64_t first, int64_t last, const void* sent, double scale, int add, double* sums) {
		FlushTiny guard;
		for (int64_t i = first; i < last; i++) {
			const lbm_crossed& face = list[i];
			double sum = 0;
			for (unsigned k = 0; k < face.count; k++) {
				const lbm_crossing& x = crossings[face.first + k];
				sum += double(x.mass) * double(((const T*)sent)[(long)carriers[face.cells + x.cell] * Sent<L>::N + x.slot]);
			}
			double& to = sums[face.place * (2 + L::D) + 1 + L::D];
			to = add ? to + scale * sum : scale * sum;
		}
	}

	static void correct(const lbm_case* c, const lbm_numbers* of, const lbm_corrected* list, const uint32_t* faces, int64_t first, int64_t last, const double* own, const double* fine, void* state) {
		FlushTiny guard;
		const int sums = carries(c) ? 2 + L::D : 1 + L::D;
		for (int64_t i = first; i < last; i++) {
			if (i + AHEAD < last) fetch((const T*)state + list[i + AHEAD].at, c->pitch);
			double gain[2 + L::D];
			for (int k = 0; k < sums; k++) {
				gain[k] = own[i * sums + k];
				for (const uint32_t *f = faces + list[i].first, *end = f + list[i].count; f < end; f++) gain[k] += fine[(long)*f * sums + k];
			}
			T* const p = (T*)state + list[i].at;
			const Moments<L, T> m = read(p, c->pitch);
			HalfForce<L, double> force(of->force);
			if (carries(c)) {
				T& theta = p[L::M * (long)c->pitch];
				force = HalfForce<L, double>(of->force, of->buoyancy, double(theta));
				theta = T(correctedScalar<L>(double(theta), double(m.r), gain));
			}
			write(corrected(m, gain, force), p, c->pitch);
		}
	}
};

// Only populations distinguish lattices of the same dimension. What reads and writes moments is compiled once for each dimension.
template <class L, class T> constexpr lbm_levels levelsOf() {
	typedef LevelsOf<L, T> Of;
	typedef LevelsOf<typename AroundOf<L::D>::Type, T> Shared;
	return {&Shared::values, &Shared::extrapolated, &Shared::prolong, &Shared::restricted, &Of::send, &Of::carry, &Of::count, &Of::heat, &Shared::correct, Sent<L>::N};
}
template <class L> const lbm_levels* findLevels(int precision) {
	static constexpr lbm_levels of[2] = {levelsOf<L, float>(), levelsOf<L, double>()};
	return &of[precision];
}

}}  // namespace lbm

// LBM_LEVELS(NAME) defines the function of a unit that finds the kernels of a lattice.
#define LBM_LEVELS_LATTICE(NUMBER, L) \
	case NUMBER: return lbm::findLevels<lbm::L>(precision);
#define LBM_LEVELS(NAME) \
	extern "C" const lbm_levels* NAME(int lattice, int precision) { \
		switch (lattice) { LBM_LATTICES(LBM_LEVELS_LATTICE) } \
		return nullptr; \
	}
#endif

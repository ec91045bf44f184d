// The scalar of a box (../scalar.h) on the CPU, behind the flow's step of the same cells. A tile of rows marches
// through the planes: each source row is expanded once, into a buffer that stays in the
// caches, and what streams from it is added to the sums of the rows around it. The order of the additions of one
// cell never depends on tiles or threads. Cells with a wall or a face beside them get what comes out of it
// afterwards, or are computed anew.
#ifndef LBM_CPU_SCALAR_H
#define LBM_CPU_SCALAR_H
#include <math.h>
#include "../scalar.h"
#include "box.h"
#include "memory.h"
#include "special.h"

namespace lbm { namespace {

template <class L, class C, bool MOMENTS, class S> struct ScalarOf {
	typedef typename Arithmetic<S>::T T;
	typedef Memory<S, L, MOMENTS> Values;
	typedef typename Lanes<T>::R R;
	static constexpr int W = Lanes<T>::W;
	static constexpr int FIRST = MOMENTS ? L::M : L::Q, SUMS = 1 + L::D;
	// Cells of the scalar: its value, its flux and, beside populations, the velocity.
	static constexpr int MORE = MOMENTS ? 1 + L::D : 1 + 2 * L::D;
	static constexpr int WIDTH = 512, ROWS = 24, PLANES = L::D == 3 ? 3 : 1;  // of a tile

	// At reads the neighbours of one cell after the other of a row.
	struct At {
		const S* row[3][3] = {};          // by d_z, d_y; null where there is only wall
		const uint8_t* types[3][3] = {};  // of the cells of these rows
		int x[3];                         // by d_x
		int here;
		long pitch;
		int nx;
		bool wraps;

		At(const Box& box, const S* state, const uint8_t* of, int y, int z) : pitch(box.layout.pitch), nx(box.layout.nx), wraps(box.c->periodic[0]) {
			const int depth = L::D == 2 ? 0 : 1;
			for (int d = -depth; d <= depth; d++)
				for (int b = -1; b <= 1; b++) {
					row[d + 1][b + 1] = box.source(state, y + b, z + d);
					types[d + 1][b + 1] = of + ((long)(z + d + 1) * (box.layout.ny + 2) + y + b + 1) * (nx + 2) + 1;
				}
		}
		void go(int at) {
			here = at;
			for (int d = -1; d <= 1; d++) {
				x[d + 1] = at + d;
				if (wraps && x[d + 1] < 0) x[d + 1] += nx;
				if (wraps && x[d + 1] >= nx) x[d + 1] -= nx;
			}
		}
		struct Near {
			const S* p;
			long pitch;
			LBM_INLINE T any(int k) const { return T(Values::get(p[k * pitch], k)); }
			template <int K> LBM_INLINE T get() const { return any(K); }
		};
		LBM_INLINE Near near(const int* d) const { return {row[d[2] + 1][d[1] + 1] + x[d[0] + 1], pitch}; }
		LBM_INLINE int type(const int* d) const { return types[d[2] + 1][d[1] + 1][here + d[0]]; }
	};
	typedef ScalarCell<L, C, MOMENTS, T, At> Cell;

	Box box;
	ScalarParams<T> p;
	const lbm_scalar_walls* walls;
	const S* in;
	S* out;
	bool forced;
	int x0, x1, y0, y1, z0, z1;  // targets; x1 rounded up to whole blocks
	long stride, pitch;
	T *buffer, *sums;            // populations of the row at hand, [Q][stride]; [plane % PLANES][row][SUMS][width]

	static int64_t scratch(const lbm_range*) { return (L::Q * (WIDTH + 2 * W) + (long)PLANES * ROWS * SUMS * WIDTH) * sizeof(T) + 64; }

	static void step(const lbm_case* c, const lbm_numbers* n, const lbm_scalar_walls* walls, const void* in, void* out, const lbm_range* r, void* scratch) {
		FlushTiny guard;
		const ScalarParams<T> p(*n);
		T* const buffer = (T*)scratch;
		for (int y = r->lo[1]; y < r->hi[1]; y += ROWS)
			for (int x = r->lo[0]; x < r->hi[0]; x += WIDTH) {
				const int end = r->hi[0] < x + WIDTH ? r->hi[0] : x + WIDTH, x1 = x + (end - x + LBM_BLOCK - 1) / LBM_BLOCK * LBM_BLOCK;
				const long stride = x1 - x + 2 * W;
				ScalarOf s{Box(c), p, walls, (const S*)in, (S*)out, n->buoyancy[0] != 0 || n->buoyancy[1] != 0 || n->buoyancy[2] != 0,
				           x, x1, y, y + ROWS < r->hi[1] ? y + ROWS : r->hi[1], r->lo[2], r->hi[2], stride, c->pitch, buffer, buffer + L::Q * stride};
				s.march();
			}
		fence();
	}

	void march() const {
		const int depth = L::D == 3 ? 1 : 0;
		for (int z = z0 - depth; z < z1 + depth; z++)
			for (int y = y0 - 1; y <= y1; y++) {
				if (y + 1 < y1 && z + depth < z1) __builtin_memset(sumsOf(y + 1, z + depth), 0, SUMS * (x1 - x0) * sizeof(T));
				const long number = box.stored(y, z);
				if (const S* const row = box.row(in, number)) {
					expand(row);
					scatter(y, z);
				}
				if (y > y0 && z - depth >= z0) finish(y - 1, z - depth);
			}
	}

	LBM_INLINE T* at(int i) const { return buffer + i * stride + W; }
	LBM_INLINE T* sumsOf(int y, int z) const { return sums + ((long)((z - z0) % PLANES) * ROWS + (y - y0)) * SUMS * (x1 - x0); }

	// populations calls put(Int<i>, g_i) for cells whose components value(k) gives.
	template <class VALUE, class PUT> LBM_INLINE void populations(VALUE value, PUT put) const {
		const R theta = value(FIRST);
		R q[L::D], u[L::D];
		unroll<L::D>([&](auto a) LBM_LAMBDA { q[a.value] = value(FIRST + 1 + a.value); });
		if constexpr (MOMENTS) {
			Moments<L, R> m;
			m.r = value(0);
			unroll<L::D>([&](auto a) LBM_LAMBDA { m.j[a.value] = value(1 + a.value); });
			unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { m.s[k.value] = value(1 + L::D + k.value); });
			velocityOf(m, u);
			const Expansion<L, R> h = C::expand(m);
			const Carrier<L, R> carrier(theta, q, u);
			unroll<L::D == 3 ? 3 : 1>([&](auto k) LBM_LAMBDA {
				constexpr int CZ = L::D == 3 ? decltype(k)::value - 1 : 0;
				const typename Expansion<L, R>::template Slice<CZ> slice(h);
				unroll<3>([&](auto b) LBM_LAMBDA {
					constexpr int CY = decltype(b)::value - 1;
					const auto t = carrier.template triple<CY, CZ>(slice.template triple<CY>());
					constexpr T share = T(1) / T(1 << (CY * CY + CZ * CZ));
					put(Int<L::find(0, CY, CZ)>{}, t.zero * share);
					if constexpr (L::find(1, CY, CZ) >= 0) {
						put(Int<L::find(1, CY, CZ)>{}, t.plus * (share * T(0.5)));
						put(Int<L::find(-1, CY, CZ)>{}, t.minus * (share * T(0.5)));
					}
				});
			});
		} else {
			unroll<L::D>([&](auto a) LBM_LAMBDA { u[a.value] = value(FIRST + 1 + L::D + a.value); });
			const Carrier<L, R> carrier(theta, q, u);
			unroll<L::Q>([&](auto i) LBM_LAMBDA { put(i, carrier.population(i.value, R(value(i.value)))); });
		}
	}

	// expand fills the buffer with the populations of a row and of the cells beside the tile.
	__attribute__((noinline)) void expand(const S* row) const {
		for (int x = x0; x < x1; x += W)
			populations([&](int k) LBM_LAMBDA { return Values::load(row + k * pitch + x, k); },
			            [&](auto i, const R& g) LBM_LAMBDA { store(at(i.value) + x - x0, g); });
		const int n = box.layout.nx, end = x1 < n ? x1 : n;
		const bool periodic = box.c->periodic[0];
		const int cells[2] = {x0 > 0 ? x0 - 1 : periodic ? n - 1 : -1, end < n ? end : periodic ? 0 : -1};
		alignas(64) S own[(FIRST + MORE) * W] = {};
		for (int side = 0; side < 2; side++)
			if (cells[side] >= 0)
				for (int k = 0; k < FIRST + MORE; k++) own[k * W + side] = row[k * pitch + cells[side]];
		populations([&](int k) LBM_LAMBDA { return Values::load(own + k * W, k); }, [&](auto i, const R& g) LBM_LAMBDA {
			constexpr int I = decltype(i)::value;
			if constexpr (L::c(I, 0) > 0) at(I)[-1] = g[0];
			if constexpr (L::c(I, 0) < 0) at(I)[end - x0] = g[1];
		});
	}

	// scatter adds what streams from source row (y, z).
	void scatter(int y, int z) const {
		unroll<L::D == 3 ? 9 : 3>([&](auto k) LBM_LAMBDA {
			constexpr int CY = decltype(k)::value % 3 - 1, CZ = L::D == 3 ? decltype(k)::value / 3 - 1 : 0;
			if (y + CY >= y0 && y + CY < y1 && (L::D == 2 || (z + CZ >= z0 && z + CZ < z1))) group<CY, CZ>(sumsOf(y + CY, z + CZ));
		});
	}
	template <int CY, int CZ> __attribute__((noinline)) void group(T* to) const {
		const int width = x1 - x0;
		const T* const zero = at(L::find(0, CY, CZ));
		for (int x = 0; x < width; x += W) {
			R s0 = load(zero + x);
			T* const s = to + x;
			if constexpr (L::find(1, CY, CZ) >= 0) {
				const R plus = loadAny(at(L::find(1, CY, CZ)) + x - 1), minus = loadAny(at(L::find(-1, CY, CZ)) + x + 1);
				s0 = s0 + (plus + minus);
				store(s + width, load(s + width) + (plus - minus));
			}
			store(s, load(s) + s0);
			if constexpr (CY != 0) store(s + 2 * width, CY > 0 ? load(s + 2 * width) + s0 : load(s + 2 * width) - s0);
			if constexpr (CZ != 0) store(s + 3 * width, CZ > 0 ? load(s + 3 * width) + s0 : load(s + 3 * width) - s0);
		}
	}

	template <class VALUE> LBM_INLINE static void stressOf(Moments<L, R>& m, VALUE value) {
		unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { m.s[k.value] = value(1 + L::D + k.value); });
	}

	// finish makes the new state of row (y, z), of which the flow's step has left its part.
	__attribute__((noinline)) void finish(int y, int z) const {
		const int width = x1 - x0, n = box.layout.nx;
		const T* const from = sumsOf(y, z);
		const S* const old = in + box.layout.start(y, z);
		S* const to = out + box.layout.start(y, z);
		const T* const eddies = eddiesOf(y, z);
		for (int x = x0; x < x1; x += W) {
			auto value = [&](int k) LBM_LAMBDA { return Values::load(to + k * pitch + x, k); };
			auto put = [&](int k, const R& v) LBM_LAMBDA { Values::stream(to + k * pitch + x, k, v); };
			ScalarSums<L, R> sum;
			sum.e = load(from + x - x0);
			unroll<L::D>([&](auto a) LBM_LAMBDA { sum.phi[a.value] = load(from + (1 + a.value) * width + x - x0); });
			Moments<L, R> m{};
			R f[L::Q];
			if constexpr (MOMENTS) {
				m.r = value(0);
				unroll<L::D>([&](auto a) LBM_LAMBDA { m.j[a.value] = value(1 + a.value); });
			} else {
				unroll<L::Q>([&](auto i) LBM_LAMBDA { f[i.value] = value(i.value); });
				sumMoments<L>(f, m.r, m.j);
			}
			sum.r = m.r;
			unroll<L::D>([&](auto a) LBM_LAMBDA { sum.j[a.value] = m.j[a.value] - p.force[a.value]; });
			R theta, q[L::D], u[L::D];
			sum.values(theta, q);
			const R before = Values::load(old + FIRST * pitch + x, FIRST);
			if constexpr (!MOMENTS) {
				buoyedPopulations<L>(f, before, p, u);
				if (forced) unroll<L::Q>([&](auto i) LBM_LAMBDA { put(i.value, f[i.value]); });
			} else if (forced) {
				stressOf(m, value);
				buoyed(m, before, p);
				unroll<L::D>([&](auto a) LBM_LAMBDA { put(1 + a.value, m.j[a.value]); });
				unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { put(1 + L::D + k.value, m.s[k.value]); });
			}
			put(FIRST, theta);
			R keep = R{} + p.keep;
			if (eddies) {
				keep = eddyKeep(load(eddies + x), p);
			} else if (p.eddy != T(0)) {
				if constexpr (!MOMENTS) m = momentsOf<L>(f);
				else if (!forced) stressOf(m, value);
				keep = eddyKeep(m, p);
			}
			unroll<L::D>([&](auto a) LBM_LAMBDA { put(FIRST + 1 + a.value, keep * q[a.value]); });
			if constexpr (!MOMENTS) unroll<L::D>([&](auto a) LBM_LAMBDA { put(FIRST + 1 + L::D + a.value, u[a.value]); });
		}
		// Solid cells and padding are nothing; those that conduct come later.
		const uint8_t* const types = walls->types + ((long)(z + 1) * (box.layout.ny + 2) + y + 1) * (n + 2) + 1;
		for (int x = x0; x < x1; x++)
			if (x >= n || types[x])
				for (int k = 0; k < FIRST + MORE; k++) to[k * pitch + x] = S{};
		beside(y, z, old, to);
	}

	// beside does those cells of the row that have walls or faces beside them.
	void beside(int y, int z, const S* old, S* to) const {
		const long row = (long)z * box.layout.ny + y;
		const uint32_t *const mend = walls->mendRows + row, *const mix = walls->mixRows + row;
		if (mend[0] == mend[1] && mix[0] == mix[1]) return;
		At at(box, in, walls->types, y, z);
		auto put = [&](int x, int k, T v) { to[k * pitch + x] = rounded<L, MOMENTS, S>(v, k); };
		auto cell = [&](const lbm_scalar_place& place) {
			at.go(place.x);
			return Cell{at, (const T*)walls->laws};
		};
		T theta, q[L::D], j[L::D];
		for (uint32_t k = mend[0]; k < mend[1]; k++) {
			const int x = walls->mend[k].x;
			if (x < x0 || x >= x1) continue;
			auto value = [&](int k) { return T(Values::get(to[k * pitch + x], k)); };
			const T before = T(Values::get(old[FIRST * pitch + x], FIRST));
			const Moments<L, T> m = after(value);
			theta = value(FIRST);
			for (int a = 0; a < L::D; a++) q[a] = value(FIRST + 1 + a), j[a] = m.j[a] - (p.force[a] + p.buoyancy[a] * before);
			cell(walls->mend[k]).mend(walls->mend[k].links, walls->mend[k].type, keepAt(x, y, z, m), m.r, j, theta, q);
			put(x, FIRST, theta);
			for (int a = 0; a < L::D; a++) put(x, FIRST + 1 + a, q[a]);
		}
		for (uint32_t k = mix[0]; k < mix[1]; k++) {
			const int x = walls->mix[k].x;
			if (x < x0 || x >= x1) continue;
			const lbm_scalar_place& place = walls->mix[k];
			const Moments<L, T> m = after([&](int k) { return T(Values::get(to[k * pitch + x], k)); });
			cell(place).mix(place.links, place.first == SCALAR_HALFWAY ? nullptr : walls->distances + place.first, keepAt(x, y, z, m), theta, q);
			put(x, FIRST, theta);
			for (int a = 0; a < L::D; a++) put(x, FIRST + 1 + a, q[a]);
		}
	}
	// after is the moments of a cell after the step.
	template <class VALUE> static Moments<L, T> after(VALUE value) {
		return momentsAt<L, MOMENTS, T>([&](auto k) LBM_LAMBDA { return value(k.value); });
	}
	// keepAt is 1 - 1/tau of the cell that has them.
	T keepAt(int x, int y, int z, const Moments<L, T>& m) const {
		if (const T* const eddies = eddiesOf(y, z)) return eddyKeep(eddies[x], p);
		return p.eddy != T(0) ? eddyKeep(m, p) : p.keep;
	}
	// eddiesOf the cells of a row, of laws that look at neighbours; null of others.
	const T* eddiesOf(int y, int z) const { return box.c->eddies ? (const T*)box.c->eddies + ((long)z * box.layout.ny + y) * pitch : nullptr; }

	// lost adds what leaves through measured walls in the coming step to sums, by type.
	static void lost(const lbm_case* c, const lbm_numbers* n, const lbm_scalar_walls* walls, const void* state, int64_t* sums) {
		FlushTiny guard;
		const Box box(c);
		for (int64_t k = 0; k < walls->count; k++) {
			const lbm_scalar_link l = walls->links[k];
			At at(box, (const S*)state, walls->types, l.row % box.layout.ny, l.row / box.layout.ny);
			at.go(l.x);
			sums[l.type - 1] += llrint(double(Cell{at, (const T*)walls->laws}.lost(l.direction, l.type, l.distance, l.slope)) * SCALAR_UNITS);
		}
	}
};

// The table of an instruction set, in the order of model.Lattices, model.Collisions and model.Precisions. Models of
// populations are alike here.
template <class L, class C, bool MOMENTS, class S> constexpr lbm_scalar scalarOf() {
	typedef ScalarOf<L, C, MOMENTS, S> Of;
	return {&Of::step, &Of::lost, &Of::scratch};
}
#define LBM_PRECISIONS_OF(L, C, MOMENTS) {scalarOf<L, C, MOMENTS, float>(), scalarOf<L, C, MOMENTS, double>(), scalarOf<L, C, MOMENTS, Half>()}
template <class L> struct Scalars {
	static constexpr lbm_scalar of[][3] = {
#define CLOSURE(NUMBER, C) LBM_PRECISIONS_OF(L, C, true),
#define POPULATIONS(NUMBER, C) LBM_PRECISIONS_OF(L, Bgk, false),
		LBM_COLLISIONS(CLOSURE, POPULATIONS)
#undef CLOSURE
#undef POPULATIONS
	};
};
inline const lbm_scalar* findScalar(int lattice, int collision, int precision) {
	switch (lattice) {
#define LATTICE(NUMBER, L) \
	case NUMBER: return &Scalars<L>::of[collision][precision];
		LBM_LATTICES(LATTICE)
#undef LATTICE
	}
	return 0;
}

}}  // namespace lbm
#endif

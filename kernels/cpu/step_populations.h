// One step of a state of populations on the CPU: pull from the neighbours' rows,
// collide, store past the caches. Every value is read once and written once, so
// nothing is worth keeping in a cache and rows can be taken in any order.
#ifndef LBM_STEP_POPULATIONS_H
#define LBM_STEP_POPULATIONS_H
#include "../boundary/moving_wall.h"
#include "../populations.h"
#include "box.h"
#include "memory.h"

namespace lbm { namespace {

template <class L, class C, class S> struct StepPopulations {
	typedef typename Arithmetic<S>::T T;
	typedef Memory<S, L, false> Values;
	typedef typename Lanes<T>::R R;
	typedef typename Lanes<T>::I I;
	static constexpr int W = Lanes<T>::W;

	static constexpr int SEGMENT = 512 / sizeof(T), STRIDE = SEGMENT + 64 / sizeof(T);

	static int64_t scratch(const lbm_range*) { return L::Q * STRIDE * sizeof(T) + 64; }

	static void run(const lbm_case* c, const lbm_params* p, const void* in, void* out, const lbm_range* r, void* scratch) {
		FlushTiny guard;
		Box box(c, L::Q);
		Params<T> params = numbers<T>(p);
		for (int z = r->lo[2]; z < r->hi[2]; z++)
			for (int y = r->lo[1]; y < r->hi[1]; y++) row(box, params, (const S*)in, (S*)out, y, z, r->lo[0], r->hi[0], (T*)scratch);
		fence();
	}

	static void row(const Box& box, const Params<T>& params, const S* in, S* out, int y, int z, int x0, int x1, T* done) {
		const long pitch = box.layout.pitch;
		const S* own = in + box.layout.start(y, z);
		const S* source[3][3] = {};  // by c_z, c_y. Behind a wall any row will do: its values are not used.
		for (int d = -1; d <= 1; d++)
			for (int b = -1; b <= 1; b++) {
				if (L::D == 2 && d != 0) continue;
				const S* s = box.source(in, y - b, z - d);
				source[d + 1][b + 1] = s ? s : own;
			}
		const S* from[L::Q];
		unroll<L::Q>([&](auto i) LBM_LAMBDA {
			constexpr int N = decltype(i)::value;
			from[N] = source[L::c(N, 2) + 1][L::c(N, 1) + 1] + N * pitch - L::c(N, 0);
		});
		S* const target = out + box.layout.start(y, z);
		const int n = box.layout.nx, left = box.c->periodic[0] ? 0 : -1, right = box.c->periodic[0] ? n - 1 : -1;
		const long ahead = (long)L::Q * pitch;  // the next row
		if (y + 1 < box.layout.ny) fetchWalls<true>(box, in, y + 1, z, x0, x1);
		Walls walls(box.c, y, z, x0);
		for (int begin = x0; begin < x1; begin += SEGMENT) {
		const int end = begin + SEGMENT < x1 ? begin + SEGMENT : x1;
		for (int x = begin; x < end; x += W) {
			T* to = done + x - begin;
			R f[L::Q];
			unroll<L::Q>([&](auto i) LBM_LAMBDA {
				constexpr int N = decltype(i)::value;
				__builtin_prefetch(from[N] + x + ahead, 0, 2);  // to L2: a row does not stay in L1
				f[N] = L::c(N, 0) == 0 ? Values::load(from[N] + x, N) : Values::loadAny(from[N] + x, N);
			});
			const lbm_pattern* pattern = walls.at(x);
			bool wraps = x == left || (right >= x && right < x + W);
			if (__builtin_expect(pattern != nullptr || wraps, 0)) {
				R g[L::Q];
				unroll<L::Q>([&](auto i) LBM_LAMBDA { g[i.value] = f[i.value]; });
				if (x == left) wrap<1>(g, from, x, 0, n);
				if (right >= x && right < x + W) wrap<-1>(g, from, x, right - x, -n);
				if (pattern) bounce(box, g, own, x, pattern);
				C::template collide<L>(g, params);
				if (pattern) clear(g, x, pattern);
				unroll<L::Q>([&](auto i) LBM_LAMBDA { store(to + i.value * STRIDE, g[i.value]); });
			} else {
				C::template collide<L>(f, params);
				unroll<L::Q>([&](auto i) LBM_LAMBDA { store(to + i.value * STRIDE, f[i.value]); });
			}
		}
		// Past the caches, component by component: many interleaved streams are slower (measured).
		for (int i = 0; i < L::Q; i++)
			for (int x = begin; x < end; x += W) Values::stream(target + i * pitch + x, i, load(done + i * STRIDE + x - begin));
		}
	}

	// wrap replaces, in one lane, the populations with c_x = CX by those from the
	// other end of a periodic row.
	template <int CX> static LBM_INLINE void wrap(R* f, const S* const* from, int x, int lane, int shift) {
		I mask = laneNumbers<T>() == (I{} + lane);
		unroll<L::Q>([&](auto i) LBM_LAMBDA {
			constexpr int N = decltype(i)::value;
			if constexpr (L::c(N, 0) == CX) f[N] = select(mask, R{} + Values::get(from[N][x + lane + shift], N), f[N]);
		});
	}

	static LBM_INLINE void bounce(const Box& box, R* f, const S* own, int x, const lbm_pattern* pattern) {
		const unsigned links = pattern->links, moving = pattern->moving;
		const unsigned* cells = pattern->cell + x % LBM_BLOCK;
		if (!links) return;
		unroll<L::Q>([&](auto i) LBM_LAMBDA {
			constexpr int N = decltype(i)::value;
			if (!(links >> N & 1)) return;
			R old = Values::load(own + L::opposite(N) * (long)box.layout.pitch + x, L::opposite(N));
			I mask = bit<T>(cells, N);
			if (moving >> N & 1) {
				const T* kick = (const T*)box.c->kicks + pattern->kicks + countBelow(moving, N) * LBM_BLOCK + x % LBM_BLOCK;
				f[N] = MovingWall::apply(f[N], old, loadAny(kick), mask);
			} else {
				f[N] = Wall::apply(f[N], old, mask);
			}
		});
	}

	// clear keeps solid and padding cells at rest.
	static LBM_INLINE void clear(R* f, int x, const lbm_pattern* pattern) {
		I solid = bit<T>(pattern->cell + x % LBM_BLOCK, 31);
		unroll<L::Q>([&](auto i) LBM_LAMBDA { f[i.value] = select(solid, R{}, f[i.value]); });
	}
};

}}  // namespace lbm
#endif

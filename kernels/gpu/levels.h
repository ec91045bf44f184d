// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The coupling between two levels of a refined grid (../levels.h) on a GPU: compiled beside instance.h, with the same macros, for
// programs of patches. Kernels have one thread per entry of their list, PARTS threads per face.
#include "../face.h"
#include "../levels.h"
#include "box.h"
#include "model.h"
#include "pack.h"

namespace lbm { namespace {

typedef LBM_REAL Real;
#ifdef LBM_LAW
typedef OwnLaw<LBM_LAW> LevelLaw;
#else
typedef OneTime LevelLaw;
#endif

// Passage is a population that passes a face (lbm_crossing): the shares of its mass and momentum as numbers, since converting them for each
// face takes longer than adding them up; the cell is a number within the face's list.
struct alignas(16) Passage {
	double mass, momentum[3];
	unsigned cell, slot;
};

struct LevelsOf {
	typedef Lattice L;

	__device__ static LBM_INLINE Moments<L, Real> read(const Real* LBM_RESTRICT p, long long pitch) {
		return momentsAt<L, true, Real>([&](auto k) LBM_LAMBDA { return p[k.value * pitch]; });
	}
	__device__ static LBM_INLINE void write(const Moments<L, Real>& m, Real* p, long long pitch) {
		p[0] = m.r;
		unroll<L::D>([&](auto a) LBM_LAMBDA { p[(1 + a.value) * pitch] = m.j[a.value]; });
		unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { p[(1 + L::D + k.value) * pitch] = m.s[k.value]; });
	}
	// pair reads two neighbouring cells, the first at an even place.
	__device__ static LBM_INLINE void pair(const Real* LBM_RESTRICT p, long long pitch, Image<Real, 2> (&to)[L::M + LBM_EXTRA]) {
		unroll<L::M + LBM_EXTRA>([&](auto k) LBM_LAMBDA { to[k.value].bits = __ldg((const BitsOf<Real, 2>*)(p + k.value * pitch)); });
	}
	// child returns the distance of child k of a cell from its first one in a state.
	__device__ static LBM_INLINE long long child(const Layout& l, int k) {
		const long long row = (long long)l.components * l.pitch;
		return (k & 1) + (k >> 1 & 1) * row + (k >> 2 & 1) * row * (l.ny + 2 * l.gy);
	}
	__device__ static LBM_INLINE Layout layout(const Case* c) { return Box(c, L::M).layout; }

	// A scalar's numbers follow the flow's, in states and in compact buffers; heat follows momentum in sums.
	static constexpr bool SCALAR = LBM_EXTRA > 0;
	static constexpr int NUMBERS = L::M + LBM_EXTRA, SUMS = SCALAR ? 2 + L::D : 1 + L::D;
	__device__ static LBM_INLINE LevelScalar<L, Real> scalar(const Real* LBM_RESTRICT p, long long pitch) {
		return LevelScalar<L, Real>::of([&](auto k) LBM_LAMBDA { return p[(L::M + k.value) * pitch]; });
	}
	__device__ static LBM_INLINE void write(const LevelScalar<L, Real>& s, Real* p, long long pitch) {
		s.each([&](int k, const Real& v) LBM_LAMBDA { p[(L::M + k) * pitch] = v; });
	}

	// Compact holds the numbers of a block's cells on their way to or from a compact buffer. There neighbouring threads read and write
	// neighbouring numbers, while in a state they have neighbouring cells.
	struct Compact {
		static constexpr int STEP = NUMBERS | 1;  // odd: no bank conflicts within a warp
		Real numbers[ROW * STEP];
		long long places[ROW];  // in the buffer, counted in numbers; -1: there is no cell

		__device__ LBM_INLINE Real* own() { return numbers + threadIdx.x * STEP; }
		__device__ LBM_INLINE void place(bool any, const long long& cell) { places[threadIdx.x] = any ? cell * NUMBERS : -1; }
		// each calls f(number, its place in the buffer), once all threads of the block have arrived.
		template <class F> __device__ LBM_INLINE void each(F f) {
			__syncthreads();
			unroll<NUMBERS>([&](auto turn) LBM_LAMBDA {
				const int i = turn.value * ROW + threadIdx.x, cell = i / NUMBERS, k = i % NUMBERS;
				if (places[cell] >= 0) f(numbers[cell * STEP + k], places[cell] + k);
			});
		}
		__device__ LBM_INLINE void store(Real* LBM_RESTRICT buffer) {
			each([&](const Real& v, long long at) LBM_LAMBDA { buffer[at] = v; });
		}
		__device__ LBM_INLINE void load(const Real* LBM_RESTRICT buffer) {
			each([&](Real& v, long long at) LBM_LAMBDA { v = __ldg(buffer + at); });
			__syncthreads();
		}
	};

	__device__ static LBM_INLINE void values(const Case* c, const lbm_copied& cell, const Real* LBM_RESTRICT state, Real* to) {
		const int pitch = layout(c).pitch;
		HalfForce<L, Real> force(c->numbers.force);
		if constexpr (SCALAR) {
			const LevelScalar<L, Real> s = scalar(state + cell.at, pitch);
			force = HalfForce<L, Real>(c->numbers.force, c->numbers.buoyancy, s.theta);
			write(s, to, 1);
		}
		LevelValue<L, Real>::of(read(state + cell.at, pitch), force).each([&](int k, const Real& v) LBM_LAMBDA { to[k] = v; });
	}

	__device__ static LBM_INLINE void extrapolated(const lbm_extrapolated& e, long long place, Real* values) {
		const Real *const first = values + (long long)e.from[0] * NUMBERS, *const second = values + (long long)e.from[1] * NUMBERS, *const third = values + (long long)e.from[2] * NUMBERS;
		Real* const to = values + place * NUMBERS;
		extrapolate<L>(first, second, third, to);
		if constexpr (SCALAR) extrapolateScalar<L>(first + L::M, second + L::M, third + L::M, to + L::M);
	}

	// prolong fills the children of parent i, two by two in x. On a GPU the list has the first children of all parents, then around[0] of
	// all, and so on.
	__device__ static LBM_INLINE void prolong(const Case* c, const lbm_conversion* LBM_RESTRICT conversion, const long long* LBM_RESTRICT list, const Real* LBM_RESTRICT buffer, Real* LBM_RESTRICT state, long long i, long long count) {
		typedef typename Parabola<L, Real>::Around Around;
		constexpr int WIDE = NUMBERS % 2 ? 1 : 2;  // numbers per load
		const Layout l = layout(c);
		const lbm_conversion by = *conversion;
		const unsigned* const around = (const unsigned*)(list + count) + i;
		Real cells[Around::Q][NUMBERS];  // most unused numbers are not loaded
		unroll<Around::Q>([&](auto at) LBM_LAMBDA {
			const Real* const p = buffer + (long long)__ldg(around + at.value * count) * NUMBERS;
			unroll<NUMBERS / WIDE>([&](auto k) LBM_LAMBDA {
				Image<Real, WIDE> image;
				image.bits = __ldg((const BitsOf<Real, WIDE>*)p + k.value);
				unroll<WIDE>([&](auto n) LBM_LAMBDA { cells[at.value][k.value * WIDE + n.value] = image.s[n.value]; });
			});
		});
		auto from = [&](auto at) LBM_LAMBDA -> const Real* { return cells[at.value]; };
		const Parabola<L, Real> parabola(from);
		if constexpr (SCALAR) {
			const ScalarParabola<L, Real, Around> curve([&](auto at) LBM_LAMBDA { return from(at) + L::M; });
			children(l, by, parabola, curve, state + list[i]);
		} else {
			children(l, by, parabola, 0, state + list[i]);
		}
	}
	// children writes them; first is the first one's place, curve a scalar's parabola, where there is one.
	template <class CURVE> __device__ static LBM_INLINE void children(const Layout& l, const lbm_conversion& by, const Parabola<L, Real>& parabola, const CURVE& curve, Real* LBM_RESTRICT first) {
		LBM_ROLLED for (int row = 0; row < 1 << (L::D - 1); row++) {
			Image<Real, 2> image[NUMBERS];
			unroll<2>([&](auto x) LBM_LAMBDA {
				constexpr int X = decltype(x)::value;
				Real side[L::D] = {Real(2 * X - 1)};
				unroll<L::D - 1>([&](auto a) LBM_LAMBDA { side[1 + a.value] = row >> a.value & 1 ? Real(1) : Real(-1); });
				Change<Real> flux;
				const LevelValue<L, Real> value = parabola.template child<LevelLaw>(side, by, flux);
				HalfForce<L, Real> force(by.to);
				if constexpr (SCALAR) {
					const LevelScalar<L, Real> s = curve.child(side, flux, value.r);
					force = HalfForce<L, Real>(by.to, by.buoyancyTo, s.theta);
					s.each([&](int k, const Real& v) LBM_LAMBDA { image[L::M + k].s[X] = v; });
				}
				const Moments<L, Real> m = value.moments(force);
				image[0].s[X] = m.r;
				unroll<L::D>([&](auto a) LBM_LAMBDA { image[1 + a.value].s[X] = m.j[a.value]; });
				unroll<L::M - 1 - L::D>([&](auto k) LBM_LAMBDA { image[1 + L::D + k.value].s[X] = m.s[k.value]; });
			});
			Real* const to = first + child(l, 2 * row);
			unroll<NUMBERS>([&](auto k) LBM_LAMBDA { *(BitsOf<Real, 2>*)(to + k.value * l.pitch) = image[k.value].bits; });
		}
	}

	__device__ static LBM_INLINE void restricted(const Case* c, const lbm_conversion* LBM_RESTRICT conversion, const lbm_family& family, const Real* LBM_RESTRICT state, Real* to) {
		const Layout l = layout(c);
		const Real* const from = state + family.first;
		ScalarParent<L, Real> children;
		Change<Real> flux;
		Image<Real, 2> two[NUMBERS];
		const LevelValue<L, Real> mean = parentOf<L, Real, LevelLaw>(*conversion, flux, [&](auto k) LBM_LAMBDA {
			constexpr int K = decltype(k)::value, X = K % 2;
			if constexpr (X == 0) pair(from + child(l, K), l.pitch, two);
			const Moments<L, Real> m = momentsAt<L, true, Real>([&](auto n) LBM_LAMBDA { return two[n.value].s[X]; });
			HalfForce<L, Real> force(conversion->from);
			if constexpr (SCALAR) {
				const LevelScalar<L, Real> s = LevelScalar<L, Real>::of([&](auto n) LBM_LAMBDA { return two[L::M + n.value].s[X]; });
				force = HalfForce<L, Real>(conversion->from, conversion->buoyancyFrom, s.theta);
				children.template add<K>(s, m.r);
			}
			return LevelValue<L, Real>::of(m, force);
		});
		HalfForce<L, Real> force(conversion->to);
		if constexpr (SCALAR) {
			const LevelScalar<L, Real> s = children.mean(flux, mean.r);
			force = HalfForce<L, Real>(conversion->to, conversion->buoyancyTo, s.theta);
			write(s, to, 1);
		}
		write(mean.moments(force), to, 1);
	}

	// One reads the source of a ghost cell.
	struct One {
		const Real* p;
		int pitch;
		template <int K> __device__ LBM_INLINE Real get() const { return p[(long long)K * pitch]; }
	};

	// sender returns the moments of an upstream cell, or of the ghost cell beyond it.
	__device__ static LBM_INLINE Moments<L, Real> sender(const Case* c, const Real* LBM_RESTRICT p, int pitch, int rule) {
		if (rule < 0) return read(p, pitch);
		Moments<L, Real> m;
		FaceGhost<L, true, Real, One>(One{p, pitch}, (const Real*)c->faceRules + (long long)rule * FACE_NUMBERS).each([&](auto k, const Real& v) LBM_LAMBDA {
			constexpr int K = decltype(k)::value;
			if constexpr (K == 0) m.r = v;
			else if constexpr (K <= L::D) m.j[K - 1] = v;
			else m.s[K - 1 - L::D] = v;
		});
		return m;
	}
	// slots calls put(Int<slot>, Int<direction>, f) for the populations across an axis on a side.
	template <class PUT> __device__ static LBM_INLINE void slots(const Moments<L, Real>& m, int axis, int side, PUT put) {
		LBM_COLLISION::expand(m).each([&](auto i, const Real& f) LBM_LAMBDA {
			constexpr int I = decltype(i)::value;
			unroll<L::D>([&](auto a) LBM_LAMBDA {
				constexpr int A = decltype(a)::value, C = L::c(I, A), SLOT = Sent<L>::slot(I, A);
				if constexpr (C != 0)
					if (axis == A && side == C) put(Int<SLOT>{}, i, f);
			});
		});
	}

	// Sent populations are stored slot by slot, places apart; within a slot neighbours are adjacent.
	__device__ static LBM_INLINE void send(const Case* c, const lbm_upstream& from, const Real* LBM_RESTRICT state, Real* to, long long places) {
		slots(sender(c, state + from.at, layout(c).pitch, from.rule), from.axis, from.high ? 1 : -1, [&](auto slot, auto, const Real& f) LBM_LAMBDA { to[slot.value * places] = f; });
	}

	// sendModelled writes the populations that a ghost cell of a wall with a model sends; at is its number.
	__device__ static LBM_INLINE void sendModelled(const lbm_upstream& from, const Real* LBM_RESTRICT populations, Real* to, long long places) {
		const int axis = from.axis, side = from.high ? 1 : -1;
		unroll<L::Q>([&](auto i) LBM_LAMBDA {
			unroll<L::D>([&](auto a) LBM_LAMBDA {
				constexpr int I = decltype(i)::value, A = decltype(a)::value, C = L::c(I, A), SLOT = Sent<L>::slot(I, A);
				if constexpr (C != 0)
					if (axis == A && side == C) to[SLOT * places] = populations[from.at * L::Q + I];
			});
		});
	}

	// passed is not inlined: NVRTC takes seconds to compile it for each direction and axis.
	__device__ static LBM_NOINLINE Real passed(const Carrier<L, Real>& carrier, int kind, int i, int mirror, Real f) {
		return passing(carrier, kind, i, turned<L>(i, mirror), f);
	}
	__device__ static LBM_INLINE void carry(const Case* c, const lbm_carrier& from, const Real* LBM_RESTRICT state, const Real* LBM_RESTRICT gains, Real* to, long long places) {
		const int pitch = layout(c).pitch, kind = from.kind;
		const LevelScalar<L, Real> s = scalar(state + from.source, pitch);
		Real u[L::D];
		velocityOf(read(state + from.source, pitch), u);
		const Carrier<L, Real> carrier(s.theta, s.q, u);
		const bool gained = kind == LEVEL_GAINED, flows = kind == LEVEL_CARRIED || kind == LEVEL_ENTERS;
		slots(sender(c, state + from.at, pitch, gained ? -1 : from.rule), from.axis, from.high ? 1 : -1, [&](auto slot, auto i, const Real& f) LBM_LAMBDA {
			constexpr int I = decltype(i)::value, SLOT = decltype(slot)::value;
			const Real own = gained ? gains[from.rule + SLOT * places] : flows ? f : Real(0);
			to[SLOT * places] = passed(carrier, kind, I, from.mirror, own);
		});
	}

	// A block serves FACES neighbouring faces, whose crossings its warps share: a warp reads one passage for all of them, since
	// most have the same pattern, and populations of neighbouring cells. A population is behind two loads that depend on each
	// other, so a thread starts the loads of AHEAD passages before it adds the first. The parts of a sum are added in a fixed order. A
	// block's lists of upstream cells are interleaved by face.
	static constexpr int FACES = 32, PARTS = 8, AHEAD = 5, COUNTING = FACES * PARTS;
	// count sets N numbers of each face's sum, or adds to them; sums begins with the first of them.
	template <int N> __device__ static LBM_INLINE void count(const lbm_crossed* LBM_RESTRICT faces, const unsigned* LBM_RESTRICT upstream, const Passage* LBM_RESTRICT passages, const Real* LBM_RESTRICT sent, long long places, double* sums, double scale, bool add, long long count) {
		static_assert(N <= PARTS, "a thread adds up a number of a face");
		__shared__ double parts[N][PARTS][FACES];
		const int lane = threadIdx.x % FACES, part = threadIdx.x / FACES, of = threadIdx.x / N, k = threadIdx.x % N;
		const long long first = (long long)blockIdx.x * FACES;
		const bool total = of < FACES && first + of < count;
		lbm_crossed face{};
		if (first + lane < count) face = faces[first + lane];
		double* number = nullptr;
		if (total) number = sums + faces[first + of].place * SUMS + k;
		const double before = total && add ? *number : 0;
		double sum[N] = {};
		for (unsigned i = part; __any_sync(~0u, i < face.count); i += PARTS * AHEAD) {
			Passage x[AHEAD];
			unsigned from[AHEAD];
			Real f[AHEAD];
			auto counts = [&](int n) LBM_LAMBDA { return i + PARTS * n < face.count; };  // otherwise a population without a weight is read
			unroll<AHEAD>([&](auto n) LBM_LAMBDA { x[n.value] = passages[face.first + (counts(n.value) ? i + PARTS * n.value : 0)]; });
			unroll<AHEAD>([&](auto n) LBM_LAMBDA { from[n.value] = upstream[face.cells + (counts(n.value) ? FACES * x[n.value].cell : 0)]; });
			unroll<AHEAD>([&](auto n) LBM_LAMBDA { f[n.value] = sent[x[n.value].slot * places + from[n.value]]; });
			__syncwarp();  // otherwise the compiler adds the first before it loads the second
			unroll<AHEAD>([&](auto n) LBM_LAMBDA {
				const double v = counts(n.value) ? double(f[n.value]) : 0;
				sum[0] += x[n.value].mass * v;
				unroll<N - 1>([&](auto a) LBM_LAMBDA { sum[1 + a.value] += x[n.value].momentum[a.value] * v; });
			});
		}
		unroll<N>([&](auto k) LBM_LAMBDA { parts[k.value][part][lane] = sum[k.value]; });
		__syncthreads();
		if (!total) return;
		double all[PARTS];
		unroll<PARTS>([&](auto p) LBM_LAMBDA { all[p.value] = parts[k][p.value][of]; });
		for (int step = 1; step < PARTS; step *= 2)
			for (int p = 0; p < PARTS; p += 2 * step) all[p] += all[p + step];
		*number = add ? before + scale * all[0] : scale * all[0];
	}

	__device__ static LBM_INLINE void correct(const Case* c, const lbm_corrected& cell, const double* own, const unsigned* LBM_RESTRICT faces, const double* LBM_RESTRICT fine, Real* state) {
		const int pitch = layout(c).pitch;
		double gain[SUMS];
		unroll<SUMS>([&](auto k) LBM_LAMBDA { gain[k.value] = own[k.value]; });
		for (unsigned f = cell.first; f < cell.first + cell.count; f++)
			unroll<SUMS>([&](auto k) LBM_LAMBDA { gain[k.value] += fine[(long long)faces[f] * SUMS + k.value]; });
		Real* const p = state + cell.at;
		const Moments<L, Real> m = read(p, pitch);
		HalfForce<L, double> force(c->numbers.force);
		if constexpr (SCALAR) {
			Real& theta = p[(long long)L::M * pitch];
			force = HalfForce<L, double>(c->numbers.force, c->numbers.buoyancy, double(theta));
			theta = Real(correctedScalar<L>(double(theta), double(m.r), gain));
		}
		write(corrected(m, gain, force), p, pitch);
	}
};

__device__ LBM_INLINE long long threadNumber() { return (long long)blockIdx.x * ROW + threadIdx.x; }

}}  // namespace lbm

// Copies count cells of a state to a compact buffer, or back.
extern "C" __global__ void __launch_bounds__(ROW) lbm_level_gather(const lbm::Real* state, const lbm_copied* list, lbm::Real* buffer, long long count, long long pitch) {
	__shared__ lbm::LevelsOf::Compact cells;
	const long long i = lbm::threadNumber();
	const lbm_copied cell = list[i < count ? i : 0];
	cells.place(i < count, cell.place);
	for (int k = 0; k < lbm::LevelsOf::NUMBERS; k++) cells.own()[k] = __ldg(state + cell.at + k * pitch);
	cells.store(buffer);
}
extern "C" __global__ void __launch_bounds__(ROW) lbm_level_scatter(const lbm::Real* buffer, const lbm_copied* list, lbm::Real* state, long long count, long long pitch) {
	__shared__ lbm::LevelsOf::Compact cells;
	const long long i = lbm::threadNumber();
	const lbm_copied cell = list[i < count ? i : 0];
	cells.place(i < count, cell.place);
	cells.load(buffer);
	if (i >= count) return;
	for (int k = 0; k < lbm::LevelsOf::NUMBERS; k++) state[cell.at + k * pitch] = cells.own()[k];
}
// Writes rho - 1, u and P of count cells to a compact buffer.
extern "C" __global__ void __launch_bounds__(ROW) lbm_level_values(const lbm::Case* c, const lbm_copied* list, const lbm::Real* state, lbm::Real* buffer, long long count) {
	__shared__ lbm::LevelsOf::Compact cells;
	const long long i = lbm::threadNumber();
	const lbm_copied cell = list[i < count ? i : 0];
	cells.place(i < count, cell.place);
	lbm::LevelsOf::values(c, cell, state, cells.own());
	cells.store(buffer);
}
// Fills places cells + first to cells + last of such a buffer.
extern "C" __global__ void __launch_bounds__(ROW) lbm_level_extrapolate(const lbm_extrapolated* list, lbm::Real* buffer, long long cells, long long first, long long last) {
	const long long i = first + lbm::threadNumber();
	if (i < last) lbm::LevelsOf::extrapolated(list[i], cells + i, buffer);
}
// Fills the children of count parents.
extern "C" __global__ void __launch_bounds__(ROW)
lbm_level_prolong(const lbm::Case* c, const lbm_conversion* conversion, const long long* list, const lbm::Real* buffer, lbm::Real* state, long long count) {
	const long long i = lbm::threadNumber();
	if (i < count) lbm::LevelsOf::prolong(c, conversion, list, buffer, state, i, count);
}
// Writes the means of count families to a compact buffer.
extern "C" __global__ void __launch_bounds__(ROW)
lbm_level_restrict(const lbm::Case* c, const lbm_conversion* conversion, const lbm_family* list, const lbm::Real* state, lbm::Real* buffer, long long count) {
	__shared__ lbm::LevelsOf::Compact cells;
	const long long i = lbm::threadNumber();
	const lbm_family family = list[i < count ? i : 0];
	cells.place(i < count, family.place);
	lbm::LevelsOf::restricted(c, conversion, family, state, cells.own());
	cells.store(buffer);
}
// Writes the populations that count upstream cells send; there is room for places cells.
extern "C" __global__ void __launch_bounds__(ROW) lbm_level_send(const lbm::Case* c, const lbm_upstream* list, const lbm::Real* state, lbm::Real* sent, long long count, long long places) {
	const long long i = lbm::threadNumber();
	if (i < count) lbm::LevelsOf::send(c, list[i], state, sent + i, places);
}
// Writes the populations that count ghost cells of walls with a model send.
extern "C" __global__ void __launch_bounds__(ROW) lbm_level_send_modelled(const lbm_upstream* list, const lbm::Real* populations, lbm::Real* sent, long long count, long long places) {
	const long long i = lbm::threadNumber();
	if (i < count) lbm::LevelsOf::sendModelled(list[i], populations, sent + i, places);
}
// Writes the scalar that passes with the populations of count carriers. Additions of walls follow. Without a scalar the kernel is empty, since NVRTC takes seconds for it.
extern "C" __global__ void __launch_bounds__(ROW) lbm_level_carry(const lbm::Case* c, const lbm_carrier* list, const lbm::Real* state, lbm::Real* sent, long long count, long long places) {
	const long long i = lbm::threadNumber();
	if (lbm::LevelsOf::SCALAR && i < count) lbm::LevelsOf::carry(c, list[i], state, sent + count, sent + i, places);
}
// Sets the sums of mass and momentum of count faces, or adds to them. scale is the bits of a double.
extern "C" __global__ void __launch_bounds__(lbm::LevelsOf::COUNTING)
lbm_level_count(const lbm_crossed* list, const unsigned* upstream, const lbm::Passage* passages, const lbm::Real* sent, double* sums, long long scale, long long add, long long count, long long places) {
	lbm::LevelsOf::count<1 + lbm::Lattice::D>(list, upstream, passages, sent, places, sums, __longlong_as_double(scale), add != 0, count);
}
// The same for heat.
extern "C" __global__ void __launch_bounds__(lbm::LevelsOf::COUNTING)
lbm_level_heat(const lbm_crossed* list, const unsigned* carriers, const lbm::Passage* passages, const lbm::Real* sent, double* sums, long long scale, long long add, long long count, long long places) {
	lbm::LevelsOf::count<1>(list, carriers, passages, sent, places, sums + 1 + lbm::Lattice::D, __longlong_as_double(scale), add != 0, count);
}
// Adds sums to count cells, with the run's body force.
extern "C" __global__ void __launch_bounds__(ROW)
lbm_level_correct(const lbm::Case* c, const lbm_corrected* list, const unsigned* faces, const double* own, const double* fine, lbm::Real* state, long long count) {
	const long long i = lbm::threadNumber();
	if (i < count) lbm::LevelsOf::correct(c, list[i], own + i * lbm::LevelsOf::SUMS, faces, fine, state);
}

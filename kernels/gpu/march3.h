// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The march of moments in 3D (step_moments.h): warps of rows, and one warp for the cells beside them.
#ifndef LBM_GPU_MARCH3_H
#define LBM_GPU_MARCH3_H
#include "../face.h"
#include "../outflow.h"
#include "step_moments.h"

namespace lbm { namespace {

// barrier waits for all threads of a block, wherever in the code they wait. With __syncthreads all
// would have to wait at the same place.
template <int THREADS> __device__ LBM_INLINE void barrier() { asm volatile("bar.sync 0, %0;" ::"n"(THREADS) : "memory"); }

// placeOf returns a place in the shared memory of a block as a number that the compiler keeps in a register: otherwise it would
// recompute the address from the start for each access. sharedAt converts back.
__device__ LBM_INLINE unsigned placeOf(const void* p) {
	unsigned place = (unsigned)__cvta_generic_to_shared(p);
	asm volatile("" : "+r"(place));
	return place;
}
template <class T> __device__ LBM_INLINE T* sharedAt(unsigned place) { return (T*)__builtin_assume_aligned(__cvta_shared_to_generic(place), sizeof(T)); }

// noRowEnd is for tiles whose rows continue: the cell beyond is read, and nothing is computed in its place.
alignas(16) __device__ const RowEnd noRowEnd{ROW_END_NONE, ROW_END_BOUNCES << ROW_END_OWN};

// Every block has planes (device/cuda/grid.go): all its warps must reach the barrier equally often.
template <class L, class C, class S, class T>
__device__ LBM_INLINE void StepMoments<L, C, S, T>::march3(const Box& box, const S* LBM_RESTRICT in, S* LBM_RESTRICT out, int ylo, int yhi, int zlo, int zhi) {
	extern __shared__ uint4 memory[];
	Shared& shared = *(Shared*)memory;
	const int planes = (zhi - zlo + gridDim.z - 1) / gridDim.z, z0 = zlo + blockIdx.z * planes, z1 = z0 + planes < zhi ? z0 + planes : zhi;
	const int ytop = ylo + blockIdx.y * ROWS - 1, x0 = blockIdx.x * Row::TILE;
	if (threadIdx.y < LINES) rows(shared, box, in, out, x0, ytop, yhi, z0, z1);
	else serveEdges(shared, box, in, x0, ytop, yhi, z0, z1);
}

// source returns row y of plane z, null outside the box or where no thread needs it.
template <class L, class C, class S, class T>
__device__ LBM_INLINE const S* StepMoments<L, C, S, T>::source(const Box& box, const S* in, int y, int yhi, int z) {
	return y <= yhi && box.inside(1, y) ? in + box.layout.start(y, z) : nullptr;
}

// around returns the stored place of plane z of a row that would be at p if planes did not wrap.
template <class L, class C, class S, class T>
__device__ LBM_INLINE const S* StepMoments<L, C, S, T>::around(const Box& box, const S* p, int z, long long plane) {
	const int wanted = z;
	box.inside(2, z);
	return p ? p + (z - wanted) * plane : p;
}

template <class L, class C, class S, class T>
__device__ LBM_INLINE long long StepMoments<L, C, S, T>::planeOf(const Box& box) {
	return (long long)(box.layout.ny + 2 * box.layout.gy) * (L::M + LBM_EXTRA) * box.layout.pitch;
}

// serveEdges is the loop of the warp that serves the cells left and right of the lines, two planes ahead of the others.
//
// Beyond the end of a row of the box there is no cell to read (Case::rowEnds): a ghost cell follows from the cell at the end. A
// half-way wall at rest at (y, z) returns with (c_y, c_z) the population that the fluid cell at (y + c_y, z + c_z) sent into
// it, so that cell's populations are reversed and stored at the place that they appear to come from.
template <class L, class C, class S, class T>
__device__ LBM_INLINE void StepMoments<L, C, S, T>::serveEdges(Shared& shared, const Box& box, const S* LBM_RESTRICT in, int x0, int ytop, int yhi, int z0, int z1) {
	const int line = threadIdx.x / 2, side = threadIdx.x % 2, y = ytop + line;
	const bool end = line < LINES && y <= yhi && (side == 0 ? x0 == 0 : x0 + Row::TILE >= box.layout.nx);
	const RowEnd* list = box.c->rowEnds[side];
	const bool listed = end && list;
	const int stride = listed ? box.layout.ny + 2 : 0;
	list = listed ? list + ((long long)z0 * stride + y + 1) : &noRowEnd;
	const S* from = !listed && line < LINES ? source(box, in, y, yhi, z0 - 1) : nullptr;
	const long long step = from ? planeOf(box) : 0, values = (L::M + LBM_EXTRA) * box.layout.pitch;
	const int at = listed ? (side == 0 ? 0 : box.layout.nx - 1) : Row::beside(box, x0, side);
	const T* const faceRules = (const T*)box.c->faceRules;
	const T* const outletRules = (const T*)box.c->outletRules;
	// Loads are issued a plane before their use: words of the list, then the cells that they name. All lanes always load, those
	// without a list from noRowEnd, and all planes read, the last one again: behind a condition the compiler waited for the
	// words at once, or tested it too early (docs/architecture.md).
	RowEnd coming;
	auto look = [&]() LBM_LAMBDA {
		const uint4 words = __ldg((const uint4*)list);
		coming = {words.x, words.y, words.z, words.w};
	};
	struct Source {
		unsigned code;
		typename Row::Beside cell;
		S inner[2];               // density and momentum along x of the next cell inwards, for an outflow
		T face[FACE_NUMBERS];     // the rule of a ghost cell
		T outlet[OUTLET_NUMBERS]; // and of an outflow
	};
	auto read = [&](Source& to, int z) LBM_LAMBDA {
		const S* const row = !listed ? (z < z0 || z >= z1 ? around(box, from, z < z1 ? z : z1, step) : from) : coming.from == ROW_END_NONE ? nullptr : in + coming.from * values;
		to.code = coming.code;
		Row::read(to.cell, row, box.layout.pitch, at);
		if (coming.code & ROW_END_GHOST)
			for (int k = 0; k < FACE_NUMBERS; k++) to.face[k] = __ldg(faceRules + (long long)coming.rule * FACE_NUMBERS + k);
		if (OUTLETS && coming.code & ROW_END_OUTLET) {
			for (int k = 0; k < OUTLET_NUMBERS; k++) to.outlet[k] = __ldg(outletRules + (long long)coming.outlet * OUTLET_NUMBERS + k);
			for (int k = 0; k < 2; k++) to.inner[k] = row[k * box.layout.pitch + (side ? at - 1 : 1)];
		}
		if (from && z < z1) from += step;
	};
	Source next{}, own;
	look();
	read(next, z0 - 1);
	list += stride;
	look();
	for (int z = z0 - 1; z <= z1 + 2; z++) {  // plane z here, z - 2 there
		own = next;
		read(next, z + 1);
		list += z + 1 < z1 ? stride : 0;
		look();
		if (line < LINES && z <= z1) {
			// No scalar comes from beyond the ends of the box's rows: see scalar.h in this folder.
			if constexpr (MORE > 0) Row::warmBeside(own.cell, side == 1, [&](auto k, T v) LBM_LAMBDA { shared.warm[z & 3][line][side][k.value] = listed ? T(0) : v; });
			if (OUTLETS) shared.outlets[z & 7][line][side] = own.code & ROW_END_OUTLET;
			if (OUTLETS && own.code & ROW_END_OUTLET) shared.wave[z & 7][line][side] = wave(own.cell, own.inner, own.code & ROW_END_INNER, own.outlet, side);
			// Populations from beyond, then the ones that walls send back. Hardly any cell has both, so all lanes of the warp
			// handle whichever they have in one pass.
			unsigned left = own.code & (ROW_END_BOUNCES | ROW_END_BOUNCES << ROW_END_OWN);
			LBM_ROLLED while (left) {
				const bool back = left <= ROW_END_BOUNCES;
				const unsigned slots = back ? left : left >> ROW_END_OWN;
				left = back ? 0 : left & ROW_END_BOUNCES;
				Moments<L, T> m = Row::moments(own.cell, false);
				if (back) {
					unroll<L::D>([&](auto a) LBM_LAMBDA { m.j[a.value] = -m.j[a.value]; });
				} else if (own.code & ROW_END_GHOST) {
					FaceGhost<L, true, T, typename Row::Beside, LBM_DIRECTED>(own.cell, own.face).each([&](auto k, const T& v) LBM_LAMBDA { component(m, k.value) = v; });
				} else if (listed && !(own.code & ROW_END_COPY)) {
					m = Moments<L, T>{};
				}
				if (side == 1) Row::mirror(m);
				Row::edgeTo(C::expand(m), [&](auto cy, auto cz, T f) LBM_LAMBDA {
					constexpr int CY = decltype(cy)::value, CZ = decltype(cz)::value;
					const int to = back ? line - CY : line;
					if (slots >> Row::slot(CY, CZ) & 1 && to >= 0 && to < LINES) shared.edge[(back ? z - CZ : z) & 3][to][side][Row::slot(CY, CZ)] = f;
				});
			}
		}
		barrier<THREADS>();
	}
}

// wave returns the wave that the outflow beyond the cell at the end of a row lets in after the step.
template <class L, class C, class S, class T>
__device__ LBM_INLINE T StepMoments<L, C, S, T>::wave(const typename Row::Beside& cell, const S* inner, bool fluid, const T* rule, int side) {
	auto known = [&](S r, S j) LBM_LAMBDA {
		const T density = Row::Store::template get<0>(r), u = Row::Store::template get<1>(j) * reciprocal(T(1) + density);
		return Before<T>{density, side ? u : -u};
	};
	return wantedWave(known(cell.s[0], cell.s[1]), fluid, known(inner[0], inner[1]), rule[0], rule[1]);
}

// applyOutflow corrects that cell after the step.
template <class L, class C, class S, class T>
__device__ LBM_INLINE void StepMoments<L, C, S, T>::applyOutflow(Shared& shared, Moments<L, P>& m, int line, const Row& row, int z) {
	if (!(row.role & (FIRST | LAST | HALF))) return;
	LBM_ROLLED for (int side = 0; side < 2; side++) {
		const int k = side == 0 ? (row.role & FIRST ? 0 : -1) : row.role & LAST ? N - 1 : row.role & HALF ? 0 : -1;
		if (k < 0 || !shared.outlets[z & 7][line][side]) continue;
		Moments<L, T> one;
		unroll<L::M>([&](auto c) LBM_LAMBDA { component(one, c.value) = k == 0 ? component(m, c.value).v[0] : component(m, c.value).v[N - 1]; });
		const Corrected<0, L, T> is(one, side ? T(1) : T(-1), shared.wave[z & 7][line][side]);
		unroll<L::D>([&](auto b) LBM_LAMBDA {
			constexpr int AB = L::pair(decltype(b)::value, 0);
			one.s[AB] = one.s[AB] + is.more.s[AB];
		});
		one.r = is.r, one.j[0] = is.j;
		unroll<L::M>([&](auto c) LBM_LAMBDA {
			if (k == 0) component(m, c.value).v[0] = component(one, c.value);
			else component(m, c.value).v[N - 1] = component(one, c.value);
		});
	}
}

// pass hands the sums with c_y = +-1 and c_z = CZ to the lines beside, and returns the sums with c_y = 0.
template <class L, class C, class S, class T>
template <int CZ, class SLICE>
__device__ LBM_INLINE auto StepMoments<L, C, S, T>::pass(const Row& row, const SLICE& slice, const T* edge, const typename Row::Warm& warm, const Lines& passed, int line) -> Sums {
	constexpr int UPWARDS = UP + passedOf(CZ), DOWNWARDS = DOWN + passedOf(CZ), WARM_UP = HOT_UP + hotOf(CZ), WARM_DOWN = HOT_DOWN + hotOf(CZ);
	// All lines compute all sums, needed or not: branches would cost more.
	const Sums up = row.template sums<1, CZ>(slice, edge, warm), down = row.template sums<-1, CZ>(slice, edge, warm);
	if (line < LINES - 1) {
		passed.here(UPWARDS) = up.flow.s0;
		if constexpr (CZ == 0 || CORNERS) passed.here(UPWARDS + 1) = up.flow.s1, passed.here(UPWARDS + 2) = up.flow.s2;
		if constexpr (MORE > 0) passed.here(WARM_UP) = up.heat.s0;
		if constexpr (MORE > 0 && (CZ == 0 || CORNERS)) passed.here(WARM_UP + 1) = up.heat.s1;
	}
	if (line > 0) {
		passed.before(DOWNWARDS) = down.flow.s0;
		if constexpr (CZ == 0 || CORNERS) passed.before(DOWNWARDS + 1) = down.flow.s1, passed.before(DOWNWARDS + 2) = down.flow.s2;
		if constexpr (MORE > 0) passed.before(WARM_DOWN) = down.heat.s0;
		if constexpr (MORE > 0 && (CZ == 0 || CORNERS)) passed.before(WARM_DOWN + 1) = down.heat.s1;
	}
	return row.template sums<0, CZ>(slice, edge, warm);
}

// sum adds the sums that the lines beside have passed.
template <class L, class C, class S, class T>
template <int CZ>
__device__ LBM_INLINE auto StepMoments<L, C, S, T>::sum(const Group& mid, const Lines& passed) -> Sum {
	constexpr int UPWARDS = UP + passedOf(CZ), DOWNWARDS = DOWN + passedOf(CZ);
	const P a = passed.before(UPWARDS), b = passed.here(DOWNWARDS), both = a + b;
	Sum s{mid.s0 + both * T(0.5), mid.s1, a - b, mid.s2, both, P{}};
	if constexpr (CZ == 0 || CORNERS) {
		const P a1 = passed.before(UPWARDS + 1), b1 = passed.here(DOWNWARDS + 1);
		s.x = s.x + (a1 + b1) * T(0.5);
		s.xx = s.xx + (passed.before(UPWARDS + 2) + passed.here(DOWNWARDS + 2)) * T(0.5);
		s.xy = a1 - b1;
	}
	return s;
}

// sumHeat does the same for a scalar.
template <class L, class C, class S, class T>
template <int CZ>
__device__ LBM_INLINE auto StepMoments<L, C, S, T>::sumHeat(const Heat& mid, const Lines& passed) -> HeatSum {
	constexpr int UPWARDS = HOT_UP + hotOf(CZ), DOWNWARDS = HOT_DOWN + hotOf(CZ);
	const P a = passed.before(UPWARDS), b = passed.here(DOWNWARDS);
	HeatSum s{mid.s0 + (a + b) * T(0.5), mid.s1, a - b};
	if constexpr (CZ == 0 || CORNERS) s.x = s.x + (passed.before(UPWARDS + 1) + passed.here(DOWNWARDS + 1)) * T(0.5);
	return s;
}

// rows is the loop of a warp with a line of the tile.
template <class L, class C, class S, class T>
__device__ LBM_INLINE void StepMoments<L, C, S, T>::rows(Shared& shared, const Box& box, const S* LBM_RESTRICT in, S* LBM_RESTRICT out, int x0, int ytop, int yhi, int z0, int z1) {
	const Row row(box, x0);
	Params<T> own = box.params<T>();
	if constexpr (C::OWN_BULK) keep(own.omegaBulk);
	if (threadIdx.x == 0 && threadIdx.y == 0) {
		if (CROWDED) shared.params = own;
		if constexpr (MORE > 0) shared.carried = box.template carried<T>();
		shared.around = around(box, in, z1, planeOf(box)) - in;
	}
	const Params<T>& params = CROWDED ? shared.params : own;
	const int line = threadIdx.y, y = ytop + line;
	const bool inner = line > 0 && line <= ROWS && y < yhi;
	const long long plane = planeOf(box);
	const S* from = source(box, in, y, yhi, z0 - 1);
	const bool listed = y >= 0 && y < box.layout.ny && row.x < row.pitch;
	typename Row::Walls walls(blocks(box, row.x, y, z0), box.layout.ny * (row.pitch / 32), listed && z0 < z1);
	typename Row::Raw raw;
	row.read(raw, around(box, from, z0 - 1, plane), false, in);
	// Of plane z: the sums so far, and the part that rose from below.
	Moments<L, P> waiting{};
	Sum rise{};
	HeatSum rising{};
	unsigned dry = 0;
	P eddies{};  // of the plane that the next iteration finishes
	const T* mine = nullptr;  // eddy viscosities of plane z; computed from the case for each plane, the address would stall it
	if constexpr (LooksAround<C>) mine = box.template eddies<T>(y, z0 - 1);
	const unsigned place = placeOf(&shared.passed[0][0][line][row.lane]);
	const unsigned edges = placeOf(&shared.edge[0][line]);
	unsigned warm = 0;
	const ScalarParams<T>* carried = nullptr;
	if constexpr (MORE > 0) warm = placeOf(&shared.warm[0][line]), carried = &shared.carried;
	barrier<THREADS>();
	barrier<THREADS>();  // the edges of the first plane are there
	for (int z = z0 - 1; z <= z1; z++) {
		Sums mid, down, up;
		P theta;
		const Lines passed{sharedAt<P>(place + (z & 1) * (unsigned)sizeof(shared.passed[0]))};
		const T* const edge = sharedAt<T>(edges + (z & 3) * (unsigned)sizeof(shared.edge[0]));
		const bool bounced = walls.any();
		if (bounced) {
			Moments<L, P> back = row.bounce(box, C::expand(Row::moments(raw)), walls);
			unroll<L::M>([&](auto c) LBM_LAMBDA { shared.back[c.value][line - 1][row.lane] = component(back, c.value); });
		}
		{
			const Expansion<L, P> h = C::expand(Row::moments(raw));
			typename Row::Warm hot;
			if constexpr (MORE > 0) hot = row.warmOf(raw, sharedAt<T>(warm + (z & 3) * (unsigned)sizeof(shared.warm[0]))), theta = hot.own;
			up = pass<1>(row, typename Expansion<L, P>::template Slice<1>(h), edge, hot, passed, line);
			mid = pass<0>(row, typename Expansion<L, P>::template Slice<0>(h), edge, hot, passed, line);
			down = pass<-1>(row, typename Expansion<L, P>::template Slice<-1>(h), edge, hot, passed, line);
		}
		const unsigned solids = walls.dry();
		const bool skip = walls.solid(row.x);
		walls.turn(box.c->words, row.x, inner, listed && z + 2 < z1);  // before the next read, so as not to wait for it
		if (from) from += plane;
		if (z < z1) row.read(raw, from && z + 1 == z1 ? from + shared.around : from, skip, in);
		P before = eddies;
		if constexpr (LooksAround<C>) {
			if (inner && z >= z0 && z < z1) eddies = row.eddiesOf(mine);
			mine += (long long)box.layout.ny * box.layout.pitch;
		}
		barrier<THREADS>();
		if (!inner) continue;
		if (z > z0) {
			const Sum fall = sum<-1>(down.flow, passed);
			Moments<L, P> m = waiting;
			unroll<WAITS>([&](auto c) LBM_LAMBDA { component(m, c.value) = shared.waiting[c.value][line - 1][row.lane]; });
			m.r = m.r + fall.r * T(0.5);
			m.j[0] = m.j[0] + fall.x * T(0.5);
			m.j[1] = m.j[1] + fall.y * T(0.5);
			m.j[2] = m.j[2] - fall.r;
			m.s[0] = m.s[0] + fall.xx * T(0.5);
			m.s[1] = m.s[1] + fall.yy * T(0.5);
			m.s[2] = m.s[2] + fall.r;
			if constexpr (CORNERS) m.s[3] = m.s[3] + fall.xy * T(0.5);
			m.s[4] = m.s[4] - fall.x;
			m.s[5] = m.s[5] - fall.y;
			typename Row::Carried sums;
			if constexpr (MORE > 0) {
				const HeatSum s = sumHeat<-1>(down.heat, passed);
				auto waited = [&](int k) LBM_LAMBDA { return shared.hot[k][line - 1][row.lane]; };
				sums.e = waited(0) + s.e * T(0.5);
				sums.phi[0] = (waited(1) + s.x * T(0.5)) * T(0.5);
				sums.phi[1] = (waited(2) + s.y * T(0.5)) * T(0.5);
				sums.phi[2] = (waited(3) - s.e) * T(0.5);
				sums.before = waited(4);
			}
			row.template finish<C>(params, carried, m, sums, out + (from - in - 2 * plane), dry, before, [&](Moments<L, P>& m) LBM_LAMBDA { if (OUTLETS) applyOutflow(shared, m, line, row, z - 1); });
		}
		dry = solids;
		{
			const Sum s = sum<0>(mid.flow, passed);
			waiting.r = s.r + rise.r * T(0.5);
			waiting.j[0] = s.x + rise.x * T(0.5);
			waiting.j[1] = s.y + rise.y * T(0.5);
			waiting.s[0] = s.xx + rise.xx * T(0.5);
			waiting.s[1] = s.yy + rise.yy * T(0.5);
			waiting.s[3] = s.xy;
			if constexpr (CORNERS) waiting.s[3] = s.xy + rise.xy * T(0.5);
			waiting.j[2] = rise.r, waiting.s[2] = rise.r, waiting.s[4] = rise.x, waiting.s[5] = rise.y;
		}
		if (bounced) unroll<L::M>([&](auto c) LBM_LAMBDA { component(waiting, c.value) = component(waiting, c.value) + shared.back[c.value][line - 1][row.lane]; });
		unroll<WAITS>([&](auto c) LBM_LAMBDA { shared.waiting[c.value][line - 1][row.lane] = component(waiting, c.value); });
		rise = sum<1>(up.flow, passed);
		if constexpr (MORE > 0) {
			const HeatSum s = sumHeat<0>(mid.heat, passed);
			auto wait = [&](int k) LBM_LAMBDA -> P& { return shared.hot[k][line - 1][row.lane]; };
			wait(0) = s.e + rising.e * T(0.5);
			wait(1) = s.x + rising.x * T(0.5);
			wait(2) = s.y + rising.y * T(0.5);
			wait(3) = rising.e;
			wait(4) = theta;
			rising = sumHeat<1>(up.heat, passed);
		}
	}
}

}}  // namespace lbm
#endif

// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The march of moments in 2D (step_moments.h).
#ifndef LBM_GPU_MARCH2_H
#define LBM_GPU_MARCH2_H
#include "step_moments.h"

namespace lbm { namespace {

// In 2D each warp is independent: it marches row by row and keeps the sums of the last two.
template <class L, class C, class S, class T>
__device__ LBM_INLINE void StepMoments<L, C, S, T>::march2(const Box& box, const S* LBM_RESTRICT in, S* LBM_RESTRICT out, int ylo, int yhi) {
	const int x0 = (blockIdx.x * ROWS + threadIdx.y) * Row::TILE;
	if (x0 >= box.layout.nx) return;
	const Row row(box, x0);
	const Params<T> params = box.params<T>();
	const int rows = (yhi - ylo + gridDim.y - 1) / gridDim.y, y0 = ylo + blockIdx.y * rows, y1 = y0 + rows < yhi ? y0 + rows : yhi;
	const long long step = (L::M + LBM_EXTRA) * row.pitch;
	const bool right = row.lane == 31;
	const bool ghosts = box.c->ends && (right ? x0 + Row::TILE == box.layout.nx : x0 == 0);
	const int edgeAt = row.lane != 0 && !right ? -1 : ghosts ? 0 : Row::beside(box, x0, right), edgePitch = ghosts ? 1 : row.pitch;
	const long long edgeStep = ghosts ? L::M : (L::M + LBM_EXTRA) * row.pitch;
	const S* source = in + box.layout.start(y0 - 1, 0);
	const S* edgeSource = ghosts ? Box::end<S>(box.c, box.layout, right, box.layout.row(y0 - 1, 0), L::M) : source;
	// Distance, in rows, from a row behind the box back to its stored place.
	auto around = [&](int y) LBM_LAMBDA {
		const int wanted = y;
		box.inside(1, y);
		return y - wanted;
	};
	S* target = out + box.layout.start(y0, 0);
	typename Row::Walls walls(blocks(box, row.x, y0, 0), row.pitch / 32, row.x < row.pitch && y0 < y1);
	typename Row::Raw raw;
	typename Row::Beside edgeCell;
	row.read(raw, source + around(y0 - 1) * step, false, in);
	Row::read(edgeCell, edgeSource + around(y0 - 1) * edgeStep, edgePitch, edgeAt, !ghosts);
	const ScalarParams<T> carried = box.template carried<T>();
	typename Row::Carried sums{};       // of row y, of a scalar
	typename Row::Heat rising{};
	// Of row y: the sums so far, and the part that rose from below (for y and yy).
	P r{}, x{}, xx{}, xy{}, y1st{}, y2nd{};
	Group rise{};
	unsigned dry = 0;
	for (int y = y0 - 1; y <= y1; y++) {
		const Expansion<L, P> h = C::expand(Row::moments(raw));
		T edge[Row::SLOTS];
		Row::edgeTo(C::expand(Row::moments(edgeCell, right)), [&](auto cy, auto, T f) LBM_LAMBDA { edge[Row::slot(cy.value, 0)] = f; });
		typename Row::Warm warm;
		if constexpr (Row::MORE > 0) {
			T beside[Row::WARM];
			Row::warmBeside(edgeCell, right, [&](auto k, T v) LBM_LAMBDA { beside[k.value] = v; });
			warm = row.warmOf(raw, beside);
		}
		source += step;
		edgeSource += edgeStep;
		if (y < y1) {
			const int back = y + 1 == y1 ? around(y1) : 0;
			row.read(raw, source + back * step, false, in);
			Row::read(edgeCell, edgeSource + back * edgeStep, edgePitch, edgeAt, !ghosts);
		}
		const typename Expansion<L, P>::template Slice<0> slice(h);
		const Sums falls = row.template sums<-1, 0>(slice, edge, warm), stays = row.template sums<0, 0>(slice, edge, warm), rises = row.template sums<1, 0>(slice, edge, warm);
		const Group &down = falls.flow, &mid = stays.flow;
		if (y > y0) {
			Moments<L, P> m;
			m.r = r + down.s0 * T(0.5);
			m.j[0] = x + down.s1 * T(0.5);
			m.j[1] = y1st - down.s0;
			m.s[0] = xx + down.s2 * T(0.5);
			m.s[1] = y2nd + down.s0;
			m.s[2] = xy - down.s1;
			if constexpr (Row::MORE > 0) {
				sums.e = sums.e + falls.heat.s0 * T(0.5);
				sums.phi[0] = (sums.phi[0] + falls.heat.s1 * T(0.5)) * T(0.5);
				sums.phi[1] = (sums.phi[1] - falls.heat.s0) * T(0.5);
			}
			P eddies;
			if constexpr (LooksAround<C>) eddies = row.x < row.pitch ? row.eddiesOf(box.template eddies<T>(y - 1, 0)) : P{};
			row.template finish<C>(params, &carried, m, sums, target, dry, eddies, [](const Moments<L, P>&) LBM_LAMBDA {});
			target += step;
		}
		if constexpr (Row::MORE > 0) {
			sums.e = stays.heat.s0 + rising.s0 * T(0.5);
			sums.phi[0] = stays.heat.s1 + rising.s1 * T(0.5);
			sums.phi[1] = rising.s0;
			sums.before = warm.own;
			rising = rises.heat;
		}
		r = mid.s0 + rise.s0 * T(0.5);
		x = mid.s1 + rise.s1 * T(0.5);
		xx = mid.s2 + rise.s2 * T(0.5);
		y1st = rise.s0, y2nd = rise.s0, xy = rise.s1;
		rise = rises.flow;
		if (walls.any()) {
			Moments<L, P> back = row.bounce(box, h, walls);
			r = r + back.r;
			x = x + back.j[0];
			y1st = y1st + back.j[1];
			xx = xx + back.s[0];
			y2nd = y2nd + back.s[1];
			xy = xy + back.s[2];
		}
		dry = walls.dry();
		walls.turn(box.c->words, row.x, true, row.x < row.pitch && y + 2 < y1);
	}
}

}}  // namespace lbm
#endif

// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Ghost cells behind surfaces with a wall model (../modelled.h) on the CPU.
#ifndef LBM_CPU_MODELLED_H
#define LBM_CPU_MODELLED_H
#include <math.h>
#include "../modelled.h"
#include "../special.h"
#include "box.h"
#include "general.h"
#include "memory.h"

namespace lbm { namespace {

template <class L, class S> struct ModelledOf {
	typedef typename Arithmetic<S>::T T;
	typedef Memory<S, L, true> Values;

	static Moments<L, T> read(const S* p, long pitch) {
		return momentsAt<L, true, T>([&](auto k) { return T(Values::get(p[k.value * pitch], k.value)); });
	}

	// fill computes the populations of ghost cells first to last.
	static void fill(const lbm_case* c, const lbm_numbers* numbers, const lbm_modelled* list, int64_t first, int64_t last, const void* state) {
		FlushTiny guard;
		const Params<T> p = Params<T>(*numbers);
		const long pitch = c->pitch;
		for (int64_t i = first; i < last; i++) {
			const lbm_modelled_cell& cell = list->cells[i];
			const T* const n = (const T*)list->numbers + i * MODELLED_NUMBERS;
			ImagePoint<L, T> image;
			T sampled[3] = {};
			for (int k = 0; k < 8; k++)
				if (const T w = n[MODELLED_IMAGE + k]; w != T(0)) image.add(w, read((const S*)state + cell.image[k], pitch), p);
			for (int k = 0; k < 8; k++)
				if (const T w = n[MODELLED_SAMPLE + k]; w != T(0)) {
					const S* const at = (const S*)state + cell.sample[k];
					const T rho = T(1) + T(Values::get(at[0], 0));
					for (int a = 0; a < L::D; a++) sampled[a] += w * ((T(Values::get(at[(1 + a) * pitch], 1 + a)) - T(0.5) * p.force[a]) / rho);
				}
			const Moments<L, T> ghost = modelledGhost<L>(n, image, sampled, p, (const T*)list->tuning + TUNING_NUMBERS * cell.type, list->table, (T*)list->results + i * MODELLED_RESULTS);
			if (list->heat) heat(c, numbers, list, i, T(1) + image.r, (const S*)state);
			const Expansion<L, T> x = expandAny(p.model, ghost);
			x.list((T*)list->populations + i * L::Q);
		}
	}

	// heat computes the flux of the scalar at ghost cell i, from its results.
	static void heat(const lbm_case* c, const lbm_numbers* numbers, const lbm_modelled* list, int64_t i, const T& rho, const S* state) {
		const lbm_modelled_cell& cell = list->cells[i];
		const T* const n = (const T*)list->numbers + i * MODELLED_NUMBERS;
		auto at = [&](const int64_t* cells, int weights) {
			T sum = 0;
			for (int k = 0; k < 8; k++)
				if (const T w = n[weights + k]; w != T(0)) sum += w * T(Values::get(state[cells[k] + L::M * (long)c->pitch], L::M));
			return sum;
		};
		const T image = at(cell.image, MODELLED_IMAGE), sampled = at(cell.sample, MODELLED_SAMPLE);
		((T*)list->heat)[i] = modelledHeat<L>(n, rho, image, sampled, Params<T>(*numbers), ScalarParams<T>(*numbers), list->table + PLUS_COUNT, (const T*)list->results + i * MODELLED_RESULTS);
	}

	// momentum adds the links of ghost cells first to last, once they are filled, to the sums of their walls.
	static void momentum(const lbm_case* c, const lbm_numbers* numbers, const lbm_modelled* list, int64_t first, int64_t last, const void* state, int64_t* sums) {
		FlushTiny guard;
		for (int64_t i = first; i < last; i++) {
			const lbm_modelled_cell& cell = list->cells[i];
			const T* const sent = (const T*)list->populations + i * L::Q;
			double density = 0;
			for (int d = 0; d < L::Q; d++) density += double(sent[d]);
			for (const lbm_modelled_link *link = list->links + cell.first, *end = link + cell.links; link < end; link++) {
				const int d = link->direction;
				const Moments<L, T> fluid = read((const S*)state + link->to, c->pitch);
				const T out = expandAny(numbers->model, fluid).any(L::opposite(d));
				linkMomentum<L>(d, (const T*)list->results + i * MODELLED_RESULTS, link->area, sent[d], out, density + double(fluid.r),
					[&](int k, double v) { sums[(int64_t)cell.type * WALL_SUMS + k] += llrint(v * FORCE_UNITS); });
			}
		}
	}

	// layer computes the eddy viscosity of cells first to last of the layer, also where the law of the box has set one.
	static void layer(const lbm_case* c, const lbm_numbers* numbers, const lbm_modelled* list, int64_t first, int64_t last) {
		const Params<T> p = Params<T>(*numbers);
		for (int64_t i = first; i < last; i++) {
			const lbm_layer_cell& cell = list->layer[i];
			const T* const results = (const T*)list->results + (int64_t)cell.ghost * MODELLED_RESULTS;
			((T*)c->eddies)[cell.at] = layerEddies(T(cell.length), results[L::D], results[L::D + 2], p);
		}
	}
};

}}  // namespace lbm
#endif

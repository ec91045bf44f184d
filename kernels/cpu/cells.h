// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// The kernels beside the steps, for a lattice: special cells, ghost cells, outflows, fields and sums of a state,
// and walls of a scalar.
#ifndef LBM_CELLS_H
#define LBM_CELLS_H
#include "api.h"
#include "names.h"
#include "face.h"
#include "general.h"
#include "modelled.h"
#include "scalar_walls.h"
#include "special.h"
#include "state.h"

namespace lbm { namespace {

template <class L, bool MOMENTS, class S> constexpr lbm_cells cellsOf() {
	typedef SpecialOf<L, MOMENTS, S> Special;
	typedef FacesOf<L, MOMENTS, S> Faces;
	typedef StateOf<L, MOMENTS, S> State;
	typedef ScalarWallsOf<L, MOMENTS, S> Walls;
	// Only steps of moments compute ghost cells themselves.
	auto* const ghost = [] { if constexpr (MOMENTS) return &Faces::ghost; else return (decltype(&Faces::ghost))nullptr; }();
	auto* const modelled = [] { if constexpr (MOMENTS && L::D == 3 && sizeof(S) > 2) return &ModelledOf<L, S>::fill; else return (decltype(&ModelledOf<D3Q19, float>::fill))nullptr; }();
	auto* const momentum = [] { if constexpr (MOMENTS && L::D == 3 && sizeof(S) > 2) return &ModelledOf<L, S>::momentum; else return (decltype(&ModelledOf<D3Q19, float>::momentum))nullptr; }();
	return {&Special::step, &Faces::fill, &State::init, &State::fields, &State::row, &Special::forces, ghost, &Faces::applyOutflow, modelled, momentum, &ModelledOf<D3Q19, std::conditional_t<sizeof(S) == 8, double, float>>::layer, &Walls::beside, &Walls::lost};
}
template <class L> const lbm_cells* findCells(int moments, int precision) {
	static constexpr lbm_cells of[2][3] = {
		{cellsOf<L, false, float>(), cellsOf<L, false, double>(), cellsOf<L, false, Half>()},
		{cellsOf<L, true, float>(), cellsOf<L, true, double>(), cellsOf<L, true, Half>()},
	};
	return &of[moments][precision];
}

}}  // namespace lbm

// LBM_CELLS(L) defines the function of a unit that finds the kernels of lattice L.
#define LBM_CELLS(L) \
	extern "C" const lbm_cells* LBM_CELLS_NAME(L)(int moments, int precision) { return lbm::findCells<lbm::L>(moments, precision); }
#endif

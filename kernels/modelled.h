// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Ghost cells behind surfaces with a wall model (boundary/modelled.go). Before a step each gets the moments of an image point on
// the surface's normal, at the distance d_I before the surface where the ghost cell's centre is d_g behind it:
//   u_n,g = -a u_n,I, a = d_g/d_I; at planes along the grid a = 1/2/(d_g + d_I - 1/2), so that no mass passes the links' middles
//   no-slip:   rho_g = rho_I + eps,  u_t,g = -u_t,I d_g/d_I (planes along the grid: at most u_t,I),  S_g = S_I without its part along the wall
//   modelled:  rho_g = rho_I + eps - 3 rho (d_g + d_I) u_w.K u_w,  u_w = v - d_I s
//              u_t,g = u_t,I - (d_g + d_I) s,  s = g - K v over convex surfaces, g + K v over concave ones
//              S_nt,g = -S_nt,I - 2 T + rho (s - K v)/3,  T = rho u_tau^2 t,  g = F u_tau/(kappa y0) t
// with K the curvature dn/dx of the surface, around which the pressure bends the flow. Without the friction's slope g, the flow
// before a convex surface is irrotational, as far upstream, and the flow inside a hollow surface rotates like a rigid body; with
// t the direction of the velocity along the wall at the sampled point and u_tau by the law of the wall there. g is the slope of
// the logarithm at y0, where the eddy viscosity of the layer begins to grow. Velocities are relative to the wall, but v = u_t,I +
// u_wall: the surface stays in its place, and bends the path of the fluid by its velocity in space. F is the wall's factor, which
// keeps the momentum exchanged by links equal to the law's, and eps the density that conserves the mass (sim/friction.go). Fluid
// cells of the layer have the eddy viscosity of the logarithm, which fades out up to its height h: nu_t = kappa max(y, y0) u_tau
// (1 - y^2/h^2), with u_tau of the nearest ghost cell (Prandtl, Z. Angew. Math. Mech. 5 (1925) 136). Without friction: modelled,
// with u_tau = 0 (MODELLED_ROUGH below 0). theta blends both with y+ at half a cell: the model is off where the flow beside the
// wall is laminar. Nothing moves along a no-slip wall, so that its rates of strain have no part along it; fluid between walls
// would not stay at rest with the image's. Beside a convex edge, which lies along e from the ghost cell, the part of the flow
// along e that comes from the edge sticks to the surface: of the velocity, with a in place of d_g/d_I, the traction and the
// stress the part along e is as at a no-slip wall where e.u_t,I < 0. The layer above has the eddy viscosity of a friction
// velocity -e.u_t,I. A ghost cell of mirror -1 serves one link at a convex edge, with the moments of that fluid cell rotated by
// 180 degrees about the grid axis nearest to the edge: the flow slips along this axis and is bounced back across it. Velocities
// are those with half of the coming step's force. What was tried instead is in docs/decisions.md.
#ifndef LBM_MODELLED_H
#define LBM_MODELLED_H
#include "scalar.h"

namespace lbm { namespace {

// Numbers of a ghost cell (boundary.ModelledNormal and the others), and of the table of the law (boundary.PlusFirst).
enum { MODELLED_NORMAL = 0, MODELLED_VELOCITY = 3, MODELLED_MIRROR = 6, MODELLED_REACH = 7, MODELLED_HEIGHT = 8, MODELLED_ROUGH = 9, MODELLED_IMAGE = 10, MODELLED_SAMPLE = 18, MODELLED_BEND = 26, MODELLED_HEAT = 32, MODELLED_VALUE = 33, MODELLED_MIRRORED = 34, MODELLED_LEE = 35, MODELLED_ACROSS = 38, MODELLED_NUMBERS = 39 };
constexpr double MODELLED_KAPPA = 0.384, LEAST_MIXING = 1.5, LAMINAR_PLUS = 4, TURBULENT_PLUS = 5, MOST_FILLED = 0.1;  // boundary.Kappa and the others
enum { PLUS_FIRST = -6, PLUS_BITS = 4, PLUS_COUNT = 44 * 16 + 1 };
// Numbers that a ghost cell reports: the traction of the fluid on the wall, y+ at half a cell, theta, and the
// friction velocity of the layer's eddy viscosity by the law's; 0 where it has no model.
enum { MODELLED_RESULTS = 6 };
// Sums over the links of a wall, in FORCE_UNITS (device.WallMomentum). The area is scaled down: in these units a wall of
// 524,288 cells would overflow an integer.
enum { WALL_EXCHANGED = 0, WALL_LAW = 1, WALL_ALL = 2, WALL_AREA = 3, WALL_PASSED = 4, WALL_SUMS = 5 };
// Corrections of a wall (device.WallTuning).
enum { TUNING_FACTOR = 0, TUNING_DENSITY = 1, TUNING_EXCHANGE = 2, TUNING_NUMBERS = 3 };
constexpr double WALL_AREA_PART = 1.0 / 4096;  // device.WallAreaUnits

// tableAt interpolates y+ by the Reynolds number of a point above the wall, or T+ by y+, linearly between the entries of the
// table, which are evenly spaced between powers of two. The bits of a double give its entry.
LBM_HD LBM_INLINE double tableAt(double reynolds, const double* table) {
#ifdef __CUDACC__
	const long long bits = __double_as_longlong(reynolds);
#else
	long long bits;
	__builtin_memcpy(&bits, &reynolds, sizeof(bits));
#endif
	const long long first = (1023ll + PLUS_FIRST) << PLUS_BITS, shift = 52 - PLUS_BITS;
	const long long entry = (bits >> shift) - first;
	if (entry < 0) return table[0];  // laminar: the model is off
	if (entry >= PLUS_COUNT - 1) return table[PLUS_COUNT - 1];
	const double part = double(bits & ((1ll << shift) - 1)) * (1.0 / double(1ll << shift));
	return table[entry] + part * (table[entry + 1] - table[entry]);
}

// turbulence returns theta, the share of the model; half is y+ at half a cell.
template <class T> LBM_HD LBM_INLINE T turbulence(const T& half) {
	const T theta = (half - T(LAMINAR_PLUS)) * T(1.0 / (TURBULENT_PLUS - LAMINAR_PLUS));
	return theta < T(0) ? T(0) : theta > T(1) ? T(1) : theta;
}

// layerEddies returns 3 nu_t of a cell of the layer, by its length (boundary.LayerCell), y+ at half a cell and the last result of its ghost cell.
template <class T> LBM_HD LBM_INLINE T layerEddies(const T& length, const T& half, const T& share, const Params<T>& p) {
	const T nu = (T(1) / p.omega - T(0.5)) * T(1.0 / 3);
	return length * (share * (T(2) * nu * half));
}

// ImagePoint holds the values interpolated at the image point.
template <class L, class T> struct ImagePoint {
	T r = 0, u[L::D] = {}, pi[L::D * (L::D + 1) / 2] = {};  // density, velocity, stress minus rho u u
	// add adds the moments of a cell with a weight.
	LBM_HD LBM_INLINE void add(const T& weight, const Moments<L, T>& m, const Params<T>& p) {
		const T rho = T(1) + m.r;
		T v[L::D];
		r += weight * m.r;
		for (int a = 0; a < L::D; a++) {
			v[a] = (m.j[a] - T(0.5) * p.force[a]) / rho;
			u[a] += weight * v[a];
		}
		for (int a = 0; a < L::D; a++)
			for (int b = 0; b <= a; b++) pi[L::pair(a, b)] += weight * (m.s[L::pair(a, b)] - rho * v[a] * v[b]);
	}
};

// mirrorImage mirrors the values that a ghost cell behind slip faces reads, across the axes of the
// bits.
template <class L, class T> LBM_HD LBM_INLINE void mirrorImage(int axes, ImagePoint<L, T>& image, T* sampled) {
	for (int a = 0; a < L::D; a++) {
		const int turns = axes >> a & 1;
		if (turns) image.u[a] = -image.u[a], sampled[a] = -sampled[a];
		for (int b = 0; b < a; b++)
			if (turns != (axes >> b & 1)) image.pi[L::pair(a, b)] = -image.pi[L::pair(a, b)];
	}
}

// turnedGhost returns the moments of a fluid cell rotated by 180 degrees about the direction e, relative to the velocity of the
// wall.
template <class L, class T> LBM_HD LBM_INLINE Moments<L, T> turnedGhost(const T* e, const T* wall, const ImagePoint<L, T>& cell, const Params<T>& p) {
	constexpr int D = L::D;
	const T density = T(1) + cell.r;
	Moments<L, T> g;
	T u[D], pull[D], along = 0, both = 0;
	for (int a = 0; a < D; a++) {
		along += (cell.u[a] - wall[a]) * e[a];
		pull[a] = 0;
		for (int b = 0; b < D; b++) pull[a] += cell.pi[a > b ? L::pair(a, b) : L::pair(b, a)] * e[b];
		both += pull[a] * e[a];
	}
	g.r = cell.r;
	for (int a = 0; a < D; a++) {
		u[a] = T(2) * (wall[a] + along * e[a]) - cell.u[a];
		g.j[a] = density * u[a] + T(0.5) * p.force[a];
	}
	for (int a = 0; a < D; a++)
		for (int b = 0; b <= a; b++)
			g.s[L::pair(a, b)] = cell.pi[L::pair(a, b)] - T(2) * (e[a] * pull[b] + pull[a] * e[b]) + T(4) * both * e[a] * e[b] + density * u[a] * u[b];
	return g;
}

// modelledGhost returns the moments of a ghost cell with the numbers n, from the image and the velocity at the sampled point.
template <class L, class T> LBM_HD LBM_INLINE Moments<L, T> modelledGhost(const T* n, ImagePoint<L, T> image, T* sampled, const Params<T>& p, const T* tuning, const double* table, T* results) {
	const T factor = tuning[TUNING_FACTOR], eps = tuning[TUNING_DENSITY];
	constexpr int D = L::D;
	const T* const normal = n + MODELLED_NORMAL;
	const T* const wall = n + MODELLED_VELOCITY;
	const T rho = T(1) + image.r, mirror = n[MODELLED_MIRROR], passes = n[MODELLED_ACROSS], height = n[MODELLED_HEIGHT];
	if (mirror < T(0)) {
		for (int a = 0; a < MODELLED_RESULTS; a++) results[a] = 0;
		return turnedGhost<L>(normal, wall, image, p);
	}
	if (const int axes = int(n[MODELLED_MIRRORED])) mirrorImage<L>(axes, image, sampled);
	T along[D], slope[D], traction[D], theta = 0, across = 0, above = 0, speed = 0;
	for (int a = 0; a < D; a++) {
		across += (image.u[a] - wall[a]) * normal[a];
		above += (sampled[a] - wall[a]) * normal[a];
	}
	for (int a = 0; a < D; a++) {
		along[a] = image.u[a] - wall[a] - across * normal[a];
		slope[a] = sampled[a] - wall[a] - above * normal[a];
		speed += slope[a] * slope[a];
	}
	speed = squareRoot(speed);
	results[D] = results[D + 1] = results[D + 2] = 0;
	if (height > T(0) && speed > T(0)) {
		const T nu = (T(1) / p.omega - T(0.5)) * T(1.0 / 3);
		T friction = T(tableAt(double(speed * height / nu), table)) * nu / height;
		const T rough = n[MODELLED_ROUGH] * speed;
		if (rough > friction) friction = rough;
		const T half = T(0.5) * friction / nu;
		theta = turbulence(half);
		results[D] = half;
		results[D + 1] = results[D + 2] = theta;
		for (int a = 0; a < D; a++) {
			const T t = slope[a] / speed;
			traction[a] = rho * friction * friction * t;
			slope[a] = factor * (friction * T(1 / (MODELLED_KAPPA * LEAST_MIXING)) * t);
		}
	} else {
		theta = n[MODELLED_ROUGH] < T(0) ? T(1) : T(0);
		for (int a = 0; a < D; a++) traction[a] = slope[a] = 0;
	}
	Moments<L, T> g;
	T u[D], pull[D], change[D], sheared[D], passing[D], bent[D], pn = 0, convex = 0, turn = 0;
	const T reach = n[MODELLED_REACH], before = reach / (T(1) + mirror);
	const T* const bend = n + MODELLED_BEND;
	T turned = 0;
	for (int a = 0; a < D; a++) turned += wall[a] * normal[a];
	for (int a = 0; a < D; a++) passing[a] = along[a] + (wall[a] - turned * normal[a]);
	for (int a = 0; a < D; a++) {
		bent[a] = 0;
		for (int b = 0; b < D; b++) bent[a] += bend[a > b ? L::pair(a, b) : L::pair(b, a)] * passing[b];
		convex += bent[a] * passing[a];
	}
	for (int a = 0; a < D; a++) {
		slope[a] += convex > T(0) ? -bent[a] : bent[a];
		sheared[a] = slope[a] - bent[a];
	}
	for (int a = 0; a < D; a++) {
		T at = 0;
		for (int b = 0; b < D; b++) at += bend[a > b ? L::pair(a, b) : L::pair(b, a)] * (passing[b] - before * slope[b]);
		turn += at * (passing[a] - before * slope[a]);
	}
	// Beside a convex edge the part of the flow that comes from it, along the direction e, sticks to the surface.
	const T* const e = n + MODELLED_LEE;
	T comes = 0, slides = 0;
	for (int a = 0; a < D; a++) {
		comes += e[a] * along[a];
		slides += e[a] * slope[a];
	}
	const bool sticks = theta > T(0) && comes < T(0);
	if (sticks) {
		const T friction = results[D] * T(2) * ((T(1) / p.omega - T(0.5)) * T(1.0 / 3));
		if (-comes > theta * friction && friction > T(0)) results[D + 2] = -comes / friction;
		T drags = 0, shears = 0;
		for (int a = 0; a < D; a++) drags += e[a] * traction[a], shears += e[a] * sheared[a];
		for (int a = 0; a < D; a++) traction[a] -= drags * e[a], sheared[a] -= shears * e[a];
	}
	// A cavity that no flow reaches would fill indefinitely.
	const T filled = image.r * T(1 / MOST_FILLED), room = T(1) - filled * filled;
	g.r = image.r + eps + theta * ((room > T(0) ? room * tuning[TUNING_EXCHANGE] : T(0)) - T(3) * rho * reach * turn);
	const T density = T(1) + g.r;
	for (int a = 0; a < D; a++) {
		T modelled = along[a] - reach * slope[a];
		const T stuck = -mirror * along[a];
		if (sticks) modelled += e[a] * (reach * slides - (T(1) + passes) * comes);
		u[a] = wall[a] + (stuck + theta * (modelled - stuck)) - passes * across * normal[a];
		g.j[a] = density * u[a] + T(0.5) * p.force[a];
		results[a] = traction[a];
		pull[a] = 0;
		for (int b = 0; b < D; b++) pull[a] += image.pi[a > b ? L::pair(a, b) : L::pair(b, a)] * normal[b];
		pn += pull[a] * normal[a];
	}
	T pe[D], ee = 0, en = 0;  // the stress along e, of the part along the surface
	if (sticks) {
		for (int a = 0; a < D; a++) {
			pe[a] = 0;
			for (int b = 0; b < D; b++) pe[a] += image.pi[a > b ? L::pair(a, b) : L::pair(b, a)] * e[b];
			en += pe[a] * normal[a];
		}
		for (int a = 0; a < D; a++) {
			pe[a] -= en * normal[a];
			ee += pe[a] * e[a];
		}
	}
	for (int a = 0; a < D; a++) change[a] = theta * (rho * sheared[a] * T(1.0 / 3) - T(2) * traction[a] - T(2) * (pull[a] - pn * normal[a] - (sticks ? en * e[a] : T(0))));
	for (int a = 0; a < D; a++)
		for (int b = 0; b <= a; b++) {
			const int ab = L::pair(a, b);
			const T along = image.pi[ab] - normal[a] * pull[b] - pull[a] * normal[b] + pn * normal[a] * normal[b];
			const T ends = sticks ? theta * (e[a] * pe[b] + pe[a] * e[b] - ee * e[a] * e[b]) : T(0);
			g.s[ab] = image.pi[ab] - ends - (T(1) - theta) * along + (normal[a] * change[b] + normal[b] * change[a]) + density * u[a] * u[b];
		}
	return g;
}

// modelledHeat returns the flux of the scalar out of the wall of a ghost cell, from the scalar at the image and at the sampled point
// and the results of its velocity. With a temperature T_w it follows Kader's law at the sampled point, q = rho u_tau (T_w - T)/T+
// (Int. J. Heat Mass Transfer 24 (1981) 1541, eq. 9 near the wall), and where the flow is laminar the gradient up to the image point.
template <class L, class T> LBM_HD LBM_INLINE T modelledHeat(const T* n, const T& rho, const T& image, const T& sampled, const Params<T>& p, const ScalarParams<T>& carried, const double* table, const T* results) {
	const T value = n[MODELLED_VALUE], half = results[L::D];
	if (n[MODELLED_HEAT] == T(SCALAR_FLUX)) return value;
	if (n[MODELLED_HEAT] != T(SCALAR_FIXED)) return T(0);
	const T before = n[MODELLED_REACH] / (T(1) + n[MODELLED_MIRROR]), diffusivity = (carried.tau - T(0.5)) * T(1.0 / 3);
	const T theta = results[L::D + 1], conducted = rho * diffusivity * (value - image) / before;
	if (theta == T(0)) return conducted;
	const T friction = T(2) * ((T(1) / p.omega - T(0.5)) * T(1.0 / 3)) * half;
	const T carries = rho * friction * (value - sampled) / T(tableAt(double(T(2) * half * n[MODELLED_HEIGHT]), table));
	return conducted + theta * (carries - conducted);
}

// linkMomentum calls add(k, v) with the contributions of the link along direction i, from a ghost cell into the fluid, to the
// sums of a wall in a step. in and out are the populations that pass the link, density the sum of r at its ends: their parts at
// rest are subtracted, so that a linear pressure on a staircase wall does not contribute to the momentum.
template <class L, class T, class ADD> LBM_HD LBM_INLINE void linkMomentum(int i, const T* results, double area, const T& in, const T& out, double density, ADD add) {
	const double both = double(in + out);
	add(WALL_PASSED, double(in - out));
	double along = 0, size = 0;
	for (int a = 0; a < L::D; a++) {
		along -= double(Known<L>::c(i, a)) * double(results[a]);
		size += double(results[a]) * double(results[a]);
	}
	add(WALL_AREA, area * WALL_AREA_PART);
	if (size == 0) return;
	size = squareRoot(size);
	add(WALL_ALL, size * area);
	if (results[L::D + 1] < T(1) || results[L::D + 2] != T(1)) return;
	add(WALL_LAW, size * area);
	add(WALL_EXCHANGED, along / size * (both - Known<L>::share(i) * (1.0 / L::UNIT) * density));
}

}}  // namespace lbm
#endif

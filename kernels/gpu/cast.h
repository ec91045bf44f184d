// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Fields of the state as volumes, and rays through them: a picture leaves the GPU as one hit per ray. Compiled beside instance.h,
// with the same macros, for runs that show 3D views.
#include "../cast.h"
#include "model.h"
#include "state.h"

namespace lbm { namespace {

typedef LBM_STORED Value;
typedef LBM_REAL Real;
typedef StateOf<Lattice, LBM_MOMENTS, Value, Real> State;

// Shown is device.Shown: offset + factor times a quantity of a cell; a cell of a blank type has no value.
struct Shown {
	double factor, offset;
	long long quantity;
	unsigned char blank[256];
};
// Quantities, in the order of device.Quantity. The last three need the gradient of the velocity.
enum { EXCESS, SPEED, SCALAR, VORTICITY, STRAIN, INVARIANT };

// Velocities have the precision of output fields.
template <int BYTES> struct RoundedOf { typedef float type; };
template <> struct RoundedOf<8> { typedef double type; };

// Shot evaluates fields of a range of cells. A block marches along z: each velocity is computed once, and once more in the margins of
// blocks, since its divisions take longer than the memory.
struct Shot {
	static constexpr int D = Lattice::D, X = 32, Y = 8, DEPTH = 32;  // a block, and the planes of its march
	typedef RoundedOf<sizeof(Value)>::type Rounded;
	// Plane is the velocities of a block's cells on a plane and of one cell around them.
	struct Plane {
		Rounded u[D][Y + 2][X + 2];
		bool solid[Y + 2][X + 2];
	};
	const Box box;
	const Value* const state;
	const unsigned char* const types;  // of all cells and of one layer around them (boundary.Cells.Type)

	__device__ LBM_INLINE Shot(const Case* c, const Value* state, const unsigned char* types) : box(c, State::COMPONENTS), state(state), types(types) {}

	__device__ LBM_INLINE int type(int x, int y, int z) const {
		const Layout& l = box.layout;
		return types[((long long)(z + 1) * (l.ny + 2) + y + 1) * (l.nx + 2) + x + 1];
	}
	// read computes rho - 1, the velocity and the scalar, if any, of a cell at most one out of the box. Where an axis has no ghost
	// layers the fluid beyond its ends is a periodic image.
	__device__ LBM_INLINE void read(int x, int y, int z, bool solid, Rounded* v) const {
		const Layout& l = box.layout;
		if (x < 0 || x >= l.nx) x += x < 0 ? l.nx : -l.nx;
		if (!box.inside(1, y)) y += y < 0 ? l.ny : -l.ny;
		if (!box.inside(2, z)) z += z < 0 ? l.nz : -l.nz;
		double rho, j[D], finite;
		const Value* const from = state + l.at(x, y, z, 0);
		State::read(from, l.pitch, rho, j, finite);
		State::physical(box.c, solid, rho, j, State::theta(from, l.pitch, finite), v);
	}
	// load fills a plane of the block whose first cell is (x0, y0), as far as the range's cells up to (xhi, yhi) read it.
	__device__ LBM_INLINE void load(Plane& p, int x0, int y0, int z, int xhi, int yhi) const {
		for (int i = threadIdx.y * X + threadIdx.x; i < (X + 2) * (Y + 2); i += X * Y) {
			const int px = i % (X + 2), py = i / (X + 2), x = x0 + px - 1, y = y0 + py - 1;
			if (x > xhi || y > yhi) continue;
			const bool solid = type(x, y, z) != 0;
			Rounded v[State::PHYSICAL];
			read(x, y, z, solid, v);
			p.solid[py][px] = solid;
			unroll<D>([&](auto c) LBM_LAMBDA { p.u[c.value][py][px] = v[1 + c.value]; });
		}
	}
	// gradient computes g[c][axis] = d u_c / d x_axis of the thread's cell, which is fluid, as sim/derive does.
	__device__ LBM_INLINE static void gradient(const Plane& low, const Plane& here, const Plane& high, double g[3][3]) {
		const int x = threadIdx.x + 1, y = threadIdx.y + 1;
		unroll<D>([&](auto a) LBM_LAMBDA {
			constexpr int A = decltype(a)::value, DX = A == 0, DY = A == 1;
			const Plane &before = A == 2 ? low : here, &after = A == 2 ? high : here;
			const bool hasLow = !before.solid[y - DY][x - DX], hasHigh = !after.solid[y + DY][x + DX];
			unroll<D>([&](auto k) LBM_LAMBDA {
				constexpr int C = decltype(k)::value;
				const double lo = before.u[C][y - DY][x - DX], u = here.u[C][y][x], hi = after.u[C][y + DY][x + DX];
				g[C][A] = hasLow && hasHigh ? (hi - lo) / 2 : hasHigh ? hi - u : hasLow ? u - lo : 0;
			});
		});
	}
	__device__ LBM_INLINE static float shown(const Shown& s, int type, const Rounded* v, const double g[3][3]) {
		if (s.blank[type]) return __int_as_float(0x7fc00000);  // NaN
		double value = 0;
		switch (int(s.quantity)) {
		case EXCESS: value = v[0]; break;
		case SPEED:
			unroll<D>([&](auto c) LBM_LAMBDA { value += double(v[1 + c.value]) * double(v[1 + c.value]); });
			value = sqrt(value);
			break;
		case SCALAR: value = v[State::PHYSICAL - 1]; break;
		default: {
			const double w[3] = {g[2][1] - g[1][2], g[0][2] - g[2][0], g[1][0] - g[0][1]};
			double strain2 = 0;
			for (int a = 0; a < 3; a++) {
				strain2 += 2 * g[a][a] * g[a][a];
				for (int b = 0; b < a; b++) strain2 += (g[a][b] + g[b][a]) * (g[a][b] + g[b][a]);
			}
			value = s.quantity == VORTICITY ? sqrt(dot(w, w)) : s.quantity == STRAIN ? sqrt(strain2) : (dot(w, w) - strain2) / 4;
		}
		}
		return float(s.offset + s.factor * value);
	}
	// evaluate writes one or two fields of the range's cells from (xlo, ylo, zlo) on.
	__device__ LBM_INLINE void evaluate(const Shown* LBM_RESTRICT of, float* one, float* two, long long dy, long long dz, int xlo, int ylo, int zlo, int xhi, int yhi, int zhi) const {
		__shared__ Plane planes[4];  // one is written while slower threads read the others
		const int x0 = xlo + blockIdx.x * X, y0 = ylo + blockIdx.y * Y, z0 = zlo + blockIdx.z * DEPTH, x = x0 + threadIdx.x, y = y0 + threadIdx.y;
		auto some = [&](auto is) LBM_LAMBDA { return is(of[0].quantity) || (two && is(of[1].quantity)); };
		const bool around = some([](long long q) LBM_LAMBDA { return q >= VORTICITY; });
		const bool own = !around || some([](long long q) LBM_LAMBDA { return q == EXCESS || q == SCALAR; });
		if (around) load(planes[0], x0, y0, z0 - 1, xhi, yhi), load(planes[1], x0, y0, z0, xhi, yhi);
		for (int z = z0; z < lesser(z0 + DEPTH, zhi); z++) {
			const int k = z - z0;
			const Plane& here = planes[(k + 1) % 4];
			if (around) {
				load(planes[(k + 2) % 4], x0, y0, z + 1, xhi, yhi);
				__syncthreads();
			}
			if (x >= xhi || y >= yhi) continue;
			const int t = type(x, y, z);
			Rounded v[State::PHYSICAL];
			if (own) read(x, y, z, t != 0, v);
			else unroll<D>([&](auto c) LBM_LAMBDA { v[1 + c.value] = here.u[c.value][threadIdx.y + 1][threadIdx.x + 1]; });
			double g[3][3] = {};
			if (around && !t) gradient(planes[k % 4], here, planes[(k + 2) % 4], g);
			const long long to = (z - zlo) * dz + (y - ylo) * dy + x - xlo;
			one[to] = shown(of[0], t, v, g);
			if (two) two[to] = shown(of[1], t, v, g);
		}
	}
};

// eachValue visits the finite values of a volume's shape in its own cells that are the finest in their places.
template <class F> __device__ LBM_INLINE void eachValue(const Volume& v, F visit) {
	const Cells cells(v);
	for (long long row = blockIdx.x; row < (long long)v.n[1] * v.n[2]; row += gridDim.x)
		for (int x = threadIdx.x; x < v.n[0]; x += ROW) {
			const float value = v.shape[cells.place(MARGIN + x, MARGIN + int(row % v.n[1]), MARGIN + int(row / v.n[1]))];
			if (value - value == 0 && (!v.finest || v.finest[row * v.n[0] + x])) visit(value);
		}
}
// ordered returns a number whose order as an integer is the order of floats.
__device__ LBM_INLINE int ordered(float v) {
	const int b = __float_as_int(v);
	return b < 0 ? -(b & 0x7fffffff) : b;
}
constexpr int BINS = 1024;
enum { RAYS_X = 8, RAYS_Y = 16 };  // of a block of lbm_cast

}}  // namespace lbm

// Evaluates fields of a range of cells, two unless the second place is null: the first cell's places, and the distances of rows and
// planes there. Blocks of Shot.
extern "C" __global__ void __launch_bounds__(lbm::Shot::X * lbm::Shot::Y)
lbm_evaluate(const lbm::Case* c, const lbm::Value* state, const unsigned char* types, const lbm::Shown* of, float* one, float* two, long long dy, long long dz,
	long long xlo, long long ylo, long long zlo, long long xhi, long long yhi, long long zhi) {
	lbm::Shot(c, state, types).evaluate(of, one, two, dy, dz, int(xlo), int(ylo), int(zlo), int(xhi), int(yhi), int(zhi));
}
// Copies a list of values to a box of nx x ny cells a plane.
extern "C" __global__ void __launch_bounds__(ROW) lbm_put(float* to, const float* from, long long nx, long long ny, long long dy, long long dz, long long count) {
	const long long i = (long long)blockIdx.x * ROW + threadIdx.x;
	if (i < count) to[i / nx / ny * dz + i / nx % ny * dy + i % nx] = from[i];
}
// Extends the values of a box to the stored cells around it: a block per row.
extern "C" __global__ void __launch_bounds__(ROW) lbm_extend(const lbm::Volume* volume, long long xlo, long long ylo, long long zlo, long long xhi, long long yhi, long long zhi) {
	using namespace lbm;
	const Volume v = *volume;
	const Cells cells(v);
	const int y = blockIdx.x, z = blockIdx.y;
	const bool inside = y >= ylo && y < yhi && z >= zlo && z < zhi;
	const int py = within(y, int(ylo), int(yhi) - 1), pz = within(z, int(zlo), int(zhi) - 1);
	for (int x = threadIdx.x; x < v.n[0] + 2 * MARGIN; x += ROW) {
		if (inside && x >= xlo && x < xhi) continue;
		const long long to = cells.place(x, y, z), from = cells.place(within(x, int(xlo), int(xhi) - 1), py, pz);
		v.shape[to] = v.shape[from], v.colour[to] = v.colour[from];
	}
}
// Finds the largest ordered value, and the largest with the sign changed.
extern "C" __global__ void __launch_bounds__(ROW) lbm_ends(const lbm::Volume* v, int* ends) {
	int low = ends[0], high = ends[1];
	lbm::eachValue(*v, [&](float value) LBM_LAMBDA { low = lbm::greater(low, lbm::ordered(-value)), high = lbm::greater(high, lbm::ordered(value)); });
	for (int lanes = 16; lanes > 0; lanes /= 2) low = lbm::greater(low, __shfl_down_sync(~0u, low, lanes)), high = lbm::greater(high, __shfl_down_sync(~0u, high, lanes));
	if (threadIdx.x % 32 == 0) atomicMax(ends, low), atomicMax(ends + 1, high);
}
// Counts values in bins of equal width between two places; magnitudes up to floor share one place.
extern "C" __global__ void __launch_bounds__(ROW) lbm_count(const lbm::Volume* v, unsigned long long* counts, long long floor, long long lo, long long hi) {
	__shared__ unsigned own[lbm::BINS];
	for (int k = threadIdx.x; k < lbm::BINS; k += ROW) own[k] = 0;
	__syncthreads();
	const long long width = lbm::greater(hi - lo, 1LL);
	lbm::eachValue(*v, [&](float value) LBM_LAMBDA {
		const long long o = lbm::ordered(value), place = o < 0 ? lbm::lesser(o + floor, 0LL) : lbm::greater(o - floor, 0LL);
		atomicAdd(own + lbm::lesser((place - lo) * lbm::BINS / width, lbm::BINS - 1LL), 1u);
	});
	__syncthreads();
	for (int k = threadIdx.x; k < lbm::BINS; k += ROW)
		if (own[k]) atomicAdd(counts + k, (unsigned long long)own[k]);
}
// Marks the bricks that may have the surface: a block per brick.
extern "C" __global__ void __launch_bounds__(ROW) lbm_bricks(const lbm::Volume* volume, double level) {
	using namespace lbm;
	const Volume v = *volume;
	const Cells cells(v);
	float low, high;
	cells.extremes(blockIdx.x, threadIdx.x % 16, 16, threadIdx.x / 16, ROW / 16, low, high);
	__shared__ float lows[ROW / 32], highs[ROW / 32];
	for (int lanes = 16; lanes > 0; lanes /= 2) low = lesser(low, __shfl_down_sync(~0u, low, lanes)), high = greater(high, __shfl_down_sync(~0u, high, lanes));
	if (threadIdx.x % 32 == 0) lows[threadIdx.x / 32] = low, highs[threadIdx.x / 32] = high;
	__syncthreads();
	if (threadIdx.x != 0) return;
	for (int w = 1; w < ROW / 32; w++) low = lesser(low, lows[w]), high = greater(high, highs[w]);
	cells.mark(blockIdx.x, Cells::mayHave(low, high, level));
}
// Casts the rays of a picture; more: hits of other volumes are there already, and the nearer one stays.
extern "C" __global__ void __launch_bounds__(lbm::RAYS_X * lbm::RAYS_Y) lbm_cast(const lbm::Optics* optics, const lbm::Volume* volume, lbm::Seen* seen, long long more) {
	using namespace lbm;
	const Optics o = *optics;
	const Volume v = *volume;
	const int x = blockIdx.x * RAYS_X + threadIdx.x, y = blockIdx.y * RAYS_Y + threadIdx.y;
	if (x >= o.w || y >= o.h) return;
	Seen* const to = seen + (long long)y * o.w + x;
	Seen s;
	const bool hit = Cells(v).cast(o, Ray(o, x, y), s);
	if (hit ? !more || nearer(s, *to) : !more) *to = hit ? s : Seen{NEVER, 0, 0, 0};
}

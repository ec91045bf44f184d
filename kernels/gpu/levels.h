// The coupling between two levels of a refined grid (../levels.h) on a GPU: compiled beside instance.h, with the same macros, for
// programs of patches. Each kernel has one thread for each entry of its list; copies have one for each number, children one each, and
// faces LANES.
#include "../face.h"
#include "../levels.h"
#include "box.h"
#include "model.h"

namespace lbm { namespace {

typedef LBM_REAL Real;
#ifdef LBM_LAW
typedef OwnLaw<LBM_LAW> LevelLaw;
#else
typedef OneTime LevelLaw;
#endif

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
	// child returns the distance of child k of a cell from its first one in a state.
	__device__ static LBM_INLINE long long child(const Layout& l, int k) {
		const long long row = (long long)l.components * l.pitch;
		return (k & 1) + (k >> 1 & 1) * row + (k >> 2 & 1) * row * (l.ny + 2 * l.gy);
	}
	__device__ static LBM_INLINE Layout layout(const Case* c) { return Box(c, L::M).layout; }

	// A scalar's numbers come behind the flow's, in states and in compact buffers; heat behind momentum in sums.
	static constexpr bool SCALAR = LBM_EXTRA > 0;
	static constexpr int NUMBERS = L::M + LBM_EXTRA, SUMS = SCALAR ? 2 + L::D : 1 + L::D;
	__device__ static LBM_INLINE LevelScalar<L, Real> scalar(const Real* LBM_RESTRICT p, long long pitch) {
		return LevelScalar<L, Real>::of([&](auto k) LBM_LAMBDA { return p[(L::M + k.value) * pitch]; });
	}
	__device__ static LBM_INLINE void write(const LevelScalar<L, Real>& s, Real* p, long long pitch) {
		s.each([&](int k, const Real& v) LBM_LAMBDA { p[(L::M + k) * pitch] = v; });
	}

	__device__ static LBM_INLINE void values(const Case* c, const lbm_copied& cell, const Real* LBM_RESTRICT state, Real* buffer) {
		Real* const to = buffer + cell.place * NUMBERS;
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

	__device__ static LBM_INLINE void prolong(const Case* c, const lbm_conversion* conversion, const lbm_parent& parent, int k, const Real* LBM_RESTRICT buffer, Real* state) {
		const Layout l = layout(c);
		Real side[L::D];
		unroll<L::D>([&](auto a) LBM_LAMBDA { side[a.value] = k >> a.value & 1 ? Real(1) : Real(-1); });
		auto from = [&](auto at) LBM_LAMBDA { return buffer + (long long)parent.around[at.value] * NUMBERS; };
		Real* const to = state + parent.first + child(l, k);
		const Parabola<L, Real> parabola(from);
		Change<Real> flux;
		const LevelValue<L, Real> value = parabola.template child<LevelLaw>(side, *conversion, flux);
		HalfForce<L, Real> force(conversion->to);
		if constexpr (SCALAR) {
			const ScalarParabola<L, Real, typename Parabola<L, Real>::Around> curve([&](auto at) LBM_LAMBDA { return from(at) + L::M; });
			const LevelScalar<L, Real> s = curve.child(side, flux, value.r);
			force = HalfForce<L, Real>(conversion->to, conversion->buoyancyTo, s.theta);
			write(s, to, l.pitch);
		}
		write(value.moments(force), to, l.pitch);
	}

	__device__ static LBM_INLINE void restricted(const Case* c, const lbm_conversion* conversion, const lbm_family& family, const Real* LBM_RESTRICT state, Real* buffer) {
		const Layout l = layout(c);
		const Real* const from = state + family.first;
		Real* const to = buffer + family.place * NUMBERS;
		ScalarParent<L, Real> children;
		Change<Real> flux;
		const LevelValue<L, Real> mean = parentOf<L, Real, LevelLaw>(*conversion, flux, [&](auto k) LBM_LAMBDA {
			const Real* const at = from + child(l, k.value);
			const Moments<L, Real> m = read(at, l.pitch);
			HalfForce<L, Real> force(conversion->from);
			if constexpr (SCALAR) {
				const LevelScalar<L, Real> s = scalar(at, l.pitch);
				force = HalfForce<L, Real>(conversion->from, conversion->buoyancyFrom, s.theta);
				children.template add<decltype(k)::value>(s, m.r);
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

	__device__ static LBM_INLINE void send(const Case* c, const lbm_upstream& from, const Real* LBM_RESTRICT state, Real* to) {
		slots(sender(c, state + from.at, layout(c).pitch, from.rule), from.axis, from.high ? 1 : -1, [&](auto slot, auto, const Real& f) LBM_LAMBDA { to[slot.value] = f; });
	}

	__device__ static LBM_INLINE void carry(const Case* c, const lbm_carrier& from, const Real* LBM_RESTRICT state, const Real* LBM_RESTRICT gains, Real* to) {
		const int pitch = layout(c).pitch, kind = from.kind;
		const LevelScalar<L, Real> s = scalar(state + from.source, pitch);
		Real u[L::D];
		velocityOf(read(state + from.source, pitch), u);
		const Carrier<L, Real> carrier(s.theta, s.q, u);
		const bool gained = kind == LEVEL_GAINED, flows = kind == LEVEL_CARRIED || kind == LEVEL_ENTERS;
		slots(sender(c, state + from.at, pitch, gained ? -1 : from.rule), from.axis, from.high ? 1 : -1, [&](auto slot, auto i, const Real& f) LBM_LAMBDA {
			constexpr int I = decltype(i)::value, SLOT = decltype(slot)::value;
			const Real own = gained ? gains[(long long)from.rule * Sent<L>::N + SLOT] : flows ? f : Real(0);
			to[SLOT] = passing(carrier, kind, I, turned<L>(I, from.mirror), own);
		});
	}

	// A face has LANES threads: most of the time is spent waiting for one number after another's. Their sums are added in one order.
	static constexpr int LANES = 8;
	__device__ static LBM_INLINE double together(double v) {
		for (int other = 1; other < LANES; other *= 2) v = v + __shfl_xor_sync(~0u, v, other);
		return v;
	}
	__device__ static LBM_INLINE void count(const lbm_crossed* LBM_RESTRICT faces, const unsigned* LBM_RESTRICT upstream, const lbm_crossing* LBM_RESTRICT crossings, const Real* LBM_RESTRICT sent, double* sums, double scale, bool add, long long thread, long long count) {
		const int lane = int(thread % LANES);
		const bool any = thread / LANES < count;
		const lbm_crossed face = faces[any ? thread / LANES : 0];
		double sum[1 + L::D] = {};
		for (unsigned k = lane; k < face.count; k += LANES) {
			const lbm_crossing x = crossings[face.first + k];
			addCrossing<L>(x, sent[(long long)upstream[face.cells + x.cell] * Sent<L>::N + x.slot], sum);
		}
		double* const to = sums + face.place * SUMS;
		unroll<1 + L::D>([&](auto k) LBM_LAMBDA {
			const double all = scale * together(sum[k.value]);
			if (any && lane == k.value) to[k.value] = add ? to[k.value] + all : all;
		});
	}

	__device__ static LBM_INLINE void heat(const lbm_crossed* LBM_RESTRICT faces, const unsigned* LBM_RESTRICT carriers, const lbm_crossing* LBM_RESTRICT crossings, const Real* LBM_RESTRICT sent, double* sums, double scale, bool add, long long thread, long long count) {
		const int lane = int(thread % LANES);
		const bool any = thread / LANES < count;
		const lbm_crossed face = faces[any ? thread / LANES : 0];
		double sum = 0;
		for (unsigned k = lane; k < face.count; k += LANES) {
			const lbm_crossing x = crossings[face.first + k];
			sum += double(x.mass) * double(sent[(long long)carriers[face.cells + x.cell] * Sent<L>::N + x.slot]);
		}
		const double all = scale * together(sum);
		double* const to = sums + face.place * SUMS + 1 + L::D;
		if (any && lane == 0) *to = add ? *to + all : all;
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

// Copies count cells of a state to a compact buffer, or back; a cell has so many components.
extern "C" __global__ void __launch_bounds__(ROW) lbm_level_gather(const lbm::Real* state, const lbm_copied* list, lbm::Real* buffer, long long count, long long components, long long pitch) {
	const long long i = lbm::threadNumber(), k = i % components;
	if (i >= count * components) return;
	const lbm_copied cell = list[i / components];
	buffer[cell.place * components + k] = state[cell.at + k * pitch];
}
extern "C" __global__ void __launch_bounds__(ROW) lbm_level_scatter(const lbm::Real* buffer, const lbm_copied* list, lbm::Real* state, long long count, long long components, long long pitch) {
	const long long i = lbm::threadNumber(), k = i / count;
	if (i >= count * components) return;
	const lbm_copied cell = list[i % count];
	state[cell.at + k * pitch] = buffer[cell.place * components + k];
}
// Writes rho - 1, u and P of count cells to a compact buffer.
extern "C" __global__ void __launch_bounds__(ROW) lbm_level_values(const lbm::Case* c, const lbm_copied* list, const lbm::Real* state, lbm::Real* buffer, long long count) {
	const long long i = lbm::threadNumber();
	if (i < count) lbm::LevelsOf::values(c, list[i], state, buffer);
}
// Fills places cells + first to cells + last of such a buffer.
extern "C" __global__ void __launch_bounds__(ROW) lbm_level_extrapolate(const lbm_extrapolated* list, lbm::Real* buffer, long long cells, long long first, long long last) {
	const long long i = first + lbm::threadNumber();
	if (i < last) lbm::LevelsOf::extrapolated(list[i], cells + i, buffer);
}
// Fills the children of count parents.
extern "C" __global__ void __launch_bounds__(ROW)
lbm_level_prolong(const lbm::Case* c, const lbm_conversion* conversion, const lbm_parent* list, const lbm::Real* buffer, lbm::Real* state, long long count) {
	constexpr int CHILDREN = 1 << lbm::Lattice::D;
	const long long i = lbm::threadNumber();
	if (i < count * CHILDREN) lbm::LevelsOf::prolong(c, conversion, list[i / CHILDREN], int(i % CHILDREN), buffer, state);
}
// Writes the means of count families to a compact buffer.
extern "C" __global__ void __launch_bounds__(ROW)
lbm_level_restrict(const lbm::Case* c, const lbm_conversion* conversion, const lbm_family* list, const lbm::Real* state, lbm::Real* buffer, long long count) {
	const long long i = lbm::threadNumber();
	if (i < count) lbm::LevelsOf::restricted(c, conversion, list[i], state, buffer);
}
// Writes what count upstream cells send.
extern "C" __global__ void __launch_bounds__(ROW) lbm_level_send(const lbm::Case* c, const lbm_upstream* list, const lbm::Real* state, lbm::Real* sent, long long count) {
	const long long i = lbm::threadNumber();
	if (i < count) lbm::LevelsOf::send(c, list[i], state, sent + i * lbm::Sent<lbm::Lattice>::N);
}
// Writes what of a scalar passes with the populations of count carriers.
extern "C" __global__ void __launch_bounds__(ROW) lbm_level_carry(const lbm::Case* c, const lbm_carrier* list, const lbm::Real* state, const lbm::Real* gains, lbm::Real* sent, long long count) {
	const long long i = lbm::threadNumber();
	if (i < count) lbm::LevelsOf::carry(c, list[i], state, gains, sent + i * lbm::Sent<lbm::Lattice>::N);
}
// Sets the sums of mass and momentum of count faces, or adds to them. scale is the bits of a double.
extern "C" __global__ void __launch_bounds__(ROW)
lbm_level_count(const lbm_crossed* list, const unsigned* upstream, const lbm_crossing* crossings, const lbm::Real* sent, double* sums, long long scale, long long add, long long count) {
	lbm::LevelsOf::count(list, upstream, crossings, sent, sums, __longlong_as_double(scale), add != 0, lbm::threadNumber(), count);
}
// The same of heat.
extern "C" __global__ void __launch_bounds__(ROW)
lbm_level_heat(const lbm_crossed* list, const unsigned* carriers, const lbm_crossing* crossings, const lbm::Real* sent, double* sums, long long scale, long long add, long long count) {
	lbm::LevelsOf::heat(list, carriers, crossings, sent, sums, __longlong_as_double(scale), add != 0, lbm::threadNumber(), count);
}
// Adds sums to count cells; the force is the program's.
extern "C" __global__ void __launch_bounds__(ROW)
lbm_level_correct(const lbm::Case* c, const lbm_corrected* list, const unsigned* faces, const double* own, const double* fine, lbm::Real* state, long long count) {
	const long long i = lbm::threadNumber();
	if (i < count) lbm::LevelsOf::correct(c, list[i], own + i * lbm::LevelsOf::SUMS, faces, fine, state);
}

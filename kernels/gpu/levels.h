// The coupling between two levels of a refined grid (../levels.h) on a GPU: compiled beside instance.h, with the same macros, for
// programs of patches.
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
// face takes longer than adding them up; the cell is a number within the face's senders.
struct alignas(16) Passage {
	double mass, momentum[3];
	unsigned cell, slot;
};

// StagedAround is the cells around a parent in shared memory: first the near ones, its own and those that share a face, then those that
// share an edge, of which FAR_NUMBERS are read: density and velocity.
template <class Around, int D, int NUMBERS, int FAR_NUMBERS> struct StagedAround {
	static constexpr int NEAR = 1 + 2 * D, OF_FAR = FAR_NUMBERS;
	LBM_HD static constexpr bool isNear(int k) {
		int apart = 0;
		for (int a = 0; a < D; a++) apart += Around::c(k, a) != 0;
		return apart < 2;
	}
	LBM_HD static constexpr int orderOf(int k) {
		int near = 0, far = 0;
		for (int i = 0; i < k; i++) near += isNear(i), far += !isNear(i);
		return isNear(k) ? near : NEAR + far;
	}
	LBM_HD static constexpr int placeOf(int order) { return order < NEAR ? order * NUMBERS : NEAR * NUMBERS + (order - NEAR) * FAR_NUMBERS; }
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

	// A scalar's numbers come behind the flow's, in states and in compact buffers; heat behind momentum in sums.
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
		static constexpr int STEP = NUMBERS | 1;  // odd: threads of a warp meet no bank twice
		Real numbers[ROW * STEP];
		long long places[ROW];  // in the buffer, counted in numbers; -1: there is no cell

		__device__ LBM_INLINE Real* own() { return numbers + threadIdx.x * STEP; }
		__device__ LBM_INLINE void place(bool any, const long long& cell) { places[threadIdx.x] = any ? cell * NUMBERS : -1; }
		// each calls f(number, its place in the buffer), once all threads of the block have come here.
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

	// Threads of a block share its parents, or families: ROWS threads have a pair of children each. What they read together passes
	// through shared memory, so that many loads are under way at once.
	static constexpr int ROWS = 1 << (L::D - 1), FAMILIES = ROW / ROWS;
	typedef typename Parabola<L, Real>::Around Around;
	static constexpr int WIDE = NUMBERS % 2 ? 1 : 2;  // numbers of a load

	typedef StagedAround<Around, L::D, NUMBERS, SCALAR ? NUMBERS : (1 + L::D + WIDE - 1) / WIDE * WIDE> Staged;
	static constexpr int STRIDE = Staged::placeOf(Around::Q) | 1;  // odd: threads of a warp meet no bank twice
	static constexpr int PARENTS = FAMILIES * STRIDE * sizeof(Real) > 40000 ? FAMILIES / 2 : FAMILIES;

	// prolong fills the children of parents, two by two in x. On a GPU the list has the first children of all parents, then around[0] of
	// all, and so on.
	__device__ static LBM_INLINE void prolong(const Case* c, const lbm_conversion* LBM_RESTRICT conversion, const long long* LBM_RESTRICT list, const Real* LBM_RESTRICT buffer, Real* LBM_RESTRICT state, long long count) {
		__shared__ Real values[PARENTS * STRIDE];
		__shared__ unsigned cells[Around::Q][PARENTS];
		const unsigned* const around = (const unsigned*)(list + count);
		const long long block = (long long)blockIdx.x * PARENTS;
		const int parent = threadIdx.x % PARENTS, turn = threadIdx.x / PARENTS;
		const long long i = block + parent < count ? block + parent : count - 1;
		unroll<Around::Q>([&](auto k) LBM_LAMBDA {
			constexpr int K = decltype(k)::value, ORDER = Staged::orderOf(K);
			if (turn == K % (ROW / PARENTS)) cells[ORDER][parent] = __ldg(around + K * count + i);
		});
		const long long first = __ldg(list + i);
		__syncthreads();
		constexpr int OF_NEAR = PARENTS * (NUMBERS / WIDE), OF_OTHERS = PARENTS * (Staged::OF_FAR / WIDE), NEAR = Staged::NEAR, LOADS = NEAR * OF_NEAR + (Around::Q - NEAR) * OF_OTHERS;
		unroll<(LOADS + ROW - 1) / ROW>([&](auto n) LBM_LAMBDA {
			const int at = n.value * ROW + threadIdx.x;
			if (LOADS % ROW != 0 && at >= LOADS) return;
			const bool near = at < NEAR * OF_NEAR;
			const int rest = near ? at : at - NEAR * OF_NEAR, wide = (near ? NUMBERS : Staged::OF_FAR) / WIDE;
			const int order = near ? rest / OF_NEAR : NEAR + rest / OF_OTHERS, own = near ? rest % OF_NEAR : rest % OF_OTHERS, of = own / wide, part = own % wide * WIDE;
			Image<Real, WIDE> image;
			image.bits = __ldg((const BitsOf<Real, WIDE>*)(buffer + (long long)cells[order][of] * NUMBERS + part));
			unroll<WIDE>([&](auto w) LBM_LAMBDA { values[of * STRIDE + Staged::placeOf(order) + part + w.value] = image.s[w.value]; });
		});
		__syncthreads();
		if (turn >= ROWS || block + parent >= count) return;
		auto from = [&](auto k) LBM_LAMBDA -> const Real* {
			constexpr int PLACE = Staged::placeOf(Staged::orderOf(decltype(k)::value));
			return values + parent * STRIDE + PLACE;
		};
		const Layout l = layout(c);
		const lbm_conversion by = *conversion;
		const Parabola<L, Real> parabola(from);
		if constexpr (SCALAR) {
			const ScalarParabola<L, Real, Around> curve([&](auto k) LBM_LAMBDA { return from(k) + L::M; });
			children(l, by, parabola, curve, state + first, turn);
		} else {
			children(l, by, parabola, 0, state + first, turn);
		}
	}
	// children writes a row of them; first is the first one's place, curve a scalar's parabola, where there is one.
	template <class CURVE> __device__ static LBM_INLINE void children(const Layout& l, const lbm_conversion& by, const Parabola<L, Real>& parabola, const CURVE& curve, Real* LBM_RESTRICT first, int row) {
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

	// restricted writes the means of families.
	__device__ static LBM_INLINE void restricted(const Case* c, const lbm_conversion* LBM_RESTRICT conversion, const lbm_family* LBM_RESTRICT list, const Real* LBM_RESTRICT state, Real* LBM_RESTRICT buffer, long long count) {
		constexpr int STEP = 2 * ROWS * NUMBERS | 1, RESULT = NUMBERS | 1;
		__shared__ Real values[FAMILIES * STEP], results[FAMILIES * RESULT];
		__shared__ long long places[FAMILIES];
		const Layout l = layout(c);
		const int own = threadIdx.x % FAMILIES, row = threadIdx.x / FAMILIES;
		const long long block = (long long)blockIdx.x * FAMILIES;
		const bool any = block + own < count;
		const lbm_family family = list[any ? block + own : count - 1];
		Image<Real, 2> two[NUMBERS];
		pair(state + family.first + child(l, 2 * row), l.pitch, two);
		unroll<2>([&](auto x) LBM_LAMBDA {
			constexpr int X = decltype(x)::value;
			Real* const to = values + own * STEP + (2 * row + X) * NUMBERS;
			HalfForce<L, Real> force(conversion->from);
			if constexpr (SCALAR) {
				const LevelScalar<L, Real> s = LevelScalar<L, Real>::of([&](auto n) LBM_LAMBDA { return two[L::M + n.value].s[X]; });
				force = HalfForce<L, Real>(conversion->from, conversion->buoyancyFrom, s.theta);
				write(s, to, 1);
			}
			LevelValue<L, Real>::of(momentsAt<L, true, Real>([&](auto n) LBM_LAMBDA { return two[n.value].s[X]; }), force).each([&](int k, const Real& v) LBM_LAMBDA { to[k] = v; });
		});
		if (row == 0) places[own] = family.place;
		__syncthreads();
		if (row == 0) {
			ScalarParent<L, Real> children;
			Change<Real> flux;
			const LevelValue<L, Real> mean = parentOf<L, Real, LevelLaw>(*conversion, flux, [&](auto k) LBM_LAMBDA {
				constexpr int K = decltype(k)::value;
				const Real* const from = values + own * STEP + K * NUMBERS;
				LevelValue<L, Real> v;
				v.each([&](int n, Real& number) LBM_LAMBDA { number = from[n]; });
				if constexpr (SCALAR) children.template add<K>(LevelScalar<L, Real>::of([&](auto n) LBM_LAMBDA { return from[L::M + n.value]; }), v.r);
				return v;
			});
			HalfForce<L, Real> force(conversion->to);
			Real* const to = results + own * RESULT;
			if constexpr (SCALAR) {
				const LevelScalar<L, Real> s = children.mean(flux, mean.r);
				force = HalfForce<L, Real>(conversion->to, conversion->buoyancyTo, s.theta);
				write(s, to, 1);
			}
			write(mean.moments(force), to, 1);
		}
		__syncthreads();
		for (int i = threadIdx.x; i < FAMILIES * NUMBERS; i += ROW) {
			const int of = i / NUMBERS, k = i % NUMBERS;
			if (block + of < count) buffer[places[of] * NUMBERS + k] = results[of * RESULT + k];
		}
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

	// What a block of faces counts, and who sends it: neighbouring faces, in the order of their sums. Upstream cells that several of them
	// share are expanded once, into shared memory.
	static constexpr int FACES = 32, PARTS = ROW / FACES, SENDERS = 576, SLOTS = Sent<L>::N;
	struct Counted { unsigned face, faces, sender, senders; };
	// A sender is a number: the place, and from bit 48 on the axis, the side and the kind of what the place means. Every other cell is an
	// entry of a list: an upstream cell with a rule, or a carrier.
	enum { SENDER_AXIS = 48, SENDER_HIGH = 50, SENDER_KIND = 51, SENDER_CELL = 0, SENDER_OTHER = 1, SENDER_GAINS = 2, SENDER_MODEL = 3 };

	// Gains is what walls add to populations, [slot][set]; from number sets on what ghost cells of walls with a model send.
	struct Gains {
		const Real* LBM_RESTRICT added;
		long long sets;
		const unsigned* LBM_RESTRICT ghosts;  // of models
		const Real* LBM_RESTRICT populations; // [ghost][direction]

		template <int SLOT> __device__ LBM_INLINE Real set(long long number) const { return added[SLOT * sets + number]; }
		__device__ LBM_INLINE Real model(long long ghost, int i) const { return populations[ghost * L::Q + i]; }
		template <int SLOT> __device__ LBM_INLINE Real of(long long number, int i) const { return number < sets ? set<SLOT>(number) : model(ghosts[number - sets], i); }
	};

	// directions calls put(Int<slot>, Int<direction>) for the populations across an axis on a side.
	template <class PUT> __device__ static LBM_INLINE void directions(int axis, int side, PUT put) {
		unroll<L::Q>([&](auto i) LBM_LAMBDA {
			unroll<L::D>([&](auto a) LBM_LAMBDA {
				constexpr int I = decltype(i)::value, A = decltype(a)::value, C = L::c(I, A), SLOT = Sent<L>::slot(I, A);
				if constexpr (C != 0)
					if (axis == A && side == C) put(Int<SLOT>{}, i);
			});
		});
	}

	__device__ static LBM_INLINE lbm_upstream upstreamOf(unsigned long long word, const lbm_upstream* LBM_RESTRICT others) {
		const long long at = word & ((1ull << SENDER_AXIS) - 1);
		if ((word >> SENDER_KIND) == SENDER_OTHER) return others[at];
		lbm_upstream of{};
		of.at = at, of.rule = -1, of.axis = word >> SENDER_AXIS & 3, of.high = word >> SENDER_HIGH & 1;
		return of;
	}
	template <class PUT> __device__ static LBM_INLINE void send(const Case* c, const lbm_upstream& from, const Real* LBM_RESTRICT state, const Gains&, PUT put) {
		slots(sender(c, state + from.at, layout(c).pitch, from.rule), from.axis, from.high ? 1 : -1, [&](auto slot, auto, const Real& f) LBM_LAMBDA { put(slot, f); });
	}
	__device__ static LBM_INLINE lbm_carrier upstreamOf(unsigned long long word, const lbm_carrier* LBM_RESTRICT others) { return others[word & ((1ull << SENDER_AXIS) - 1)]; }
	template <class PUT> __device__ static LBM_INLINE void send(const Case* c, const lbm_carrier& from, const Real* LBM_RESTRICT state, const Gains& gains, PUT put) {
		const int pitch = layout(c).pitch, kind = from.kind;
		const LevelScalar<L, Real> s = scalar(state + from.source, pitch);
		Real u[L::D];
		velocityOf(read(state + from.source, pitch), u);
		const Carrier<L, Real> carrier(s.theta, s.q, u);
		const bool gained = kind == LEVEL_GAINED, flows = kind == LEVEL_CARRIED || kind == LEVEL_ENTERS;
		slots(sender(c, state + from.at, pitch, gained ? -1 : from.rule), from.axis, from.high ? 1 : -1, [&](auto slot, auto i, const Real& f) LBM_LAMBDA {
			constexpr int I = decltype(i)::value, SLOT = decltype(slot)::value;
			const Real own = gained ? gains.template of<SLOT>(from.rule, I) : flows ? f : Real(0);
			put(slot, passing(carrier, kind, I, turned<L>(I, from.mirror), own));
		});
	}

	// count sets N numbers of each face's sum, or adds to them; sums begins with the first of them. Four warps share the crossings of the
	// block's faces: a warp reads one passage for all of them, since they mostly have the same. The parts of a sum are added in one
	// order. The list of a face's senders has an entry of each face, then the next of each.
	template <int N, class OTHER> __device__ static LBM_INLINE void count(const Case* c, const Counted* LBM_RESTRICT blocks, const lbm_crossed* LBM_RESTRICT faces, const unsigned long long* LBM_RESTRICT senders, const OTHER* LBM_RESTRICT others, const unsigned short* LBM_RESTRICT sendersOf, const Passage* LBM_RESTRICT passages, const Gains& gains, const Real* LBM_RESTRICT state, double* sums, double scale, bool add) {
		static_assert(PARTS == 4 && N <= PARTS, "a thread adds up a number of a face");
		__shared__ Real sent[SLOTS][SENDERS];
		__shared__ double parts[N][PARTS][FACES];
		__shared__ long long to[FACES];
		const Counted block = blocks[blockIdx.x];
		LBM_ROLLED for (unsigned k = threadIdx.x; k < block.senders; k += ROW) {
			const unsigned long long word = __ldg(senders + block.sender + k);
			const int kind = int(word >> SENDER_KIND), axis = int(word >> SENDER_AXIS & 3), side = word >> SENDER_HIGH & 1 ? 1 : -1;
			const long long at = word & ((1ull << SENDER_AXIS) - 1);
			if (kind == SENDER_GAINS) unroll<SLOTS>([&](auto slot) LBM_LAMBDA { sent[slot.value][k] = gains.template set<slot.value>(at); });
			else if (kind == SENDER_MODEL) directions(axis, side, [&](auto slot, auto i) LBM_LAMBDA { sent[slot.value][k] = gains.model(at, i.value); });
			else send(c, upstreamOf(word, others), state, gains, [&](auto slot, const Real& f) LBM_LAMBDA { sent[slot.value][k] = f; });
		}
		const int lane = threadIdx.x % FACES, part = threadIdx.x / FACES;
		lbm_crossed face{};
		if (lane < block.faces) face = faces[block.face + lane];
		double sum[N] = {};
		__syncthreads();
#pragma unroll 4
		for (unsigned k = part; k < face.count; k += PARTS) {
			const Passage& x = passages[face.first + k];
			const double f = double(sent[x.slot][__ldg(sendersOf + face.cells + FACES * x.cell)]);
			sum[0] += x.mass * f;
			unroll<N - 1>([&](auto a) LBM_LAMBDA { sum[1 + a.value] += x.momentum[a.value] * f; });
		}
		unroll<N>([&](auto k) LBM_LAMBDA { parts[k.value][part][lane] = sum[k.value]; });
		if (part == 0) to[lane] = face.place;
		__syncthreads();
		const int of = threadIdx.x / N, k = threadIdx.x % N;
		if (of >= block.faces) return;
		const double all = scale * ((parts[k][0][of] + parts[k][1][of]) + (parts[k][2][of] + parts[k][3][of]));
		double& number = sums[to[of] * SUMS + k];
		number = add ? number + all : all;
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

extern "C" __constant__ int lbm_level_shape[2] = {lbm::LevelsOf::PARENTS, lbm::LevelsOf::FAMILIES};

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
// Fills the children of count parents: lbm_level_shape[0] in a block.
extern "C" __global__ void __launch_bounds__(ROW)
lbm_level_prolong(const lbm::Case* c, const lbm_conversion* conversion, const long long* list, const lbm::Real* buffer, lbm::Real* state, long long count) {
	lbm::LevelsOf::prolong(c, conversion, list, buffer, state, count);
}
// Writes the means of count families to a compact buffer: lbm_level_shape[1] in a block.
extern "C" __global__ void __launch_bounds__(ROW)
lbm_level_restrict(const lbm::Case* c, const lbm_conversion* conversion, const lbm_family* list, const lbm::Real* state, lbm::Real* buffer, long long count) {
	lbm::LevelsOf::restricted(c, conversion, list, state, buffer, count);
}
// Sets the sums of mass and momentum of faces, a block's after the other's, or adds to them. scale is the bits of a double.
extern "C" __global__ void __launch_bounds__(ROW)
lbm_level_count(const lbm::Case* c, const lbm::LevelsOf::Counted* blocks, const lbm_crossed* faces, const unsigned long long* senders, const lbm_upstream* others, const unsigned short* sendersOf, const lbm::Passage* passages, const lbm::Real* gains, long long sets, const unsigned* ghosts, const lbm::Real* populations, const lbm::Real* state, double* sums, long long scale, long long add) {
	lbm::LevelsOf::count<1 + lbm::Lattice::D>(c, blocks, faces, senders, others, sendersOf, passages, {gains, sets, ghosts, populations}, state, sums, __longlong_as_double(scale), add != 0);
}
// The same of heat.
extern "C" __global__ void __launch_bounds__(ROW)
lbm_level_heat(const lbm::Case* c, const lbm::LevelsOf::Counted* blocks, const lbm_crossed* faces, const unsigned long long* senders, const lbm_carrier* others, const unsigned short* sendersOf, const lbm::Passage* passages, const lbm::Real* gains, long long sets, const unsigned* ghosts, const lbm::Real* populations, const lbm::Real* state, double* sums, long long scale, long long add) {
	lbm::LevelsOf::count<1>(c, blocks, faces, senders, others, sendersOf, passages, {gains, sets, ghosts, populations}, state, sums + 1 + lbm::Lattice::D, __longlong_as_double(scale), add != 0);
}
// Adds sums to count cells; the force is the program's.
extern "C" __global__ void __launch_bounds__(ROW)
lbm_level_correct(const lbm::Case* c, const lbm_corrected* list, const unsigned* faces, const double* own, const double* fine, lbm::Real* state, long long count) {
	const long long i = lbm::threadNumber();
	if (i < count) lbm::LevelsOf::correct(c, list[i], own + i * lbm::LevelsOf::SUMS, faces, fine, state);
}

// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

package h5

// Features that gonum.org/v1/hdf5 lacks, on its identifiers: creation and access
// properties, fixed-length strings, offsets in the file, virtual datasets and
// an error stack that prints nothing by itself. Every function here runs under the
// lock of file.go.
//
// The flags find Debian's and Ubuntu's libhdf5-dev. Elsewhere CGO_CFLAGS and
// CGO_LDFLAGS come first and win, for example
//
//	CGO_CFLAGS="$(pkg-config --cflags hdf5)" CGO_LDFLAGS="$(pkg-config --libs hdf5)"

/*
#cgo linux CFLAGS: -I/usr/include/hdf5/serial
#cgo linux,amd64 LDFLAGS: -L/usr/lib/x86_64-linux-gnu/hdf5/serial
#cgo linux,arm64 LDFLAGS: -L/usr/lib/aarch64-linux-gnu/hdf5/serial
#cgo LDFLAGS: -lhdf5
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <hdf5.h>

static herr_t lbm_walk(unsigned n, const H5E_error2_t *e, void *out) {
	(void)n;
	if (e->desc && *e->desc) {
		strncpy((char *)out, e->desc, 255);
		return 1; // the innermost entry comes first: stop there
	}
	return 0;
}

// Every call of the library clears the stack, those that clean up after a
// failure too: lbm_note keeps the message for them.
static char lbm_noted[256];
static void lbm_note(void) { H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, lbm_walk, lbm_noted); }

// The library prints its error stack by default; lbm_error reads it instead.
static void lbm_quiet(void) {
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
	memset(lbm_noted, 0, 256);
}

// lbm_error copies the innermost message into out[256] and forgets it.
static void lbm_error(char *out) {
	if (!*lbm_noted) lbm_note();
	memcpy(out, lbm_noted, 256);
	memset(lbm_noted, 0, 256);
	H5Eclear2(H5E_DEFAULT);
}

// No file locks: a file is written under a name that only this run knows, and
// many parallel file systems answer a lock with an error.
static hid_t lbm_access(hsize_t align, hsize_t threshold) {
	hid_t p = H5Pcreate(H5P_FILE_ACCESS);
	if (p < 0) return p;
#if H5_VERSION_GE(1, 10, 7) && !(H5_VERS_MINOR == 12 && H5_VERS_RELEASE == 0)
	H5Pset_file_locking(p, 0, 1);
#endif
	if (align > 1 && H5Pset_alignment(p, threshold, align) < 0) { H5Pclose(p); return -1; }
	return p;
}

static hid_t lbm_create(const char *path, hsize_t user, hsize_t align, hsize_t threshold) {
	hid_t a = lbm_access(align, threshold), c = H5Pcreate(H5P_FILE_CREATE), f = -1;
	if (a >= 0 && c >= 0 && H5Pset_userblock(c, user) >= 0)
		f = H5Fcreate(path, H5F_ACC_EXCL, c, a);
	if (f < 0) lbm_note();
	if (c >= 0) H5Pclose(c);
	if (a >= 0) H5Pclose(a);
	return f;
}

static hid_t lbm_open(const char *path) {
	hid_t a = lbm_access(0, 0);
	if (a < 0) return a;
	hid_t f = H5Fopen(path, H5F_ACC_RDONLY, a);
	if (f < 0) lbm_note();
	H5Pclose(a);
	return f;
}

// Properties of a dataset whose bytes are placed when it is created and filled
// by pwrite later; without times the file depends on its content alone.
static herr_t lbm_early(hid_t p) {
	if (H5Pset_layout(p, H5D_CONTIGUOUS) < 0) return -1;
	if (H5Pset_alloc_time(p, H5D_ALLOC_TIME_EARLY) < 0) return -1;
	if (H5Pset_fill_time(p, H5D_FILL_TIME_NEVER) < 0) return -1;
	return H5Pset_obj_track_times(p, 0);
}

static herr_t lbm_no_times(hid_t p) { return H5Pset_obj_track_times(p, 0); }

// lbm_box is the box of this start and size in an array of these dims; all of it is not a
// selection, which readers take the short way with.
static hid_t lbm_box(int rank, const hsize_t *dims, const hsize_t *start, const hsize_t *size, int all) {
	hid_t s = H5Screate_simple(rank, dims, NULL);
	if (s >= 0 && !all && H5Sselect_hyperslab(s, H5S_SELECT_SET, start, NULL, size, NULL) < 0) { H5Sclose(s); return -1; }
	return s;
}

// Maps a box of src in file, s, onto a box of the virtual dataset that p describes, v. Closes both.
static herr_t lbm_map(hid_t p, const char *file, const char *src, hid_t v, hid_t s) {
	herr_t r = v >= 0 && s >= 0 ? H5Pset_virtual(p, v, file, src, s) : -1;
	if (v >= 0) H5Sclose(v);
	if (s >= 0) H5Sclose(s);
	return r;
}

// IEEE 754 binary16 as numpy and h5py write it: sign at bit 15, 5 bits of exponent
// from bit 10 with bias 15, 10 bits of mantissa. The fields move before the size
// shrinks: at every moment they fit.
static hid_t lbm_half(void) {
	hid_t t = H5Tcopy(H5T_NATIVE_FLOAT);
	if (t < 0) return t;
	if (H5Tset_fields(t, 15, 10, 5, 0, 10) < 0 || H5Tset_size(t, 2) < 0 || H5Tset_ebias(t, 15) < 0) {
		lbm_note();
		H5Tclose(t);
		return -1;
	}
	return t;
}

// A string type of exactly n bytes, no terminator.
static hid_t lbm_string(size_t n, int utf8) {
	hid_t t = H5Tcopy(H5T_C_S1);
	if (t < 0) return t;
	if (H5Tset_size(t, n) < 0 || H5Tset_strpad(t, H5T_STR_NULLPAD) < 0 ||
	    H5Tset_cset(t, utf8 ? H5T_CSET_UTF8 : H5T_CSET_ASCII) < 0) { H5Tclose(t); return -1; }
	return t;
}

static herr_t lbm_string_attr(hid_t obj, const char *name, const char *s, size_t n, int utf8) {
	hid_t t = lbm_string(n, utf8), sp = H5Screate(H5S_SCALAR), a = -1;
	herr_t r = -1;
	if (t >= 0 && sp >= 0) a = H5Acreate2(obj, name, t, sp, H5P_DEFAULT, H5P_DEFAULT);
	if (a >= 0) r = H5Awrite(a, t, s);
	if (r < 0) lbm_note();
	if (a >= 0) H5Aclose(a);
	if (sp >= 0) H5Sclose(sp);
	if (t >= 0) H5Tclose(t);
	return r;
}

// lbm_room is memory for a text of n bytes of the file that obj is in, which may be damaged; NULL
// and a note where it cannot have them.
static char *lbm_room(hid_t obj, size_t n) {
	hsize_t size = 0;
	hid_t f = H5Iget_file_id(obj);
	if (f < 0 || H5Fget_filesize(f, &size) < 0) lbm_note();
	else if (n > size) snprintf(lbm_noted, sizeof lbm_noted, "the text has %zu bytes: longer than its file", n);
	if (f >= 0) H5Fclose(f);
	return n <= size ? (char *)malloc(n + 1) : NULL;
}

// lbm_read_string reads a fixed-length string attribute into fresh memory; NULL on failure.
static char *lbm_read_string(hid_t obj, const char *name, size_t *n) {
	char *out = NULL;
	hid_t a = H5Aopen(obj, name, H5P_DEFAULT);
	if (a < 0) return NULL;
	hid_t t = H5Aget_type(a), sp = H5Aget_space(a);
	if (t >= 0 && sp >= 0 && H5Tget_class(t) == H5T_STRING && H5Tis_variable_str(t) == 0 &&
	    H5Sget_simple_extent_npoints(sp) == 1) {
		out = lbm_room(obj, *n = H5Tget_size(t));
		if (out && H5Aread(a, t, out) < 0) { free(out); out = NULL; }
	}
	if (sp >= 0) H5Sclose(sp);
	if (t >= 0) H5Tclose(t);
	H5Aclose(a);
	return out;
}

static herr_t lbm_text(hid_t file, const char *path, const char *s, size_t n) {
	hid_t t = lbm_string(n, 1), sp = H5Screate(H5S_SCALAR), p = H5Pcreate(H5P_DATASET_CREATE), d = -1;
	herr_t r = -1;
	if (t >= 0 && sp >= 0 && p >= 0 && lbm_early(p) >= 0)
		d = H5Dcreate2(file, path, t, sp, H5P_DEFAULT, p, H5P_DEFAULT);
	if (d >= 0) r = H5Dwrite(d, t, H5S_ALL, H5S_ALL, H5P_DEFAULT, s);
	if (r < 0) lbm_note();
	if (d >= 0) H5Dclose(d);
	if (p >= 0) H5Pclose(p);
	if (sp >= 0) H5Sclose(sp);
	if (t >= 0) H5Tclose(t);
	return r;
}

// A dataset of one string of variable length, the only kind that VTK shows as a label.
static herr_t lbm_label(hid_t file, const char *path, const char *s) {
	hsize_t one = 1;
	hid_t t = H5Tcopy(H5T_C_S1), sp = H5Screate_simple(1, &one, NULL), p = H5Pcreate(H5P_DATASET_CREATE), d = -1;
	herr_t r = -1;
	if (t >= 0 && sp >= 0 && p >= 0 && H5Tset_size(t, H5T_VARIABLE) >= 0 && lbm_no_times(p) >= 0)
		d = H5Dcreate2(file, path, t, sp, H5P_DEFAULT, p, H5P_DEFAULT);
	if (d >= 0) r = H5Dwrite(d, t, H5S_ALL, H5S_ALL, H5P_DEFAULT, &s);
	if (r < 0) lbm_note();
	if (d >= 0) H5Dclose(d);
	if (p >= 0) H5Pclose(p);
	if (sp >= 0) H5Sclose(sp);
	if (t >= 0) H5Tclose(t);
	return r;
}

// lbm_constant makes a dataset without storage: readers get the fill value.
static herr_t lbm_constant(hid_t file, const char *path, unsigned char value, int rank, const hsize_t *dims) {
	hid_t sp = H5Screate_simple(rank, dims, NULL), p = H5Pcreate(H5P_DATASET_CREATE), d = -1;
	if (sp >= 0 && p >= 0 && lbm_no_times(p) >= 0 && H5Pset_alloc_time(p, H5D_ALLOC_TIME_LATE) >= 0 &&
	    H5Pset_fill_value(p, H5T_NATIVE_UCHAR, &value) >= 0)
		d = H5Dcreate2(file, path, H5T_NATIVE_UCHAR, sp, H5P_DEFAULT, p, H5P_DEFAULT);
	herr_t r = d < 0 ? -1 : 0;
	if (r < 0) lbm_note();
	if (d >= 0) H5Dclose(d);
	if (p >= 0) H5Pclose(p);
	if (sp >= 0) H5Sclose(sp);
	return r;
}

static herr_t lbm_ints(hid_t file, const char *path, const long long *v, int rank, const hsize_t *dims) {
	hid_t sp = H5Screate_simple(rank, dims, NULL), p = H5Pcreate(H5P_DATASET_CREATE), d = -1;
	herr_t r = -1;
	if (sp >= 0 && p >= 0 && lbm_early(p) >= 0)
		d = H5Dcreate2(file, path, H5T_STD_I32LE, sp, H5P_DEFAULT, p, H5P_DEFAULT);
	if (d >= 0) r = H5Dwrite(d, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, v);
	if (r < 0) lbm_note();
	if (d >= 0) H5Dclose(d);
	if (p >= 0) H5Pclose(p);
	if (sp >= 0) H5Sclose(sp);
	return r;
}

static herr_t lbm_reals(hid_t file, const char *path, const double *v, int rank, const hsize_t *dims) {
	hid_t sp = H5Screate_simple(rank, dims, NULL), p = H5Pcreate(H5P_DATASET_CREATE), d = -1;
	herr_t r = -1;
	if (sp >= 0 && p >= 0 && lbm_early(p) >= 0)
		d = H5Dcreate2(file, path, H5T_IEEE_F64LE, sp, H5P_DEFAULT, p, H5P_DEFAULT);
	if (d >= 0) r = H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, v);
	if (r < 0) lbm_note();
	if (d >= 0) H5Dclose(d);
	if (p >= 0) H5Pclose(p);
	if (sp >= 0) H5Sclose(sp);
	return r;
}

static herr_t lbm_number(hid_t file, const char *path, double v) {
	hsize_t one = 1;
	hid_t sp = H5Screate_simple(1, &one, NULL), p = H5Pcreate(H5P_DATASET_CREATE), d = -1;
	herr_t r = -1;
	if (sp >= 0 && p >= 0 && lbm_no_times(p) >= 0)
		d = H5Dcreate2(file, path, H5T_IEEE_F64LE, sp, H5P_DEFAULT, p, H5P_DEFAULT);
	if (d >= 0) r = H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &v);
	if (r < 0) lbm_note();
	if (d >= 0) H5Dclose(d);
	if (p >= 0) H5Pclose(p);
	if (sp >= 0) H5Sclose(sp);
	return r;
}

// lbm_read_text reads a scalar fixed-length string into fresh memory; NULL on failure.
static char *lbm_read_text(hid_t file, const char *path, size_t *n) {
	char *out = NULL;
	hid_t d = H5Dopen2(file, path, H5P_DEFAULT);
	if (d < 0) return NULL;
	hid_t t = H5Dget_type(d), sp = H5Dget_space(d);
	if (t >= 0 && sp >= 0 && H5Tget_class(t) == H5T_STRING && H5Tis_variable_str(t) == 0 &&
	    H5Sget_simple_extent_npoints(sp) == 1) {
		out = lbm_room(file, *n = H5Tget_size(t));
		if (out && H5Dread(d, t, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0) { free(out); out = NULL; }
	}
	if (sp >= 0) H5Sclose(sp);
	if (t >= 0) H5Tclose(t);
	H5Dclose(d);
	return out;
}

static unsigned long long lbm_offset(hid_t d) { return H5Dget_offset(d); }
*/
import "C"

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"gonum.org/v1/hdf5"
)

func quiet() { C.lbm_quiet() }

// number matches the number of the system's error in a message of the library.
var number = regexp.MustCompile(`errno = ([0-9]+)`)

// stackError adds the library's innermost message to the name of the failed operation.
func stackError(what string, cause error) error {
	buf := make([]byte, 256)
	C.lbm_error((*C.char)(unsafe.Pointer(&buf[0])))
	if msg := C.GoString((*C.char)(unsafe.Pointer(&buf[0]))); msg != "" {
		cause = errors.New(msg)
		if strings.HasPrefix(msg, "truncated file") {
			cause = errors.New("the file is truncated")
		}
		// The system's error is one word among others in the message, and is more informative alone.
		if m := number.FindStringSubmatch(msg); m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil {
				cause = syscall.Errno(n)
			}
		}
	}
	if cause == nil {
		cause = errors.New("no reason given")
	}
	return fmt.Errorf("%s: HDF5: %w", what, cause)
}

func withCString[T any](s string, f func(*C.char) T) T {
	c := C.CString(s)
	defer C.free(unsafe.Pointer(c))
	return f(c)
}

func nativeCreate(path string, o Options) (*hdf5.File, bool) {
	return adopt(withCString(path, func(p *C.char) C.hid_t {
		return C.lbm_create(p, C.hsize_t(o.UserBlock), C.hsize_t(o.Align), C.hsize_t(o.Threshold))
	}))
}

func nativeOpen(path string) (*hdf5.File, bool) {
	return adopt(withCString(path, func(p *C.char) C.hid_t { return C.lbm_open(p) }))
}

// adopt makes a gonum File of an identifier. gonum offers no such function, and
// letting it open the file a second time fails, because it cannot ask for
// unlocked access; its File is one identifier, which the check confirms.
func adopt(id C.hid_t) (*hdf5.File, bool) {
	if id < 0 {
		return nil, false
	}
	f := &hdf5.File{}
	if !identify(&f.Identifier, id) {
		C.H5Fclose(id)
		panic(notOneIdentifier)
	}
	return f, true
}

const notOneIdentifier = "h5: gonum's objects are no longer one identifier"

func identify(object *hdf5.Identifier, id C.hid_t) bool {
	if unsafe.Sizeof(*object) == unsafe.Sizeof(id) {
		*(*C.hid_t)(unsafe.Pointer(object)) = id
	}
	return object.ID() == int64(id)
}

// half returns the type of 16-bit numbers; the caller closes it.
func half() (*hdf5.Datatype, bool) {
	id := C.lbm_half()
	if id < 0 {
		return nil, false
	}
	d := &hdf5.Datatype{}
	if !identify(&d.Identifier, id) {
		C.H5Tclose(id)
		panic(notOneIdentifier)
	}
	return d, true
}

func setEarly(p *hdf5.PropList) bool { return C.lbm_early(C.hid_t(p.ID())) >= 0 }

func setVirtual(p *hdf5.PropList, dims []int, sources []Source) bool {
	if C.lbm_no_times(C.hid_t(p.ID())) < 0 {
		return false
	}
	for _, s := range sources {
		whole := slices.Equal(s.Take, s.Of)
		if !withCString(s.File, func(file *C.char) bool {
			return withCString(s.Path, func(path *C.char) bool {
				return C.lbm_map(C.hid_t(p.ID()), file, path, box(dims, s.Start, s.Size, false), box(s.Of, s.From, s.Take, whole)) >= 0
			})
		}) {
			return false
		}
	}
	return true
}

// box returns the dataspace of a box of an array.
func box(dims, start, size []int, all bool) C.hid_t {
	d, from, n := sizes(dims), sizes(start), sizes(size)
	flag := C.int(0)
	if all {
		flag = 1
	}
	return C.lbm_box(C.int(len(d)), &d[0], &from[0], &n[0], flag)
}

func sizes(v []int) []C.hsize_t {
	d := make([]C.hsize_t, len(v))
	for i := range d {
		d[i] = C.hsize_t(v[i])
	}
	return d
}

func writeConstant(file int64, path string, value uint8, dims []int) bool {
	d := sizes(dims)
	return withCString(path, func(c *C.char) bool {
		return C.lbm_constant(C.hid_t(file), c, C.uchar(value), C.int(len(d)), &d[0]) >= 0
	})
}

func writeInts(file int64, path string, v []int64, dims []int) bool {
	d := sizes(dims)
	return withCString(path, func(c *C.char) bool {
		return C.lbm_ints(C.hid_t(file), c, (*C.longlong)(unsafe.Pointer(&v[0])), C.int(len(d)), &d[0]) >= 0
	})
}

func writeReals(file int64, path string, v []float64, dims []int) bool {
	d := sizes(dims)
	return withCString(path, func(c *C.char) bool {
		return C.lbm_reals(C.hid_t(file), c, (*C.double)(unsafe.Pointer(&v[0])), C.int(len(d)), &d[0]) >= 0
	})
}

// dataOffset returns the offset of a contiguous dataset in the file, the user
// block included; false when it has no place yet.
func dataOffset(d *hdf5.Dataset) (int64, bool) {
	o := C.lbm_offset(C.hid_t(d.ID()))
	return int64(o), o != ^C.ulonglong(0)
}

// cBytes gives s at least one byte, because HDF5 has no strings of length 0.
func cBytes(s string) (*C.char, C.size_t) {
	if s == "" {
		return C.CString("\x00"), 1
	}
	return (*C.char)(C.CBytes([]byte(s))), C.size_t(len(s))
}

func writeStringAttr(obj int64, name, value string) bool {
	v, n := cBytes(value)
	defer C.free(unsafe.Pointer(v))
	utf8 := C.int(0)
	for _, b := range []byte(value) {
		if b >= 0x80 {
			utf8 = 1
		}
	}
	return withCString(name, func(c *C.char) bool { return C.lbm_string_attr(C.hid_t(obj), c, v, n, utf8) >= 0 })
}

func writeText(file int64, path, value string) bool {
	v, n := cBytes(value)
	defer C.free(unsafe.Pointer(v))
	return withCString(path, func(c *C.char) bool { return C.lbm_text(C.hid_t(file), c, v, n) >= 0 })
}

func writeLabel(file int64, path, value string) bool {
	return withCString(path, func(c *C.char) bool {
		return withCString(value, func(v *C.char) bool { return C.lbm_label(C.hid_t(file), c, v) >= 0 })
	})
}

func writeNumber(file int64, path string, value float64) bool {
	return withCString(path, func(c *C.char) bool { return C.lbm_number(C.hid_t(file), c, C.double(value)) >= 0 })
}

func readText(file int64, path string) (string, bool) {
	var n C.size_t
	return takeString(withCString(path, func(c *C.char) *C.char { return C.lbm_read_text(C.hid_t(file), c, &n) }), &n)
}

func readStringAttr(obj int64, name string) (string, bool) {
	var n C.size_t
	return takeString(withCString(name, func(c *C.char) *C.char { return C.lbm_read_string(C.hid_t(obj), c, &n) }), &n)
}

// takeString copies and frees n bytes, without the padding at the end.
func takeString(p *C.char, n *C.size_t) (string, bool) {
	if p == nil {
		return "", false
	}
	defer C.free(unsafe.Pointer(p))
	b := unsafe.Slice((*byte)(unsafe.Pointer(p)), int(*n)) // C.GoBytes ends the program from 2^31 bytes on
	for len(b) > 0 && b[len(b)-1] == 0 {
		b = b[:len(b)-1]
	}
	return string(b), true
}

// Version of the HDF5 library in use, for example "1.10.8".
func Version() string {
	var major, minor, release C.uint
	library.Lock()
	defer library.Unlock()
	if C.H5get_libversion(&major, &minor, &release) < 0 {
		return "unknown"
	}
	return fmt.Sprintf("%d.%d.%d", major, minor, release)
}

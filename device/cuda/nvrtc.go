// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

//go:build cuda

package cuda

// #cgo CFLAGS: -D_GNU_SOURCE
// #include <dlfcn.h>
// #include <stdlib.h>
//
// // The used part of nvrtc.h, which is not needed to build: its functions, the same
// // since CUDA 11.2, return 0 or the number of an error.
// typedef struct _program* program;
// typedef struct {
// 	void* library;
// 	int (*version)(int* major, int* minor);
// 	const char* (*errorString)(int);
// 	int (*archCount)(int*);
// 	int (*archs)(int*);
// 	int (*create)(program*, const char* text, const char* name, int headers, const char* const* texts, const char* const* names);
// 	int (*destroy)(program*);
// 	int (*compile)(program, int count, const char* const* options);
// 	int (*logSize)(program, size_t*);
// 	int (*log)(program, char*);
// 	int (*ptxSize)(program, size_t*);
// 	int (*ptx)(program, char*);
// 	int (*cubinSize)(program, size_t*);
// 	int (*cubin)(program, char*);
// } nvrtc;
//
// // Returns null, or why the file is of no use.
// static const char* nvrtcOpen(nvrtc* n, const char* path) {
// 	n->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
// 	if (!n->library) return dlerror();
// #define FIND(field, name) if (!(n->field = (__typeof__(n->field))dlsym(n->library, #name))) { dlclose(n->library); return "it has no " #name "; NVRTC 11.2 or newer is needed"; }
// 	FIND(version, nvrtcVersion)
// 	FIND(errorString, nvrtcGetErrorString)
// 	FIND(archCount, nvrtcGetNumSupportedArchs)
// 	FIND(archs, nvrtcGetSupportedArchs)
// 	FIND(create, nvrtcCreateProgram)
// 	FIND(destroy, nvrtcDestroyProgram)
// 	FIND(compile, nvrtcCompileProgram)
// 	FIND(logSize, nvrtcGetProgramLogSize)
// 	FIND(log, nvrtcGetProgramLog)
// 	FIND(ptxSize, nvrtcGetPTXSize)
// 	FIND(ptx, nvrtcGetPTX)
// 	FIND(cubinSize, nvrtcGetCUBINSize)
// 	FIND(cubin, nvrtcGetCUBIN)
// 	return 0;
// }
// static void nvrtcClose(nvrtc* n) { dlclose(n->library); }
// static const char* nvrtcPath(nvrtc* n) {
// 	Dl_info info;
// 	return dladdr((void*)n->version, &info) ? info.dli_fname : "";
// }
// static int nvrtcVersionOf(nvrtc* n, int* major, int* minor) { return n->version(major, minor); }
// static int nvrtcArchs(nvrtc* n, int* archs, int* count) {
// 	int r = n->archCount(count);
// 	return r ? r : n->archs(archs);
// }
// static const char* nvrtcError(nvrtc* n, int code) { return n->errorString(code); }
// static int nvrtcCreate(nvrtc* n, program* p, const char* text, const char* name) { return n->create(p, text, name, 0, 0, 0); }
// static void nvrtcDestroy(nvrtc* n, program* p) { n->destroy(p); }
// static int nvrtcCompile(nvrtc* n, program p, int count, char** options) { return n->compile(p, count, (const char* const*)options); }
// static int nvrtcLogSize(nvrtc* n, program p, size_t* size) { return n->logSize(p, size); }
// static int nvrtcLog(nvrtc* n, program p, char* text) { return n->log(p, text); }
// static int nvrtcCodeSize(nvrtc* n, program p, int real, size_t* size) { return real ? n->cubinSize(p, size) : n->ptxSize(p, size); }
// static int nvrtcCode(nvrtc* n, program p, int real, char* code) { return real ? n->cubin(p, code) : n->ptx(p, code); }
import "C"

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"lbmsim/internal/handlers"
)

// compiler is NVIDIA's run-time compiler, from whichever library is found.
type compiler struct {
	n            *C.nvrtc
	handlers     *handlers.Handlers // before it was loaded
	major, minor int
	archs        []int // of real GPUs that it knows, 90 for sm_90, rising
	path         string
	size         int64 // of the file, 0 if unknown
}

// openCompiler searches for NVRTC: preferably one that is not newer than the driver, which has to
// load the result, and that supports this GPU (90 for sm_90; 0: any); otherwise the first. 0 for
// the driver's CUDA version: none is there.
func openCompiler(driver, arch int) (*compiler, error) {
	if path := os.Getenv("LBMSIM_NVRTC"); path != "" {
		c, err := open(path)
		if err != nil {
			return nil, fmt.Errorf("LBMSIM_NVRTC: %w", err)
		}
		return c, nil
	}
	var best *compiler
	var bestFit int
	var reasons []error
	for _, path := range candidates() {
		c, err := open(path)
		if err != nil {
			// A name without a folder that is not there is no news.
			if strings.Contains(path, "/") {
				reasons = append(reasons, err)
			}
			continue
		}
		fit := 0
		if driver == 0 || c.major <= driver {
			fit += 2
		}
		if arch == 0 || slices.Contains(c.archs, arch) {
			fit++
		}
		if best != nil && fit <= bestFit {
			c.close()
			continue
		}
		if best != nil {
			best.close()
		}
		if best, bestFit = c, fit; fit == 3 {
			break
		}
	}
	if best == nil {
		why := ""
		if err := errors.Join(reasons...); err != nil {
			why = "; " + strings.ReplaceAll(err.Error(), "\n", "; ")
		}
		return nil, fmt.Errorf("NVRTC, NVIDIA's run-time compiler, is not found: load a CUDA module, set CUDA_HOME, `pip install nvidia-cuda-nvrtc-cu12`, or name libnvrtc.so.* in LBMSIM_NVRTC%s", why)
	}
	return best, nil
}

// sonames are the possible libraries; .11.2 is the name in all of CUDA 11.2 to 11.8.
var sonames = [...]string{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"}

// candidates returns the places to search for NVRTC, best first.
func candidates() []string {
	list := sonames[:]
	var dirs []string
	add := func(patterns ...string) {
		for _, p := range patterns {
			match, err := filepath.Glob(p)
			if err != nil {
				continue // a name with brackets; its files were not meant
			}
			slices.Reverse(match) // the newest first
			dirs = append(dirs, match...)
		}
	}
	for _, v := range []string{"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"} {
		if root := os.Getenv(v); root != "" {
			add(root+"/lib64", root+"/targets/*-linux/lib", root+"/lib")
		}
	}
	add("/usr/local/cuda/lib64", "/usr/local/cuda-*/lib64", "/opt/cuda/lib64")
	// Files unpacked by `make cuda-headers`, relative to bin/ and to a package's tests.
	if exe, err := os.Executable(); err == nil {
		add(filepath.Dir(exe)+"/../.build/cuda/lib", filepath.Dir(exe)+"/../lib")
	}
	add(".build/cuda/lib", "../../.build/cuda/lib")
	// pip's wheels.
	var pythons []string
	if exe, err := os.Executable(); err == nil { // the program of our own wheel
		pythons = append(pythons, filepath.Dir(exe)+"/../lib/python3*/site-packages")
	}
	for _, v := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if root := os.Getenv(v); root != "" {
			pythons = append(pythons, root+"/lib/python3*/site-packages")
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		pythons = append(pythons, home+"/.local/lib/python3*/site-packages")
	}
	pythons = append(pythons, "/usr/local/lib/python3*/dist-packages", "/usr/local/lib/python3*/site-packages", "/usr/lib/python3*/site-packages")
	for _, p := range pythons {
		add(p+"/nvidia/cu13/lib", p+"/nvidia/cuda_nvrtc/lib")
	}
	for _, d := range dirs {
		for _, name := range sonames {
			if f := filepath.Join(d, name); exists(f) {
				list = append(list, f)
			}
		}
	}
	return list
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// open loads one library.
func open(path string) (*compiler, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	n := (*C.nvrtc)(C.calloc(1, C.sizeof_nvrtc))
	own := handlers.Save()
	if why := C.nvrtcOpen(n, name); why != nil {
		err := fmt.Errorf("%s: %s", path, strings.TrimPrefix(C.GoString(why), path+": "))
		C.free(unsafe.Pointer(n))
		return nil, err
	}
	c := &compiler{n: n, handlers: own, path: C.GoString(C.nvrtcPath(n))}
	var major, minor, count C.int
	archs := make([]C.int, 256)
	code := C.nvrtcVersionOf(n, &major, &minor)
	if code == 0 {
		code = C.nvrtcArchs(n, &archs[0], &count)
	}
	if err := c.failure("asking for its version", code); err != nil {
		c.close()
		return nil, err
	}
	c.major, c.minor = int(major), int(minor)
	if file, err := os.Stat(c.path); err == nil {
		c.size = file.Size()
	}
	for _, a := range archs[:count] {
		c.archs = append(c.archs, int(a))
	}
	slices.Sort(c.archs)
	return c, nil
}

func (c *compiler) close() {
	C.nvrtcClose(c.n)
	C.free(unsafe.Pointer(c.n))
	c.n = nil
}

func (c *compiler) String() string { return fmt.Sprintf("NVRTC %d.%d (%s)", c.major, c.minor, c.path) }

func (c *compiler) failure(doing string, code C.int) error {
	if code == 0 {
		return nil
	}
	return fmt.Errorf("NVRTC (%s): %s: %s", c.path, doing, C.GoString(C.nvrtcError(c.n, code)))
}

// target returns the best option for a GPU: its own machine code, or, if the compiler is
// older than the GPU, the newest code that the driver can translate. Code for newer
// GPUs is of no use to an older one.
func (c *compiler) target(arch int) (option string, real bool, err error) {
	if slices.Contains(c.archs, arch) || len(c.archs) == 0 {
		return fmt.Sprintf("--gpu-architecture=sm_%d", arch), true, nil
	}
	known := 0
	for _, a := range c.archs {
		if a < arch {
			known = max(known, a)
		}
	}
	if known == 0 {
		return "", false, fmt.Errorf("%s makes code for sm_%d and newer, not for sm_%d: name an older one in LBMSIM_NVRTC", c, c.archs[0], arch)
	}
	return fmt.Sprintf("--gpu-architecture=compute_%d", known), false, nil
}

// compile translates a source text to a cubin, or to PTX if not real. The log holds
// the compiler's messages, also of a failure.
func (c *compiler) compile(text, name string, options []string, real bool) (code []byte, log string, err error) {
	cText, cName := C.CString(text), C.CString(name)
	defer C.free(unsafe.Pointer(cText))
	defer C.free(unsafe.Pointer(cName))
	list := unsafe.Slice((**C.char)(C.calloc(C.size_t(len(options)+1), C.size_t(unsafe.Sizeof(cText)))), len(options)+1)
	defer C.free(unsafe.Pointer(&list[0]))
	for i, o := range options {
		list[i] = C.CString(o)
		defer C.free(unsafe.Pointer(list[i]))
	}
	var p C.program
	if err := c.failure("making a program", C.nvrtcCreate(c.n, &p, cText, cName)); err != nil {
		return nil, "", err
	}
	defer C.nvrtcDestroy(c.n, &p)
	var compiled C.int
	// NVRTC has handlers of its own while it compiles, and puts Go's back without SA_ONSTACK: a later SIGTERM ends the program at once.
	c.handlers.During(func() { compiled = C.nvrtcCompile(c.n, p, C.int(len(options)), &list[0]) })
	var size C.size_t
	if C.nvrtcLogSize(c.n, p, &size) == 0 && size > 1 {
		b := make([]byte, size)
		if C.nvrtcLog(c.n, p, (*C.char)(unsafe.Pointer(&b[0]))) == 0 {
			log = strings.TrimSpace(strings.TrimRight(string(b), "\x00"))
		}
	}
	if err := c.failure("compiling "+name, compiled); err != nil {
		return nil, log, err
	}
	which := C.int(0)
	if real {
		which = 1
	}
	if err := c.failure("asking for the result", C.nvrtcCodeSize(c.n, p, which, &size)); err != nil {
		return nil, log, err
	}
	code = make([]byte, size)
	if err := c.failure("taking the result", C.nvrtcCode(c.n, p, which, (*C.char)(unsafe.Pointer(&code[0])))); err != nil {
		return nil, log, err
	}
	return code, log, nil
}

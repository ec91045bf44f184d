# SPDX-FileCopyrightText: The lbmsim authors
# SPDX-License-Identifier: BSD-3-Clause

# lbmsim: `make run` builds and runs the first example, `make help` lists the rest.
#
# lbmsim finds the MPI library of its launcher when it starts; MPI=openmpi, mpich or
# none chooses the launcher of `make run`, otherwise it is the mpirun in PATH. CUDA=none leaves
# NVIDIA GPUs out, CUDA=yes insists on them. ISA=all builds the kernels for every instruction
# set of the architecture; the default is the best one of this machine and the baseline. Where no search helps, give CUDA_HOME,
# HDF5_CFLAGS and HDF5_LDFLAGS (scripts/env.sh says how they are used).

MPI         ?= auto
CUDA        ?= auto
ISA         ?= auto
NP          ?= 2
CASE        ?= cases/examples/cavity.toml
# The example may be run again; the results of a case of your own are not lost unasked.
ARGS        ?= $(if $(filter cases/examples/% examples/%,$(CASE)),--overwrite)
PREFIX      ?= /usr/local
FUZZTIME    ?= 60s
KILLS       ?= 300
COUNT       ?= 200
STATICCHECK := v0.7.0

version := $(shell scripts/version.sh)
# env sets the flags that cgo needs, as found on this machine.
env     := env=$$(scripts/env.sh $(MPI)) && eval "$$env"

export CUDA ISA HDF5_CFLAGS HDF5_LDFLAGS NP

.PHONY: run build install setup cuda-headers test test-all test-long test-mpich test-mpis test-slurm test-gpu test-python test-notebooks dist lint fuzz mutate soak bench accuracy validate validate-short robustness robustness-short env clean distclean help test-packaging wheel test-dist docs pages test-docs release test-release
.DEFAULT_GOAL := build

run: build ## build, and run CASE=cases/examples/cavity.toml on NP=2 ranks, with ARGS=--overwrite (or --restart latest, ...)
	@scripts/setup.sh run $(MPI)
	@$(env) && if [ -n "$$LBMSIM_MPIRUN" ]; then set -x; $$LBMSIM_MPIRUN -np $(NP) bin/lbmsim "$(CASE)" $(ARGS); \
	else set -x; bin/lbmsim "$(CASE)" $(ARGS); fi

build: setup ## bin/lbmsim, for any MPI, with CUDA=auto, yes or none and ISA=auto or all
	@$(env) && scripts/build.sh bin/lbmsim "$(version)"
	@if ldd bin/lbmsim | grep -q 'libmpi'; then echo "note: HDF5 is a parallel one and brings its MPI library: the program is for that one alone"; fi

install: build ## copy the program to PREFIX=/usr/local
	install -D -m 755 bin/lbmsim "$(DESTDIR)$(PREFIX)/bin/lbmsim"

setup: ## install what is missing to build (with apt; needs root or sudo)
	@scripts/setup.sh build

cuda-headers: ## CUDA's headers and run-time compiler from PyPI, where no toolkit is installed
	@scripts/cuda.sh headers
	@scripts/cuda.sh nvrtc

test: export CUDA = yes
test: ## install what the tests need, and run all but the long ones (20 minutes on two cores)
	@scripts/setup.sh test
	@scripts/test.sh short

test-all: export CUDA = yes
test-all: lint ## all tests, including MPI libraries, SLURM, archive, wheel, packaging and documentation, and fuzzing: before a release
	@scripts/setup.sh test
	@rc=0; scripts/test.sh openmpi || rc=1; scripts/test.sh mpich || rc=1; exit $$rc
	@$(MAKE) test-release test-slurm test-mpis test-python test-notebooks test-packaging test-docs fuzz
	@$(MAKE) test-dist ROOTS="bullseye bookworm trixie jammy noble resolute"

test-long: ## the tests that the last make test has left out
	@scripts/test.sh long

test-mpich: ## the tests with MPICH alone
	@scripts/setup.sh test
	@scripts/test.sh mpich

test-mpis: export CUDA = yes
test-mpis: ## one program under many MPI libraries of Debian and PyPI, by mpirun and srun
	@scripts/setup.sh mpis
	@scripts/test-mpis.sh

test-python: build ## ruff, mypy and the tests of the Python package, with bin/lbmsim (PYTEST="-k restart": a part)
	@scripts/setup.sh python
	@scripts/test-python.sh $(PYTEST)

test-notebooks: build ## run the notebooks of the Python package, with bin/lbmsim (NOTEBOOKS=2: one of them; NOTEBOOKS=--strip: before a commit)
	@scripts/setup.sh python
	@scripts/test-notebooks.sh $(NOTEBOOKS)

test-slurm: ## try the job scripts of jobs/slurm in a SLURM of virtual nodes on this machine (as root)
	@scripts/setup.sh slurm openmpi
	@scripts/test-slurm.sh

test-packaging: ## try what computing sites install and check with: EasyBuild, modules, ReFrame, Spack's and Apptainer's files (PARTS="lint reframe": some)
	@scripts/setup.sh packaging
	@scripts/test-packaging.sh $(PARTS)

docs: ## the documentation as HTML, in .build/html
	@scripts/setup.sh docs none
	@scripts/docs.sh build

pages: ## the same, committed to the branch gh-pages beside the pages of other versions, as a release does
	@scripts/setup.sh docs none
	@scripts/docs.sh pages

test-docs: build ## the links of the HTML pages, the length of the README, and the blocks of the first pages, run with bin/lbmsim
	@scripts/setup.sh docs none
	@scripts/docs.sh check

dist wheel test-dist test-mpis test-all: export ISA = all
dist: ## the program for any Linux (glibc 2.28 or newer), packed with all that belongs to it, in dist
	@scripts/setup.sh dist none
	@scripts/dist.sh archive

wheel: ## the same program with the Python package, as a wheel for pip, in dist
	@scripts/setup.sh dist none
	@scripts/dist.sh wheel

test-dist: dist wheel ## try both on bare Debians, from glibc 2.31 and Python 3.9 on (ROOTS="jammy noble": Ubuntus; as root)
	@scripts/setup.sh roots none
	@scripts/test-dist.sh $(ROOTS)

release: ## check, date, tag and build the release of VERSION, twice, with notes, SBOM and SHA256SUMS (RELEASE=--dry-run: no commit, no tag; RELEASE=--check: no build)
	@scripts/release.sh $(RELEASE)

test-release: setup .build/staticcheck-$(STATICCHECK) ## try the release on a small repository, and the bill of materials
	@$(env) && scripts/test-release.sh

test-gpu: setup ## test all of it on a GPU: here, or packed into gpu-tests without one
	@scripts/gpu-pack.sh
	@if nvidia-smi -L >/dev/null 2>&1; then gpu-tests/gpu-test.sh --report gpu-tests/report.txt; else \
	echo "no GPU here: carry the folder gpu-tests to a machine that has one, and run gpu-tests/gpu-test.sh there;"; \
	echo "it needs no Go, leaves one report and says with its exit code whether all is well"; fi

lint: setup .build/staticcheck-$(STATICCHECK) ## gofmt, go vet, staticcheck; licences (REUSE), citation, Python
	@files=$$(git ls-files -z '*.go' | xargs -0 gofmt -l) && if [ -n "$$files" ]; then echo "not gofmt'd: $$files"; exit 1; fi
	@$(env) && go vet -tags "$$LBMSIM_TAGS" ./... && go vet ./...
	@$(env) && .build/staticcheck-$(STATICCHECK) -tags "$$LBMSIM_TAGS" ./...
	@scripts/setup.sh docs none >/dev/null && scripts/lint-other.sh
	@echo "lint: nothing found"

.build/staticcheck-%:
	@mkdir -p .build
	@echo "installing staticcheck $*" && GOBIN="$(CURDIR)/.build" GOFLAGS= go install honnef.co/go/tools/cmd/staticcheck@$*
	@mv .build/staticcheck $@

fuzz: setup ## fuzz the readers of cases, surfaces, images, checkpoints and fields for FUZZTIME=60s each
	@$(env) && scripts/fuzz.sh $(FUZZTIME)

mutate: build ## give the program COUNT=200 examples with bytes and words changed at random (SEED=1: the same again)
	@$(env) && go run -buildvcs=false ./tools/mutate -count $(COUNT) $(if $(SEED),-seed $(SEED)) $(MUTATE)

soak: build ## kill runs with kill -9 at KILLS=300 random moments, continue them, compare every file (SOAK="-seed 1": again)
	@$(env) && go build -buildvcs=false -tags "$$LBMSIM_TAGS" -o bin/soak ./tools/soak && bin/soak -kills $(KILLS) -mpirun "$${LBMSIM_MPIRUN:-mpirun}" $(SOAK)

bench: build ## measure this machine's rooflines and the models beside them
	@$(env) && bin/lbmsim bench

validate: build ## run the validation book (ONLY=regexp: a part; VALIDATE="-gpu -np 2": more), write docs/validation.md
	@$(env) && go run ./tools/validate -only '$(ONLY)' $(VALIDATE)

validate-short: build ## its short form, which the tests run, too
	@$(env) && go run ./tools/validate -short -check

robustness: build ## map what every model holds (ONLY=regexp: a part; ROBUSTNESS="-jobs 8 -long": more), write docs/models.md
	@go run ./tools/robustness -only '$(ONLY)' $(ROBUSTNESS)

robustness-short: build ## its short form, which the tests run, too
	@go run ./tools/robustness -short -check

accuracy: ## measure the errors of float32 and of 16-bit storage: the tables of docs/precision.md
	@go run ./tools/accuracy

env: ## print the shell lines that let plain go commands find HDF5 and CUDA: eval "$(make env)"
	@scripts/env.sh $(MPI)

clean: ## remove what was built and written here
	rm -rf bin out dist gpu-tests

distclean: clean ## and what was installed into .build (tools, the newest VTK)
	rm -rf .build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Functions of a glibc newer than 2.28 that lbmsim's libraries call, in terms of that
// one: scripts/old-glibc/link takes it into distributed programs. The stat family, which
// was no function of the library before 2.33, comes from 2.28's own libc_nonshared.a.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/random.h>

// Nothing of this is for the libraries that lbmsim loads: they find the system's own.
#pragma GCC visibility push(hidden)

// libstdc++ counts its references without atomics where this (2.32) is true.
char __libc_single_threaded = 0;

// Before 2.34 it was a macro for this name. The second one has to stay visible.
#pragma GCC visibility push(default)
int __res_search(const char *name, int class, int type, unsigned char *answer, int size);
#pragma GCC visibility pop

int res_search(const char *name, int class, int type, unsigned char *answer, int size) {
	return __res_search(name, class, type, answer, size);
}

// libstdc++'s random_device (2.36).
uint32_t arc4random(void) {
	uint32_t bits;
	while (getrandom(&bits, sizeof bits, 0) != sizeof bits) {
	}
	return bits;
}

struct search {
	uintptr_t pc;
	struct dl_find_object *found;
};

// in_object says whether pc lies in this object, and fills in where its unwind tables are.
static int in_object(struct dl_phdr_info *object, size_t size, void *arg) {
	struct search *s = arg;
	void *tables = NULL;
	int here = 0;
	(void)size;
	for (int i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &object->dlpi_phdr[i];
		uintptr_t start = object->dlpi_addr + p->p_vaddr;
		if (p->p_type == PT_GNU_EH_FRAME) {
			tables = (void *)start;
		} else if (p->p_type == PT_LOAD && s->pc >= start && s->pc - start < p->p_memsz) {
			here = 1;
			s->found->dlfo_map_start = (void *)start;
			s->found->dlfo_map_end = (void *)(start + p->p_memsz);
		}
	}
	s->found->dlfo_eh_frame = tables;
	return here && tables;
}

// libgcc's unwinder asks this (2.35) for the object of a program counter, and needs of the
// answer where the unwind tables are. Before it was there, the unwinder did what this does.
int _dl_find_object(void *pc, struct dl_find_object *found) {
	struct search s = {(uintptr_t)pc, found};
	return dl_iterate_phdr(in_object, &s) ? 0 : -1;
}

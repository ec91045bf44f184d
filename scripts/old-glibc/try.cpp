// SPDX-FileCopyrightText: The lbmsim authors
// SPDX-License-Identifier: BSD-3-Clause

// Goes where newer.c and the old library's own start do the work: constructors before main,
// an exception in a thread, the stat family, random bits. dist.sh and test-dist.sh run it.
#include <sys/stat.h>

#include <random>
#include <stdexcept>
#include <string>
#include <thread>

static const std::string constructed(100, 'x');

int main() {
	std::string caught;
	std::thread([&] {
		try {
			throw std::runtime_error(constructed);
		} catch (const std::exception &e) {
			caught = e.what();
		}
	}).join();
	std::random_device random;
	struct stat s;
	return caught == std::string(100, 'x') && random() != random() && stat("/", &s) == 0 && S_ISDIR(s.st_mode) ? 0 : 1;
}

# What there is to do here, each in one word. On Debian 12 with a Swift toolchain nothing else is needed beforehand:
# missing packages are installed (as root) or named.

.PHONY: help run test unit installation library feedback examples overlays lab processors sanitize soak format lint \
	warnings bench install uninstall clean

help: ## This list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

run: ## Build, and show the ring/silent switch: the machine's own, or a simulated board
	@scripts/run

test: unit installation library feedback examples overlays lab ## All tests: the unit tests, the installation, the C library, feedbackd's clients, the products, the overlays, the laboratory's

unit: ## The tests that run on any machine
	@scripts/test

installation: ## The test of what make install places, and of make uninstall
	@Tests/Install/test

library: ## C programs against what make install places
	@Tests/Library/test

feedback: ## The clients of feedbackd, with feedbackd and with ringerd
	@Tests/Feedback/test

examples: ## The products of examples/, against the peers that they meet in the field
	@Tests/PaymentSpeaker/test
	@Tests/VoIPHandset/test

overlays: ## The device-tree overlays on their boards' own trees, against the kernel's bindings
	@dts/check

lab: ## The tests on the laboratory's kernel, against real gpio, input and sound drivers
	@Tests/Lab/test

processors: ## Other processors: the rules under qemu, and all that needs no Foundation compiled for aarch64
	@Tests/Processors/test

sanitize: ## The unit tests under ThreadSanitizer and AddressSanitizer
	@scripts/sanitize

soak: ## Ten minutes of load on the service, which must be flat afterwards
	@scripts/soak

format: ## Format every Swift file
	@scripts/lint --fix

lint: ## Check the formatting
	@scripts/lint

warnings: ## Build everything from new, and fail on a warning
	@scripts/warnings

bench: ## Measure: latencies, footprint, wake-ups
	@scripts/bench

install: ## Install the command, the service, the ALSA plug-in, the library for C, and their files; PREFIX is /usr/local, DESTDIR is for packages
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' scripts/install

uninstall: ## Remove what install placed
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' scripts/install --remove

clean: ## Remove what was built here (the laboratory's kernel is in ~/.cache/ringer)
	@rm -rf .build

# What there is to do here, each in one word. On Debian 12 with a Swift toolchain nothing else is needed beforehand:
# missing packages are installed (as root) or named.

.PHONY: help run test check unit lab installation library feedback examples overlays lab-gpiod2 processors sanitize memory \
	soak format lint warnings bench install uninstall clean

help: ## This list
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

run: ## Build, and show the ring/silent switch: the machine's own, or a simulated board
	@scripts/run

test: ## The unit tests, and those on the laboratory's kernel; FILTER=Announcement runs the unit tests of that name alone
ifdef FILTER
	@scripts/test --filter '$(FILTER)'
else
	@scripts/steps unit lab
endif

check: ## All other tests: formatting and warnings, the installation, C, feedbackd's clients, products, sanitizers and more
	@SOAK=60 scripts/steps lint warnings installation library feedback examples overlays lab-gpiod2 processors memory soak sanitize

unit: ## The tests that run on any machine
	@scripts/test

lab: ## The tests on the laboratory's kernel, against real gpio, input and sound drivers
	@Tests/Lab/test --libgpiod 1

installation: ## The test of what make install places, and of make uninstall
	@Tests/Systems/Install/test

library: ## C programs against what make install places
	@Tests/Systems/Library/test

feedback: ## The clients of feedbackd, with feedbackd and with ringerd
	@Tests/Systems/Feedback/test

examples: ## The products of examples/, against the peers that they meet in the field
	@examples/PaymentSpeaker/Tests/test
	@examples/VoIPHandset/Tests/test

overlays: ## The device-tree overlays on their boards' own trees, against the kernel's bindings
	@dts/check

lab-gpiod2: ## Those of the laboratory's tests that use GPIO lines, with libgpiod 2.x
	@Tests/Lab/test --libgpiod 2 --filter '(Switch|Overflow|Motor|MotorReturn|Discovery|Hotplug|DeviceSwitch|UnreadableSwitch|DeviceSleep)Tests/'

processors: ## Other processors: the rules under qemu, and all that needs no Foundation compiled for aarch64
	@Tests/Systems/Processors/test

memory: ## Resident memory over 20,000 sounds, alerts and vibrations, which must stay flat
	@Benchmarks/Memory/run 20000

soak: ## Ten minutes of load on the service, which must be flat afterwards; SOAK=60 for a minute
	@scripts/soak $(SOAK)

sanitize: ## The unit tests under ThreadSanitizer and AddressSanitizer
	@scripts/sanitize

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

clean: ## Remove what was built here, in the packages of examples and benchmarks too (the laboratory's kernel is in ~/.cache/ringer)
	@rm -rf .build Benchmarks/.build examples/*/.build

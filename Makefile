# What there is to do here, each in one word. On Debian 12 with a Swift toolchain nothing else is needed beforehand:
# missing packages are installed (as root) or named.

.PHONY: help run test check ci unit lab lab-tool orders orders-deep orders-part mutations mutations-part installation systemd library api pipewire pipewire-figures fragments feedback field examples units overlays lab-gpiod2 processors arm arm-test lab-arm64 lab-armhf \
	arm64-link armhf-link swift-debian sanitize docs house rounds stress endurance endurance-part endurance-long month hostile fuzz dist deb packages container failing-calls failing-part detector format lint warnings warnings-elsewhere warnings-gpiod2 sanitize-part sanitize-build bench install uninstall clean

help: ## This list
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

run: ## Build, and show the ring/silent switch: the machine's own, or a simulated board
	@scripts/run

test: ## The unit tests, all orders of events, and the tests on the laboratory's kernel; FILTER=Announcement runs the unit tests of that name alone
ifdef FILTER
	@scripts/test --filter '$(FILTER)'
else
	@scripts/steps unit lab --beside orders
endif

check: ## All other tests of this day: formatting and warnings, the installation, C, feedbackd's clients, products, sanitizers and more
	@scripts/steps $(LIVE) --beside $(COMPUTING)

ci: ## All tests of this day
	@scripts/steps test $(LIVE) --beside $(COMPUTING)

# The number of the day: some tests run in part, on each day another one.
DAY := $(shell echo $$(($$(date +%s) / 86400)))
of_day = $(shell echo $$(($(DAY) % $(1))))

# What listens to devices, buses and clocks; what mostly computes, and never builds where the others run their tests.
LIVE = lint warnings installation library api docs fragments feedback pipewire field examples units lab-tool failing-part endurance-part month hostile
COMPUTING = mutations-part overlays processors
# What builds or computes much once more has one day of five.
ifeq ($(call of_day,5),0)
LIVE += lab-gpiod2
COMPUTING := warnings-gpiod2 $(COMPUTING)
else ifeq ($(call of_day,5),1)
LIVE += sanitize-part
COMPUTING := sanitize-build $(COMPUTING)
else ifeq ($(call of_day,5),2)
COMPUTING := packages $(COMPUTING)
else ifeq ($(call of_day,5),3)
COMPUTING := arm64-link armhf-link $(COMPUTING)
else
COMPUTING := warnings-elsewhere orders-part $(COMPUTING)
endif

unit: ## The tests that run on any machine; of the restarts of the service at every moment of them a quarter, on each day another one
	@RINGER_RESTARTS=$${RINGER_RESTARTS-$(call of_day,4)/4} scripts/test

lab: ## The tests on the laboratory's kernel, against real gpio, input and sound drivers
	@Tests/Lab/test --libgpiod 1

orders: ## Every order of events up to ten steps: no promise of the core is broken
	@Tests/Systems/AllOrders/test

orders-deep: ## The same, further and with other fingerprints
	@Tests/Systems/AllOrders/test deep

orders-part: ## A third of these, on each day another one
	@Tests/Systems/AllOrders/test deep $(call of_day,3)

mutations: ## Faults of the core, each of which the search of all orders has to find
	@Tests/Systems/AllOrders/test mutations

mutations-part: ## A third of these, on each day another one
	@Tests/Systems/AllOrders/test mutations $(call of_day,3)

installation: ## The test of what make install places, and of make uninstall
	@Tests/Systems/Install/test

systemd: ## The service's Debian package under systemd, udevd and logind, on the laboratory's kernel
	@Tests/Systems/Systemd/test

library: ## C programs against what make install places
	@Tests/Systems/Library/test

api: ## The Swift API against the one that is stored, packaging/abi/swift-api: nothing that breaks programs
	@scripts/api

fragments: ## Every fragment of the documents, compiled and run: it prints what its page says
	@scripts/fragments

feedback: ## The clients of feedbackd, with feedbackd and with ringerd
	@Tests/Systems/Feedback/test

pipewire: ## Programs on PipeWire obey, with Debian's versions of it, headless
	@Tests/Systems/PipeWire/test

pipewire-figures: ## Times and leaks of a thousand streams on PipeWire 1.4, on a quiet machine: half an hour; STREAMS=20 FLIPS=10 for fewer
	@STREAMS='$(STREAMS)' FLIPS='$(FLIPS)' Tests/Systems/PipeWire/test trixie -- figures processor

field: ## What users of other projects reported, tried here (Tests/Field/README.md)
	@Tests/Field/test

examples: ## The products of examples/ and ringer-mqtt, against the peers that they meet in the field
	@examples/PaymentSpeaker/Tests/test
	@examples/VoIPHandset/Tests/test
	@examples/python/test
	@mqtt/test

units: ## The systemd units of these products, on the laboratory's kernel
	@Tests/Systems/Products/test

overlays: ## The device-tree overlays on their boards' own trees, against the kernel's bindings
	@dts/check

lab-tool: ## ringer-lab, for firmware that is not Ringer's: its command, its fixture, its examples, the steps of its first page
	@lab/tests/run

lab-gpiod2: ## Those of the laboratory's tests that use GPIO lines, with libgpiod 2.x
	@Tests/Lab/test --libgpiod 2 --filter '(Switch|Overflow|Motor|MotorReturn|Discovery|Hotplug|DeviceSwitch|UnreadableSwitch|DeviceSleep)Tests/'

lab-arm64: ## The laboratory's tests on a kernel for 64-bit ARM, emulated, built with Debian's Swift
	@Tests/Lab/test --arch arm64

lab-armhf: ## The same for 32-bit ARM, built with the SDK of scripts/arm
	@Tests/Lab/test --arch armhf

failing-calls: ## Every system call of ten scenarios fails in turn, in the laboratory
	@Tests/Lab/test --libgpiod 1 --failing-calls

failing-part: ## A seventh of those calls, on each day of the week another one, and each week with another error
	@RINGER_SWEEP=every:7:$(DAY) Tests/Lab/test --libgpiod 1 --failing-calls

detector: ## The mute detector's verdicts beside the switch, in the laboratory: two hours; MEASUREMENTS=100 for some minutes
	@Benchmarks/Detector/truth $(MEASUREMENTS)

processors: ## 32-bit ARM: the rules under qemu, and the C files compiled
	@Tests/Systems/Processors/test

arm: ## Programs, the library and the products for an ARM board: SYSTEM=trixie-arm64, bookworm-arm64, trixie-armhf or bookworm-armhf
	@scripts/arm $(SYSTEM)

arm64-link: ## 64-bit ARM: the SDK's failures, Minimal and ringerd linked; under qemu the digests, the service and its plug-in
	@Tests/Systems/Arm/test trixie-arm64 sdk programs digests service

armhf-link: ## 32-bit ARM, where its SDK is in the cache: Minimal and ringerd linked; under qemu damaged sound files, odd calls, numbers of drivers
	@READERS=1000 CALLS=5000 Tests/Systems/Arm/test trixie-armhf if-cached programs readers calls drivers

arm-test: ## All tests of an ARM board's programs under qemu: SYSTEM=trixie-arm64 ...
	@Tests/Systems/Arm/test $(SYSTEM)

swift-debian: ## Build with Debian's own Swift, which may be older, and run the unit tests with it
	@scripts/swift-debian

rounds: ## Threads against a device: 100,000 rounds of each test, 10,000 under ThreadSanitizer; ROUNDS=10000 for fewer
	@scripts/rounds $(ROUNDS)

stress: ## The unit tests beside six busy loops, 20 times but for the pure targets, four at once; TIMES=2 for fewer
	@scripts/stress $(TIMES)

endurance: ## Every kind of call and event, the cheap ones 20,000 times, with variation: stack, heap, descriptors, threads, watches and cost are flat
	@Tests/Systems/Endurance/test

endurance-part: ## A third of these, on each day another one
	@Tests/Systems/Endurance/test part $(call of_day,3)

endurance-long: ## The same, ten times as long
	@Tests/Systems/Endurance/test 200000

month: ## A month of announcements, flips and interruptions in virtual time: none missed, none twice, memory flat
	@Tests/Systems/Endurance/test month

hostile: ## Three hostile users of the service, 100,000 messages each and bursts of 20,000 a second: others have what it promises
	@Tests/Systems/Hostile/test

fuzz: ## The readers of sound files against random bytes, a minute each
	@for container in caf aiff wave mp3 ogg flac; do Fuzz/run.sh $$container 60 || exit 1; done

sanitize: ## The unit tests under ThreadSanitizer and AddressSanitizer
	@scripts/sanitize

sanitize-part: ## One of the two, each time the other
	@scripts/sanitize $(SANITIZER)

sanitize-build: ## Only build it
	@scripts/sanitize --build $(SANITIZER)

SANITIZER = $(if $(filter 0,$(call of_day,2)),thread,address)

format: ## Format every Swift file
	@scripts/lint --fix

lint: ## Check the formatting
	@scripts/lint

warnings: ## Build this package with its tests, and fail on a warning
	@scripts/warnings package

warnings-elsewhere: ## The same for the packages of examples and benchmarks
	@scripts/warnings elsewhere

warnings-gpiod2: ## The same with libgpiod 2.x, as lab-gpiod2 tests it
	@scripts/warnings gpiod2

bench: ## Measure: latencies, footprint, wake-ups
	@scripts/bench

docs: ## The reference of each library, in .build/docs; every name in docs/architecture.md exists; each function of ringer.h has a manual page
	@scripts/architecture
	@Tests/Systems/Library/manual
	@scripts/docs

house: ## How the modules of Sources are divided, beside what is aimed at
	@scripts/house

dist: ## The source archive in .build/dist, which builds without git and network
	@scripts/dist

deb: ## Debian packages in .build/deb/RELEASE: bookworm (the default), trixie-amd64, trixie-arm64, trixie-armhf, bookworm-arm64, bookworm-armhf or sid
	@scripts/deb $(RELEASE)

packages: ## Debian packages of a RELEASE, installed, used, upgraded and removed in fresh roots; those of bookworm under systemd too
	@Tests/Systems/Packages/test $(RELEASE)

container: ## The image of packaging/Containerfile, built with buildah, and in it a simulated board and the tutorial of ringer-lab
	@Tests/Systems/Container/test

install: ## Install the command, the service, the ALSA plug-in, the library for C, its manual pages, and their files; PREFIX is /usr/local, DESTDIR is for packages
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' scripts/install

uninstall: ## Remove what install placed
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' scripts/install --remove

clean: ## Remove what was built here, in the packages of examples and benchmarks too (the laboratory's kernel is in ~/.cache/ringer)
	@rm -rf .build Benchmarks/.build examples/*/.build

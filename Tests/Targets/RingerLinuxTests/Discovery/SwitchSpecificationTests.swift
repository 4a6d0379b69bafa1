import RingerLinux
import RingerCore
import Testing

@Suite struct SwitchSpecificationTests {
    @Test("a specification names a switch", arguments: valid)
    func names(_ text: String, _ expected: SwitchSpecification) throws {
        #expect(try SwitchSpecification(text) == expected)
    }

    @Test("a specification written as text names the same switch", arguments: valid)
    func roundTrip(_: String, _ specification: SwitchSpecification) throws {
        #expect(try SwitchSpecification(specification.description) == specification)
    }

    private static let muteKey = EvdevCode(type: 1, code: 113)

    private static let valid: [(String, SwitchSpecification)] = [
        ("gpio:ring-silent", .gpio(.named("ring-silent"))),
        ("gpio:gpiochip0:2", .gpio(.offset(2, chip: "gpiochip0"))),
        ("gpio:/dev/gpiochip4:17", .gpio(.offset(17, chip: "/dev/gpiochip4"))),
        ("gpio:0:2", .gpio(.offset(2, chip: "0"))),
        (
            "gpio:ring-silent,active-low,bias=pull-up,debounce=5ms,inverted",
            .gpio(
                .named("ring-silent"),
                .init(isActiveLow: true, bias: .pullUp, debounce: .milliseconds(5), isInverted: true))
        ),
        ("gpio:a,debounce=500us", .gpio(.named("a"), .init(debounce: .microseconds(500)))),
        ("gpio:a,debounce=1s", .gpio(.named("a"), .init(debounce: .seconds(1)))),
        ("gpio:a,debounce=0", .gpio(.named("a"), .init(debounce: .zero))),
        ("evdev:auto", .evdev(.automatic())),
        ("evdev:/dev/input/event0", .evdev(.path("/dev/input/event0"))),
        ("evdev:auto,name=gpio-keys", .evdev(.automatic(name: "gpio-keys"))),
        ("evdev:auto,code=SW_LID,inverted", .evdev(.automatic(), code: .switch(0), isInverted: true)),
        ("evdev:auto,code=14", .evdev(.automatic())),
        ("evdev:auto,code=0x02", .evdev(.automatic(), code: .headphoneInsert)),
        ("slider:auto", .slider(.automatic())),
        (
            "slider:/dev/input/event2,settle=20ms,name=tri",
            .slider(.init(path: "/dev/input/event2", name: "tri"), settleTime: .milliseconds(20))
        ),
        ("button:gpio:mute", .button(.gpio(.named("mute")))),
        (
            "button:gpio:gpiochip0:2,active-low,bias=pull-up,debounce=30ms,cycle,long=600ms",
            .button(
                .gpio(
                    .offset(2, chip: "gpiochip0"),
                    .init(isActiveLow: true, bias: .pullUp, debounce: .milliseconds(30))),
                .init(order: .cycle, longPress: .milliseconds(600), debounce: .milliseconds(30)))
        ),
        ("button:evdev:auto,code=KEY_MUTE,toggle", .button(.evdev(.automatic(), code: muteKey))),
        (
            "button:evdev:/dev/input/event0,code=0x71,name=keys,debounce=0",
            .button(
                .evdev(.init(path: "/dev/input/event0", name: "keys"), code: muteKey),
                .init(debounce: .zero))
        ),
    ]

    @Test(
        "a specification that names nothing is refused, and the reason says why",
        arguments: [
            ("", "it begins with none of"),
            ("ring-silent", "it begins with none of"),
            ("gpio", "the line is missing"),
            ("gpio:", "the line is missing"),
            ("gpio:gpiochip0:x", "\"x\" is no line offset"),
            ("gpio:gpiochip0:-1", "\"-1\" is no line offset"),
            ("gpio::2", "the chip is missing"),
            ("gpio:a,bias=up", "\"bias=up\" is none of as-is, pull-up, pull-down, disabled"),
            ("gpio:a,debounce=10", "is no duration"),
            ("gpio:a,debounce=-1ms", "is no duration"),
            ("gpio:a,debounce=99999999999999999999ms", "is no duration"),
            ("gpio:a,debounce", "the option \"debounce\" needs a value"),
            ("gpio:a,active-low=yes", "takes no value"),
            ("gpio:a,activelow", "\"gpio\" knows no option \"activelow\""),
            ("gpio:a,", "nothing after a comma"),
            ("gpio:a,inverted,inverted", "is there twice"),
            ("evdev:", "the device is missing"),
            ("evdev:event0", "the device is missing"),
            ("evdev:auto,code=SW_NOPE", "is no switch"),
            ("evdev:auto,code=99", "is no switch"),
            ("evdev:auto,code=-1", "is no switch"),
            ("button", "it begins with none of"),
            ("button:", "a button is button:gpio: or button:evdev:"),
            ("button:mute", "a button is button:gpio: or button:evdev:"),
            ("button:slider:auto", "a button is button:gpio: or button:evdev:"),
            ("button:gpio:", "the line is missing"),
            ("button:gpio:a,inverted", "\"gpio\" knows no option \"inverted\""),
            ("button:gpio:a,long", "the option \"long\" needs a value"),
            ("button:gpio:a,long=600", "is no duration"),
            ("button:gpio:a,long=0", "is no time to hold a button"),
            ("button:gpio:a,toggle,cycle", "not both"),
            ("button:evdev:auto", "the button's key is missing"),
            ("button:evdev:auto,code=SW_LID", "is no key such as KEY_MUTE"),
            ("button:evdev:auto,code=768", "is no key such as KEY_MUTE"),
            ("gpio:a,cycle", "\"gpio\" knows no option \"cycle\""),
            ("slider:auto,inverted", "\"slider\" knows no option \"inverted\""),
        ])
    func refuses(_ text: String, _ reason: String) throws {
        let error = #expect(throws: RingerError.self) { try SwitchSpecification(text) }
        #expect(error?.code == .invalid)
        #expect(error?.subject == "\"\(text)\"")
        #expect(error?.detail?.contains(reason) == true, "\(error?.detail ?? "")")
    }
}

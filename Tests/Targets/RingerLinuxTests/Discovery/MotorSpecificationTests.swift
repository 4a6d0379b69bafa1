import RingerLinux
import RingerCore
import Testing

@Suite struct MotorSpecificationTests {
    @Test("a specification names a motor", arguments: valid)
    func names(_ text: String, _ expected: MotorSpecification) throws {
        #expect(try MotorSpecification(text) == expected)
        #expect(try MotorSpecification(expected.description) == expected)
    }

    private static let valid: [(String, MotorSpecification)] = [
        ("ff:auto", .forceFeedback(.automatic())),
        ("ff:/dev/input/event1", .forceFeedback(.path("/dev/input/event1"))),
        ("ff:auto,name=vibrator", .forceFeedback(.automatic(name: "vibrator"))),
        ("led:vibrator", .led("vibrator")),
        ("gpio:vibrator", .gpio(.named("vibrator"))),
        ("gpio:lab-bank:3,active-low", .gpio(.offset(3, chip: "lab-bank"), isActiveLow: true)),
        ("none", .none),
    ]

    @Test(
        "a specification that names nothing is refused, and the reason says why",
        arguments: [
            ("", "it begins with none of"),
            ("nothing", "it begins with none of"),
            ("ff:", "the device is missing"),
            ("led:", "the LED's name is missing"),
            ("led:../../x", "the LED's name is missing"),
            ("gpio:", "the line is missing"),
            ("gpio:a,bias=pull-up", "\"gpio\" knows no option \"bias\""),
            ("none:x", "names no device"),
            ("none,x", "\"none\" knows no option \"x\""),
        ])
    func refuses(_ text: String, _ reason: String) throws {
        let error = #expect(throws: RingerError.self) { try MotorSpecification(text) }
        #expect(error?.code == .invalid)
        #expect(error?.detail?.contains(reason) == true, "\(error?.detail ?? "")")
    }

    @Test("no motor is made of none")
    func none() throws {
        #expect(try MotorSpecification.none.make(loop: EventLoop(name: "test")) == nil)
    }
}

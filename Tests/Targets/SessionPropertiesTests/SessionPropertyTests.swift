import FourCharacterCodes
import RingerCore
import SessionProperties
import SessionRules
import Testing

@Suite("Sessions: properties")
struct SessionPropertyTests {
    static let id = SessionID(rawValue: 1)

    private func store(
        _ category: AudioCategory = .playAndRecord, _ options: CategoryOptions = []
    ) throws -> SessionPropertyStore {
        let settings = try SessionSettings(category: category, options: options)
        var publisher = SessionPropertyStore(
            session: Self.id, facts: SessionFacts(settings: settings, routeName: "Speaker"))
        try publisher.initialize()
        return publisher
    }

    /// A coordinator with an active session of this category, on a board with a jack.
    private func coordinator(_ category: AudioCategory) -> SessionCoordinator {
        var coordinator = SessionCoordinator(board: .standard)
        for event in [.make(Self.id), .setCategory(Self.id, category), .activate(Self.id)] as [SessionCoordinator.Event]
        {
            #expect(coordinator.handle(event).last == .accepted(Self.id))
        }
        return coordinator
    }

    /// The code with which a call is refused; the store must not change.
    private func refusal(
        _ publisher: SessionPropertyStore, _ body: (inout SessionPropertyStore) throws -> Void
    ) -> SessionError.Code? {
        var copy = publisher
        do { try body(&copy) } catch {
            #expect(copy == publisher)
            return (error as? SessionError)?.code
        }
        return nil
    }

    /// The properties of Audio Session Services, once more and by hand.
    static let table = """
        hwsr rw     float64
        iobd rw     float32
        acat rw     uint32
        rout read   string
        roch listen routeChange
        chsr read   float64
        chic read   uint32
        choc read   uint32
        chov read   float32
        cilt read   float32
        colt read   float32
        chbd read   float32
        othr read   uint32
        ovrd write  uint32      category,interruption,route plar
        aiav read   uint32
        died listen uint32
        duck rw     uint32      category                    ambi,medi,plar,multi
        cmix rw     uint32      category,interruption       medi,plar,multi
        cspk rw     uint32      category                    plar
        cblu rw     uint32      category                    reca,plar
        """

    @Test("the table has the 20 properties with access, type, revert rule and categories")
    func table() {
        let rows = SessionProperty.all.map { property in
            var columns = [property.code.description, property.access == .readWrite ? "rw" : property.access.rawValue]
            columns.append(property.kind.rawValue)
            let causes: [(SessionReverts, String)] = [
                (.categoryChange, "category"), (.interruption, "interruption"), (.routeChange, "route"),
            ]
            let reverts = causes.filter { property.revertsOn.contains($0.0) }.map(\.1).joined(separator: ",")
            if !reverts.isEmpty { columns.append(reverts) }
            let categories = AudioCategory.allCases.filter { property.isAllowed(in: $0) }
            if property.categories != nil {
                columns.append(categories.map { $0.code?.description ?? "multi" }.joined(separator: ","))
            }
            return columns
        }
        let expected = Self.table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(rows == expected && rows.count == 20)
        for property in SessionProperty.all {
            #expect(property.isWritable == (property.target != .none))
        }
    }

    @Test("before initialising every call is refused with !ini, and the second initialising with init")
    func initialising() throws {
        let raw = SessionPropertyStore(session: Self.id)
        for property in SessionProperty.all {
            #expect(refusal(raw) { _ = try $0.value(of: property.code) } == .notInitialized)
            #expect(refusal(raw) { _ = try $0.size(of: property.code) } == .notInitialized)
            #expect(refusal(raw) { _ = try $0.bytes(of: property.code, capacity: 64) } == .notInitialized)
            #expect(refusal(raw) { _ = try $0.set(property.code, bytes: [0, 0, 0, 0]) } == .notInitialized)
        }
        #expect(refusal(try store()) { try $0.initialize() } == .alreadyInitialized)
    }

    @Test("an unknown property, and misuse of a known one, is pty?")
    func misuse() throws {
        let publisher = try store()
        for property in SessionProperty.all {
            let read = refusal(publisher) { _ = try $0.value(of: property.code) }
            #expect(read == (property.isReadable ? nil : .unsupportedProperty), "\(property.code)")
            let bytes = [UInt8](repeating: 0, count: property.kind.size ?? 4)
            let written = refusal(publisher) { _ = try $0.set(property.code, bytes: bytes) }
            #expect((written == .unsupportedProperty) == !property.isWritable, "\(property.code)")
        }
        #expect(refusal(publisher) { _ = try $0.value(of: "none") } == .unsupportedProperty)
        #expect(refusal(publisher) { _ = try $0.size(of: "none") } == .unsupportedProperty)
        #expect(refusal(publisher) { _ = try $0.size(of: "roch") } == .unsupportedProperty)
        #expect(refusal(publisher) { _ = try $0.set("none", bytes: []) } == .unsupportedProperty)
    }

    @Test("every size but the right one is !siz when setting; when getting, only too small a buffer")
    func sizes() throws {
        let publisher = try store()
        for property in SessionProperty.all where property.isWritable {
            for count in 0...9 where count != property.kind.size {
                let bytes = [UInt8](repeating: 0, count: count)
                #expect(refusal(publisher) { _ = try $0.set(property.code, bytes: bytes) } == .badPropertySize)
            }
        }
        #expect(refusal(publisher) { _ = try $0.set("cmix", to: .float64(1)) } == .badPropertySize)
        for property in SessionProperty.all where property.isReadable {
            let size = try publisher.size(of: property.code)
            #expect(try publisher.bytes(of: property.code, capacity: size).count == size)
            #expect(try publisher.bytes(of: property.code, capacity: size + 5).count == size)
            #expect(refusal(publisher) { _ = try $0.bytes(of: property.code, capacity: size - 1) } == .badPropertySize)
        }
        #expect(try publisher.size(of: "rout") == 8 && publisher.size(of: "ovrd") == 4)
    }

    @Test(
        "an override is refused with !cat in a category that does not have it, by the publisher and by the coordinator; switching one off is not"
    )
    func categories() throws {
        for category in AudioCategory.allCases {
            let publisher = try store(category)
            for property in SessionProperty.all {
                guard let override = property.override else { continue }
                let code: SessionError.Code? = property.isAllowed(in: category) ? nil : .incompatibleCategory
                #expect(refusal(publisher) { _ = try $0.set(property.code, to: .uint32(property.onValue)) } == code)
                #expect(refusal(publisher) { _ = try $0.set(property.code, to: .uint32(0)) } == nil)
                var coordinator = coordinator(category)
                if case .refused(_, let error)? = coordinator.handle(.setOverride(Self.id, override, true)).first {
                    #expect(error.code == code)
                } else {
                    #expect(code == nil)
                }
                let off = coordinator.handle(.setOverride(Self.id, override, false))
                #expect(!off.contains { if case .refused = $0 { true } else { false } })
            }
        }
    }

    @Test("setting asks the coordinator: a category by its code, an override by any number but 0")
    func requests() throws {
        let publisher = try store()
        for (code, category) in [
            ("ambi", AudioCategory.ambient), ("uifx", .ambient), ("live", .playback), ("proc", .audioProcessing),
        ] {
            let number = try #require(FourCharacterCode(characters: code)).rawValue
            #expect(try publisher.set("acat", to: .uint32(number)) == .coordinator(.setCategory(Self.id, category)))
        }
        #expect(refusal(publisher) { _ = try $0.set("acat", to: .uint32(0)) } == .incompatibleCategory)
        #expect(try publisher.set("cmix", to: .uint32(5)) == .coordinator(.setOverride(Self.id, .mixWithOthers, true)))
        #expect(
            try publisher.set("cmix", bytes: [0, 0, 0, 0]) == .coordinator(.setOverride(Self.id, .mixWithOthers, false))
        )
        let speaker = FourCharacterCode("spkr").rawValue
        #expect(try publisher.set("ovrd", to: .uint32(speaker)) == .coordinator(.setOverride(Self.id, .speaker, true)))
        #expect(try publisher.set("ovrd", to: .uint32(0)) == .coordinator(.setOverride(Self.id, .speaker, false)))
        #expect(refusal(publisher) { _ = try $0.set("ovrd", to: .uint32(1)) } == .badParameter)
    }

    @Test("the same category set again keeps its options, as a category's property knows none")
    func sameCategory() throws {
        let publisher = try store(.playAndRecord, .mixWithOthers)
        let number = FourCharacterCode("plar").rawValue
        #expect(
            try publisher.set("acat", to: .uint32(number))
                == .coordinator(.setCategory(Self.id, .playAndRecord, options: .mixWithOthers)))
    }

    @Test("preferences are clamped, 0 means none, and NaN is refused")
    func preferences() throws {
        let publisher = try store()
        for (rate, set) in [(48_000, 48_000), (1, 8_000), (1e12, 192_000), (0, 0)] as [(Double, Double)] {
            #expect(try publisher.set("hwsr", to: .float64(rate)) == .preferSampleRate(set))
        }
        for (duration, set) in [(0.5, 0.5), (9, 2), (0.000_1, 0.001), (0, 0)] as [(Float, Double)] {
            #expect(try publisher.set("iobd", to: .float32(duration)) == .preferIOBufferDuration(set))
        }
        for bad in [Double.nan, .infinity, -.infinity, -1] {
            #expect(refusal(publisher) { _ = try $0.set("hwsr", to: .float64(bad)) } == .badParameter)
            #expect(refusal(publisher) { _ = try $0.set("iobd", to: .float32(Float(bad))) } == .badParameter)
        }
    }

    @Test("a value survives its bytes")
    func bytes() {
        let values: [SessionPropertyValue] = [.uint32(0x0102_0304), .float32(-0.1), .float64(.pi)]
        for value in values { #expect(SessionPropertyValue(value.kind, bytes: value.bytes) == value) }
        #expect(SessionPropertyValue.string("Hi").bytes == [72, 105, 0])
        #expect(SessionPropertyValue.routeChange(.override, oldRoute: "S").bytes.count == 6)
        #expect(SessionPropertyValue(.string, bytes: [72, 0]) == nil)
    }

    @Test("overrides revert as in the table, and the properties show it")
    func reverts() throws {
        let causes: [(SessionReverts, [SessionCoordinator.Event])] = [
            (.interruption, [.outsideBegan(OutsideInterruption(rawValue: 1))]),
            (.routeChange, [.route(.headphone(isInserted: true))]),
            (.categoryChange, [.setCategory(Self.id, .playback), .setCategory(Self.id, .playAndRecord)]),
        ]
        for property in SessionProperty.all {
            guard let override = property.override else { continue }
            for (cause, events) in causes {
                var coordinator = coordinator(.playAndRecord)
                _ = coordinator.handle(.setOverride(Self.id, override, true))
                for event in events { _ = coordinator.handle(event) }
                let isOn = coordinator.session(Self.id)?.settings.overrides.contains(override)
                #expect(isOn != property.revertsOn.contains(cause), "\(property.code)")
            }
        }
    }

    @Test("the codes are Apple's")
    func codes() {
        let codes: [(SessionError.Code, Int32)] = [
            (.notInitialized, 0x2169_6E69), (.alreadyInitialized, 0x696E_6974), (.initializationFailed, 0x696E_693F),
            (.unsupportedProperty, 0x7074_793F), (.badPropertySize, 0x2173_697A), (.notActive, 0x2161_6374),
            (.noHardware, 0x6E6F_6877), (.noCategorySet, 0x3F63_6174), (.incompatibleCategory, 0x2163_6174),
            (.badParameter, -50),
        ]
        for (code, number) in codes { #expect(code.rawValue == number) }
        #expect(
            SessionError(.notActive, "activate", session: Self.id, detail: "x").description
                == "session 1: cannot activate: '!act' (x)")
        #expect(SessionError(.badParameter, "set").description == "cannot set: '-50'")
        #expect(FourCharacterCode(characters: "toolong") == nil && FourCharacterCode(characters: "né!") == nil)
    }
}

/// An interface as its service describes it: what introspection shows, and what calls are checked against.
package struct BusInterface: Sendable {
    /// A named value of a method or signal.
    package struct Argument: Sendable {
        package var name: String
        package var type: String

        package init(_ name: String, _ type: String) {
            self.name = name
            self.type = type
        }
    }

    package struct Method: Sendable {
        package var name: String
        package var input: [Argument]
        package var output: [Argument]
        package var documentation: String

        package init(_ name: String, _ input: [Argument] = [], _ output: [Argument] = [], _ documentation: String) {
            self.name = name
            self.input = input
            self.output = output
            self.documentation = documentation
        }

        /// The types of its arguments.
        package var signature: String { input.map(\.type).joined() }
    }

    package struct Property: Sendable {
        package var name: String
        package var type: String
        package var isWritable: Bool
        /// Whether it stays as it is; any other emits PropertiesChanged.
        package var isConstant: Bool
        package var documentation: String

        package init(
            _ name: String, _ type: String, isWritable: Bool = false, isConstant: Bool = false, _ documentation: String
        ) {
            self.name = name
            self.type = type
            self.isWritable = isWritable
            self.isConstant = isConstant
            self.documentation = documentation
        }
    }

    package struct Signal: Sendable {
        package var name: String
        package var arguments: [Argument]
        package var documentation: String

        package init(_ name: String, _ arguments: [Argument], _ documentation: String) {
            self.name = name
            self.arguments = arguments
            self.documentation = documentation
        }
    }

    /// An error with which methods fail.
    package struct Failure: Sendable {
        package var name: String
        package var documentation: String

        package init(_ name: String, _ documentation: String) {
            self.name = name
            self.documentation = documentation
        }
    }

    package var name: String
    package var documentation: String
    package var methods: [Method]
    package var properties: [Property]
    package var signals: [Signal]
    package var failures: [Failure]

    package init(
        _ name: String, _ documentation: String, methods: [Method] = [], properties: [Property] = [],
        signals: [Signal] = [], failures: [Failure] = []
    ) {
        self.name = name
        self.documentation = documentation
        self.methods = methods
        self.properties = properties
        self.signals = signals
        self.failures = failures
    }

    package func method(_ name: String) -> Method? { methods.first { $0.name == name } }

    package func property(_ name: String) -> Property? { properties.first { $0.name == name } }

    // MARK: - Introspection

    fileprivate func write(to xml: inout String) {
        xml += "  <interface name=\"\(name)\">\n"
        document(documentation, "    ", &xml)
        for method in methods {
            xml += "    <method name=\"\(method.name)\">\n"
            document(method.documentation, "      ", &xml)
            for argument in method.input { write(argument, direction: "in", to: &xml) }
            for argument in method.output { write(argument, direction: "out", to: &xml) }
            xml += "    </method>\n"
        }
        for property in properties {
            let access = property.isWritable ? "readwrite" : "read"
            xml += "    <property name=\"\(property.name)\" type=\"\(property.type)\" access=\"\(access)\">\n"
            document(property.documentation, "      ", &xml)
            if property.isConstant {
                xml += "      <annotation name=\"org.freedesktop.DBus.Property.EmitsChangedSignal\" value=\"const\"/>\n"
            }
            xml += "    </property>\n"
        }
        for signal in signals {
            xml += "    <signal name=\"\(signal.name)\">\n"
            document(signal.documentation, "      ", &xml)
            for argument in signal.arguments { write(argument, direction: nil, to: &xml) }
            xml += "    </signal>\n"
        }
        for failure in failures { annotate(failure.name, failure.documentation, "    ", &xml) }
        xml += "  </interface>\n"
    }

    private func write(_ argument: Argument, direction: String?, to xml: inout String) {
        let direction = direction.map { " direction=\"\($0)\"" } ?? ""
        xml += "      <arg name=\"\(argument.name)\" type=\"\(argument.type)\"\(direction)/>\n"
    }

    /// Documentation is an annotation of GDBus: sd-bus and GDBus refuse data with elements or attributes that are not in the
    /// specification, and every parser skips annotations that it does not know. So are errors, under their own names.
    private func document(_ text: String, _ indent: String, _ xml: inout String) {
        if !text.isEmpty { annotate("org.gtk.GDBus.DocString", text, indent, &xml) }
    }

    private func annotate(_ name: String, _ text: String, _ indent: String, _ xml: inout String) {
        let escaped = text.replacing("&", "&amp;").replacing("<", "&lt;").replacing(">", "&gt;").replacing(
            "\"", "&quot;")
        xml += "\(indent)<annotation name=\"\(name)\" value=\"\(escaped)\"/>\n"
    }

    /// The interfaces that every object of a service has.
    fileprivate static let standard = [
        BusInterface(
            introspectable, "",
            methods: [.init("Introspect", [], [.init("xml_data", "s")], "")]),
        BusInterface(
            properties, "",
            methods: [
                .init("Get", [.init("interface_name", "s"), .init("property_name", "s")], [.init("value", "v")], ""),
                .init("GetAll", [.init("interface_name", "s")], [.init("properties", "a{sv}")], ""),
                .init(
                    "Set", [.init("interface_name", "s"), .init("property_name", "s"), .init("value", "v")], [], ""),
            ],
            signals: [
                .init(
                    "PropertiesChanged",
                    [
                        .init("interface_name", "s"), .init("changed_properties", "a{sv}"),
                        .init("invalidated_properties", "as"),
                    ], "")
            ]),
    ]

    package static let introspectable = "org.freedesktop.DBus.Introspectable"
    package static let properties = "org.freedesktop.DBus.Properties"

    /// The method of one of the two standard interfaces.
    package static func standardMethod(_ interface: String, _ name: String) -> Method? {
        standard.first { $0.name == interface }?.method(name)
    }
}

/// The introspection data of objects that have the same interfaces (D-Bus specification, "Introspection data format"). It is
/// made once: everybody on the bus may ask for it as often as they like.
package struct Introspection: Sendable {
    private let interfaces: String

    package init(_ interfaces: [BusInterface]) {
        var xml = """
            <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
            <node>

            """
        for interface in interfaces + (interfaces.isEmpty ? [] : BusInterface.standard) { interface.write(to: &xml) }
        self.interfaces = xml
    }

    /// The text for an object with these children.
    package func text(children: [String] = []) -> String {
        interfaces + children.map { "  <node name=\"\($0)\"/>\n" }.joined() + "</node>\n"
    }
}

extension String {
    /// The string with every `part` replaced.
    fileprivate func replacing(_ part: Character, _ replacement: String) -> String {
        reduce(into: "") { $0 += $1 == part ? replacement : String($1) }
    }
}

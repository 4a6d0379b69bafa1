import Ringer

/// A change of the registration, as it is printed.
struct RegistrationEvent: Sendable, Hashable {
    /// The registrar's number.
    var registrar: Int
    /// For how long it was granted; nil where it failed.
    var lifetime: Duration?
    /// Why it failed.
    var reason: String?
    var at: MonotonicTime

    private var name: String { lifetime == nil ? "unregistered" : "registered" }

    /// The event as a JSON object. `registrar` is the registrar's address.
    func json(_ registrar: String) -> String {
        Line.json(
            [("event", Line.quoted(name)), ("registrar", Line.quoted(registrar)), ("at", Line.seconds(at))]
                + (lifetime.map { [("for", Line.seconds($0))] } ?? [])
                + (reason.map { [("reason", Line.quoted($0))] } ?? []))
    }

    /// The event for people.
    func sentence(_ registrar: String) -> String {
        Line.printable(
            "\(registrar): \(name)" + (lifetime.map { ", for \(Line.seconds($0)) s" } ?? "")
                + (reason.map { ", \($0)" } ?? ""))
    }
}

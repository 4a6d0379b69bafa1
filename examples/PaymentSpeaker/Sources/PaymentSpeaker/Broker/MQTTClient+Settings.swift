extension MQTTClient {
    /// How to reach the broker, and as whom.
    struct Settings: Sendable {
        var host: String
        var port: Int
        /// The client's name for the broker, which keeps its session under it.
        var identifier: String
        /// The seconds without traffic after which the client asks whether the broker is there.
        var keepAlive = 60
        /// How long the broker keeps messages for a client that is away, in seconds.
        var sessionExpiry: UInt32 = 7 * 86_400
        /// The largest packet that the broker may send, in bytes; it drops larger ones.
        var largestPacket: UInt32 = 16_384
        var username: String?
        var password: String?
        /// The certificates that sign the broker's; nil for a connection without TLS.
        var authorities: String?
        /// The client's certificate and its key.
        var certificate: String?
        var key: String?
        /// The retained message that the broker publishes when the client is gone.
        var will = (topic: "", payload: "")
        /// The topics to subscribe to.
        var topics: [String] = []
    }

    /// A message of a subscribed topic.
    struct Message {
        var topic: String
        var payload: [UInt8]
        /// Whether the broker had kept it for later subscribers.
        var isRetained: Bool
        /// The seconds until it expires; nil if it does not.
        var expiry: UInt32?
    }

    /// What the broker says of the session when it accepts a connection.
    struct Session: Equatable {
        /// Whether it has kept the session of an earlier connection, with its subscriptions and the messages since then.
        var isPresent: Bool
        /// How long it keeps the session after the connection, in seconds.
        var expiry: UInt32
    }
}

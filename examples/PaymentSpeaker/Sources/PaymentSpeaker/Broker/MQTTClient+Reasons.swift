import CPaymentSpeaker
import Glibc

/// Why something failed, for people.
extension MQTTClient {
    /// The reason of a call's result.
    func reason(of result: CInt) -> String {
        switch mosq_err_t(rawValue: result) {
        case MOSQ_ERR_KEEPALIVE: "it has not answered for \(keepAliveTime) s"
        case MOSQ_ERR_TLS: reasonOfTLS()
        // What TLS has refused after the handshake; libmosquitto logs errors of OpenSSL alone.
        case _ where !logged.isEmpty: reasonOfTLS()
        case MOSQ_ERR_ERRNO: String(cString: strerror(errno))
        default: String(cString: mosquitto_strerror(result))
        }
    }

    /// Why TLS failed: by the check of the broker's certificate, by an error of libmosquitto, `Error: Unable to load ...`, or
    /// by one of OpenSSL, `OpenSSL Error[0]: error:0A000418:SSL routines::tlsv1 alert unknown ca`.
    private func reasonOfTLS() -> String {
        if logged.contains(where: { $0.contains("host name verification failed") }) {
            return "its certificate is for another name than \(settings.host)"
        }
        if let certificateFault { return "its certificate is not accepted: \(certificateFault)" }
        let prefix = "Error: "
        if let error = logged.last(where: { $0.hasPrefix(prefix) }) { return String(error.dropFirst(prefix.count)) }
        let text = logged.last.flatMap { $0.split(separator: ":").last } ?? "for an unknown reason"
        // The broker reports what it does not accept as an alert.
        guard let alert = text.firstRange(of: " alert ") else { return "TLS failed: \(text)" }
        return "it does not accept this client over TLS: \(text[alert.upperBound...])"
    }

    /// The sentence for a reason code with which the broker ends a connection.
    func sentence(of reason: CInt) -> String {
        switch mqtt5_return_codes(rawValue: UInt32(reason)) {
        case MQTT_RC_SESSION_TAKEN_OVER:
            "another client has taken over its session: is the same --device used twice? The client ID is "
                + settings.identifier
        case MQTT_RC_KEEP_ALIVE_TIMEOUT: "it has heard nothing for too long"
        case MQTT_RC_SERVER_SHUTTING_DOWN: "it is shutting down"
        default: String(cString: mosquitto_reason_string(reason))
        }
    }
}

import CPaymentSpeaker
import Glibc
import PaymentRules
import Ringer

/// The keys that sign notices and commands. A signed message is a JSON Web Signature in its compact form (RFC 7515), with `HS256`
/// (HMAC-SHA256) or `EdDSA` (Ed25519, RFC 8037).
struct Envelope: Sendable {
    enum Key: Sendable {
        case hmac([UInt8])
        case ed25519([UInt8])
    }

    private let device: String
    var keys: [String: Key] = [:]

    /// The keys of a file: on each line a key's name, `HS256` or `EdDSA`, and the secret or the public key in base64url.
    /// Empty lines and those that begin with # are skipped.
    ///
    /// - Parameters:
    ///   - text: The file's contents.
    ///   - path: Its path, for errors.
    ///   - device: The speaker's name, which a signed message must state.
    init(_ text: String, path: String, device: String) throws(RingerError) {
        self.device = device
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split(separator: " ")
            if words.isEmpty || line.hasPrefix("#") { continue }
            let bytes = words.count == 3 ? Base64URL.decode(words[2].utf8) : nil
            switch (words.count == 3 ? words[1] : "", bytes) {
            // RFC 7518, 3.2: a key of the hash's length or longer.
            case ("HS256", let bytes?) where bytes.count >= 32: keys[String(words[0])] = .hmac(bytes)
            case ("EdDSA", let bytes?) where bytes.count == 32: keys[String(words[0])] = .ed25519(bytes)
            default:
                throw RingerError(
                    .invalid, "read line \(index + 1)", path,
                    detail: "write NAME HS256 SECRET, 32 bytes or more in base64url, or NAME EdDSA PUBLIC-KEY, 32 bytes"
                )
            }
        }
    }

    /// The notice of a payload: signed by one of the envelope's keys, or unsigned without an envelope.
    ///
    /// - Parameter provider: The provider on whose topic it came; nil for the speaker's own. A signed notice of one topic is
    ///   not valid on another.
    /// - Throws: ``Refusal`` with the reason.
    static func open(_ payload: [UInt8], _ envelope: Envelope?, of provider: String? = nil) throws(Refusal) -> Notice {
        let object = if let envelope { try envelope.open(payload, of: provider).object } else { try object(payload) }
        return try Notice(
            transaction: object.string("transaction"), amount: object.string("amount"),
            currency: object.string("currency"), time: object.string("time"))
    }

    private static func object(_ contents: [UInt8]) throws(Refusal) -> JSONObject {
        guard let object = JSONObject(contents) else { throw Refusal("the payload is no JSON object") }
        return object
    }

    /// The object that was signed for this speaker, and the name of the key that has signed it.
    ///
    /// - Throws: ``Refusal`` with the reason.
    func open(
        _ payload: [UInt8], of provider: String? = nil
    ) throws(Refusal) -> (object: JSONObject, signer: String) {
        let (contents, signer) = try contents(payload)
        let object = try Self.object(contents)
        // A message for another speaker, replayed here.
        guard object.string("device") == (provider.map { "\(device)/\($0)" } ?? device) else {
            throw Refusal("the message is for another device", object.string("transaction"))
        }
        return (object, signer)
    }

    /// What was signed, and by which key, if the signature is right.
    private func contents(_ payload: [UInt8]) throws(Refusal) -> (contents: [UInt8], signer: String) {
        let parts = payload.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(parts[0]).flatMap({ JSONObject($0) }),
            let contents = Base64URL.decode(parts[1]), let signature = Base64URL.decode(parts[2])
        else { throw Refusal("the message is not signed") }
        // RFC 7515, 4.1.11: a signature with extensions that are not understood is not valid.
        if header.has("crit") { throw Refusal("the header has extensions") }
        guard let name = header.string("kid"), let key = keys[name] else { throw Refusal("the key is unknown") }
        let signed = Array(payload[..<parts[1].endIndex])
        // The key decides the algorithm: the header may come from anyone.
        switch (key, header.string("alg")) {
        case (.hmac(let secret), "HS256"):
            guard Self.isHMAC(signature, of: signed, secret) else { throw Refusal("the signature is wrong") }
        case (.ed25519(let publicKey), "EdDSA"):
            guard Self.isEd25519(signature, of: signed, publicKey) else { throw Refusal("the signature is wrong") }
        default: throw Refusal("the key is for another algorithm")
        }
        return (contents, name)
    }

    private static func isHMAC(_ signature: [UInt8], of signed: [UInt8], _ secret: [UInt8]) -> Bool {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        guard HMAC(EVP_sha256(), secret, CInt(secret.count), signed, signed.count, &digest, &length) != nil,
            signature.count == Int(length)
        else { return false }
        return CRYPTO_memcmp(signature, digest, signature.count) == 0
    }

    private static func isEd25519(_ signature: [UInt8], of signed: [UInt8], _ publicKey: [UInt8]) -> Bool {
        let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, publicKey, publicKey.count)
        let context = EVP_MD_CTX_new()
        defer {
            EVP_MD_CTX_free(context)
            EVP_PKEY_free(key)
        }
        guard let key, let context, EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1 else { return false }
        return EVP_DigestVerify(context, signature, signature.count, signed, signed.count) == 1
    }
}

/// Base64 for addresses, without padding: RFC 4648, section 5.
enum Base64URL {
    /// The bytes of `text`; nil if it is not such a text.
    static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        var (bytes, bits, count) = ([UInt8](), UInt32(0), 0)
        for character in text {
            let value: UInt8
            switch character {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = character - UInt8(ascii: "A")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = character - UInt8(ascii: "a") + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = character - UInt8(ascii: "0") + 52
            case UInt8(ascii: "-"): value = 62
            case UInt8(ascii: "_"): value = 63
            default: return nil
            }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        // What is left over is less than a character, and zero.
        return count < 6 && bits & (1 << UInt32(count) - 1) == 0 ? bytes : nil
    }
}

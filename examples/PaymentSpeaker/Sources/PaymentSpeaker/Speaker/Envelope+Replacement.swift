import CPaymentSpeaker
import PaymentRules

extension Envelope {
    /// A key that takes the place of another.
    struct Replacement: Sendable, Hashable {
        /// The name and the digest of the key that it replaces: another key of that name stays.
        var oldName: String
        var oldDigest: String
        var name: String
        /// A public key of Ed25519, in base64url.
        var publicKey: String
    }

    /// The replacement of a key. The new one is a public key, because everybody who may read the topic sees it.
    ///
    /// - Throws: ``Refusal`` with the reason.
    func replacement(of old: String, by name: String?, _ publicKey: String?) throws(Refusal) -> Replacement {
        guard let name, (1...64).contains(name.utf8.count), !name.contains(where: \.isWhitespace) else {
            throw Refusal("name is not a word of 1 to 64 bytes")
        }
        guard let publicKey, Base64URL.decode(publicKey.utf8)?.count == 32 else {
            throw Refusal("key is not a public key of Ed25519 in base64url")
        }
        guard name == old || keys[name] == nil else { throw Refusal("another key has that name") }
        guard let key = keys[old] else { throw Refusal("the key is unknown") }
        return Replacement(oldName: old, oldDigest: key.digest, name: name, publicKey: publicKey)
    }

    /// Replaces a key, if it is among the keys.
    mutating func apply(_ replacement: Replacement) {
        guard let bytes = Base64URL.decode(replacement.publicKey.utf8),
            keys[replacement.oldName]?.digest == replacement.oldDigest
        else { return }
        keys[replacement.oldName] = nil
        keys[replacement.name] = .ed25519(bytes)
    }
}

extension Envelope.Key {
    /// SHA-256 of the key, in hexadecimal.
    var digest: String {
        let bytes =
            switch self {
            case .hmac(let secret): secret
            case .ed25519(let publicKey): publicKey
            }
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        // It fails for want of memory alone; what was not made equals no digest.
        guard EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha256(), nil) == 1 else { return "" }
        return digest.prefix(Int(length)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

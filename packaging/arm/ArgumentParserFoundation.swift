// What ArgumentParser uses of Foundation, without Foundation: scripts/arm places this file in it, since Swift's libraries for
// boards are without that.

extension Error {
  func describe() -> String { String(describing: self) }
}

enum JSONEncoder {
  /// Text with sorted keys, an entry on each line.
  static func encode<T: Encodable>(_ value: T) -> String {
    let node = JSONNode()
    do { try node.set(value) } catch { return "" }
    return node.text(indented: "")
  }
}

/// A value of JSON while it is encoded: containers that are open write to the same one.
private final class JSONNode {
  enum Content {
    case scalar(String)
    case array([JSONNode])
    case object([String: JSONNode])
  }

  var content = Content.object([:])

  func set<T: Encodable>(_ value: T) throws {
    switch value {
    case let value as String: content = .scalar(Self.quoted(value))
    case let value as Bool: content = .scalar(value ? "true" : "false")
    case let value as any BinaryInteger: content = .scalar(String(describing: value))
    default: try value.encode(to: JSONNodeEncoder(node: self))
    }
  }

  func member(_ key: any CodingKey) -> JSONNode {
    let member = JSONNode()
    if case .object(var members) = content {
      members[key.stringValue] = member
      content = .object(members)
    } else {
      content = .object([key.stringValue: member])
    }
    return member
  }

  func element() -> JSONNode {
    let element = JSONNode()
    if case .array(let elements) = content {
      content = .array(elements + [element])
    } else {
      content = .array([element])
    }
    return element
  }

  func text(indented indentation: String) -> String {
    let inner = indentation + "  "
    func lines(_ opening: String, _ entries: [String], _ closing: String) -> String {
      if entries.isEmpty { return opening + closing }
      return "\(opening)\n\(inner)\(entries.joined(separator: ",\n\(inner)"))\n\(indentation)\(closing)"
    }
    switch content {
    case .scalar(let text): return text
    case .array(let elements): return lines("[", elements.map { $0.text(indented: inner) }, "]")
    case .object(let members):
      let entries = members.sorted { $0.key < $1.key }
      return lines("{", entries.map { "\(Self.quoted($0.key)) : \($0.value.text(indented: inner))" }, "}")
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case _ where scalar.value < 32:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

private struct JSONNodeEncoder: Encoder {
  let node: JSONNode
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(JSONKeyedContainer(node: node))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.content = .array([])
    return JSONUnkeyedContainer(node: node)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { JSONSingleContainer(node: node) }
}

private struct JSONKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: JSONNode
  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) { node.member(key).content = .scalar("null") }
  func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try node.member(key).set(value) }

  func nestedContainer<NestedKey>(keyedBy type: NestedKey.Type, forKey key: Key) -> KeyedEncodingContainer<NestedKey> {
    JSONNodeEncoder(node: node.member(key)).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    JSONNodeEncoder(node: node.member(key)).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { JSONNodeEncoder(node: node) }
  func superEncoder(forKey key: Key) -> any Encoder { JSONNodeEncoder(node: node.member(key)) }
}

private struct JSONUnkeyedContainer: UnkeyedEncodingContainer {
  let node: JSONNode
  var codingPath: [any CodingKey] { [] }
  var count: Int { if case .array(let elements) = node.content { elements.count } else { 0 } }

  func encodeNil() { node.element().content = .scalar("null") }
  func encode<T: Encodable>(_ value: T) throws { try node.element().set(value) }

  func nestedContainer<NestedKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
    JSONNodeEncoder(node: node.element()).container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { JSONNodeEncoder(node: node.element()).unkeyedContainer() }
  func superEncoder() -> any Encoder { JSONNodeEncoder(node: node.element()) }
}

private struct JSONSingleContainer: SingleValueEncodingContainer {
  let node: JSONNode
  var codingPath: [any CodingKey] { [] }

  func encodeNil() { node.content = .scalar("null") }
  func encode<T: Encodable>(_ value: T) throws { try node.set(value) }
}

"""Messages of the classes that RFC 4475 names, written for these tests: parsers that are not careful fail on them."""

SDP = ("v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 40000 RTP/AVP 0\r\n"
       "a=rtpmap:0 PCMU/8000\r\n")


MULTIPART = 'multipart/mixed;boundary="a boundary"'


def multipart(description, kind="application/sdp"):
    """A body of two parts, of which the second is the description."""
    return ("a preamble\r\n--a boundary\r\nContent-Type: text/plain\r\n\r\nno description\r\n--a boundary\r\n"
            f"Content-Disposition: session\r\ncontent-type:  {kind}\r\n\r\n{description}\r\n--a boundary--\r\n")


def messages(port):
    """Pairs of a name and the bytes."""
    def invite(name, line=None, via=None, sender=None, to=None, call=None, cseq="1 INVITE", contact=None, forwards="70",
               length=None, kind="application/sdp", extra="", body=SDP, end="\r\n"):
        address = f"sip:handset@127.0.0.1:{port}"
        lines = [
            line or f"INVITE {address} SIP/2.0",
            f"Via: {via or f'SIP/2.0/UDP 127.0.0.1:9;branch=z9hG4bK-{name}'}",
            f"From: {sender or '<sip:a@127.0.0.1:9>;tag=a'}",
            f"To: {to or f'<{address}>'}",
            f"Call-ID: {call or f'malformed-{name}'}",
            f"CSeq: {cseq}",
            f"Contact: {contact or '<sip:a@127.0.0.1:9>'}",
            f"Max-Forwards: {forwards}",
            f"Content-Type: {kind}",
            None if length == "" else f"Content-Length: {len(body) if length is None else length}",
        ]
        text = end.join(line for line in lines if line) + end + extra + end + body
        return name, text.encode("utf-8", "surrogateescape")

    nul = "\0"
    return [
        # 3.1.2: what no parser may take.
        invite("separators", via="SIP/2.0/UDP 127.0.0.1:9;;branch=z9hG4bK-x;;,,", contact='"" <> ;;,;,,'),
        invite("length-beyond", length=99999),
        invite("length-negative", length=-999),
        invite("length-huge", length=99999999999999999999),
        invite("length-missing", length=""),
        invite("length-empty", length=" "),
        invite("cseq-overflow", cseq="36893488147419103232 INVITE"),
        invite("cseq-other-method", cseq="1 OPTIONS"),
        invite("cseq-letters", cseq="one INVITE"),
        invite("quote-open", to='"the handset <sip:handset@127.0.0.1>'),
        invite("uri-in-brackets", line=f"INVITE <sip:handset@127.0.0.1:{port}> SIP/2.0"),
        invite("uri-with-blank", line=f"INVITE sip:handset@127.0.0.1; lr SIP/2.0"),
        invite("line-with-blanks", line=f"INVITE  sip:handset@127.0.0.1:{port}  SIP/2.0"),
        invite("line-trailing", line=f"INVITE sip:handset@127.0.0.1:{port} SIP/2.0  "),
        invite("escaped-headers", line=f"INVITE sip:handset@127.0.0.1?Route=%3Csip:x%3E SIP/2.0"),
        invite("time-zone", extra="Date: Fri, 01 Jan 2010 16:00:00 EST\r\n"),
        invite("address-unquoted", sender="Bell, Alexander <sip:a@127.0.0.1:9>;tag=a"),
        invite("address-extra", to="<sip:handset@127.0.0.1>;tag=;;=x"),
        invite("version", line=f"INVITE sip:handset@127.0.0.1:{port} SIP/7.0"),
        invite("version-huge", line=f"INVITE sip:handset@127.0.0.1:{port} SIP/99999999999.0"),
        invite("via-unknown", via="SIP/2.0/CARRIERPIGEON 127.0.0.1:9;branch=z9hG4bK-pigeon"),
        invite("via-empty", via=" "),
        invite("via-port", via="SIP/2.0/UDP 127.0.0.1:99999999;branch=z9hG4bK-port"),
        invite("via-host", via="SIP/2.0/UDP [::::1;branch=z9hG4bK-host"),
        invite("status-overflow", line="SIP/2.0 4294967301 better not", cseq="1 INVITE"),
        invite("status-negative", line="SIP/2.0 -1 no"),
        invite("status-unknown", line="SIP/2.0 199 unasked"),
        # 3.2: transactions.
        invite("branch-missing", via="SIP/2.0/UDP 127.0.0.1:9"),
        invite("branch-empty", via="SIP/2.0/UDP 127.0.0.1:9;branch=z9hG4bK"),
        # 3.3: what an application must refuse.
        invite("headers-missing", sender=" ", to=" ", call=" "),
        ("headers-none", f"INVITE sip:handset@127.0.0.1:{port} SIP/2.0\r\n\r\n".encode()),
        invite("scheme-unknown", line="INVITE nobody:handset@127.0.0.1 SIP/2.0"),
        invite("scheme-sips", line=f"INVITE sips:handset@127.0.0.1:{port} SIP/2.0"),
        invite("require", extra="Require: nothing-of-the-kind\r\nProxy-Require: neither\r\n"),
        invite("content-type", kind="application/unknown", body="<a/>"),
        invite("content-encoding", extra="Content-Encoding: gzip\r\n", body="\x1f\x08\0\0"),
        invite("multipart", kind="multipart/mixed;boundary=x", body="--x\r\nContent-Type: text/plain\r\n\r\nno end"),
        invite("values-twice", extra="CSeq: 2 INVITE\r\nCall-ID: another\r\nTo: <sip:b@c>\r\nFrom: <sip:d@e>;tag=f\r\n"),
        invite("length-twice", extra="Content-Length: 5\r\n"),
        invite("forwards-zero", forwards="0", cseq="1 BYE"),
        invite("forwards-huge", forwards="99999999999"),
        invite("dialog-unknown", to="<sip:handset@127.0.0.1>;tag=nobody"),
        invite("register-star", line=f"REGISTER sip:127.0.0.1:{port} SIP/2.0", cseq="1 REGISTER", contact="*"),
        invite("method-unknown", line=f"!interesting-Method0123456789_*+`.%indeed'~ sip:handset@127.0.0.1:{port} SIP/2.0",
               cseq="1 !interesting-Method0123456789_*+`.%indeed'~"),
        invite("cancel-unknown", line=f"CANCEL sip:handset@127.0.0.1:{port} SIP/2.0", cseq="1 CANCEL", body=""),
        invite("bye-unknown", line=f"BYE sip:handset@127.0.0.1:{port} SIP/2.0", cseq="1 BYE", body=""),
        invite("ack-unknown", line=f"ACK sip:handset@127.0.0.1:{port} SIP/2.0", cseq="1 ACK", body=""),
        # 3.4: of RFC 2543, and beyond.
        invite("tag-missing", sender="<sip:a@127.0.0.1:9>"),
        invite("line-feeds", end="\n"),
        invite("zero-bytes", sender=f'"{nul}{nul}" <sip:a{nul}@127.0.0.1:9>;tag=a{nul}', call=f"a{nul}b"),
        invite("not-utf-8", sender='"\udcff\udcfe" <sip:a@127.0.0.1:9>;tag=a', call="\udcff\udcfe\udc80"),
        invite("control", sender='"\x1b[2J\x07" <sip:a@127.0.0.1:9>;tag=a', call="\x1b[31m\x07"),
        invite("long-name", call="c" * 8000, sender=f"<sip:{'u' * 8000}@127.0.0.1:9>;tag={'t' * 8000}"),
        invite("many-headers", extra="X: y\r\n" * 5000),
        invite("many-vias", extra="Via: SIP/2.0/UDP 127.0.0.1:9;branch=z9hG4bKx\r\n" * 1000),
        invite("folded", extra="Subject: a\r\n b\r\n\tc\r\n" * 100),
        # Descriptions.
        invite("sdp-none", body="", length=0),
        invite("sdp-rubbish", body="rubbish\r\n"),
        invite("sdp-no-codec", body=SDP.replace("RTP/AVP 0", "RTP/AVP 99").replace("rtpmap:0 PCMU", "rtpmap:99 none")),
        invite("sdp-no-media", body="v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n"),
        invite("sdp-port-zero", body=SDP.replace("40000", "0")),
        invite("sdp-port-huge", body=SDP.replace("40000", "4000000000")),
        invite("sdp-address", body=SDP.replace("IP4 127.0.0.1\r\nt", "IP4 999.1.2.3.4.5\r\nt")),
        invite("sdp-many-media", body=SDP + "m=audio 40000 RTP/AVP 0\r\n" * 300),
        invite("sdp-many-formats", body=SDP.replace("RTP/AVP 0", "RTP/AVP " + " ".join(map(str, range(128))) * 20)),
        invite("sdp-long-line", body=SDP + "a=" + "x" * 20000 + "\r\n"),
        # No SIP at all.
        ("empty", b"\r\n\r\n\r\n\r\n"),
        ("nothing-but-zeros", bytes(1200)),
        ("stun", bytes.fromhex("000100002112a442") + bytes(12)),
        ("http", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("half", f"INVITE sip:handset@127.0.0.1:{port} SIP/2.0\r\nVia: SIP/2.0/UDP 127".encode()),
    ]

"""Run by ../test_bench.py over a connection with a terminal."""


def test_input_and_end(lab):
    cat = lab.firmware("sh", "-c", "echo ready; while read -r x; do echo got $x; done", ready="ready")
    cat.input("hello\n")
    cat.wait_for("got hello", within=2)
    assert cat.output == "ready\ngot hello"
    cat.signal("SIGINT")
    assert cat.wait() == -2

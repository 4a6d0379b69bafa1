"""junit.xml of a run that did not end: the tests before, and an error for the one at which it stopped."""

import os
import xml.etree.ElementTree as xml


def parts_of(nodeid):
    """A test's id in parts: its file, its classes, and its name with what it was parametrised with."""
    path, _, rest = nodeid.partition("::")
    names, bracket, parameters = rest.partition("[")
    *classes, name = names.split("::")
    return [path, *classes, name + bracket + parameters]


def write_unfinished(path, classname, name, message, before=None):
    """Writes junit.xml with the results in the file `before`, and an error of one more test; whole or not at all."""
    if before:
        root = xml.parse(before).getroot()
    else:
        root = xml.Element("testsuites")
        xml.SubElement(root, "testsuite", name="pytest", errors="0", failures="0", skipped="0", tests="0", time="0.000")
    suite = root.find("testsuite")
    for count in ("errors", "tests"):
        suite.set(count, str(int(suite.get(count)) + 1))
    case = xml.SubElement(suite, "testcase", classname=classname, name=name, time="0.000")
    xml.SubElement(case, "error", message=message)
    part = f"{path}.part"
    with open(part, "wb") as file:
        xml.ElementTree(root).write(file, encoding="utf-8", xml_declaration=True)
    os.replace(part, path)


def follow(config, item):
    """Makes junit.xml tell, while the test runs, that the laboratory was switched off in it: then nothing else would."""
    writer = next((plugin for plugin in config.pluginmanager.get_plugins() if type(plugin).__name__ == "LogXML"), None)
    if writer is None:
        return
    path, before = writer.logfile, f"{os.environ['TMPDIR']}/junit.xml"
    file, *classes, name = parts_of(item.nodeid)
    classname = ".".join([file.removesuffix(".py").replace("/", "."), *classes])
    try:
        writer.logfile = before
        writer.pytest_sessionfinish()
        write_unfinished(path, classname, name, "the laboratory was switched off before the end of this test", before)
    except OSError:
        pass  # pytest, which writes the same file at its end, says why
    finally:
        writer.logfile = path

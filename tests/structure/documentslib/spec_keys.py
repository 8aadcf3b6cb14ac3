"""The keys of the spec's language, by the program's JSON schema: each stands in its section of docs/spec.md."""
import json
import re

PAGE = "docs/spec.md"


def schema_of(dfrun):
    code, text = dfrun("ops", "--json-schema")
    if code != 0:
        raise SystemExit(f"dfrun ops --json-schema: {text}")
    return json.loads(text)


def keys_of(schema):
    """All keys of a section's value, at any depth. Definitions, as those of nodes, are not followed."""
    keys = set(schema.get("properties", {}))
    inner = list(schema.get("properties", {}).values()) + schema.get("anyOf", [])
    inner += [schema[name] for name in ("items", "additionalProperties") if name in schema]
    for each in inner:
        if isinstance(each, dict):
            keys |= keys_of(each)
    return keys


def part_of(document, section):
    """The text of the part of the page whose heading names the section, code blocks included."""
    begin = next((line for line, level, text in document.headings
                  if level == 2 and section in re.findall(r"\w+", text)), None)
    if begin is None:
        return None, 1
    end = next((line for line, level, _ in document.headings if level == 2 and line > begin), 10 ** 9)
    text = [line.text for line in document.prose if begin <= line.number < end]
    text += [line for fence in document.fences if begin < fence.line < end for line in fence.body]
    return "\n".join(text), begin


def keys_by_section(schema):
    """{section: its keys, or its own name where it has a plain value}. Keys of nodes are those of `graph`."""
    keys = {section: keys_of(value) or {section} for section, value in schema["properties"].items()}
    keys["graph"] = set().union(*(keys_of(schema["definitions"][form]) for form in ("op.Variable", "op.Cond", "op.While")))
    return keys


def check_keys(documents, schema):
    """Gives how many keys there are."""
    if PAGE not in documents:
        return 0
    page, count = documents[PAGE], 0
    for section, keys in keys_by_section(schema).items():
        text, line = part_of(page, section) if keys != {section} else ("\n".join(each.text for each in page.prose), 1)
        if text is None:
            page.find(1, f"no heading names the section '{section}'")
            continue
        for key in sorted(keys):
            count += 1
            if not re.search(rf"(?<![\w-]){re.escape(key)}(?![\w-])", text):
                page.find(line, f"the key '{key}' of the section '{section}' is not explained here")
    return count

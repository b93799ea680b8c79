"""What schemathesis cannot know by itself: how to send a zip archive, and which answers hold which ids."""

import io
import zipfile

import schemathesis

MAKERS = {
    "skills": [("/api/v1/skills", "post", "201", "/skill/id"), ("/api/v1/skills", "get", "200", "/items/0/id")],
    "agents": [("/api/v1/agents", "post", "201", "/id"), ("/api/v1/agents", "get", "200", "/items/0/id")],
    "users": [("/api/v1/users", "post", "201", "/id")],
    "tokens": [("/api/v1/tokens", "post", "201", "/id")],
}


@schemathesis.hook
def before_load_schema(context, raw_schema) -> None:
    """Links from the operations that make things to those that ask for them, in the copy that is read here."""
    for path, operations in raw_schema["paths"].items():
        kind, _, rest = path.removeprefix("/api/v1/").partition("/")
        if not rest.startswith("{id}"):
            continue
        for operation in operations.values():
            for maker, method, status, pointer in MAKERS[kind]:
                links = raw_schema["paths"][maker][method]["responses"][status].setdefault("links", {})
                links[operation["operationId"]] = {
                    "operationId": operation["operationId"],
                    "parameters": {"path.id": f"$response.body#{pointer}"},
                }


def archive(skill: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("drawn/SKILL.md", b"---\nname: drawn\ndescription: Drawn.\n---\n" + skill)
    return buffer.getvalue()


@schemathesis.serializer("application/zip")
def as_zip(context, value) -> bytes:
    """Bytes of an odd length go as they are, which is almost never an archive; others become the text of a skill."""
    data = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
    return data if len(data) % 2 else archive(data)

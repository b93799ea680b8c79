"""What schemathesis cannot know by itself: how to send a zip archive, which answers hold which ids, what must stay."""

import io
import os
import zipfile

import schemathesis

# Where ids of a kind come from, and where in the answer they stand.
MAKERS = {
    "skills": [("/api/v1/skills", "post", "201", "/skill/id"), ("/api/v1/skills", "get", "200", "/items/0/id")],
    "agents": [("/api/v1/agents", "post", "201", "/id"), ("/api/v1/agents", "get", "200", "/items/0/id")],
    "users": [("/api/v1/users", "post", "201", "/id")],
    "tokens": [("/api/v1/tokens", "post", "201", "/id")],
    "runs": [("/api/v1/skills/{id}/runs", "post", "201", "/id"), ("/api/v1/runs", "get", "200", "/items/0/id")],
    "governance/runs": [
        ("/api/v1/governance/runs", "post", "201", "/run/id"),
        ("/api/v1/governance/runs", "get", "200", "/items/0/id"),
    ],
    "governance/decisions": [
        ("/api/v1/governance/judge", "post", "200", "/decision_id"),
        ("/api/v1/governance/decisions", "get", "200", "/items/0/id"),
    ],
    "sessions": [("/api/v1/sessions", "post", "201", "/id"), ("/api/v1/sessions", "get", "200", "/items/0/id")],
    "code/sessions": [("/code/execute", "post", "200", "/session_id"), ("/files/upload", "post", "200", "/session_id")],
}

# What there is to be run and read, and who else may touch it; all others would put it away.
KEPT = {os.environ["TEST_ECHO"], os.environ["TEST_SESSION_1"]}
KEEPERS = {"run_skill", "check_determinism", "execute_code", "interpret", "post_download_file", "upload_files"}


@schemathesis.hook
def filter_case(context, case) -> bool:
    if case.method.upper() == "GET" or case.operation.definition.raw["operationId"] in KEEPERS:
        return True
    body = case.body if isinstance(case.body, dict) else {}
    named = [(case.path_parameters or {}).get("id"), body.get("session_id")]
    return not any(isinstance(one, str) and one in KEPT for one in named)


@schemathesis.hook
def before_load_schema(context, raw_schema) -> None:
    """Links from the operations that make things to those that ask for them, in the copy that is read here."""
    for path, operations in raw_schema["paths"].items():
        before, named, _ = path.partition("/{id}")
        for operation in operations.values():
            if named:
                link(raw_schema, operation, before.removeprefix("/api/v1").strip("/"), "path.id")
            if any(parameter["name"] == "session_id" for parameter in operation.get("parameters", [])):
                link(raw_schema, operation, "code/sessions", "query.session_id")
            elif "session_id" in body_fields(raw_schema, operation):
                link(raw_schema, operation, "code/sessions", None)


def link(raw_schema, operation, kind: str, parameter: str | None) -> None:
    """Links that put an id into a parameter, or without one into the `session_id` of the body."""
    for path, method, status, pointer in MAKERS[kind]:
        links = raw_schema["paths"][path][method]["responses"][status].setdefault("links", {})
        value = f"$response.body#{pointer}"
        taken = {"parameters": {parameter: value}} if parameter else {"requestBody": {"session_id": value}}
        links[f"{operation['operationId']} {parameter}"] = {"operationId": operation["operationId"], **taken}


def body_fields(raw_schema, operation) -> dict:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    schema = content.get("schema", {})
    # One that may be left out is either nothing or what is meant.
    for choice in [schema, *schema.get("oneOf", [])]:
        if "$ref" in choice:
            return raw_schema["components"]["schemas"][choice["$ref"].rpartition("/")[2]].get("properties", {})
    return {}


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

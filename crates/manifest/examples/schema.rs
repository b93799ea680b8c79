//! Prints the JSON Schema of `repertoire.yaml`, for `docs/repertoire.schema.json`.

fn main() -> Result<(), serde_json::Error> {
    println!("{}", serde_json::to_string_pretty(&repertoire_manifest::sidecar_schema())?);
    Ok(())
}

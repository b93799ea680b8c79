//! The media types of files, read off their names.

/// What a file's name says about its bytes.
pub fn media_type(name: &str) -> &'static str {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    match ending.as_str() {
        "md" | "markdown" => "text/markdown",
        "py" => "text/x-python",
        "js" | "mjs" => "text/javascript",
        "sh" | "bash" => "application/x-sh",
        "css" => "text/css",
        "json" | "map" => "application/json",
        "yaml" | "yml" => "application/yaml",
        "toml" => "application/toml",
        "txt" => "text/plain",
        "csv" => "text/csv",
        "xml" => "application/xml",
        "html" | "htm" => "text/html",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "ico" => "image/x-icon",
        "svg" => "image/svg+xml",
        "woff2" => "font/woff2",
        "webmanifest" => "application/manifest+json",
        "wasm" => "application/wasm",
        "gz" => "application/gzip",
        "pdf" => "application/pdf",
        "zip" => "application/zip",
        _ => "application/octet-stream",
    }
}

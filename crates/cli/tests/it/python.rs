//! Python environments: made, listed, removed.

use crate::world::World;

/// A package of our own, so that nothing has to be downloaded.
fn package(world: &World) {
    world.write(
        "pkg/pyproject.toml",
        "[build-system]\nrequires = []\nbuild-backend = \"backend\"\nbackend-path = [\".\"]\n\
         [project]\nname = \"tiny\"\nversion = \"1.0\"\n",
    );
    let backend = r"
import os, zipfile
def build_wheel(folder, config_settings=None, metadata_directory=None):
    name = 'tiny-1.0-py3-none-any.whl'
    with zipfile.ZipFile(os.path.join(folder, name), 'w') as wheel:
        wheel.writestr('tiny.py', 'ANSWER = 42\n')
        wheel.writestr('tiny-1.0.dist-info/METADATA', 'Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n')
        wheel.writestr('tiny-1.0.dist-info/WHEEL', 'Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n')
        wheel.writestr('tiny-1.0.dist-info/RECORD', 'tiny.py,,\ntiny-1.0.dist-info/METADATA,,\ntiny-1.0.dist-info/WHEEL,,\ntiny-1.0.dist-info/RECORD,,\n')
    return name
";
    world.write("pkg/backend.py", backend);
    world.write("requirements.txt", format!("{}\n", world.path("pkg").display()));
}

#[test]
fn a_profile_is_made_once_used_by_skills_and_removed() {
    let world = World::new();
    package(&world);
    let add = ["python", "add", "tiny", "--requirements", "requirements.txt", "--preload", "tiny"];
    let made = world.ok(&add);
    assert!(made.contains("made the profile `tiny`") && made.contains("1 package"), "{made}");
    assert_eq!(world.run(&add).code, 5, "it is there already");
    let listed = world.json(&["python", "list"]);
    let names: Vec<_> = listed["items"].as_array().unwrap().iter().map(|item| &item["name"]).collect();
    assert_eq!(names, ["default", "tiny"], "{listed}");
    assert_eq!(listed["items"][1]["preload"], serde_json::json!(["tiny"]));

    world.skill("asks", "Asks the package.");
    let procedure = "procedure: {language: python, file: scripts/main.py, function: main, profile: tiny}\n";
    world.write("asks/repertoire.yaml", procedure);
    world.write("asks/scripts/main.py", "import tiny\ndef main():\n    return tiny.ANSWER\n");
    world.ok(&["import", "asks"]);
    assert_eq!(world.ok(&["run", "asks"]), "42\n");

    assert_eq!(world.run(&["python", "remove", "tiny"]).code, 2, "nothing is removed unasked");
    world.ok(&["python", "remove", "tiny", "--yes"]);
    assert!(!world.path(".local/share/repertoire/python/tiny").exists());
    let done = world.run(&["run", "asks"]);
    assert!(done.code != 0 && done.err.contains("`tiny`"), "{done:?}");
}

#[test]
fn a_profile_that_cannot_be_built_leaves_nothing() {
    let world = World::new();
    world.write("requirements.txt", "/not/there\n");
    let done = world.run(&["python", "add", "bad", "--requirements", "requirements.txt"]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.err.contains("python_build_failed") && done.err.contains("/not/there"), "{done:?}");
    assert!(!world.path(".local/share/repertoire/python/bad").exists());
    assert_eq!(world.run(&["python", "add", "default", "--requirements", "requirements.txt"]).code, 2);
    assert_eq!(world.run(&["python", "add", "x", "--requirements", "nowhere.txt"]).code, 3);
}

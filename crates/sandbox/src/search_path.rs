//! Where the interpreters that a skill starts look for code.
//!
//! A skill may reach hosts that its caller may not, and runs in a folder that may hold files of its caller. Most
//! interpreters look for modules or start files in the current folder. These variables keep them from doing so; code
//! sessions do not have them, because all files there belong to the caller.

/// Environment variables of every skill, whatever its language. No parameter may have one of these names.
pub const SEARCH_PATH_VARIABLES: &[(&str, &str)] = &[
    // Python 3.11 and later; the module on the path does the same for older ones.
    ("PYTHONSAFEPATH", "1"),
    ("PYTHONNOUSERSITE", "1"),
    ("PYTHONPATH", FOLDER),
    ("NODE_OPTIONS", "--require=/.sandbox/search_path/node.cjs"),
    // Perl before 5.26 has no such switch.
    ("PERL_USE_UNSAFE_INC", "0"),
    ("PHP_INI_SCAN_DIR", ":/.sandbox/search_path"),
    ("CLASSPATH", "/program"),
    ("R_PROFILE_USER", "/dev/null"),
    ("R_ENVIRON_USER", "/dev/null"),
    // Lua 5.1 and LuaJIT read the name without a version, later ones the other first.
    ("LUA_PATH", "/usr/local/share/lua/5.1/?.lua;/usr/share/lua/5.1/?.lua;/usr/share/lua/5.1/?/init.lua"),
    ("LUA_CPATH", "/usr/local/lib/lua/5.1/?.so;/usr/lib/lua/5.1/?.so"),
    ("LUA_PATH_5_2", "/usr/local/share/lua/5.2/?.lua;/usr/share/lua/5.2/?.lua;/usr/share/lua/5.2/?/init.lua"),
    ("LUA_CPATH_5_2", "/usr/local/lib/lua/5.2/?.so;/usr/lib/lua/5.2/?.so"),
    ("LUA_PATH_5_3", "/usr/local/share/lua/5.3/?.lua;/usr/share/lua/5.3/?.lua;/usr/share/lua/5.3/?/init.lua"),
    ("LUA_CPATH_5_3", "/usr/local/lib/lua/5.3/?.so;/usr/lib/lua/5.3/?.so"),
    ("LUA_PATH_5_4", "/usr/local/share/lua/5.4/?.lua;/usr/share/lua/5.4/?.lua;/usr/share/lua/5.4/?/init.lua"),
    ("LUA_CPATH_5_4", "/usr/local/lib/lua/5.4/?.so;/usr/lib/lua/5.4/?.so"),
];

/// Where the files below stand in the jail.
pub(crate) const FOLDER: &str = "/.sandbox/search_path";

/// Files that the variables name.
pub(crate) const FILES: &[(&str, &[u8])] = &[
    ("sitecustomize.py", include_bytes!("search_path/sitecustomize.py")),
    ("node.cjs", include_bytes!("search_path/node.cjs")),
    ("php.ini", include_bytes!("search_path/php.ini")),
];

/// The variables as a JSON object, for the Python fork server.
pub(crate) fn as_json() -> String {
    let variables: serde_json::Map<_, _> =
        SEARCH_PATH_VARIABLES.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
    serde_json::Value::Object(variables).to_string()
}

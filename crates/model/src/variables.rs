//! Environment variables that parameters of a script cannot set.

/// Whether a variable of this name can decide what code runs: the loader, an interpreter or a common tool reads it
/// before or during the script, or the sandbox sets it. A caller who sets its value could choose what runs.
pub fn is_reserved_variable(name: &str) -> bool {
    // Only programs read this one, to choose between development and production.
    if name == "NODE_ENV" {
        return false;
    }
    NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

const PREFIXES: [&str; 46] = [
    // The loader and the C library.
    "LD_",
    "GLIBC_",
    "GCONV_",
    "MALLOC_",
    // Shells.
    "BASH",
    "KSH_",
    "ZSH_",
    // Python and its tools.
    "PYTHON",
    "PIP_",
    "UV_",
    "CONDA_",
    // Perl, Ruby, Lua, PHP, Tcl.
    "PERL",
    "RUBY",
    "GEM_",
    "BUNDLE_",
    "LUA",
    "PHP",
    "TCL",
    // JavaScript.
    "NODE_",
    "NPM_CONFIG_",
    "npm_config_",
    "DENO_",
    "BUN_",
    // Java and .NET.
    "JAVA_",
    "_JAVA_",
    "JDK_",
    "DOTNET_",
    "COMPlus_",
    "CORECLR_",
    "COR_",
    "MONO_",
    // R, Julia, Octave, Erlang, Guile.
    "R_LIBS",
    "R_PROFILE",
    "R_ENVIRON",
    "JULIA_",
    "OCTAVE_",
    "ERL_",
    "GUILE_",
    // Compilers and their drivers.
    "CARGO_",
    "RUSTC_",
    "RUSTUP_",
    // Programs that scripts call, with settings that name other programs.
    "GIT_",
    "SSH_",
    "OPENSSL_",
    "MAGICK_",
    "XDG_",
];

const NAMES: [&str; 55] = [
    // Set by the sandbox.
    "PATH",
    "HOME",
    "TMPDIR",
    "RESULT_FILE",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    // Shells.
    "ENV",
    "IFS",
    "SHELL",
    "SHELLOPTS",
    "PS4",
    "CDPATH",
    "FPATH",
    "GLOBIGNORE",
    "PROMPT_COMMAND",
    "ZDOTDIR",
    "INPUTRC",
    // The C library.
    "LOCPATH",
    "NLSPATH",
    "HOSTALIASES",
    "RES_OPTIONS",
    // Search paths and options of interpreters.
    "CLASSPATH",
    "R_HOME",
    "R_DEFAULT_PACKAGES",
    "VIRTUAL_ENV",
    "GOENV",
    "GOFLAGS",
    "GOPATH",
    "GOROOT",
    "GOTOOLCHAIN",
    "MAVEN_OPTS",
    "GRADLE_OPTS",
    "GROOVY_OPTS",
    "ELIXIR_ERL_OPTIONS",
    "AWKPATH",
    "AWKLIBPATH",
    "BC_ENV_ARGS",
    "MAKEFILES",
    "MAKEFLAGS",
    // Programs that other programs start.
    "PAGER",
    "EDITOR",
    "VISUAL",
    "BROWSER",
    "LESSOPEN",
    "LESSCLOSE",
    // Settings of network tools.
    "CURL_HOME",
    "WGETRC",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_direct_an_interpreter_are_reserved_and_others_are_not() {
        let reserved = [
            "PATH",
            "LD_PRELOAD",
            "GLIBC_TUNABLES",
            "ENV",
            "BASH_ENV",
            "BASH_FUNC_echo%%",
            "BASHOPTS",
            "PYTHONPATH",
            "PYTHONSAFEPATH",
            "PYTHONSTARTUP",
            "PERLLIB",
            "PERL5LIB",
            "PERL5OPT",
            "PERL_USE_UNSAFE_INC",
            "RUBYOPT",
            "RUBYLIB",
            "LUA_INIT",
            "LUA_PATH_5_4",
            "PHPRC",
            "NODE_OPTIONS",
            "NODE_PATH",
            "_JAVA_OPTIONS",
            "JAVA_TOOL_OPTIONS",
            "JDK_JAVA_OPTIONS",
            "CLASSPATH",
            "DOTNET_STARTUP_HOOKS",
            "CORECLR_PROFILER_PATH",
            "R_PROFILE_USER",
            "R_LIBS_USER",
            "JULIA_LOAD_PATH",
            "GIT_SSH_COMMAND",
            "GIT_CONFIG_COUNT",
            "OPENSSL_CONF",
            "GCONV_PATH",
            "XDG_CONFIG_HOME",
            "https_proxy",
            "NO_PROXY",
        ];
        for name in reserved {
            assert!(is_reserved_variable(name), "{name}");
        }
        for name in
            ["place", "path", "home", "env", "lang", "LANG", "TZ", "NODE_ENV", "R_SQUARED", "URL", "git_url"]
        {
            assert!(!is_reserved_variable(name), "{name}");
        }
    }
}

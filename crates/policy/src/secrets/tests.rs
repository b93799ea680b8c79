//! What is a secret, and what only looks like one. All keys here are made up.

use proptest::prelude::*;

use super::*;

/// Letters and digits that no placeholder has, as many as are wanted.
fn body(length: usize) -> String {
    "q7Rk2Wz9Lm4Tn8Vb3Xc5Jd1Hg6Fs0Py".chars().cycle().take(length).collect()
}

fn hex(length: usize) -> String {
    "7d3e9a1f5c08b264e7a9".chars().cycle().take(length).collect()
}

#[test]
fn keys_of_known_formats_are_replaced_by_what_they_are() {
    let upper = "Q7RK2WZ9LM4TN5VB";
    let cases = [
        (format!("AKIA{upper}"), "AWS access key"),
        (format!("ASIA{upper}"), "AWS access key"),
        (format!("ghp_{}", body(36)), "GitHub token"),
        (format!("gho_{}", body(36)), "GitHub token"),
        (format!("ghs_{}", body(36)), "GitHub token"),
        (format!("github_pat_{}_{}", body(22), body(59)), "GitHub token"),
        (format!("glpat-{}", body(20)), "GitLab token"),
        (format!("xoxb-2840917263541-2840917263599-{}", body(24)), "Slack token"),
        (format!("xapp-1-A0Q7R-{}", body(40)), "Slack token"),
        (format!("sk_live_{}", body(24)), "Stripe key"),
        (format!("rk_live_{}", body(24)), "Stripe key"),
        (format!("whsec_{}", body(32)), "webhook secret"),
        (format!("sk-{}", body(48)), "OpenAI key"),
        (format!("sk-proj-{}", body(120)), "OpenAI key"),
        (format!("sk-ant-api03-{}", body(95)), "Anthropic key"),
        (format!("sk-or-v1-{}", hex(64)), "OpenRouter key"),
        (format!("AIza{}", body(35)), "Google API key"),
        (format!("ya29.{}", body(60)), "Google token"),
        (format!("GOCSPX-{}", body(28)), "Google client secret"),
        (format!("npm_{}", body(36)), "npm token"),
        (format!("pypi-AgEIcHlwaS5vcmc{}", body(60)), "PyPI token"),
        (format!("SG.{}.{}", body(22), body(43)), "SendGrid key"),
        (format!("SK{}", hex(32)), "Twilio key"),
        (format!("dop_v1_{}", hex(64)), "DigitalOcean token"),
        (format!("hf_{}", body(34)), "Hugging Face token"),
        (format!("shpat_{}", hex(32)), "Shopify token"),
        (format!("dckr_pat_{}", body(27)), "Docker token"),
        (format!("hvs.{}", body(90)), "Vault token"),
        (format!("2840917263:AA{}", body(33)), "Telegram token"),
        (format!("eyJ{}.eyJ{}.{}", body(30), body(60), body(43)), "JWT"),
        (format!("rpt_{}", body(43)), "Repertoire token"),
        (format!("rps_{}", body(43)), "Repertoire login session"),
        (format!("rpl_{}", body(43)), "Repertoire sign-in link"),
    ];
    for (key, kind) in cases {
        let replaced = format!("[redacted: {kind}]");
        for (before, after) in
            [("", ""), ("use ", " now"), ("\"", "\""), ("(", ")."), ("x=", "\n"), ("https://", "@h")]
        {
            let text = format!("{before}{key}{after}");
            assert_eq!(redact(&text), format!("{before}{replaced}{after}"), "{text}");
        }
        let glued = format!("word{key}");
        if !key.contains(':') {
            assert_eq!(redact(&glued), glued, "a key does not begin within a word");
        }
    }
}

#[test]
fn the_other_half_of_an_aws_key_goes_with_it() {
    let secret = "q7Rk2Wz9Lm4Tn8Vb/Xc5Jd1Hg+Fs0PyQ7rK2wZ9l";
    let text = format!("aws configure set: AKIAQ7RK2WZ9LM4TN5VB {secret}");
    assert_eq!(redact(&text), "aws configure set: [redacted: AWS access key] [redacted: AWS secret key]");
    let alone = format!("checksum {secret}");
    assert_eq!(redact(&alone), alone, "40 characters alone say nothing");
    assert_eq!(
        redact(&format!("AWS_SECRET_ACCESS_KEY={secret}")),
        "AWS_SECRET_ACCESS_KEY=[redacted: secret]"
    );
}

#[test]
fn private_keys_go_as_a_whole_also_escaped_and_cut_off() {
    let lines = format!("{}\n{}\n", body(64), body(40));
    for name in
        ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY"]
    {
        let key = format!("-----BEGIN {name}-----\n{lines}-----END {name}-----");
        assert_eq!(redact(&format!("a {key} b")), "a [redacted: private key] b");
        let escaped = format!("{{\"k\": \"{}\"}}", key.replace('\n', "\\n"));
        assert_eq!(redact(&escaped), "{\"k\": \"[redacted: private key]\"}");
        let twice = key.replace('\n', "\\\\n");
        assert_eq!(redact(&twice), "[redacted: private key]");
        assert_eq!(redact(key.split("-----END").next().unwrap()), "[redacted: private key]");
    }
    for plain in [
        format!("-----BEGIN PUBLIC KEY-----\n{lines}-----END PUBLIC KEY-----"),
        format!("-----BEGIN CERTIFICATE-----\n{lines}-----END CERTIFICATE-----"),
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----".to_owned(),
        "grep -- '-----BEGIN RSA PRIVATE KEY-----' id_rsa".to_owned(),
    ] {
        assert_eq!(redact(&plain), plain);
    }
}

#[test]
fn credentials_in_contexts_are_replaced_and_the_context_stays() {
    let key = body(32);
    let cases = [
        ("PASSWORD=hunter2".to_owned(), "PASSWORD=[redacted: password]"),
        ("export DB_PASSWORD='correct-horse'".to_owned(), "export DB_PASSWORD='[redacted: password]'"),
        ("PGPASSWORD=tulip psql -h db".to_owned(), "PGPASSWORD=[redacted: password] psql -h db"),
        (format!("export X_SECRET={key}"), "export X_SECRET=[redacted: secret]"),
        ("X_SECRET=correcthorsebattery make".to_owned(), "X_SECRET=[redacted: secret] make"),
        (format!("deploy --token {key} --yes"), "deploy --token [redacted: secret] --yes"),
        (format!("deploy --api-key={key}"), "deploy --api-key=[redacted: secret]"),
        ("mysql --password=tulip db".to_owned(), "mysql --password=[redacted: password] db"),
        (format!("api_key: {key}"), "api_key: [redacted: secret]"),
        (format!("api_key: \"{key}\" # prod"), "api_key: \"[redacted: secret]\" # prod"),
        (format!("{{\"apiKey\": \"{key}\"}}"), "{\"apiKey\": \"[redacted: secret]\"}"),
        ("{\"password\": 84628462}".to_owned(), "{\"password\": \"[redacted: password]\"}"),
        ("password = \"hunter2\"".to_owned(), "password = \"[redacted: password]\""),
        ("client(password='s3cret!')".to_owned(), "client(password='[redacted: password]')"),
        (
            format!("curl -H 'X-Api-Key: {key}' https://h"),
            "curl -H 'X-Api-Key: [redacted: secret]' https://h",
        ),
        (format!("Authorization: Bearer {key}"), "Authorization: Bearer [redacted: bearer token]"),
        (format!("\"Authorization\": \"Token {key}\""), "\"Authorization\": \"Token [redacted: secret]\""),
        (
            "Authorization: Basic YWRhOmh1bnRlcjI=".to_owned(),
            "Authorization: Basic [redacted: basic credentials]",
        ),
        ("Cookie: sid=q7Rk2Wz9; theme=dark".to_owned(), "Cookie: [redacted: cookie]"),
        ("psql postgres://ada:tulip@db/x".to_owned(), "psql postgres://ada:[redacted: password]@db/x"),
        ("redis://:p4ss@cache:6379".to_owned(), "redis://:[redacted: password]@cache:6379"),
        (format!("git clone https://{key}@git.h/x"), "git clone https://[redacted: token]@git.h/x"),
        (
            format!("https://h/x?a=1&access_token={key}&b=2"),
            "https://h/x?a=1&access_token=[redacted: secret]&b=2",
        ),
        ("user=ada&password=tulip&next=/".to_owned(), "user=ada&password=[redacted: password]&next=/"),
        ("curl -s -u ada:tulip https://h".to_owned(), "curl -s -u ada:[redacted: password] https://h"),
        ("sshpass -p 'tulip' ssh h".to_owned(), "sshpass -p '[redacted: password]' ssh h"),
        ("mysql -uroot -ptulip db".to_owned(), "mysql -uroot -p[redacted: password] db"),
        ("docker login -u ada -p tulip reg".to_owned(), "docker login -u ada -p [redacted: password] reg"),
        ("<password>tulip</password>".to_owned(), "<password>[redacted: password]</password>"),
        (
            "log in as ada, the password is hunter2.".to_owned(),
            "log in as ada, the password is [redacted: password].",
        ),
        ("the password is: hunter2".to_owned(), "the password is: [redacted: password]"),
        ("Password: hunter2".to_owned(), "Password: [redacted: password]"),
        (
            format!("https://hooks.slack.com/services/T01ABCD/B01EFGH/{}", body(24)),
            "https://hooks.slack.com/services/[redacted: Slack webhook]",
        ),
    ];
    for (text, kept) in cases {
        assert_eq!(redact(&text), kept, "{text}");
    }
}

#[test]
fn a_secret_behind_escapes_is_found_where_it_is() {
    let key = format!("ghp_{}", body(36));
    let escaped = format!("{{\"out\": \"first\\n{key}\\n\"}}");
    assert_eq!(redact(&escaped), "{\"out\": \"first\\n[redacted: GitHub token]\\n\"}");
    let hidden = format!("\\u0067\\u0068p_{}", body(36));
    assert_eq!(redact(&format!("\"{hidden}\"")), "\"[redacted: GitHub token]\"");
    let inner = format!(
        "{{\\\"password\\\": \\\"hunter2\\\"}} {{\\\\\\\"token\\\\\\\": \\\\\\\"{}\\\\\\\"}}",
        body(30)
    );
    let kept = "{\\\"password\\\": \\\"[redacted: password]\\\"} {\\\\\\\"token\\\\\\\": \\\\\\\"[redacted: secret]\\\\\\\"}";
    assert_eq!(redact(&inner), kept);
    let slashes = "\"AWS_SECRET_ACCESS_KEY=q7Rk2Wz9Lm4Tn8Vb\\/Xc5Jd1Hg+Fs0PyQ7rK2wZ9l\"";
    assert_eq!(redact(slashes), "\"AWS_SECRET_ACCESS_KEY=[redacted: secret]\"");
}

#[test]
fn what_only_looks_like_a_secret_stays() {
    let image = format!("data:image/png;base64,iVBORw0KGgo{}", body(4_000));
    for plain in [
        "commit 9f8c1e2d3b4a5968778695a4b3c2d1e0f9a8b7c6",
        "sha256:7d3e9a1f5c08b264e7a97d3e9a1f5c08b264e7a97d3e9a1f5c08b264e7a97d3e",
        "integrity sha512-q7Rk2Wz9Lm4Tn8Vb3Xc5Jd1Hg6Fs0Pyq7Rk2Wz9Lm4Tn8Vb3Xc5Jd1Hg6Fs0Py==",
        "id 0192f3a4-5b6c-7d8e-9f01-23456789abcd",
        image.as_str(),
        "Lorem ipsum dolor sit amet, consectetur adipiscing elit.",
        "task-manager-with-a-very-long-kebab-case-name-2",
        "sk-learn-compatible-estimators-in-python-3-11",
        "the disk-usage-of-your-machine-v2-2024-01-01",
        "token: string; password: string | null",
        "def login(user, password, token=None, secret=secret, password=args.password):",
        "const token = process.env.GITHUB_TOKEN1;",
        "password = os.environ[\"DB_PASSWORD\"]",
        "TOKEN=$GITHUB_TOKEN PASSWORD=${DB_PASSWORD} SECRET=$(cat /run/secrets/x)",
        "API_KEY=your-api-key-here API_TOKEN=<your token> OPENAI_API_KEY=sk-...",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer <access_token>",
        "Authorization: Bearer YOUR_ACCESS_TOKEN_123",
        "bearer authentication is basic authentication",
        "Password: must be at least 8 characters",
        "max_tokens: 4096, token_count=128000, tokens: 2048",
        "password_file=/run/secrets/db tokenizer=cl100k_base",
        "secretName: tls-certificate",
        "credentials: 'include'",
        "postgres://user:password@localhost:5432/db",
        "postgres://$USER:$PASSWORD@localhost/db",
        "git@github.com:ada/repo.git",
        "ssh://git@github.com/ada/repo",
        "docker run -u 1000:1000 image",
        "mkdir -p dist && cp -p a b",
        "AKIAIOSFODNN7EXAMPLE",
        "eyJhbGciOiJIUzI1NiJ9 is a header",
        "bypass=true compass: north-east",
        "let key = map.get(\"a1b2c3d4\");",
        "keyboard shortcut: ctrl+k, primary key: user_id2",
        "the author is A1b2c3d4e5",
        "[redacted: password] PASSWORD=[redacted: password] token: [redacted]",
        "C:\\Users\\token\\new\\u00zz",
    ] {
        assert_eq!(redact(plain), plain);
    }
}

#[test]
fn hostile_texts_take_linear_time() {
    let size = 1 << 15;
    for part in [
        "ghp_",
        "eyJ",
        "eyJ.",
        "eyJ-",
        "token=",
        "token='",
        "token=\"a' ",
        "password: ",
        "-----BEGIN PRIVATE KEY-----\n",
        "://a:",
        "bearer ",
        "basic ",
        "cookie: ",
        "cookie:a=",
        "\\",
        "\\u0041",
        "curl -u a:",
        "sk-sk-",
        "AKIAQ7RK2WZ9LM4TN5VB ",
        "é",
        "token=é.",
        "mysql -p",
        ":AA",
        "1234567890:AA",
        "/api/webhooks/1",
        "pass",
        "key-",
        "secret is ",
        "token=.",
    ] {
        let text = part.repeat(size / part.len());
        // It ends within the time of a test; how long it takes is measured elsewhere.
        let kept = redact(&text);
        assert!(kept.len() <= text.len() * 8, "{part}");
    }
}

proptest! {
    #[test]
    fn any_text_is_taken_and_what_is_redacted_stays_so(text in "(?s).{0,200}") {
        let once = redact(&text).into_owned();
        prop_assert_eq!(redact(&once), once.as_str());
    }

    #[test]
    fn texts_of_telling_parts_are_taken(parts in proptest::collection::vec(prop_oneof![
        Just("password"), Just("="), Just(": "), Just("token"), Just("\""), Just("\\"), Just("n"), Just("ghp_"), Just("-----BEGIN RSA PRIVATE KEY-----"),
        Just("é"), Just("://"), Just("@"), Just("a1b2c3d4e5f6g7h8"), Just("\n"), Just("eyJ"), Just("."), Just("Bearer "), Just("\\u0041"), Just("--"),
        Just("q7Rk2Wz9Lm4Tn8Vb3Xc5Jd1Hg6Fs0Pyq7Rk2Wz9"), Just("AKIAQ7RK2WZ9LM4TN5VB"), Just(" "), Just("curl -u "), Just("'"), Just("<"), Just(">"),
    ], 0..40)) {
        let text = parts.concat();
        let found = find(&text);
        let mut end = 0;
        for one in &found {
            prop_assert!(one.range.start >= end && one.range.end > one.range.start);
            prop_assert!(text.get(one.range.clone()).is_some());
            end = one.range.end;
        }
    }
}

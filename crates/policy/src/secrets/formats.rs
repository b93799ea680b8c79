//! Keys that are known by their form.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::Found;
use super::scan::{Class, Runs, at, before, text};
use super::value::{is_placeholder, is_random};

/// How a key looks: what it begins with, what follows, and how long that is.
struct Format {
    prefix: &'static str,
    class: Class,
    lengths: (usize, usize),
    /// Whether what follows must look random: the prefix alone says too little.
    random: bool,
    kind: &'static str,
}

const LONG: usize = 4_096;

const fn format(prefix: &'static str, class: Class, lengths: (usize, usize), kind: &'static str) -> Format {
    Format { prefix, class, lengths, random: false, kind }
}

const fn random(prefix: &'static str, class: Class, lengths: (usize, usize), kind: &'static str) -> Format {
    Format { prefix, class, lengths, random: true, kind }
}

const AWS: &str = "AWS access key";

/// Where one prefix begins another, the longer is first.
const FORMATS: &[Format] = &[
    format("AKIA", Class::Upper, (16, 16), AWS),
    format("ASIA", Class::Upper, (16, 16), AWS),
    format("ABIA", Class::Upper, (16, 16), AWS),
    format("ghp_", Class::Alphanumeric, (30, 255), "GitHub token"),
    format("gho_", Class::Alphanumeric, (30, 255), "GitHub token"),
    format("ghu_", Class::Alphanumeric, (30, 255), "GitHub token"),
    format("ghs_", Class::Dotted, (30, LONG), "GitHub token"),
    format("ghr_", Class::Alphanumeric, (30, 255), "GitHub token"),
    format("github_pat_", Class::Word, (40, 255), "GitHub token"),
    format("glpat-", Class::Dotted, (20, 255), "GitLab token"),
    format("gldt-", Class::Word, (20, 255), "GitLab token"),
    format("glrt-", Class::Dotted, (20, 255), "GitLab token"),
    format("glptt-", Class::Word, (20, 255), "GitLab token"),
    format("glcbt-", Class::Word, (20, 255), "GitLab token"),
    format("glft-", Class::Word, (20, 255), "GitLab token"),
    format("glsoat-", Class::Word, (20, 255), "GitLab token"),
    format("gloas-", Class::Word, (20, 255), "GitLab token"),
    random("xoxb-", Class::Word, (16, 512), "Slack token"),
    random("xoxp-", Class::Word, (16, 512), "Slack token"),
    random("xoxa-", Class::Word, (16, 512), "Slack token"),
    random("xoxr-", Class::Word, (16, 512), "Slack token"),
    random("xoxs-", Class::Word, (16, 512), "Slack token"),
    random("xoxc-", Class::Word, (16, 512), "Slack token"),
    random("xoxd-", Class::Word, (16, 512), "Slack token"),
    random("xoxe-", Class::Word, (16, 512), "Slack token"),
    random("xoxe.", Class::Dotted, (16, 512), "Slack token"),
    random("xapp-", Class::Word, (16, 512), "Slack token"),
    random("sk_live_", Class::Alphanumeric, (16, 255), "Stripe key"),
    random("sk_test_", Class::Alphanumeric, (16, 255), "Stripe key"),
    random("rk_live_", Class::Alphanumeric, (16, 255), "Stripe key"),
    random("rk_test_", Class::Alphanumeric, (16, 255), "Stripe key"),
    random("whsec_", Class::Base64, (16, 255), "webhook secret"),
    random("sk-ant-", Class::Word, (20, 512), "Anthropic key"),
    random("sk-or-v1-", Class::Hex, (40, 128), "OpenRouter key"),
    random("sk-proj-", Class::Word, (20, 512), "OpenAI key"),
    random("sk-svcacct-", Class::Word, (20, 512), "OpenAI key"),
    random("sk-admin-", Class::Word, (20, 512), "OpenAI key"),
    random("sk-", Class::Word, (20, 512), "OpenAI key"),
    random("AIza", Class::Word, (35, 35), "Google API key"),
    random("ya29.", Class::Dotted, (20, LONG), "Google token"),
    random("GOCSPX-", Class::Word, (20, 64), "Google client secret"),
    random("npm_", Class::Alphanumeric, (36, 36), "npm token"),
    random("pypi-", Class::Word, (50, 512), "PyPI token"),
    random("SG.", Class::Dotted, (40, 128), "SendGrid key"),
    random("SK", Class::Hex, (32, 32), "Twilio key"),
    random("key-", Class::Hex, (32, 32), "Mailgun key"),
    random("dop_v1_", Class::Hex, (64, 64), "DigitalOcean token"),
    random("doo_v1_", Class::Hex, (64, 64), "DigitalOcean token"),
    random("dor_v1_", Class::Hex, (64, 64), "DigitalOcean token"),
    random("hf_", Class::Alphanumeric, (30, 64), "Hugging Face token"),
    random("shpat_", Class::Hex, (32, 32), "Shopify token"),
    random("shpss_", Class::Hex, (32, 32), "Shopify token"),
    random("shpca_", Class::Hex, (32, 32), "Shopify token"),
    random("sq0atp-", Class::Word, (22, 64), "Square token"),
    random("sq0csp-", Class::Word, (22, 64), "Square token"),
    random("dapi", Class::Hex, (32, 32), "Databricks token"),
    random("dckr_pat_", Class::Word, (20, 64), "Docker token"),
    random("lin_api_", Class::Alphanumeric, (32, 64), "Linear key"),
    random("ntn_", Class::Alphanumeric, (40, 64), "Notion token"),
    random("secret_", Class::Alphanumeric, (43, 43), "Notion token"),
    random("PMAK-", Class::Word, (40, 80), "Postman key"),
    random("pul-", Class::Hex, (40, 40), "Pulumi token"),
    random("hvs.", Class::Word, (24, 512), "Vault token"),
    random("hvb.", Class::Word, (24, 512), "Vault token"),
    random("figd_", Class::Word, (30, 80), "Figma token"),
    random("ATATT3", Class::Base64, (40, 512), "Atlassian token"),
    random("glsa_", Class::Word, (32, 64), "Grafana token"),
    random("glc_", Class::Base64, (32, 512), "Grafana token"),
    random("NRAK-", Class::Upper, (27, 27), "New Relic key"),
    random("sntrys_", Class::Word, (40, 512), "Sentry token"),
    random("sntryu_", Class::Hex, (64, 64), "Sentry token"),
    random("sbp_", Class::Hex, (40, 40), "Supabase token"),
    random("gsk_", Class::Alphanumeric, (40, 80), "Groq key"),
    random("xai-", Class::Alphanumeric, (60, 120), "xAI key"),
    random("r8_", Class::Alphanumeric, (37, 40), "Replicate token"),
    random("pplx-", Class::Alphanumeric, (40, 64), "Perplexity key"),
    format("AGE-SECRET-KEY-1", Class::Upper, (58, 58), "age key"),
    format("rpt_", Class::Word, (43, 43), "Repertoire token"),
    format("rps_", Class::Word, (43, 43), "Repertoire login session"),
    format("rpl_", Class::Word, (43, 43), "Repertoire sign-in link"),
];

const JWT: &str = "eyJ";
const BLOCK: &str = "-----BEGIN ";
const SLACK_HOOK: &str = "hooks.slack.com/services/";
const DISCORD_HOOK: &str = "/api/webhooks/";
const TELEGRAM: &str = ":AA";

static PREFIXES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let own = [JWT, BLOCK, SLACK_HOOK, DISCORD_HOOK, TELEGRAM];
    let all = FORMATS.iter().map(|format| format.prefix).chain(own);
    Regex::new(&all.map(regex::escape).collect::<Vec<_>>().join("|")).ok()
});

/// The keys among the bytes.
pub(super) fn find(bytes: &[u8]) -> Vec<Found> {
    let Some(prefixes) = PREFIXES.as_ref() else { return Vec::new() };
    let mut runs = Runs::new(bytes);
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(hit) = prefixes.find_at(bytes, from) {
        let one = key_at(bytes, &mut runs, hit.start());
        from = one.as_ref().map_or(hit.start() + 1, |one| one.range.end);
        found.extend(one);
    }
    if found.iter().any(|one| one.kind == AWS) {
        found.extend(aws_secrets(bytes));
    }
    found
}

fn key_at(bytes: &[u8], runs: &mut Runs<'_>, start: usize) -> Option<Found> {
    let rest = bytes.get(start..)?;
    if rest.starts_with(TELEGRAM.as_bytes()) {
        return telegram(bytes, runs, start);
    }
    if rest.starts_with(DISCORD_HOOK.as_bytes()) {
        return discord(bytes, runs, start);
    }
    if rest.starts_with(BLOCK.as_bytes()) {
        return block(bytes, runs, start);
    }
    if before(bytes, start).is_ascii_alphanumeric() {
        return None;
    }
    if rest.starts_with(JWT.as_bytes()) {
        return jwt(bytes, runs, start);
    }
    if rest.starts_with(SLACK_HOOK.as_bytes()) {
        let secret = start + SLACK_HOOK.len();
        let end = runs.end(Class::Base64, secret);
        return (end - secret >= 30).then(|| Found::new(secret..end, "Slack webhook"));
    }
    FORMATS.iter().filter(|format| rest.starts_with(format.prefix.as_bytes())).find_map(|format| {
        let body = start + format.prefix.len();
        let end = runs.end(format.class, body);
        let end = if at(bytes, end - 1) == b'.' { end - 1 } else { end };
        let (shortest, longest) = format.lengths;
        let fits = end.checked_sub(body).is_some_and(|length| (shortest..=longest).contains(&length))
            && !at(bytes, end).is_ascii_alphanumeric();
        let key = if fits { text(bytes, body..end) } else { return None };
        let holds = !is_placeholder(key) && (!format.random || is_random(key));
        holds.then(|| Found::new(start..end, format.kind))
    })
}

/// Three parts of base64, of which the first two are JSON objects.
fn jwt(bytes: &[u8], runs: &mut Runs<'_>, start: usize) -> Option<Found> {
    let head = runs.end(Class::Word, start);
    let claims = head + 1;
    if at(bytes, head) != b'.' || !bytes.get(claims..)?.starts_with(JWT.as_bytes()) {
        return None;
    }
    let middle = runs.end(Class::Word, claims);
    if at(bytes, middle) != b'.' {
        return None;
    }
    let end = runs.end(Class::Word, middle + 1);
    (head - start >= 10 && middle - claims >= 10 && end - middle > 10).then(|| Found::new(start..end, "JWT"))
}

/// A private key in text form. Where its end was cut off, what is left of it goes.
fn block(bytes: &[u8], runs: &mut Runs<'_>, start: usize) -> Option<Found> {
    const END: &str = "-----END ";
    let after = start + BLOCK.len();
    let line = text(bytes, after..bytes.len().min(after + 48));
    let name = line.split("-----").next().filter(|name| name.len() < line.len())?;
    if !name.contains("PRIVATE KEY") {
        return None;
    }
    let body = after + name.len() + 5;
    let run = runs.end(Class::Block, body);
    let inner = bytes.get(body..run)?;
    // No block has this within, so that what is walked over here is not walked over again.
    let dashes = inner.windows(5).position(|window| window == b"-----").unwrap_or(inner.len());
    let longest = inner.get(..dashes)?.split(|byte| !Class::Base64.has(*byte)).map(<[u8]>::len).max()?;
    if longest < 32 {
        return None;
    }
    let line = body + dashes;
    let rest = text(bytes, line..bytes.len().min(line + 64));
    let closing = rest.strip_prefix(END).and_then(|rest| rest.find("-----"));
    let end = closing.map_or(line, |dashes| line + END.len() + dashes + 5);
    Some(Found::new(start..end, "private key"))
}

/// `123456789:AA…`: the number of a bot, and its token.
fn telegram(bytes: &[u8], runs: &mut Runs<'_>, colon: usize) -> Option<Found> {
    let digits = bytes.get(..colon)?.iter().rev().take(11).take_while(|byte| byte.is_ascii_digit()).count();
    let start = colon - digits;
    let end = runs.end(Class::Word, colon + 1);
    let fits = (8..=10).contains(&digits)
        && !before(bytes, start).is_ascii_alphanumeric()
        && (34..=36).contains(&(end - colon - 1))
        && is_random(text(bytes, colon + 1..end));
    fits.then(|| Found::new(start..end, "Telegram token"))
}

/// `discord.com/api/webhooks/<number>/<token>`.
fn discord(bytes: &[u8], runs: &mut Runs<'_>, start: usize) -> Option<Found> {
    let number = start + DISCORD_HOOK.len();
    let slash = runs.end(Class::Alphanumeric, number);
    if slash - number < 15 || at(bytes, slash) != b'/' {
        return None;
    }
    let end = runs.end(Class::Word, slash + 1);
    (end - slash > 40).then(|| Found::new(slash + 1..end, "Discord webhook"))
}

/// Where an access key is, its other half may be without a name: 40 characters of base64.
fn aws_secrets(bytes: &[u8]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut start = 0;
    for part in bytes.split(|byte| !Class::Base64.has(*byte)) {
        let has = |class: fn(&u8) -> bool| part.iter().any(class);
        let mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit);
        // An assignment without spaces is one run: the secret is behind the sign.
        let secret = part.iter().rposition(|byte| *byte == b'=').map_or(0, |sign| sign + 1);
        if part.len() - secret == 40 && mixed && !text(part, 0..part.len()).contains("EXAMPLE") {
            found.push(Found::new(start + secret..start + part.len(), "AWS secret key"));
        }
        start += part.len() + 1;
    }
    found
}

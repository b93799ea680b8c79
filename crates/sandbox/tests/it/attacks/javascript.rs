//! The same in JavaScript: loops, memory, a poisoned way to the result, and ways out of the engine.

use serde_json::json;

use crate::trial::{attack, javascript, javascript_attack};

attack!(
    javascript_loops_forever,
    javascript_attack("export function attack(host) { for (;;) {} }").wall(700).ended_by("time_limit")
);

attack!(
    javascript_loops_while_loading,
    javascript_attack("while (true) {}\nexport function attack(host) { return 1 }")
        .wall(700)
        .ended_by("time_limit")
);

attack!(
    javascript_loops_in_the_processor_limit,
    javascript_attack("export function attack(host) { let x = 0; for (;;) x++ }")
        .limit("cpu_ms", 1_000)
        .ended_by("cpu_limit")
);

attack!(
    javascript_fills_memory,
    javascript_attack(
        "export function attack(host) { const kept = []; for (;;) kept.push(new Uint8Array(1 << 20)) }"
    )
    .limit("memory", 128 << 20)
    .ended_by("memory_limit")
);

attack!(
    javascript_fills_memory_and_ignores_the_refusal,
    javascript_attack(
        "export function attack(host) { let kept = []; for (;;) { try { kept.push(new Array(100000).fill(kept.length)) } catch { kept.length >>= 1 } } }"
    )
    .limit("memory", 128 << 20)
    .wall(2_000)
    .ended_by("memory_limit|time_limit|cpu_limit")
);

attack!(
    javascript_backtracks_in_a_pattern,
    javascript_attack("export function attack(host) { return /^(a+)+$/.test('a'.repeat(60) + 'b') }")
        .wall(700)
        .ended_by("time_limit")
);

attack!(
    javascript_recurses_without_end,
    javascript_attack("export function attack(host) { return attack() + 1 }").fails("code_error|crashed")
);

attack!(
    javascript_makes_a_huge_text,
    javascript_attack(
        "export function attack(host) { let text = 'x'; for (;;) { text = text + text; if (text.length < 0) return 1 } }"
    )
    .limit("memory", 128 << 20)
    .check(|answer| {
        let failed = answer.failure()["code"] == "code_error";
        assert!(failed || answer.limit() == Some("memory_limit"), "{answer:?}");
    })
);

attack!(
    javascript_returns_too_much,
    javascript_attack("export function attack(host) { return 'x'.repeat(1 << 20) }").ended_by("result_limit")
);

attack!(
    javascript_floods_the_output,
    javascript_attack("export function attack(host) { for (;;) console.log('x'.repeat(1000)) }")
        .ended_by("output_limit")
);

attack!(
    javascript_replaces_the_writer_of_results,
    javascript_attack(
        r"
export function attack(host) {
    JSON.stringify = () => '\'faked\'';
    globalThis.JSON = { stringify: () => '\'faked\'', parse: () => 'faked' };
    Function.prototype.call = Function.prototype.apply = () => 'faked';
    return { honest: [1, 'text', true, null] };
}"
    )
    .returns(json!({ "honest": [1, "text", true, null] }))
);

attack!(
    javascript_gives_everything_another_form,
    javascript_attack(
        r"
export function attack(host) {
    Object.prototype.toJSON = function () { return 'of its own' };
    Array.prototype.toJSON = String.prototype.toJSON = Number.prototype.toJSON = () => 'of its own';
    return { honest: [1, 'text', true, null] };
}"
    )
    // That is how JSON works in this language: the form is the program's own to choose, for its own result.
    .check(|answer| {
        let honest = json!({ "honest": [1, "text", true, null] });
        assert!([honest, json!("of its own")].contains(answer.returned()), "{answer:?}");
    })
);

attack!(
    javascript_pollutes_prototypes,
    javascript_attack(
        r"
export function attack(host) {
    Object.defineProperty(Object.prototype, 'ok', { get() { return 'faked' }, set() {}, configurable: true });
    Object.defineProperty(Object.prototype, 'error', { get() { return 'faked' }, set() {}, configurable: true });
    Object.defineProperty(Array.prototype, '0', { set() { throw 1 }, get() { return 'faked' } });
    globalThis.Promise = Object.keys = Object.entries = Array.isArray = () => { throw 'faked' };
    return { honest: 1 };
}"
    )
    // Whoever spoils its own world spoils its own result; it must only be this run that fails.
    .check(|answer| {
        let honest = answer.0["ending"]["returned"] == json!({ "honest": 1 });
        assert!(honest || answer.failure()["code"] == "code_error", "{answer:?}");
    })
);

attack!(
    javascript_returns_something_that_lies,
    javascript_attack(
        r"
export function attack(host) {
    return new Proxy({}, { ownKeys() { throw new Error('no') }, get() { return () => { for (;;) {} } } });
}"
    )
    .wall(1_500)
    .check(|answer| {
        let code = answer.failure()["code"].as_str().unwrap_or("");
        let refused = ["result_not_json", "code_error"].contains(&code);
        let empty = answer.0["ending"]["returned"] == json!({});
        assert!(refused || empty || answer.limit() == Some("time_limit"), "{answer:?}");
    })
);

attack!(
    javascript_returns_itself,
    javascript_attack("export function attack(host) { const ring = {}; ring.ring = ring; return ring }")
        .fails("result_not_json|code_error")
);

attack!(
    javascript_returns_something_too_deep,
    javascript_attack("export function attack(host) { let deep = []; for (let i = 0; i < 50000; i++) deep = [deep]; return deep }")
        .fails("result_not_json|code_error|result_invalid")
);

attack!(
    javascript_imports_files_of_the_host,
    javascript_attack(
        r"
export async function attack(host) {
    const tried = {};
    for (const name of [host.secret_file, 'file://' + host.secret_file, '/etc/passwd', '../../etc/passwd',
                        './../../../../../../../../..' + host.secret_file, 'fs', 'node:fs', 'os', 'std', 'qjs:os',
                        'qjs:std', 'bjson', 'child_process', 'http://127.0.0.1/x.js', 'data:text/javascript,export default 1',
                        '/proc/self/environ']) {
        try { await import(name); tried[name.slice(-30)] = 'ESCAPED' } catch (error) { tried[name.slice(-30)] = 'refused' }
    }
    return tried;
}"
    )
    .check(|answer| {
        let tried = answer.returned().as_object().unwrap();
        assert!(tried.len() >= 13, "{answer:?}");
        assert!(tried.values().all(|it| it == "refused"), "{answer:?}");
    })
);

attack!(
    javascript_looks_for_ways_out,
    javascript_attack(
        r"
export function attack(host) {
    const names = ['require', 'process', 'Deno', 'Bun', 'os', 'std', 'fetch', 'XMLHttpRequest', 'WebSocket', 'Worker',
                   'load', 'loadScript', 'read', 'readFile', 'scriptArgs', 'WebAssembly', 'gc', 'print_memory', 'bjson'];
    return names.filter(name => typeof globalThis[name] !== 'undefined');
}"
    )
    .returns(json!([]))
);

attack!(
    javascript_builds_code_to_get_out,
    javascript_attack(
        r"
export function attack(host) {
    const reach = new Function('return this')();
    return [typeof reach.process, typeof reach.require, typeof (() => {}).constructor('return typeof os')()];
}"
    )
    .check(|answer| {
        // Code from text may be refused; where it runs it has nothing either.
        let refused = answer.failure()["code"] == "code_error";
        let nothing = json!(["undefined", "undefined", "string"]);
        assert!(refused || answer.returned() == &nothing, "{answer:?}");
    })
);

attack!(
    javascript_waits_for_a_promise_forever,
    javascript_attack("export async function attack(host) { await new Promise(() => {}) }")
        .wall(1_000)
        .check(|answer| {
            let code = answer.failure()["code"].as_str().unwrap_or("");
            assert!(
                ["code_error", "crashed"].contains(&code) || answer.limit() == Some("time_limit"),
                "{answer:?}"
            );
        })
);

attack!(
    javascript_queues_work_without_end,
    javascript_attack(
        "export async function attack(host) { const again = () => Promise.resolve().then(again); again(); await again(); return 'ESCAPED' }"
    )
    .wall(1_000)
    .ended_by("time_limit|memory_limit|cpu_limit")
);

attack!(
    javascript_throws_strange_things,
    javascript_attack(
        "export function attack(host) { throw { toString() { for (;;) {} }, get message() { for (;;) {} } } }"
    )
    .wall(1_000)
    .check(|answer| {
        assert!(
            answer.failure()["code"] == "code_error" || answer.limit() == Some("time_limit"),
            "{answer:?}"
        );
    })
);

attack!(
    javascript_throws_nothing,
    javascript("export function attack(host) { throw undefined }")
        .function("attack", json!({}))
        .fails("code_error")
);

// What the engine needs of JavaScript itself: to call a function by the names of its parameters, and to say its
// result in JSON. Everything it uses is taken before the program can change it.
"use strict";
(() => {
  const { stringify } = JSON;
  const sourceOf = Function.prototype.call.bind(Function.prototype.toString);
  const { keys, defineProperty, fromEntries } = Object;
  const isArray = Array.isArray;

  class ArgumentsError extends TypeError {
    get name() { return "ArgumentsError"; }
  }
  class ResultError extends TypeError {
    get name() { return "ResultError"; }
  }

  // The names of the parameters, or null when they are not plain names (a pattern, a rest parameter).
  function namesOf(fn) {
    const source = sourceOf(fn);
    const single = /^(?:async\s+)?([A-Za-z_$][\w$]*)\s*=>/.exec(source);
    if (single) return [single[1]];
    const start = source.indexOf("(");
    if (start < 0) return null;
    const parts = [];
    let depth = 0, part = "", quote = "";
    for (let at = start + 1; at < source.length; at++) {
      const c = source[at];
      if (quote) {
        part += c;
        if (c === "\\") part += source[++at];
        else if (c === quote) quote = "";
        continue;
      }
      if (c === "'" || c === '"' || c === "`") { quote = c; part += c; continue; }
      if (depth === 0 && c === ")") { parts.push(part); break; }
      if (depth === 0 && c === ",") { parts.push(part); part = ""; continue; }
      if ("([{".includes(c)) depth++;
      if (")]}".includes(c)) depth--;
      part += c;
    }
    const names = parts.map((text) => text.replace(/\/\*[^]*?\*\/|\/\/[^\n]*/g, "").trim()).filter((text) => text !== "");
    const plain = names.map((text) => /^([A-Za-z_$][\w$]*)\s*(?:=|$)/.exec(text)?.[1] ?? null);
    return plain.includes(null) ? null : plain;
  }

  function invoke(fn, parameters) {
    if (typeof fn !== "function") throw new ArgumentsError("what is to be called is not a function");
    const names = namesOf(fn);
    if (names === null) return fn(parameters);
    for (const key of keys(parameters)) {
      if (!names.includes(key)) throw new ArgumentsError(`${fn.name} has no parameter \`${key}\``);
    }
    return fn(...names.map((name) => parameters[name]));
  }

  function plain(key, value) {
    switch (typeof value) {
      case "bigint": {
        const fits = value >= -(2n ** 53n) && value <= 2n ** 53n;
        return fits ? Number(value) : value.toString();
      }
      case "number":
        if (value !== value) return null;
        return value === Infinity ? "Infinity" : value === -Infinity ? "-Infinity" : value;
      case "function":
      case "symbol":
        throw new ResultError(`the result contains a ${typeof value}, which has no form in JSON`);
      default:
        if (value instanceof Map) return fromEntries(value);
        if (value instanceof Set) return [...value];
        if (ArrayBuffer.isView(value) && !isArray(value) && !(value instanceof DataView)) return Array.from(value);
        return value;
    }
  }

  function render(value) {
    return stringify(value, plain) ?? "null";
  }

  // Parameters of a file that is run as a whole are global variables.
  function define(parameters) {
    for (const key of keys(parameters)) {
      defineProperty(globalThis, key, { value: parameters[key], writable: true, configurable: true, enumerable: true });
    }
  }

  globalThis.__tools = { invoke, render, define };
})();

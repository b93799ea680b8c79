// Resolves the modules of `node -e` and of code on standard input from the skill's folder, not from the current one,
// which may hold files of the skill's caller.
"use strict";

const currentFolder = process.cwd;

process.cwd = function cwd() {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 1;
  const holder = {};
  Error.captureStackTrace(holder, cwd);
  Error.stackTraceLimit = limit;
  return String(holder.stack).includes("node:internal/process/execution") ? "/program" : currentFolder();
};

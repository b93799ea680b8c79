/** What error codes and limits mean, in plain words. */

const limits: Record<string, string> = {
  time_limit: 'It took longer than it may, and was ended.',
  cpu_limit: 'It used more processor time than it may, and was ended.',
  memory_limit: 'It used more memory than it may, and was ended.',
  process_limit: 'It started more processes or threads than it may.',
  open_files_limit: 'It opened more files at a time than it may.',
  disk_limit: 'It wrote more into its work folder than it may.',
  output_limit: 'It wrote more output than is kept; the rest is left out.',
  result_limit: 'Its result is larger than it may be.',
};

const errors: Record<string, string> = {
  code_error: 'The code raised an error',
  syntax_error: 'The code cannot be read',
  missing_module: 'The code imports a module that is not there',
  missing_function: 'The function to call is not there',
  argument_error: 'The function does not take these parameters',
  result_not_json: 'The result cannot be given back',
  exit_status: 'The code ended itself with a failure',
  crashed: 'The process crashed',
  result_invalid: 'The result cannot be given back',
  stopped: 'It was stopped',
  time_limit: 'Out of time',
  cpu_limit: 'Out of processor time',
  memory_limit: 'Out of memory',
  process_limit: 'Too many processes',
  open_files_limit: 'Too many open files',
  disk_limit: 'Out of disk space',
  output_limit: 'Too much output',
  result_limit: 'Result too large',
};

export function limitWords(code: string): string {
  return limits[code] ?? `It ran into a limit (${code}).`;
}

export function errorWords(code: string): string {
  return errors[code] ?? code;
}
